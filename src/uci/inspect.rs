//! What a person at a terminal can ask for: the position, its evaluation, the leaves of its move
//! tree, the program itself.

use std::fmt::{self, Display, Write};
use std::sync::Arc;

use shakmaty::{Color, Square};

use crate::board::perft::perft;
use crate::board::{Game, Move};
use crate::eval::{Evaluator, Network};

/// The answer to `help`.
pub const HELP: &str = "\
Standpat is a chess engine that speaks UCI. A user interface such as Cute Chess or Arena
speaks it for you; by hand, try these:

  position startpos moves e2e4   set up a position; or: position fen <FEN> [moves ...]
  go depth 10                    search; also movetime, nodes, mate, wtime/btime, infinite
  stop                           end the search
  setoption name Hash value 64   set an option; uci lists them
  ucinewgame                     forget the last game
  go perft 5                     count the leaves of the move tree
  d, eval, flip                  show, evaluate or turn over the position
  bench                          search a fixed set of positions
  compiler, license              about this program
  quit                           end
";

/// The answer to `license`.
pub const LICENSE: &str = "\
Standpat is free software: you can redistribute it and/or modify it under the terms of the
GNU General Public License as published by the Free Software Foundation, either version 3 of
the License, or (at your option) any later version. It comes without any warranty. The text
of the license is in the file LICENSE of the source, and at https://www.gnu.org/licenses/.
";

/// The answer to `compiler`.
pub fn compiler() -> String {
    format!(
        "Standpat {} for {} on {}, {} build, compiled by rustc; vector units: {}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        if cfg!(debug_assertions) {
            "development"
        } else {
            "release"
        },
        vector_units()
    )
}

#[cfg(target_arch = "x86_64")]
fn vector_units() -> String {
    let mut units = vec!["SSE2"];
    if is_x86_feature_detected!("avx2") {
        units.push("AVX2");
    }
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
        units.push("AVX-512");
    }
    units.join(" ")
}

#[cfg(not(target_arch = "x86_64"))]
fn vector_units() -> String {
    if cfg!(target_feature = "neon") {
        "NEON"
    } else {
        "none known"
    }
    .to_owned()
}

/// A board for the terminal, with what else there is to a position.
pub struct Diagram<'a>(pub &'a Game);

impl Display for Diagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const RULE: &str = "  +---+---+---+---+---+---+---+---+";
        let pos = self.0.position();
        for rank in (0..8).rev() {
            writeln!(f, "{RULE}")?;
            write!(f, "{} ", rank + 1)?;
            for file in 0..8 {
                let piece = pos.piece_at(Square::new(8 * rank + file));
                write!(f, "| {} ", piece.map_or(' ', shakmaty::Piece::char))?;
            }
            writeln!(f, "|")?;
        }
        writeln!(f, "{RULE}\n    a   b   c   d   e   f   g   h\n")?;
        writeln!(f, "FEN: {}", self.0.fen())?;
        writeln!(f, "Key: {:016X}", pos.key())?;
        write!(f, "Checkers:")?;
        for square in pos.checkers() {
            write!(f, " {square}")?;
        }
        writeln!(f, "\nLegal moves: {}", self.0.legal_moves().len())
    }
}

/// The static evaluation of a position, in words.
pub fn evaluation(game: &Game, network: &Arc<Network>) -> String {
    let pos = game.position();
    if pos.in_check() {
        return "No static evaluation: the side to move is in check\n".to_owned();
    }
    let mut evaluator = Box::new(Evaluator::new(Arc::clone(network)));
    evaluator.reset(pos);
    let own = evaluator.evaluate(pos);
    let white = if pos.turn() == Color::White {
        own
    } else {
        -own
    };
    format!(
        "Static evaluation: {:+.2} pawns (White's side)\n",
        f64::from(white) / 100.0
    )
}

/// Counts the leaves below each move, giving a line for each to `tell`, then the sum. Ends early
/// when `tell` fails.
pub fn divide<E>(
    game: &Game,
    depth: u32,
    chess960: bool,
    mut tell: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let moves: Vec<Move> = if depth == 0 {
        vec![]
    } else {
        game.legal_moves().to_vec()
    };
    let mut total = u64::from(depth == 0);
    for mv in moves {
        let leaves = perft(&game.position().play(mv), depth.saturating_sub(1));
        total += leaves;
        tell(&format!("{}: {leaves}\n", mv.uci(chess960)))?;
    }
    tell(&format!("\nNodes searched: {total}\n"))
}

/// A FEN with the colours swapped: the same position seen from the other side.
pub fn flipped(fen: &str) -> String {
    let swap = |c: char| {
        if c.is_ascii_uppercase() {
            c.to_ascii_lowercase()
        } else {
            c.to_ascii_uppercase()
        }
    };
    let mut flipped = String::new();
    for (index, field) in fen.split(' ').enumerate() {
        if index > 0 {
            flipped.push(' ');
        }
        match index {
            0 => {
                let ranks: Vec<&str> = field.split('/').rev().collect();
                flipped.extend(ranks.join("/").chars().map(swap));
            }
            1 => flipped.push_str(if field == "w" { "b" } else { "w" }),
            2 => flipped.extend(field.chars().map(swap)),
            3 => flipped.extend(field.chars().map(|c| match c {
                '3' => '6',
                '6' => '3',
                other => other,
            })),
            // Writing to a string cannot fail.
            _ => drop(write!(flipped, "{field}").ok()),
        }
    }
    flipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diagram_shows_the_board_and_its_fen() {
        let text = Diagram(&Game::start()).to_string();
        assert!(text.contains("8 | r | n | b | q | k | b | n | r |\n"));
        assert!(text.contains("\nFEN: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"));
        assert!(text.contains("\nCheckers:\nLegal moves: 20\n"));
    }

    #[test]
    fn a_flipped_position_has_as_many_leaves_and_flips_back() {
        let fen = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";
        let game = Game::from_fen(fen).unwrap();
        let other = Game::from_fen(&flipped(fen)).unwrap();
        assert_eq!(flipped(&flipped(fen)), fen);
        assert_eq!(perft(game.position(), 3), perft(other.position(), 3));
        let en_passant = "6k1/8/8/8/1Pp5/8/B7/6K1 b - b3 0 1";
        assert_eq!(flipped(en_passant), "6k1/b7/8/1pP5/8/8/8/6K1 w - b6 0 1");
    }

    #[test]
    fn the_evaluation_is_named_from_whites_side() {
        let text = |fen| evaluation(&Game::from_fen(fen).unwrap(), &Network::shipped());
        assert!(text("4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1").contains(": +"));
        assert!(text("4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1").contains(": +"));
        assert!(text("4k3/8/8/8/8/8/8/Q3R1K1 b - - 0 1").starts_with("No static evaluation"));
    }

    #[test]
    fn leaves_are_divided_among_the_moves() {
        let mut text = String::new();
        let done: Result<(), ()> = divide(&Game::start(), 3, false, |line| {
            text.push_str(line);
            Ok(())
        });
        assert_eq!(done, Ok(()));
        assert_eq!(text.lines().count(), 22);
        assert!(text.contains("e2e4: 600\n") && text.ends_with("\nNodes searched: 8902\n"));
        assert_eq!(
            divide(&Game::start(), 2, false, |_| Err("enough")),
            Err("enough")
        );
    }
}
