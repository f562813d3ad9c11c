//! A small, fast generator of random numbers, the same on every machine: whatever is seeded can be
//! repeated.

/// SplitMix64: 64 bits of state, one addition and a mixing step a number. Not for secrets.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

/// The odd constant nearest to 2⁶⁴ divided by the golden ratio: the generator's stride.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads every bit of `x` over the whole word; one to one.
pub const fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Rng {
    /// A generator for one seed.
    pub const fn new(seed: u64) -> Rng {
        Rng {
            state: mix(seed ^ STRIDE),
        }
    }

    /// The generator number `index` of a seed's family: independent of its neighbours, and of the
    /// order in which they are used.
    pub const fn stream(seed: u64, index: u64) -> Rng {
        Rng {
            state: mix(mix(seed ^ STRIDE).wrapping_add(mix(index.wrapping_mul(STRIDE) ^ seed))),
        }
    }

    /// The next 64 bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STRIDE);
        mix(self.state)
    }

    /// A number below `bound`, which must not be zero; the bias is below `bound` / 2⁶⁴.
    #[inline]
    pub const fn below(&mut self, bound: usize) -> usize {
        ((self.next_u64() as u128 * bound as u128) >> 64) as usize
    }

    /// A number from 0 (inclusive) to 1 (exclusive).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Puts a slice into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last + 1);
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_gives_the_same_numbers() {
        let draw = |mut rng: Rng| [rng.next_u64(), rng.next_u64(), rng.next_u64()];
        assert_eq!(draw(Rng::new(7)), draw(Rng::new(7)));
        assert_ne!(draw(Rng::new(7)), draw(Rng::new(8)));
        assert_eq!(draw(Rng::stream(7, 3)), draw(Rng::stream(7, 3)));
        assert_ne!(draw(Rng::stream(7, 3)), draw(Rng::stream(7, 4)));
        assert_ne!(draw(Rng::stream(7, 3)), draw(Rng::stream(8, 3)));
    }

    #[test]
    fn numbers_below_a_bound_are_spread_evenly() {
        let mut rng = Rng::new(1);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7)] += 1;
        }
        assert!(
            counts.iter().all(|&n| (9_500..10_500).contains(&n)),
            "{counts:?}"
        );
        let mean = (0..10_000).map(|_| rng.unit()).sum::<f64>() / 10_000.0;
        assert!((0.48..0.52).contains(&mean), "{mean}");
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Rng::new(5).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
