//! Splitters divide a sum of money into packets of at least one cent that add up exactly.

use crate::Cents;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The way to split the money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Splitter {
    /// Uniform amounts from one cent to twice the mean of the remaining money, as documented for WeChat. Every position
    /// has the same expectation, and no packet can be extremely large.
    DoubleMean,
    /// Random distinct cuts along the line of cents. A few packets are large, many are small.
    LineCut,
    /// Amounts as equal as possible; the first packets get the remaining cents.
    Equal,
}

impl Splitter {
    /// Every splitter, in the order of the form.
    pub const ALL: [Self; 3] = [Self::DoubleMean, Self::LineCut, Self::Equal];

    /// The name in JSON and in Redis.
    pub fn name(self) -> &'static str {
        match self {
            Self::DoubleMean => "double_mean",
            Self::LineCut => "line_cut",
            Self::Equal => "equal",
        }
    }

    /// The splitter with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|splitter| splitter.name() == name)
    }

    /// Splits `total` cents into `count` packets, in the order in which they are given out. The same seed gives the
    /// same packets.
    ///
    /// # Panics
    /// If `count` is 0, or `total` has less than one cent for each packet.
    pub fn split(self, total: Cents, count: usize, seed: u64) -> Vec<Cents> {
        assert!(count >= 1 && total >= count as Cents, "a packet needs a cent");
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        match self {
            Self::DoubleMean => double_mean(total, count, &mut random),
            Self::LineCut => line_cut(total, count, &mut random),
            Self::Equal => equal(total, count),
        }
    }
}

/// After reserving one cent per packet, `spare` is left. Each position takes a uniform amount from 0 to twice the mean
/// of the spare. Every expectation is then exactly total / count. The rule "1 to twice the mean" with a minimum
/// enforced afterwards would favor the last positions.
fn double_mean(total: Cents, count: usize, random: &mut ChaCha8Rng) -> Vec<Cents> {
    let mut spare = total - count as Cents;
    let mut packets = Vec::with_capacity(count);
    for left in (2..=count as Cents).rev() {
        // 2 * spare / left is rarely an integer. Rounding up or down at random preserves the mean.
        let doubled = 2 * spare;
        let bound = doubled / left + Cents::from(random.random_range(0..left) < doubled % left);
        let taken = random.random_range(0..=bound.min(spare));
        spare -= taken;
        packets.push(taken + 1);
    }
    packets.push(spare + 1);
    packets
}

/// `count - 1` distinct cuts among the `total - 1` gaps between cents.
fn line_cut(total: Cents, count: usize, random: &mut ChaCha8Rng) -> Vec<Cents> {
    // Floyd's sampling needs a set. Sorted draws without duplicates are as uniform, and faster as long as duplicates
    // are few. If cuts are dense, the gaps without a cut are drawn instead.
    let gaps = total - 1;
    let cuts = count as Cents - 1;
    let (wanted, invert) = if cuts > gaps / 2 { (gaps - cuts, true) } else { (cuts, false) };
    let mut chosen: Vec<Cents> = Vec::with_capacity(wanted as usize);
    while (chosen.len() as Cents) < wanted {
        let missing = wanted - chosen.len() as Cents;
        chosen.extend((0..missing).map(|_| random.random_range(1..=gaps)));
        chosen.sort_unstable();
        chosen.dedup();
    }
    let cuts: Vec<Cents> = if invert {
        let mut whole = chosen.into_iter().peekable();
        (1..=gaps).filter(|gap| whole.next_if_eq(gap).is_none()).collect()
    } else {
        chosen
    };
    let ends = cuts.iter().copied().chain([total]);
    let starts = [0].into_iter().chain(cuts.iter().copied());
    ends.zip(starts).map(|(end, start)| end - start).collect()
}

fn equal(total: Cents, count: usize) -> Vec<Cents> {
    let (each, odd) = (total / count as Cents, total % count as Cents);
    (0..count as Cents).map(|place| each + Cents::from(place < odd)).collect()
}
