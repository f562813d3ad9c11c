//! Reading PGN: a game with its tags, comments and variations, or the reason why it is none.

use std::ops::ControlFlow;

use pgn_reader::{Nag, RawComment, RawTag, Reader, Skip, Visitor};
use shakmaty::san::{San, SanPlus};
use shakmaty::{Chess, KnownOutcome, Outcome, Position as _};

use crate::base::text::excerpt;
use crate::board::Game;

/// Variations may stand in variations, but not deeper than any person reads.
const DEEPEST: usize = 100;

/// What [`tidy`] puts before a word that is no move, inside of a comment.
const NO_MOVE: char = '\u{1}';

/// A game as it stands in a file.
#[derive(Clone, Debug)]
pub struct Pgn {
    /// Tag pairs in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Game,
    /// The moves that were played.
    pub line: Line,
    /// How it ended: `1-0`, `0-1`, `1/2-1/2` or `*`; `None` when the moves are followed by nothing.
    pub result: Option<&'static str>,
}

/// Moves one after the other.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Comments before the first move.
    pub remarks: Vec<String>,
    /// The moves.
    pub nodes: Vec<Node>,
}

/// A move with all that is said of it.
#[derive(Clone, Debug)]
pub struct Node {
    /// In the notation of books; `--` for a null move.
    pub san: String,
    /// The move; `None` for a null move.
    pub played: Option<shakmaty::Move>,
    /// Numeric annotation glyphs.
    pub nags: Vec<u8>,
    /// Comments after the move.
    pub comments: Vec<String>,
    /// What might have been played instead.
    pub variations: Vec<Line>,
}

impl Pgn {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// How it ended: what follows the moves, or else what the tag says, or else `*`.
    pub fn outcome(&self) -> &'static str {
        let tag = self.tag("Result").unwrap_or_default();
        let known = ["1-0", "0-1", "1/2-1/2"].into_iter();
        let by_tag = || known.into_iter().find(|known| *known == tag);
        self.result.or_else(by_tag).unwrap_or("*")
    }
}

/// The games in a piece of a file. Each is read, or is the reason why it cannot be.
pub fn read(piece: &[u8]) -> Vec<Result<Pgn, String>> {
    let text = tidy(piece);
    let mut reader = Reader::build(&text[..])
        .set_supported_tag_line_length(text.len())
        .finish();
    let mut found = Vec::new();
    loop {
        match reader.read_game(&mut Build) {
            Ok(None) => return found,
            Ok(Some(Ok(pgn))) if is_nothing(&pgn) => {}
            Ok(Some(game)) => found.push(game),
            Err(error) => {
                found.push(Err(error.to_string()));
                return found;
            }
        }
    }
}

fn is_nothing(pgn: &Pgn) -> bool {
    pgn.tags.is_empty() && pgn.line.nodes.is_empty() && pgn.result.is_none()
}

/// What the reader would pass over in silence, made visible to it: comments up to the end of a
/// line, words that are no moves, and the rest of a game behind a blank line.
fn tidy(piece: &[u8]) -> Vec<u8> {
    let mut text: Vec<u8> = Vec::with_capacity(piece.len());
    let mut in_comment = false;
    let mut has_moves = false;
    for line in piece.split_inclusive(|&byte| byte == b'\n') {
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        if !in_comment && is_blank && has_moves && !has_ended(&text) {
            continue;
        }
        let is_plain = is_blank || matches!(line.first(), Some(b'[' | b'%'));
        if !in_comment && is_plain {
            text.extend_from_slice(line);
            continue;
        }
        has_moves = true;
        tidy_line(line, &mut in_comment, &mut text);
    }
    text
}

/// Does the text end with the result of a game?
fn has_ended(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let results: [&[u8]; 4] = [b"1-0", b"0-1", b"1/2-1/2", b"*"];
    results.iter().any(|result| text.ends_with(result))
}

