//! What a program reads: one JSON object a line for each position.

use serde::Serialize;
use shakmaty::Color;

use crate::base::score::Score;
use crate::board::Game;

use super::judge::{View, for_white, mate};
use super::pgn::Node;

/// One position.
#[derive(Serialize)]
pub struct Record<'a> {
    /// The number of the game or line in the input, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// Plies since the start of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// The name of a position in an EPD file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a str>,
    /// The position.
    pub fen: String,
    /// The move that was played in the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played: Option<&'a str>,
    /// The glyph that this move has got: 6, 2 or 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nag: Option<u8>,
    /// Plies searched.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
    /// The best lines, the best first.
    pub lines: Vec<Found>,
}

/// A line of the engine's.
#[derive(Serialize)]
pub struct Found {
    /// Centipawns from White's view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cp: Option<Score>,
    /// Moves to mate, negative when Black mates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    /// Moves as UCI writes them, castling as king takes rook in Chess960 alone.
    pub pv: Vec<String>,
}

impl<'a> Record<'a> {
    /// The record of a position.
    pub fn of(game: &Game, view: &View, chess960: bool) -> Record<'a> {
        let turn = game.position().turn();
        let found = view.lines.iter().map(|line| {
            let (cp, mate) = value(line.score, turn);
            let pv = line.pv.iter().map(|mv| mv.uci(chess960).to_string());
            Found {
                cp,
                mate,
                pv: pv.collect(),
            }
        });
        Record {
            number: None,
            ply: None,
            id: None,
            fen: game.fen(),
            played: None,
            nag: None,
            depth: view.lines.first().map_or(0, |line| line.depth),
            nodes: view.progress.nodes,
            lines: found.collect(),
        }
    }

    /// Adds the move that was played.
    pub fn with_move(mut self, node: Option<&'a Node>) -> Record<'a> {
        self.played = node.map(|node| node.san.as_str());
        let nags = node.map_or(&[][..], |node| &node.nags);
        self.nag = nags.iter().copied().find(|nag| [2, 4, 6].contains(nag));
        self
    }

    /// The record as a line.
    pub fn line(&self) -> String {
        // There are no maps and no numbers that JSON could not write.
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

fn value(score: Score, turn: Color) -> (Option<Score>, Option<i32>) {
    let score = for_white(score, turn);
    match mate(score) {
        Some(moves) => (None, Some(moves)),
        None => (Some(score), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::score::mate_in;

    #[test]
    fn values_are_whites() {
        assert_eq!(value(34, Color::White), (Some(34), None));
        assert_eq!(value(34, Color::Black), (Some(-34), None));
        assert_eq!(value(mate_in(3), Color::Black), (None, Some(-2)));
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let line = Record::of(&Game::start(), &View::default(), false).line();
        let start = "{\"fen\":\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"";
        assert_eq!(
            line,
            format!("{start},\"depth\":0,\"nodes\":0,\"lines\":[]}}\n")
        );
    }
}
