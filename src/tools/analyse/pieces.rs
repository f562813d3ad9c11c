//! Files cut into pieces, one a game or a line, without holding more than one in memory.

use std::io::{self, BufRead};

/// A part of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins, in bytes from the start of the file.
    pub offset: u64,
    /// What it holds, blank lines at its end included.
    pub bytes: Vec<u8>,
}

/// Cuts a file into lines that are not blank.
pub fn lines(mut reader: impl BufRead) -> impl Iterator<Item = io::Result<Piece>> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        loop {
            let mut bytes = Vec::new();
            match reader.read_until(b'\n', &mut bytes) {
                Ok(0) => return None,
                Ok(length) => {
                    let piece = Piece { offset, bytes };
                    offset += length as u64;
                    if !is_blank(&piece.bytes) {
                        return Some(Ok(piece));
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
    })
}

/// Cuts a PGN file into games. One begins with a tag behind a blank line, or with the tag `Event`;
/// so a comment that does not end spoils its own game and no other. Games without tags stay
/// together in one piece.
pub fn games(mut reader: impl BufRead) -> impl Iterator<Item = io::Result<Piece>> {
    let mut offset = 0;
    let mut ahead: Option<Vec<u8>> = None;
    std::iter::from_fn(move || {
        let mut piece = Piece {
            offset,
            bytes: Vec::new(),
        };
        let mut seen = Seen::default();
        loop {
            let line = match ahead.take() {
                Some(line) => line,
                None => {
                    let mut line = Vec::new();
                    if let Err(error) = reader.read_until(b'\n', &mut line) {
                        return Some(Err(error));
                    }
                    line
                }
            };
            if line.is_empty() {
                return (!piece.bytes.is_empty()).then_some(Ok(piece));
            }
            if seen.ends_before(&line) {
                ahead = Some(line);
                return Some(Ok(piece));
            }
            offset += line.len() as u64;
            if piece.bytes.is_empty() && is_blank(&line) {
                piece.offset = offset;
            } else {
                seen.add(&line);
                piece.bytes.extend_from_slice(&line);
            }
        }
    })
}

/// What a piece holds so far.
#[derive(Default)]
struct Seen {
    event: bool,
    moves: bool,
    blank_last: bool,
}

impl Seen {
    fn ends_before(&self, line: &[u8]) -> bool {
        (is_event(line) && (self.event || self.moves))
            || (is_tag(line) && self.moves && self.blank_last)
    }

    fn add(&mut self, line: &[u8]) {
        self.event |= is_event(line);
        self.blank_last = is_blank(line);
        self.moves |= !self.blank_last && !is_tag(line);
    }
}

fn is_blank(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    line.iter().all(u8::is_ascii_whitespace)
}

fn is_tag(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    matches!(line, [b'[', letter, ..] if letter.is_ascii_alphabetic())
}

fn is_event(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    line.starts_with(b"[Event \"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(u64, String)> {
        games(text.as_bytes())
            .map(|piece| piece.expect("memory can be read"))
            .map(|piece| (piece.offset, String::from_utf8(piece.bytes).expect("text")))
            .collect()
    }

    #[test]
    fn each_game_is_a_piece_whatever_its_comments_hold() {
        let first = "[Event \"a\"]\n[White \"b\"]\n\n1. e4 { no end\n\n";
        let second = "[Event \"c\"]\n\n1. d4 {\n[%clk 1]\n[Event of note]\n} d5 *\n\n";
        let third = "[White \"no event\"]\n\n*\n\n";
        let text = format!("\n\n{first}{second}{third}");
        let starts = [2, 2 + first.len(), 2 + first.len() + second.len()];
        let expected: Vec<(u64, String)> = starts
            .iter()
            .zip([first, second, third])
            .map(|(&start, piece)| (start as u64, piece.to_owned()))
            .collect();
        assert_eq!(cut(&text), expected);
    }

    #[test]
    fn games_without_moves_or_tags_are_kept() {
        assert_eq!(cut("[Event \"a\"]\n\n[Event \"b\"]\n").len(), 2);
        assert_eq!(cut("1. e4 *\n\n1. d4 *\n").len(), 1);
        assert!(cut("\n \n\r\n").is_empty());
        assert_eq!(cut("\u{feff}[Event \"a\"]\r\n\r\n1. e4 *").len(), 1);
    }

    #[test]
    fn lines_carry_their_offsets() {
        let found: Vec<(u64, Vec<u8>)> = lines(&b"a\n\n bc\nd"[..])
            .map(|piece| piece.expect("memory can be read"))
            .map(|piece| (piece.offset, piece.bytes))
            .collect();
        let expected = [
            (0, b"a\n".to_vec()),
            (3, b" bc\n".to_vec()),
            (7, b"d".to_vec()),
        ];
        assert_eq!(found, expected);
    }
}
