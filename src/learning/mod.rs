//! Floor 4: how the engine learns from its own games.

pub mod elo;
pub mod game_file;
pub mod game_stats;
pub mod games;
pub mod packed;
