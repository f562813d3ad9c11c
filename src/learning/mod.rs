//! Floor 4: how the engine learns from its own games.

pub mod campaign;
pub mod elo;
pub mod failure;
pub mod game_file;
pub mod game_stats;
pub mod games;
pub mod matches;
pub mod origin;
pub mod packed;
pub mod player;
pub mod referee;
pub mod selfplay;
pub mod spsa;
pub mod trainer;
