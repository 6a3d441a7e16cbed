//! What a user does, drawn from the crowd's seed: for each user by itself, whichever worker runs it, and the same in
//! every run.

/// The random numbers of one user: SplitMix64.
#[derive(Clone, Debug)]
pub struct UserRng(u64);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl UserRng {
    /// The numbers of the user with this place in the line.
    pub fn new(seed: u64, place: u32) -> Self {
        Self(seed.wrapping_add(u64::from(place).wrapping_mul(GOLDEN)))
    }

    /// Another sequence of the same user, for a decision that may be made at any time.
    pub fn stream(seed: u64, place: u32, nth: u32) -> Self {
        let mut rng = Self::new(seed, place);
        Self(rng.bits() ^ u64::from(nth).wrapping_mul(GOLDEN))
    }

    pub fn bits(&mut self) -> u64 {
        let bits = mixed(self.0);
        self.0 = self.0.wrapping_add(GOLDEN);
        bits
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// From 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// From 0 up to, but not including, `end`; 0 where that is 0.
    pub fn below(&mut self, end: u32) -> u32 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u32
    }

    /// An index, each as often as its weight says; 0 where all weights are 0.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut point = self.unit() * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            if point < *weight {
                return index;
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
