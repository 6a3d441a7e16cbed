//! A ramp: the same strategies with more and more users at a time. A slider chooses the stop whose results are shown,
//! and a table has the verdicts of all stops. There is nothing of a stop that was not run.

use crate::{
    components::use_hydrated,
    lab::{
        results::{verdict_name, words::words},
        words::{strategy_name, words as lab_words},
    },
};
use leptos::{ev, prelude::*};
use model::{Verdict, lab::Figures};

/// The ids of the slider and of its marks.
const SLIDER: &str = "ramp-at";
const MARKS: &str = "ramp-stops";

/// Returns the stops that have figures, in the order in which they were run.
pub fn stops(figures: &[Figures]) -> Vec<u32> {
    let mut stops: Vec<u32> = figures.iter().map(|figures| figures.concurrency).collect();
    stops.dedup();
    stops
}

/// Returns the figures of a stop.
pub fn at_stop(figures: &[Figures], stop: u32) -> Vec<Figures> {
    figures.iter().filter(|figures| figures.concurrency == stop).cloned().collect()
}

/// Returns the strategies that break at a stop, and at none before it.
fn first_broken(figures: &[Figures], stop: u32) -> Vec<&str> {
    let broken = figures.iter().filter(|figures| figures.verdict == Verdict::Broken);
    let before: Vec<&str> =
        broken.clone().take_while(|figures| figures.concurrency != stop).map(|figures| figures.name.as_str()).collect();
    let here = broken.filter(|figures| figures.concurrency == stop).map(|figures| figures.name.as_str());
    here.filter(|name| !before.contains(name)).collect()
}

/// Returns what there is to say about a stop.
fn sentence(figures: &[Figures], stop: u32) -> Option<String> {
    let words = words();
    let broken = first_broken(figures, stop);
    // As long as the first stop is not done, it is not known whether everything is green there.
    let is_done = stops(figures).len() > 1;
    let mut here = figures.iter().filter(|figures| figures.concurrency == stop);
    let is_green = is_done && here.all(|figures| figures.verdict == Verdict::Holds && !figures.cut_short);
    match broken.as_slice() {
        [] => (stop == 1 && is_green).then(|| words.green_at_one.to_owned()),
        broken => {
            let names: Vec<String> = broken.iter().map(|name| strategy_name(name)).collect();
            Some((words.first_broken)(stop, &names.join(words.between_names)))
        }
    }
}

/// Shows the slider, and a sentence about the chosen stop.
#[component]
pub fn RampSlider(
    /// All figures of the ramp so far.
    figures: Memo<Vec<Figures>>,
    /// The place of the chosen stop among those that were run.
    place: RwSignal<usize>,
    /// The chosen stop.
    stop: Memo<Option<u32>>,
) -> impl IntoView {
    let (words, hydrated) = (words(), use_hydrated());
    let stops = Memo::new(move |_| figures.with(|figures| stops(figures)));
    let choose = move |event: ev::Event| place.set(event_target_value(&event).parse().unwrap_or_default());
    let mark = |(nth, stop): (usize, u32)| view! { <option value=nth label=stop></option> };
    let said = move || stop.get().map(words.people_at_a_time);
    let sentence = Memo::new(move |_| figures.with(|figures| sentence(figures, stop.get()?)));
    view! {
        <div class="ramp">
            <label for=SLIDER>{words.slider}</label>
            <input
                id=SLIDER
                type="range"
                min="0"
                max=move || stops.with(|stops| stops.len().saturating_sub(1))
                // Where nothing is said, a range begins in its middle.
                value="0"
                prop:value=move || place.get().to_string()
                list=MARKS
                aria-valuetext=said
                disabled=move || !hydrated.get()
                on:input=choose
            />
            <datalist id=MARKS>{move || stops.get().into_iter().enumerate().map(mark).collect_view()}</datalist>
            <output for=SLIDER>{said}</output>
        </div>
        <p class="conclusion" role="status">
            {move || sentence.get()}
        </p>
    }
}

