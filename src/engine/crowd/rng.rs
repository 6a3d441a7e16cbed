//! Random numbers derived from the crowd's seed, independently for each user. They are the same in every run,
//! regardless of the worker that runs the user.

/// The random numbers of one user: SplitMix64.
#[derive(Clone, Debug)]
pub struct UserRng(u64);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl UserRng {
    /// The generator for the user at this position in the queue.
    pub fn new(seed: u64, place: u32) -> Self {
        Self(seed.wrapping_add(u64::from(place).wrapping_mul(GOLDEN)))
    }

    /// A separate sequence for the same user, for decisions that may be made in any order.
    pub fn stream(seed: u64, place: u32, nth: u32) -> Self {
        let mut rng = Self::new(seed, place);
        Self(rng.bits() ^ u64::from(nth).wrapping_mul(GOLDEN))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let bits = mixed(self.0);
        self.0 = self.0.wrapping_add(GOLDEN);
        bits
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from 0 up to, but not including, `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: u32) -> u32 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u32
    }

    /// An index drawn in proportion to its weight; 0 if all weights are 0.
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