/// One line of moves.
fn tidy_line(line: &[u8], in_comment: &mut bool, text: &mut Vec<u8>) {
    let mut rest = line;
    while let Some(&byte) = rest.first() {
        let length = if *in_comment {
            let end = rest.iter().position(|&byte| byte == b'}');
            *in_comment = end.is_none();
            end.map_or(rest.len(), |end| end + 1)
        } else if byte == b';' {
            let remark = rest[1..].iter().filter(|byte| !b"{}\r\n".contains(byte));
            text.push(b'{');
            text.extend(remark);
            text.extend_from_slice(b"}\n");
            return;
        } else if byte == b'{' {
            *in_comment = true;
            1
        } else if is_separator(byte) {
            1
        } else {
            let end = rest.iter().position(|&byte| is_separator(byte));
            let length = end.unwrap_or(rest.len());
            if !is_known(&rest[..length]) {
                let word = String::from_utf8_lossy(&rest[..length]).replace('}', " ");
                text.extend_from_slice(format!("{{{NO_MOVE}{word}}}").as_bytes());
                rest = &rest[length..];
                continue;
            }
            length
        };
        text.extend_from_slice(&rest[..length]);
        rest = &rest[length..];
    }
}

fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"(){};.!?$".contains(&byte)
}

/// A move, a number, a result, or a sign such as `+-`; `e.p.` comes in two words.
fn is_known(word: &[u8]) -> bool {
    let letters = word.trim_ascii_start();
    let digits = letters.iter().take_while(|byte| byte.is_ascii_digit());
    let rest = &letters[digits.count()..];
    let has_letter = rest.iter().any(u8::is_ascii_alphabetic);
    !has_letter
        || SanPlus::from_ascii(word).is_ok()
        || SanPlus::from_ascii(rest).is_ok()
        || matches!(rest, b"e" | b"p" | b"ep" | b"N" | b"D" | b"Z0" | b"null")
}

/// Bytes as text: UTF-8, or else Latin-1, which the standard of PGN names.
fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// Builds a game from what the reader finds.
struct Build;

/// A game half read.
struct Half {
    tags: Vec<(String, String)>,
    start: Game,
    /// The main line, and the variations that are open.
    levels: Vec<Level>,
    /// The beginning of a long comment.
    comment: Vec<u8>,
    result: Option<&'static str>,
}

/// A line half read.
struct Level {
    line: Line,
    now: Chess,
    /// Before the last move.
    before: Chess,
}

impl Level {
    fn at(chess: Chess) -> Level {
        Level {
            line: Line::default(),
            now: chess.clone(),
            before: chess,
        }
    }

    fn comments(&mut self) -> &mut Vec<String> {
        match self.line.nodes.last_mut() {
            Some(node) => &mut node.comments,
            None => &mut self.line.remarks,
        }
    }

    fn play(&mut self, san: San) -> Result<(), String> {
        let number = self.now.fullmoves();
        let before = self.now.clone();
        let illegal = || format!("move {number}: {san} is not legal");
        let (text, played) = if san == San::Null {
            self.now = before.clone().swap_turn().map_err(|_| illegal())?;
            ("--".to_owned(), None)
        } else {
            let played = san.to_move(&self.now).map_err(|_| illegal())?;
            let text = SanPlus::from_move_and_play_unchecked(&mut self.now, played).to_string();
            (text, Some(played))
        };
        self.before = before;
        self.line.nodes.push(Node {
            san: text,
            played,
            nags: Vec::new(),
            comments: Vec::new(),
            variations: Vec::new(),
        });
        Ok(())
    }
}

type Flow<T = ()> = ControlFlow<Result<Pgn, String>, T>;

fn broken<T>(reason: impl Into<String>) -> Flow<T> {
    ControlFlow::Break(Err(reason.into()))
}

impl Half {
    fn new(tags: Vec<(String, String)>) -> Result<Half, String> {
        let tag = |name: &str| {
            let found = tags.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.trim())
        };
        let variant: String = tag("Variant")
            .unwrap_or_default()
            .chars()
            .filter(|letter| letter.is_ascii_alphanumeric())
            .collect::<String>()
            .to_ascii_lowercase();
        match variant.as_str() {
            "" | "chess960" | "fischerandom" | "fischerrandom" | "standard" | "chess"
            | "normal" | "fromposition" => {}
            _ => return Err(format!("no rules for the variant '{}'", excerpt(&variant))),
        }
        let start = match tag("FEN") {
            Some(fen) => Game::from_fen(fen).map_err(|error| error.to_string())?,
            None => Game::start(),
        };
        Ok(Half {
            levels: vec![Level::at(start.to_chess())],
            tags,
            start,
            comment: Vec::new(),
            result: None,
        })
    }

    fn finish(mut self) -> Result<Pgn, String> {
        if self.levels.len() > 1 {
            return Err("a variation does not end".to_owned());
        }
        let line = self.levels.pop().map(|level| level.line);
        Ok(Pgn {
            tags: self.tags,
            start: self.start,
            line: line.unwrap_or_default(),
            result: self.result,
        })
    }
}