/// Shows the verdict of each strategy at each stop.
#[component]
pub fn RampTable(
    /// All figures of the ramp so far.
    #[prop(into)]
    figures: Signal<Vec<Figures>>,
    /// The chosen stop, whose column is marked.
    #[prop(into)]
    stop: Signal<Option<u32>>,
) -> impl IntoView {
    let words = words();
    let is_chosen = move |column: u32| (stop.get() == Some(column)).then_some("true");
    let table = move || {
        figures.with(|figures| {
            let stops = stops(figures);
            let head = stops.iter().map(|&stop| {
                view! {
                    <th scope="col" class="figure" aria-current=move || is_chosen(stop)>
                        {stop}
                    </th>
                }
            });
            let mut names: Vec<&str> = Vec::new();
            for Figures { name, .. } in figures {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
            let row = |name: &str| {
                let cell = |&stop: &u32| {
                    let of = figures.iter().find(|figures| figures.concurrency == stop && figures.name == name);
                    view! { <td class="figure" aria-current=move || is_chosen(stop)>{of.map(mark)}</td> }
                };
                view! {
                    <tr>
                        <th scope="row">{strategy_name(name)}</th>
                        {stops.iter().map(cell).collect_view()}
                    </tr>
                }
            };
            view! {
                <thead>
                    <tr>
                        <th scope="col">{lab_words().strategy}</th>
                        {head.collect_view()}
                    </tr>
                </thead>
                <tbody>{names.into_iter().map(row).collect_view()}</tbody>
            }
        })
    };
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=words.verdicts>
            <table class="ramp-table">
                <caption>{words.verdicts}</caption>
                {table}
            </table>
        </div>
    }
}

/// The verdict of a cell.
fn mark(figures: &Figures) -> impl IntoView + use<> {
    let (class, sign) = match figures.verdict {
        _ if figures.holds_so_far() => ("cell", "✓"),
        Verdict::Holds => ("cell holds", "✓"),
        Verdict::Broken => ("cell broken", "✗"),
        Verdict::Unknown => ("cell", "?"),
    };
    let name = verdict_name(figures);
    view! {
        <span class=class role="img" aria-label=name title=name>
            {sign}
        </span>
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use crate::lab::tests::figures;

    fn ramp() -> Vec<Figures> {
        let of = |name, concurrency, verdict| Figures { concurrency, verdict, ..figures(name) };
        let (holds, broken) = (Verdict::Holds, Verdict::Broken);
        vec![
            of("read-check-write", 1, holds),
            of("user-lock", 1, holds),
            of("read-check-write", 2, broken),
            of("user-lock", 2, holds),
            of("read-check-write", 4, broken),
            of("user-lock", 4, broken),
        ]
    }

    #[test]
    fn only_stops_that_were_run_are_there() {
        assert_eq!((stops(&ramp()), stops(&ramp()[..3]), stops(&[])), (vec![1, 2, 4], vec![1, 2], vec![]));
        let names: Vec<String> = at_stop(&ramp()[..3], 2).into_iter().map(|figures| figures.name).collect();
        assert_eq!(names, ["read-check-write"]);
    }

    #[test]
    fn the_sentence_names_what_breaks_for_the_first_time() {
        assert_eq!(first_broken(&ramp(), 1), [""; 0]);
        assert_eq!((first_broken(&ramp(), 2), first_broken(&ramp(), 4)), (vec!["read-check-write"], vec!["user-lock"]));
        Owner::new().with(|| {
            assert_eq!(sentence(&ramp()[..2], 1), None, "its last strategy may be yet to come");
            let green = sentence(&ramp(), 1).expect("a sentence");
            assert_eq!(green, "At 1 everything is green: this is your test suite.");
            for (verdict, cut_short) in [(Verdict::Unknown, false), (Verdict::Holds, true)] {
                let mut ramp = ramp();
                ramp[0] = Figures { verdict, cut_short, ..ramp[0].clone() };
                assert_eq!((first_broken(&ramp, 1).len(), sentence(&ramp, 1)), (0, None), "{verdict:?}");
            }
            let broken = sentence(&ramp(), 2).expect("a sentence");
            assert!(broken.contains("2") && broken.contains("Read, check, write"), "{broken}");
        });
    }

    #[test]
    fn a_table_has_a_cell_for_each_verdict() {
        Owner::new().with(|| {
            let unknown = Figures { verdict: Verdict::Unknown, ..ramp()[3].clone() };
            let figures = Signal::stored([&ramp()[..3], &[unknown]].concat());
            let html = view! { <RampTable figures stop=Signal::stored(Some(2)) /> }.to_html();
            let signs = ["✓", "✗", "?<"].map(|sign| html.matches(sign).count());
            assert_eq!(signs, [2, 1, 1], "{html}");
        });
    }
}
