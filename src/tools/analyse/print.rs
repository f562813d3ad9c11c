//! Writing PGN in the standard's export format: the seven tags first, lines of at most 79 columns.

use std::fmt::Write;

use crate::board::Game;

use super::pgn::{Line, Node, Pgn};

/// The tags that every game has, with what stands for an unknown value.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Columns of a line of moves.
const COLUMNS: usize = 79;

/// A whole game, with a blank line at its end.
pub fn game(pgn: &Pgn) -> String {
    let mut text = head(pgn);
    let mut moves = Wrapped::default();
    moves.line(&pgn.line, first_ply(&pgn.start));
    moves.word(pgn.outcome());
    text += &moves.text;
    text += "\n\n";
    text
}

/// The tags and the blank line behind them.
pub fn head(pgn: &Pgn) -> String {
    let mut text = String::new();
    let mut rest: Vec<&(String, String)> = pgn.tags.iter().collect();
    for (name, unknown) in ROSTER {
        let at = rest.iter().position(|(known, _)| known == name);
        let value = at.map(|at| rest.remove(at).1.as_str());
        let unknown = if name == "Result" {
            pgn.outcome()
        } else {
            unknown
        };
        tag(&mut text, name, value.unwrap_or(unknown));
    }
    for (name, value) in rest {
        tag(&mut text, name, value);
    }
    for (name, value) in missing(pgn) {
        tag(&mut text, name, value);
    }
    text.push('\n');
    text
}

/// Tags without which other programs would misread the game, and who has annotated it.
fn missing(pgn: &Pgn) -> Vec<(&'static str, &'static str)> {
    let mut tags = Vec::new();
    if pgn.tag("FEN").is_some() {
        if pgn.tag("SetUp").is_none() {
            tags.push(("SetUp", "1"));
        }
        if pgn.tag("Variant").is_none() && pgn.start.is_chess960() {
            tags.push(("Variant", "Chess960"));
        }
    }
    if pgn.tag("Annotator").is_none() {
        tags.push(("Annotator", concat!("Standpat ", env!("CARGO_PKG_VERSION"))));
    }
    tags
}

fn tag(text: &mut String, name: &str, value: &str) {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "[{name} \"{value}\"]");
}

/// Plies before the first move, counted from White's first in the usual start.
fn first_ply(start: &Game) -> u32 {
    let black = u32::from(start.position().turn().is_black());
    2 * start.fullmoves().saturating_sub(1) + black
}

/// Words put into lines.
#[derive(Default)]
struct Wrapped {
    text: String,
    column: usize,
}

impl Wrapped {
    fn word(&mut self, word: &str) {
        let width = word.chars().count();
        // At the start of a line these would be a tag or a remark to simple readers.
        let may_lead = !word.starts_with(['[', '%', ';']);
        if self.column > 0 && self.column + 1 + width > COLUMNS && may_lead {
            self.text.push('\n');
            self.column = 0;
        } else if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += width;
    }

    fn line(&mut self, line: &Line, first: u32) {
        for comment in &line.remarks {
            self.comment(comment);
        }
        let mut needs_number = true;
        for (ply, node) in (first..).zip(&line.nodes) {
            let number = ply / 2 + 1;
            if ply % 2 == 0 {
                self.word(&format!("{number}."));
            } else if needs_number {
                self.word(&format!("{number}..."));
            }
            self.node(node, ply);
            needs_number = !node.comments.is_empty() || !node.variations.is_empty();
        }
    }

    fn node(&mut self, node: &Node, ply: u32) {
        self.word(&node.san);
        for nag in &node.nags {
            self.word(&format!("${nag}"));
        }
        for comment in &node.comments {
            self.comment(comment);
        }
        for variation in &node.variations {
            self.word("(");
            self.line(variation, ply);
            self.word(")");
        }
    }

    fn comment(&mut self, comment: &str) {
        // The braces stay with the first word and the last one.
        let words = words(comment);
        let last = words.len().saturating_sub(1);
        for (index, word) in words.into_iter().enumerate() {
            let open = if index == 0 { "{ " } else { "" };
            let close = if index == last { " }" } else { "" };
            self.word(&format!("{open}{word}{close}"));
        }
    }
}

/// The words of a comment; a command such as `[%eval 0.34]` is one of them.
fn words(comment: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = comment.trim();
    while !rest.is_empty() {
        let end = if rest.starts_with("[%") {
            rest.find(']').map(|end| end + 1)
        } else {
            rest.find(char::is_whitespace)
        };
        let (word, tail) = rest.split_at(end.unwrap_or(rest.len()));
        words.push(word);
        rest = tail.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::pgn::read;
    use super::*;

    fn again(text: &str) -> String {
        let games = read(text.as_bytes());
        game(games[0].as_ref().expect("a game"))
    }

    #[test]
    fn a_game_keeps_all_it_had_in_the_order_of_the_standard() {
        let text = concat!(
            "[White \"A \\\"B\\\" \\\\C\"]\n[Opening \"x\"]\n[Event \"E\"]\n[Annotator \"me\"]\n\n",
            "{intro} 1. e4 $1 {one} (1. d4 d5 (1... Nf6)) e5 2. Nf3 1-0",
        );
        let expected = concat!(
            "[Event \"E\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n",
            "[White \"A \\\"B\\\" \\\\C\"]\n[Black \"?\"]\n[Result \"1-0\"]\n",
            "[Opening \"x\"]\n[Annotator \"me\"]\n\n",
            "{ intro } 1. e4 $1 { one } ( 1. d4 d5 ( 1... Nf6 ) ) 1... e5 2. Nf3 1-0\n\n",
        );
        assert_eq!(again(text), expected);
        assert_eq!(again(expected), expected);
    }

    #[test]
    fn chess960_is_named_where_the_file_forgot() {
        let fen =
            "[FEN \"nqrnbkrb/pppppppp/8/8/8/8/PPPPPPPP/NQRNBKRB w GCgc - 0 1\"]\n\n1. O-O *\n";
        let text = again(fen);
        assert!(
            text.contains("[SetUp \"1\"]\n[Variant \"Chess960\"]\n"),
            "{text}"
        );
        let ordinary = "[FEN \"4k3/8/8/8/8/8/4P3/4K2R b K - 3 30\"]\n\n30... Kd7 31. O-O *\n";
        let text = again(ordinary);
        assert!(
            text.contains("[SetUp \"1\"]") && !text.contains("Variant"),
            "{text}"
        );
        assert!(text.contains("\n30... Kd7 31. O-O *\n"), "{text}");
        assert!(!again("1. e4 *").contains("SetUp"));
    }

    #[test]
    fn lines_are_short_and_never_begin_with_a_command() {
        let comment = format!("{} [%eval 0.34] {}", "word ".repeat(14), "word ".repeat(30));
        let text = again(&format!("1. e4 {{{comment}}} e5 {{{comment}}} *"));
        let (_, moves) = text.split_once("\n\n").expect("tags and moves");
        assert!(moves.contains("[%eval 0.34]"), "{moves}");
        for line in moves.lines() {
            assert!(
                line.chars().count() <= COLUMNS + "[%eval 0.34]".len() + 1,
                "{line}"
            );
            assert!(!line.starts_with('['), "{line}");
        }
    }
}
