//! `standpat horizon` and `standpat stand-pat`: what the engine's name is about.
//!
//! | file | its one job |
//! |---|---|
//! | [`chain`] | the smallest tree that shows the horizon effect; `horizon` without arguments |
//! | `reference` | a plain search that stops, resolves captures, or forces them |
//! | [`depths`] | the three side by side, depth by depth; `horizon FEN DEPTH` |
//! | [`picture`] | their values over the depth, as SVG |
//! | [`stand_pat`] | one position: what it is worth if nobody, or everybody, captures |

pub mod chain;
pub mod depths;
pub mod picture;
pub mod reference;
pub mod stand_pat;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::board::Game;
use crate::eval::{Evaluator, Network};
use crate::tools::Failure;

use reference::{Judge, Material};

/// How a search treats the side to move's right to decline, and the end of its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Stop at the nominal depth and believe what stands there.
    FixedDepth,
    /// At the nominal depth go on with captures; standing pat is allowed.
    Quiescence,
    /// As quiescence, but every capture is forced.
    WithoutStandPat,
}

impl Mode {
    /// All three, in the order in which they are shown.
    pub const ALL: [Mode; 3] = [Mode::FixedDepth, Mode::Quiescence, Mode::WithoutStandPat];

    /// As a head of a column.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::FixedDepth => "fixed depth",
            Mode::Quiescence => "quiescence",
            Mode::WithoutStandPat => "no stand pat",
        }
    }
}

/// What `standpat horizon` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The position; without it a chain of five captures is shown
    #[arg(requires = "depth")]
    pub fen: Option<String>,
    /// Plies to search, from 1 up to this
    #[arg(value_parser = clap::value_parser!(u32).range(1..=64))]
    pub depth: Option<u32>,
    /// Count men (1, 3, 3, 5, 9) instead of asking the network
    #[arg(long, requires = "fen")]
    pub material: bool,
    /// Write the figures to this file, as comma-separated values
    #[arg(long, value_name = "FILE", requires = "fen")]
    pub csv: Option<PathBuf>,
    /// Draw the values over the depth into this file
    #[arg(long, value_name = "FILE", requires = "fen")]
    pub svg: Option<PathBuf>,
}

/// Compares the three ways to end a line, depth by depth; without a position it shows the chain.
///
/// # Errors
///
/// When the position is none or its game is over, or a file cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let (Some(fen), Some(depth)) = (&args.fen, args.depth) else {
        return Ok(chain::show(out)?);
    };
    let game = game_to_search(fen)?;
    let comparison = depths::compare(&game, depth, &|| judge(args.material));
    comparison.print(out)?;
    if let Some(path) = &args.csv {
        write_file(path, &comparison.csv())?;
    }
    if let Some(path) = &args.svg {
        write_file(path, &picture::draw(&comparison))?;
    }
    Ok(())
}

/// What positions are judged by: the shipped network, or the count of men.
fn judge(material: bool) -> Box<dyn Judge> {
    if material {
        Box::new(Material)
    } else {
        Box::new(Evaluator::new(Network::shipped()))
    }
}

/// A position with something to search.
fn game_to_search(fen: &str) -> Result<Game, Failure> {
    let game = Game::from_fen(fen).map_err(|error| Failure::BadInput(error.to_string()))?;
    if game.position().has_legal_move() {
        Ok(game)
    } else {
        Err(Failure::BadInput(format!(
            "the game is over in {}",
            game.fen()
        )))
    }
}

fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text)
        .map_err(|error| Failure::Failed(format!("{} cannot be written: {error}", path.display())))
}
