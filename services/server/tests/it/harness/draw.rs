//! Repeatable chance: the same seed draws the same numbers.

/// A small generator (xorshift64*), which is enough to choose moments and kinds of load.
#[derive(Debug, Clone)]
pub(crate) struct Draw(u64);

impl Draw {
    /// A generator for a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }
}
