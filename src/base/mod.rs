//! Floor 0: what everything else is declared with.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod chart;
pub mod journal;
pub mod options;
pub mod params;
pub mod rng;
pub mod score;
pub mod text;
