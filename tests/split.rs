//! Splitters: sum, minimum, count, reproducibility, and fairness by position.

use crate::support::property::holds;
use model::{
    Cents,
    red_packet::{MAX_COUNT, MAX_TOTAL_CENTS, Splitter},
};
use proptest::prelude::*;

fn splitter() -> impl Strategy<Value = Splitter> {
    proptest::sample::select(Splitter::ALL.to_vec())
}

/// Counts of all sizes, and from one cent a packet to far more.
fn terms() -> impl Strategy<Value = (Cents, usize)> {
    let spare = prop_oneof![Just(0), 0..10_i64, 0..1_000_i64, 0..MAX_TOTAL_CENTS / 2];
    let count = prop_oneof![Just(1_usize), 1..10_usize, 1..2_000_usize];
    (count, spare).prop_map(|(count, spare)| (count as Cents + spare, count))
}

#[test]
fn packets_add_up_exactly_and_none_is_below_a_cent() {
    holds(1_000, (splitter(), terms(), any::<u64>()), |(splitter, (total, count), seed)| {
        let packets = splitter.split(total, count, seed);
        prop_assert_eq!(packets.len(), count);
        prop_assert_eq!(packets.iter().sum::<Cents>(), total);
        prop_assert!(packets.iter().all(|&cents| cents >= 1), "{packets:?}");
        Ok(())
    });
}

#[test]
fn the_same_seed_gives_the_same_packets() {
    holds(200, (splitter(), terms(), any::<u64>()), |(splitter, (total, count), seed)| {
        prop_assert_eq!(splitter.split(total, count, seed), splitter.split(total, count, seed));
        Ok(())
    });
    // Literal values, so that no later version splits an old seed differently: a sale that is opened again
    // after a crash must find its own packets.
    assert_eq!(Splitter::DoubleMean.split(100, 5, 7), DOUBLE_MEAN_7);
    assert_eq!(Splitter::LineCut.split(100, 5, 7), LINE_CUT_7);
}

const DOUBLE_MEAN_7: [Cents; 5] = [7, 33, 15, 38, 7];
const LINE_CUT_7: [Cents; 5] = [16, 1, 53, 2, 28];

#[test]
fn another_seed_gives_other_packets_unless_they_are_equal() {
    for splitter in [Splitter::DoubleMean, Splitter::LineCut] {
        assert_ne!(splitter.split(100_000, 50, 1), splitter.split(100_000, 50, 2));
    }
    assert_eq!(Splitter::Equal.split(100_000, 7, 1), Splitter::Equal.split(100_000, 7, 2));
}

#[test]
fn equal_packets_differ_by_a_cent_at_most_and_the_first_get_it() {
    assert_eq!(Splitter::Equal.split(11, 4, 0), [3, 3, 3, 2]);
    holds(500, terms(), |(total, count)| {
        let packets = Splitter::Equal.split(total, count, 0);
        prop_assert!(packets.first().unwrap() - packets.last().unwrap() <= 1);
        prop_assert!(packets.is_sorted_by(|one, next| one >= next));
        Ok(())
    });
}

#[test]
fn with_a_cent_a_packet_there_is_only_one_split() {
    for splitter in Splitter::ALL {
        assert_eq!(splitter.split(100, 100, 3), [1; 100], "{splitter:?}");
        assert_eq!(splitter.split(1, 1, 3), [1], "{splitter:?}");
        assert_eq!(splitter.split(MAX_TOTAL_CENTS, 1, 3), [MAX_TOTAL_CENTS], "{splitter:?}");
    }
}

#[test]
fn a_million_packets_are_split_exactly() {
    const MILLION: Cents = MAX_COUNT as Cents;
    let cases = [
        (Splitter::DoubleMean, MAX_TOTAL_CENTS, MILLION),
        (Splitter::Equal, 3 * MILLION - 1, MILLION),
        // Nearly every gap is cut, half of them, and next to none.
        (Splitter::LineCut, MILLION + 1, MILLION),
        (Splitter::LineCut, MILLION / 5, MILLION / 10),
        (Splitter::LineCut, MAX_TOTAL_CENTS, MILLION),
    ];
    for (splitter, total, count) in cases {
        let packets = splitter.split(total, count as usize, 11);
        assert_eq!(packets.len() as Cents, count, "{splitter:?} {total}");
        assert_eq!(packets.iter().sum::<Cents>(), total, "{splitter:?} {total}");
        let least = if splitter == Splitter::Equal { 2 } else { 1 };
        assert_eq!(packets.iter().min(), Some(&least), "{splitter:?} {total}");
    }
}

#[test]
fn every_position_has_the_same_expectation() {
    // (splitter, cents, packets): dense and sparse cuts take different ways through the code.
    let cases = [
        (Splitter::DoubleMean, 100, 10),
        (Splitter::DoubleMean, 13, 10),
        (Splitter::DoubleMean, 10_000, 10),
        (Splitter::LineCut, 1_000, 10),
        (Splitter::LineCut, 13, 10),
    ];
    for (splitter, total, count) in cases {
        assert_equal_expectations(splitter, total, count);
    }
}

/// The mean of each position over many splits lies within five standard errors of total / count: of the
/// 50 positions looked at, one lies outside by chance once in 35,000 sets of seeds, and ours are fixed.
fn assert_equal_expectations(splitter: Splitter, total: Cents, count: usize) {
    const RUNS: u64 = 20_000;
    let (mut sums, mut squares) = (vec![0.0; count], vec![0.0; count]);
    for seed in 0..RUNS {
        for (place, cents) in splitter.split(total, count, seed).into_iter().enumerate() {
            let cents = cents as f64;
            sums[place] += cents;
            squares[place] += cents * cents;
        }
    }
    let runs = RUNS as f64;
    let fair = total as f64 / count as f64;
    for place in 0..count {
        let mean = sums[place] / runs;
        let deviation = (squares[place] / runs - mean * mean).sqrt();
        let error = deviation / runs.sqrt();
        assert!(
            (mean - fair).abs() <= 5.0 * error,
            "{splitter:?} {total}/{count}: position {place} gets {mean:.3} instead of {fair:.3} ± {error:.3}"
        );
    }
}

#[test]
fn a_line_cut_draws_every_split_equally_often() {
    // 6 cents in 3 packets: C(5, 2) = 10 splits, each drawn about as often.
    let mut counts = std::collections::HashMap::new();
    for seed in 0..20_000 {
        *counts.entry(Splitter::LineCut.split(6, 3, seed)).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 10);
    for (packets, count) in counts {
        // Five standard deviations of a binomial with p = 1/10.
        assert!((1_788..=2_212).contains(&count), "{packets:?} came {count} times");
    }
}

#[test]
fn a_name_is_read_back() {
    for (splitter, name) in Splitter::ALL.into_iter().zip(["double_mean", "line_cut", "equal"]) {
        assert_eq!(splitter.name(), name);
        assert_eq!(Splitter::from_name(name), Some(splitter));
        assert_eq!(serde_json::to_value(splitter).unwrap(), name);
    }
    assert_eq!(Splitter::from_name("Equal"), None);
}
