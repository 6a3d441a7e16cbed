//! The demand: the recent rate of attempts, by section.

use crate::{
    components::format::tenths,
    ticket::{page::Sale, words::words},
};
use leptos::prelude::*;

/// The age at which an attempt counts a third, in milliseconds.
const MEMORY_MS: f64 = 3_000.0;
/// The number of sections in the list.
const LISTED: usize = 5;
/// The lowest top of the colour scale, in tenths of attempts per second for 100 seats: below it, there is hardly any
/// demand.
const LEAST_SCALE: u64 = 5;

/// The recent number of attempts, by section in the order of the layout. Instants are milliseconds.
#[derive(Clone, Debug)]
pub struct Demand {
    /// The counts of the last snapshot: all attempts ever.
    counted: Vec<u64>,
    /// Recent attempts; older ones count less.
    recent: Vec<f64>,
    /// The number of seats of each section.
    seats: Vec<u32>,
    at: f64,
}

impl Demand {
    /// Starts without demand: attempts before the page began do not count.
    pub fn new(counted: &[u64], seats: impl Iterator<Item = u32>) -> Self {
        Self { counted: counted.to_vec(), recent: vec![0.0; counted.len()], seats: seats.collect(), at: 0.0 }
    }

    /// Ages the attempts up to this instant.
    pub fn cool(&mut self, at: f64) {
        let rest = (-(at - self.at).max(0.0) / MEMORY_MS).exp();
        self.at = at;
        self.recent.iter_mut().for_each(|recent| *recent *= rest);
    }

    /// Adds the new attempts of a snapshot.
    pub fn add(&mut self, counted: &[u64], at: f64) {
        self.cool(at);
        for ((recent, before), now) in self.recent.iter_mut().zip(&mut self.counted).zip(counted) {
            *recent += now.saturating_sub(*before) as f64;
            *before = *now;
        }
    }

    /// Returns the tenths of attempts per second for 100 seats, by section.
    fn rates(&self) -> impl Iterator<Item = f64> {
        let per_seat = |(recent, seats): (&f64, &u32)| recent / f64::from((*seats).max(1));
        self.recent.iter().zip(&self.seats).map(per_seat).map(|recent| recent * 1_000_000.0 / MEMORY_MS)
    }

    /// Returns the top of the colour scale, in tenths of attempts per second for 100 seats: a round figure, so that it
    /// does not change all the time.
    pub fn scale(&self) -> u64 {
        let most = self.rates().fold(0.0, f64::max);
        let rounds = (0..18).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u64.pow(power)));
        rounds.filter(|round| *round >= LEAST_SCALE).find(|round| *round as f64 >= most).unwrap_or(u64::MAX)
    }

    /// Returns the positions of the sections on the scale, from 0 to 1.
    pub fn shares(&self) -> Vec<f64> {
        let scale = self.scale() as f64;
        self.rates().map(|rate| rate / scale).collect()
    }

    /// Returns the sections with the most attempts, with tenths of attempts per second.
    fn hottest(&self) -> Vec<(usize, u64)> {
        let rate = |recent: &f64| (recent * 10_000.0 / MEMORY_MS) as u64;
        let mut rates: Vec<_> = self.recent.iter().map(rate).enumerate().filter(|(_, rate)| *rate > 0).collect();
        rates.sort_by_key(|(section, rate)| (std::cmp::Reverse(*rate), *section));
        rates.truncate(LISTED);
        rates
    }
}

/// Shows the sections with the most attempts, as a list.
#[component]
pub fn HottestSections(
    /// The sale, which counts the demand of each section.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let hottest = Memo::new(move |_| sale.demand.with(Demand::hottest));
    let sections = move || hottest.with(|hottest| hottest.iter().map(|(section, _)| *section).collect::<Vec<_>>());
    let row = move |section: usize| {
        let name = sale.hall.with_value(|hall| hall.layout.sections[section].id.clone());
        let rate = move || {
            let rate =
                hottest.with(|hottest| hottest.iter().find(|(other, _)| *other == section).map(|(_, rate)| *rate));
            tenths(rate.unwrap_or_default())
        };
        view! {
            <li>
                <span class="id">{name}</span>
                <b>{rate}</b>
                <span class="aside">{words.per_second}</span>
            </li>
        }
    };
    view! {
        <section class="card demand" aria-labelledby="demand-title">
            <h2 id="demand-title">{words.hottest}</h2>
            <Show when=move || hottest.with(Vec::is_empty)>
                <p class="empty">{words.no_demand}</p>
            </Show>
            <ol>
                <For each=sections key=|section| *section children=row />
            </ol>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_attempts_count_and_they_fade() {
        let mut demand = Demand::new(&[100, 0, 7], [100, 1_000, 100].into_iter());
        assert_eq!(demand.hottest(), []);
        demand.add(&[100, 60, 10], 1_000.0);
        assert_eq!(demand.hottest(), [(1, 200), (2, 10)]);
        // 2 attempts per second for 100 seats, and 1.
        assert_eq!(demand.scale(), 20);
        assert_eq!(demand.shares(), [0.0, 1.0, 0.5]);
        demand.cool(1_000.0 + 2.0 * MEMORY_MS);
        assert_eq!(demand.hottest(), [(1, 27), (2, 1)]);
        demand.cool(1_000.0 + 60.0 * MEMORY_MS);
        assert_eq!(demand.hottest(), []);
        assert_eq!(demand.scale(), LEAST_SCALE);
    }
}