impl Visitor for Build {
    type Tags = Vec<(String, String)>;
    type Movetext = Half;
    type Output = Result<Pgn, String>;

    fn begin_tags(&mut self) -> Flow<Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> Flow {
        tags.push((decode(name), decode(&value.decode())));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> Flow<Half> {
        match Half::new(tags) {
            Ok(half) => ControlFlow::Continue(half),
            Err(reason) => broken(reason),
        }
    }

    fn san(&mut self, half: &mut Half, san: SanPlus) -> Flow {
        match half.levels.last_mut().map(|level| level.play(san.san)) {
            Some(Err(reason)) => broken(reason),
            _ => ControlFlow::Continue(()),
        }
    }

    fn nag(&mut self, half: &mut Half, nag: Nag) -> Flow {
        let last = half
            .levels
            .last_mut()
            .and_then(|level| level.line.nodes.last_mut());
        if let Some(node) = last {
            node.nags.push(nag.0);
        }
        ControlFlow::Continue(())
    }

    fn partial_comment(&mut self, half: &mut Half, comment: RawComment<'_>) -> Flow {
        half.comment.extend_from_slice(comment.as_bytes());
        ControlFlow::Continue(())
    }

    fn comment(&mut self, half: &mut Half, comment: RawComment<'_>) -> Flow {
        half.comment.extend_from_slice(comment.as_bytes());
        let text = decode(&std::mem::take(&mut half.comment));
        if let Some(word) = text.strip_prefix(NO_MOVE) {
            return broken(format!("'{}' is no move", excerpt(word)));
        }
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(level) = half.levels.last_mut().filter(|_| !text.is_empty()) {
            level.comments().push(text);
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, half: &mut Half) -> Flow<Skip> {
        let depth = half.levels.len();
        match half.levels.last() {
            _ if depth > DEEPEST => broken("variations in variations without end"),
            Some(level) if !level.line.nodes.is_empty() => {
                half.levels.push(Level::at(level.before.clone()));
                ControlFlow::Continue(Skip(false))
            }
            _ => broken("a variation before the first move"),
        }
    }

    fn end_variation(&mut self, half: &mut Half) -> Flow {
        if half.levels.len() < 2 {
            return broken("a variation ends that did not begin");
        }
        let line = half
            .levels
            .pop()
            .map(|level| level.line)
            .unwrap_or_default();
        let last = half
            .levels
            .last_mut()
            .and_then(|level| level.line.nodes.last_mut());
        if let Some(node) = last {
            if line.nodes.is_empty() {
                node.comments.extend(line.remarks);
            } else {
                node.variations.push(line);
            }
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, half: &mut Half, outcome: Outcome) -> Flow {
        if half.levels.len() == 1 {
            half.result = Some(match outcome {
                Outcome::Known(KnownOutcome::Draw) => "1/2-1/2",
                Outcome::Known(KnownOutcome::Decisive { winner }) if winner.is_white() => "1-0",
                Outcome::Known(KnownOutcome::Decisive { .. }) => "0-1",
                Outcome::Unknown => "*",
            });
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, half: Half) -> Self::Output {
        half.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Pgn {
        let mut games = read(text.as_bytes());
        assert_eq!(games.len(), 1, "{games:?}");
        games.remove(0).expect(text)
    }

    fn sans(line: &Line) -> String {
        let words: Vec<&str> = line.nodes.iter().map(|node| node.san.as_str()).collect();
        words.join(" ")
    }

    #[test]
    fn everything_in_a_game_is_kept() {
        let pgn = one(concat!(
            "[Event \"The \\\"first\\\" \\\\ game\"]\n[Result \"1-0\"]\n\n",
            "{before} 1. e4! {one} (1. d4 {in} d5 (1... Nf6 2. c4) 2. c4) ({only a word}) {two}\n",
            "e5 $14 ; to the end of the line } here\n2. Nf3 -- (2... Nc6 $6) 1-0\n",
        ));
        assert_eq!(pgn.tag("Event"), Some("The \"first\" \\ game"));
        assert_eq!(pgn.line.remarks, ["before"]);
        assert_eq!(sans(&pgn.line), "e4 e5 Nf3 --");
        let first = &pgn.line.nodes[0];
        assert_eq!((&first.nags[..], first.variations.len()), (&[1][..], 1));
        assert_eq!(first.comments, ["one", "only a word", "two"]);
        let variation = &first.variations[0];
        assert_eq!(sans(variation), "d4 d5 c4");
        assert_eq!(variation.nodes[0].comments, ["in"]);
        assert_eq!(sans(&variation.nodes[1].variations[0]), "Nf6 c4");
        assert_eq!(pgn.line.nodes[1].nags, [14]);
        assert_eq!(pgn.line.nodes[1].comments, ["to the end of the line here"]);
        assert_eq!(sans(&pgn.line.nodes[3].variations[0]), "Nc6");
        assert_eq!((pgn.result, pgn.outcome()), (Some("1-0"), "1-0"));
    }

    #[test]
    fn long_comments_and_tags_come_in_one_piece() {
        let long = "word ".repeat(2000);
        let pgn = one(&format!("[Event \"{long}\"]\n\n1. e4 {{{long}}} *\n"));
        assert_eq!(pgn.tag("Event"), Some(long.as_str()));
        assert_eq!(pgn.line.nodes[0].comments, [long.trim_end()]);
    }

    #[test]
    fn chess960_castles_from_its_own_squares() {
        let pgn = one(concat!(
            "[Variant \"Chess960\"]\n[SetUp \"1\"]\n",
            "[FEN \"nqrnbkrb/pppppppp/8/8/8/8/PPPPPPPP/NQRNBKRB w GCgc - 0 1\"]\n\n",
            "1. O-O e5 *\n",
        ));
        assert_eq!(sans(&pgn.line), "O-O e5");
    }

    #[test]
    fn a_blank_line_does_not_end_a_game_and_a_result_does() {
        assert_eq!(
            sans(&one("[Event \"a\"]\n\n1. e4\n\n1... e5\n\n2. Nf3 *\n").line),
            "e4 e5 Nf3"
        );
        let games = read(b"1. e4 *\n\n1. d4 1/2-1/2\n\n\n");
        assert_eq!(games.len(), 2);
        assert_eq!(games[1].as_ref().map(Pgn::outcome), Ok("1/2-1/2"));
    }

    #[test]
    fn the_result_may_stand_in_the_tag_alone() {
        assert_eq!(one("[Result \"0-1\"]\n\n1. e4\n").outcome(), "0-1");
        assert_eq!(one("[Result \"won\"]\n\n1. e4\n").outcome(), "*");
    }

    #[test]
    fn what_is_broken_says_why() {
        for (text, reason) in [
            ("1. e4 e5 2. Ke3 *", "move 2: Ke3 is not legal"),
            ("1. e4 (1. e5) *", "move 1: e5 is not legal"),
            ("1. e4 e5 2. Qxz9 *", "'Qxz9' is no move"),
            ("1. e4 Zug *", "'Zug' is no move"),
            ("1. e4 (1. d4 *", "a variation does not end"),
            ("(1. d4) 1. e4 *", "a variation before the first move"),
            ("1. e4 ) *", "a variation ends that did not begin"),
            ("1. e4 { and so on *", "unterminated comment"),
            ("[FEN \"nonsense\"]\n\n*", "invalid FEN: board"),
            (
                "[Variant \"Crazyhouse\"]\n\n*",
                "no rules for the variant 'crazyhouse'",
            ),
        ] {
            let games = read(text.as_bytes());
            assert_eq!(games.len(), 1, "{text}");
            assert_eq!(games[0].as_ref().err().map(String::as_str), Some(reason));
        }
        let deep = format!("1. e4 {}", "(1. d4 ".repeat(10_000));
        assert!(read(deep.as_bytes())[0].is_err());
    }

    #[test]
    fn signs_beside_the_moves_are_no_moves_and_do_no_harm() {
        let text = "1.e4 +- e5 = 2. Nf3 +/= N Nc6 3.Bb5 e.p. a6 4. 0-0 *";
        assert_eq!(sans(&one(text).line), "e4 e5 Nf3 Nc6 Bb5 a6 O-O");
    }

    #[test]
    fn old_files_in_latin_1_are_read() {
        let games = read(b"[White \"M\xfcller\"]\n\n1. e4 {sch\xf6n} *\n");
        let pgn = games[0].as_ref().expect("a game");
        assert_eq!(pgn.tag("White"), Some("Müller"));
        assert_eq!(pgn.line.nodes[0].comments, ["schön"]);
    }
}
