//! Floor 1: the fast board, built of shakmaty's bricks.

mod cycles;
pub mod epd;
pub mod exchange;
pub mod fen;
pub mod game;
pub mod generate;
mod keys;
mod legality;
pub mod moves;
pub mod notation;
mod pawn_ending;
pub mod perft;
pub mod position;

pub use epd::{Epd, EpdError};
pub use fen::FenError;
pub use game::{Game, Outcome};
pub use moves::{Move, MoveList};
pub use position::Position;
