//! What a user does, drawn by the crowd's seed: each user by itself, whichever worker asks, in every run the same.

/// A row of draws of one user: SplitMix64.
#[derive(Clone, Debug)]
pub struct Dice(u64);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Dice {
    /// The draws of the user of this place in the row.
    pub fn of(seed: u64, place: u32) -> Self {
        Self(seed.wrapping_add(u64::from(place).wrapping_mul(GOLDEN)))
    }

    /// The same user's draws for something else, which may happen at any time.
    pub fn aside(seed: u64, place: u32, nth: u32) -> Self {
        let mut dice = Self::of(seed, place);
        Self(dice.bits() ^ u64::from(nth).wrapping_mul(GOLDEN))
    }

    pub fn bits(&mut self) -> u64 {
        let bits = mixed(self.0);
        self.0 = self.0.wrapping_add(GOLDEN);
        bits
    }

    /// Whether it happens that has this probability.
    pub fn happens(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// 0 to 1, without 1.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// 0 to `end`, without `end`; 0 where that is nothing.
    pub fn below(&mut self, end: u32) -> u32 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u32
    }

    /// One of these, each as often as its weight says; the first where none weighs anything.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut point = self.share() * weights.iter().sum::<f64>();
        for (place, weight) in weights.iter().enumerate() {
            if point < *weight {
                return place;
            }
            point -= weight;
        }
        0
    }
}

fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
