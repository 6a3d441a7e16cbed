//! Where attempts are made: how many a second lately, section by section.

use super::Sale;
use crate::{
    nodes,
    sales::ticket::words::words,
    ui::{
        format::tenths,
        node::{El, each, el, item, maybe},
        work::effect,
    },
};
use leptos::prelude::*;

/// After so many milliseconds, what happened counts a third.
const MEMORY: f64 = 3_000.0;
/// Sections in the list.
const LISTED: usize = 5;

/// How many attempts there were lately.
#[derive(Clone, Debug)]
pub struct Warmth {
    /// What the last frame said: all attempts ever, by section.
    counted: Vec<u64>,
    /// Attempts, the older the less.
    warm: Vec<f64>,
    at: f64,
}

impl Warmth {
    /// Cold: what was before the page began does not count.
    pub fn new(counted: &[u64]) -> Self {
        Self { counted: counted.to_vec(), warm: vec![0.0; counted.len()], at: 0.0 }
    }

    /// Lets time pass.
    pub fn cool(&mut self, at: f64) {
        let rest = (-(at - self.at).max(0.0) / MEMORY).exp();
        self.at = at;
        self.warm.iter_mut().for_each(|warm| *warm *= rest);
    }

    /// Adds what is new in a frame.
    pub fn add(&mut self, counted: &[u64], at: f64) {
        self.cool(at);
        for ((warm, was), is) in self.warm.iter_mut().zip(&mut self.counted).zip(counted) {
            *warm += is.saturating_sub(*was) as f64;
            *was = *is;
        }
    }

    /// From 0 to 1, for the hottest; all of it fades when hardly anybody tries.
    pub fn shares(&self) -> Vec<f64> {
        let most = self.warm.iter().fold(3.0_f64, |most, warm| most.max(*warm));
        self.warm.iter().map(|warm| warm / most).collect()
    }

    /// The hottest sections, with tenths of attempts a second.
    fn hottest(&self) -> Vec<(usize, u64)> {
        let rate = |warm: &f64| (warm * 10_000.0 / MEMORY) as u64;
        let mut hot: Vec<(usize, u64)> = Vec::with_capacity(LISTED + 1);
        for (section, rate) in self.warm.iter().map(rate).enumerate().filter(|(_, rate)| *rate > 0) {
            let place = hot.iter().position(|(_, hotter)| *hotter < rate).unwrap_or(hot.len());
            hot.insert(place, (section, rate));
            hot.truncate(LISTED);
        }
        hot
    }
}

/// Has the map drawn anew once a second while it shows heat, and when that is switched.
pub fn repaint(sale: Sale, draw: impl Fn() + 'static) {
    let mut showed = false;
    effect(move || {
        let shows = sale.shows_heat.get();
        if shows {
            sale.warmth.track();
        }
        if shows || showed {
            draw();
        }
        showed = shows;
    });
}

/// The hottest sections, as a list.
pub fn heat(sale: Sale) -> El {
    let words = words();
    let hottest = move || sale.warmth.with(Warmth::hottest);
    let rows = each(move || {
        let row = |(section, rate): (usize, u64)| {
            let name = sale.hall.with_value(|hall| hall.layout.sections[section].id.clone());
            // Made anew when its rate changes: there are five.
            item((section as u64) << 32 | rate, move || {
                el("li").with(nodes![
                    el("span").class("id").text(name),
                    el("b").text(tenths(rate)),
                    el("span").class("aside").text(words.per_second),
                ])
            })
        };
        hottest().into_iter().map(row).collect()
    });
    let cold =
        maybe(move || hottest().is_empty().then(|| item("cold", move || el("p").class("empty").text(words.no_demand))));
    el("section").class("card heat").attr("aria-labelledby", "heat-title").with(nodes![
        el("h2").attr("id", "heat-title").text(words.hottest),
        cold,
        el("ol").class("hot").with(nodes![rows]),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_new_warms_and_it_fades() {
        let mut warmth = Warmth::new(&[100, 0, 7]);
        assert_eq!(warmth.hottest(), []);
        warmth.add(&[100, 60, 10], 1_000.0);
        assert_eq!(warmth.hottest(), [(1, 200), (2, 10)]);
        assert_eq!(warmth.shares(), [0.0, 1.0, 0.05]);
        warmth.cool(1_000.0 + 2.0 * MEMORY);
        assert_eq!(warmth.hottest(), [(1, 27), (2, 1)]);
        warmth.cool(1_000.0 + 60.0 * MEMORY);
        assert_eq!(warmth.hottest(), []);
    }
}
