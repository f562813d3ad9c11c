//! EPD: a position and what is said of it, on one line.
//!
//! The form is that of the PGN standard, section 16.2: the first four fields of a FEN, then
//! operations, each an opcode with operands and closed by a semicolon. Move counters in the fifth
//! and sixth field, which many files have, are read too.

use std::fmt;

use super::fen::FenError;
use super::game::Game;
use crate::base::text::excerpt;

/// One line of an EPD file.
#[derive(Clone, Debug)]
pub struct Epd {
    /// The position; its counters are those of the operations `hmvc` and `fmvn`, if any.
    pub game: Game,
    /// The position as it was written: four fields.
    pub fields: String,
    /// Opcodes and their operands as they were written, in the order of the line.
    pub operations: Vec<(String, String)>,
}

/// Why a line is no EPD; displays as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EpdError {
    /// The position is none.
    Position(FenError),
    /// A string does not end.
    OpenString(String),
}

impl fmt::Display for EpdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EpdError::Position(error) => error.fmt(f),
            EpdError::OpenString(text) => write!(f, "a string does not end: {}", excerpt(text)),
        }
    }
}

impl std::error::Error for EpdError {}

impl Epd {
    /// Reads a line; `Ok(None)` for a blank one and for a remark, which begins with `#`.
    ///
    /// # Errors
    ///
    /// When the position is none, or a string among the operands does not end.
    pub fn parse(line: &str) -> Result<Option<Epd>, EpdError> {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let (fields, rest) = split_words(line, 4);
        let (counters, tail) = split_words(rest, 2);
        let has_counters = counters.split_whitespace().count() == 2
            && counters
                .split_whitespace()
                .all(|word| word.parse::<u32>().is_ok());
        let operations = operations(if has_counters { tail } else { rest })?;
        let mut counters: Vec<&str> = if has_counters {
            counters.split_whitespace().collect()
        } else {
            vec!["0", "1"]
        };
        for (opcode, operand) in &operations {
            match opcode.as_str() {
                "hmvc" => counters[0] = operand,
                "fmvn" => counters[1] = operand,
                _ => {}
            }
        }
        let fields = fields.split_whitespace().collect::<Vec<_>>().join(" ");
        let fen = format!("{fields} {}", counters.join(" "));
        let game = Game::from_fen(&fen).map_err(EpdError::Position)?;
        Ok(Some(Epd {
            game,
            fields,
            operations,
        }))
    }

    /// The operand of an opcode, without the quotes of a string.
    pub fn get(&self, opcode: &str) -> Option<&str> {
        let (_, operand) = self.operations.iter().find(|(known, _)| known == opcode)?;
        Some(operand.trim_matches('"'))
    }

    /// The position's name (`id`), or its four fields when it has none.
    pub fn name(&self) -> &str {
        self.get("id").unwrap_or(&self.fields)
    }

    /// Sets an operation: in its old place if it was there, else at the end.
    pub fn set(&mut self, opcode: &str, operand: String) {
        match self
            .operations
            .iter_mut()
            .find(|(known, _)| known == opcode)
        {
            Some((_, old)) => *old = operand,
            None => self.operations.push((opcode.to_owned(), operand)),
        }
    }
}

impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fields)?;
        for (opcode, operand) in &self.operations {
            let blank = if operand.is_empty() { "" } else { " " };
            write!(f, " {opcode}{blank}{operand};")?;
        }
        Ok(())
    }
}

/// The first `count` words, and what follows them.
fn split_words(text: &str, count: usize) -> (&str, &str) {
    let mut end = 0;
    for _ in 0..count {
        let rest = &text[end..];
        let start = rest.len() - rest.trim_start().len();
        let word = rest.trim_start();
        end += start + word.find(char::is_whitespace).unwrap_or(word.len());
    }
    text.split_at(end)
}

/// Splits at the semicolons outside of strings.
fn operations(text: &str) -> Result<Vec<(String, String)>, EpdError> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let mut quoted = false;
        let end = rest.find(|c: char| {
            quoted ^= c == '"';
            c == ';' && !quoted
        });
        if end.is_none() && quoted {
            return Err(EpdError::OpenString(rest.to_owned()));
        }
        let (operation, tail) = rest.split_at(end.unwrap_or(rest.len()));
        let (opcode, operand) = split_words(operation.trim(), 1);
        if !opcode.is_empty() {
            let operand = operand.split_whitespace().collect::<Vec<_>>().join(" ");
            found.push((opcode.to_owned(), operand));
        }
        rest = tail.trim_start_matches(';').trim_start();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Epd {
        Epd::parse(line).expect(line).expect(line)
    }

    #[test]
    fn a_line_of_a_suite_is_taken_apart_and_put_together() {
        let line = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id \"BK.01\";";
        let epd = read(line);
        assert_eq!(epd.get("bm"), Some("Qd1+"));
        assert_eq!((epd.get("id"), epd.name()), (Some("BK.01"), "BK.01"));
        assert_eq!(epd.get("am"), None);
        assert_eq!(epd.to_string(), line);
    }

    #[test]
    fn strings_may_hold_semicolons_and_counters_may_come_in_both_ways() {
        let epd = read("4k3/8/8/8/8/8/4P3/4K3 w - - 7 30 c0 \"a; b\"; noop; bm e4 Kd2");
        assert_eq!(epd.get("c0"), Some("a; b"));
        assert_eq!((epd.get("noop"), epd.get("bm")), (Some(""), Some("e4 Kd2")));
        assert_eq!(
            (epd.game.position().halfmoves(), epd.game.fullmoves()),
            (7, 30)
        );
        assert_eq!(
            epd.to_string(),
            "4k3/8/8/8/8/8/4P3/4K3 w - - c0 \"a; b\"; noop; bm e4 Kd2;"
        );
        let epd = read("4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 7; fmvn 30;");
        assert_eq!(
            (epd.game.position().halfmoves(), epd.game.fullmoves()),
            (7, 30)
        );
    }

    #[test]
    fn setting_replaces_or_adds() {
        let mut epd = read("4k3/8/8/8/8/8/4P3/4K3 w - - ce 5; id \"x\"");
        epd.set("ce", "12".to_owned());
        epd.set("acd", "9".to_owned());
        let tail = "ce 12; id \"x\"; acd 9;";
        assert!(epd.to_string().ends_with(tail), "{epd}");
    }

    #[test]
    fn blank_lines_and_remarks_are_nothing_and_garbage_is_refused() {
        for nothing in ["", "  \t", "# a remark"] {
            assert!(Epd::parse(nothing).expect("fine").is_none());
        }
        for garbage in [
            "garbage",
            "8/8/8/8/8/8/8/8 w - - bm e4;",
            "4k3/8/8/8/8/8/4P3/4K3 w - - id \"open",
            "4k3/8/8/8/8/8/4P3/4K3 w - - hmvc \"x\";",
            "é é é é é",
        ] {
            let error = Epd::parse(garbage).expect_err(garbage).to_string();
            assert!(!error.contains('\n'), "{error}");
        }
    }
}
