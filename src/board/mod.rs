//! Floor 1: the fast board, built of shakmaty's bricks.

pub mod moves;

pub use moves::Move;
