//! Floor 0: what everything else is declared with.

pub mod rng;
pub mod score;
