//! Floor 4: how the engine learns from its own games.

pub mod elo;
