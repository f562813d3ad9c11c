//! `standpat book`: what an opening book in Polyglot's format has for a position.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;

use crate::base::text::excerpt;
use crate::board::{Game, notation};
use crate::engine::book::{Book, BookMove, key};
use crate::tools::Failure;

/// What `standpat book` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The book
    #[arg(value_name = "FILE.bin")]
    pub file: PathBuf,
    /// The position; without it the start of the game
    pub fen: Vec<String>,
    /// Moves to play from there first, as books or UCI write them
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    pub moves: Vec<String>,
    /// Print one JSON object for each move
    #[arg(long)]
    pub json: bool,
}

/// Prints the book's moves, the one it plays most often first.
///
/// # Errors
///
/// When the file is no book, or the position or a move is none.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let named = |reason: &dyn std::fmt::Display| {
        Failure::BadInput(format!("{}: {reason}", args.file.display()))
    };
    let game = game(args)?;
    let mut book = Book::open(&args.file).map_err(|error| named(&error))?;
    let moves = book.moves(&game).map_err(|error| named(&error))?;
    if args.json {
        return moves
            .iter()
            .try_for_each(|known| Ok(writeln!(out, "{}", record(&game, known))?));
    }
    writeln!(out, "{}", game.fen())?;
    writeln!(out, "key {:016x}", key(&game))?;
    if moves.is_empty() {
        return Ok(writeln!(out, "the book has no move here")?);
    }
    writeln!(out, "\nmove     uci    weight    share")?;
    let total: f64 = moves.iter().map(|known| f64::from(known.weight)).sum();
    for known in &moves {
        let share = 100.0 * f64::from(known.weight) / total.max(1.0);
        let (san, uci) = words(&game, known);
        let weight = known.weight;
        writeln!(out, "{san:<8} {uci:<6} {weight:6}  {share:5.1} %")?;
    }
    Ok(())
}

fn game(args: &Args) -> Result<Game, Failure> {
    let mut game = match args.fen.is_empty() {
        true => Game::start(),
        false => Game::from_fen(&args.fen.join(" "))
            .map_err(|error| Failure::BadInput(error.to_string()))?,
    };
    for word in &args.moves {
        let mv = notation::parse(&game, word).ok_or_else(|| {
            let word = excerpt(word);
            Failure::BadInput(format!("'{word}' is no legal move in {}", game.fen()))
        })?;
        game.play(mv);
    }
    Ok(game)
}

/// A move as books and as UCI write it.
fn words(game: &Game, known: &BookMove) -> (String, String) {
    let san = notation::san(game, &[known.mv]);
    (san, known.mv.uci(game.is_chess960()).to_string())
}

fn record(game: &Game, known: &BookMove) -> String {
    #[derive(Serialize)]
    struct Record {
        san: String,
        uci: String,
        weight: u16,
    }
    let (san, uci) = words(game, known);
    let weight = known.weight;
    // There are no maps and no numbers that JSON could not write.
    serde_json::to_string(&Record { san, uci, weight }).unwrap_or_default()
}
