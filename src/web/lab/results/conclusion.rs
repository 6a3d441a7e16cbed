//! What a run shows, in a sentence, and its strategies in three groups: broken, right but slow, right and fast.

use crate::lab::words::{strategy_name, words};
use leptos::prelude::*;
use model::{Verdict, lab::Figures};

/// How many times as slow as the fastest right one a strategy may be and still count as fast.
const FAST: u64 = 10;

/// A group of strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Broken,
    /// Right, but more than [`FAST`] times as slow as the fastest one that is right.
    Slow,
    Fast,
}

impl Group {
    pub const ALL: [Self; 3] = [Self::Broken, Self::Slow, Self::Fast];

    /// Returns its heading.
    pub fn name(self) -> &'static str {
        let words = words();
        match self {
            Self::Broken => words.broken,
            Self::Slow => words.right_but_slow,
            Self::Fast => words.right_and_fast,
        }
    }

    /// Returns the strategies of this group among all of a run, fastest first.
    pub fn of(self, all: &[Figures]) -> Vec<Figures> {
        let fastest = right(all).map(|figures| figures.per_s).max().unwrap_or_default();
        let group = |figures: &Figures| match figures.verdict {
            Verdict::Holds if figures.per_s.saturating_mul(FAST) < fastest => Self::Slow,
            Verdict::Holds => Self::Fast,
            _ => Self::Broken,
        };
        let mut own: Vec<Figures> = all.iter().filter(|figures| group(figures) == self).cloned().collect();
        own.sort_by_key(|figures| std::cmp::Reverse(figures.per_s));
        own
    }
}

fn right(all: &[Figures]) -> impl Iterator<Item = &Figures> {
    all.iter().filter(|figures| figures.verdict == Verdict::Holds)
}

/// Returns the sentence about a run of several strategies: how many went wrong, and how far apart the others are.
fn conclusion(all: &[Figures]) -> Option<String> {
    if all.len() < 2 {
        return None;
    }
    let words = words();
    let right: Vec<&Figures> = right(all).collect();
    let mut sentences = vec![(words.went_wrong)(all.len() - right.len(), all.len())];
    let by_speed = |figures: &&&Figures| figures.per_s;
    if let (Some(fastest), Some(slowest)) = (right.iter().max_by_key(by_speed), right.iter().min_by_key(by_speed))
        && fastest.per_s > slowest.per_s
    {
        let times = fastest.per_s as f64 / slowest.per_s.max(1) as f64;
        let times = if times < 10.0 { format!("{times:.1}") } else { format!("{times:.0}") };
        sentences.push((words.times_as_fast)(strategy_name(&fastest.name), times, strategy_name(&slowest.name)));
    }
    Some(sentences.join(words.between_sentences))
}

/// Shows the sentence.
#[component]
pub fn Conclusion(
    /// The figures of the finished strategies.
    #[prop(into)]
    figures: Signal<Vec<Figures>>,
) -> impl IntoView {
    move || figures.with(|figures| conclusion(figures)).map(|text| view! { <p class="conclusion">{text}</p> })
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use crate::lab::tests::figures;

    fn run() -> Vec<Figures> {
        let of = |name, per_s, verdict| Figures { per_s, verdict, ..figures(name) };
        vec![
            of("read-check-write", 50_000, Verdict::Broken),
            of("select-for-update", 400, Verdict::Holds),
            of("script", 20_000, Verdict::Holds),
            of("batched-script", 80_000, Verdict::Holds),
        ]
    }

    #[test]
    fn strategies_are_broken_slow_or_fast() {
        let names = |group: Group| group.of(&run()).into_iter().map(|figures| figures.name).collect::<Vec<_>>();
        assert_eq!(
            Group::ALL.map(names),
            [vec!["read-check-write"], vec!["select-for-update"], vec!["batched-script", "script"]]
        );
    }

    #[test]
    fn the_sentence_counts_what_went_wrong_and_compares_the_rest() {
        Owner::new().with(|| {
            let sentence = conclusion(&run()).expect("a sentence");
            assert!(sentence.starts_with("1 of 4 went wrong."), "{sentence}");
            assert!(sentence.contains("200 times as fast as"), "{sentence}");
            assert_eq!(conclusion(&run()[..1]), None, "one strategy is no comparison");
            let broken = vec![run()[0].clone(), run()[0].clone()];
            assert_eq!(conclusion(&broken).as_deref(), Some("2 of 2 went wrong."));
        });
    }
}
