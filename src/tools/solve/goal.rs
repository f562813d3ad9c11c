//! What a position of a suite asks for, and whether an answer gives it.

use std::num::NonZeroI32;

use crate::base::score::{Score, moves_to_mate};
use crate::base::text::excerpt;
use crate::board::{Epd, Game, Move, notation};

/// What is asked for. At least one of the parts is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goal {
    /// The best moves (`bm`): one of them must be played.
    best: Vec<Move>,
    /// Moves to avoid (`am`): none of them may be played.
    avoid: Vec<Move>,
    /// A mate in at most so many moves must be announced (`dm`), by whatever move; a negative
    /// number (`bm #-4`) stands for being mated.
    mate: Option<NonZeroI32>,
    /// What each move is worth (`c0` or `c7` to `c9` of the Strategic Test Suite).
    points: Vec<(Move, u32)>,
}

/// What an answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The goal is reached.
    pub solved: bool,
    /// Points, where moves have some.
    pub points: u32,
}

impl Goal {
    /// Reads the goal of a position.
    ///
    /// # Errors
    ///
    /// When it asks for nothing, or names a move that is not legal.
    pub fn of(epd: &Epd) -> Result<Goal, String> {
        let mut goal = Goal::default();
        let list = |opcode: &str| epd.get(opcode).unwrap_or_default().split_whitespace();
        for word in list("bm") {
            match word.strip_prefix('#') {
                Some(moves) => goal.mate = Some(mate(moves)?),
                None => goal.best.push(legal(&epd.game, "bm", word)?),
            }
        }
        for word in list("am") {
            goal.avoid.push(legal(&epd.game, "am", word)?);
        }
        if let Some(moves) = epd.get("dm") {
            goal.mate = Some(mate(moves)?);
        }
        goal.points = points(epd)?;
        if goal == Goal::default() {
            return Err("nothing to solve: no bm, am, dm or points".to_owned());
        }
        Ok(goal)
    }

    /// Moves to the mate that ends the search, if the side to move shall give one.
    pub fn mate_in(&self) -> Option<u32> {
        let moves = self.mate?.get();
        u32::try_from(moves).ok()
    }

    /// The most points there are to have; 0 where moves have none.
    pub fn most(&self) -> u32 {
        let points = self.points.iter().map(|&(_, points)| points);
        points.max().unwrap_or(0)
    }

    /// What a move with this score, the mover's, is worth.
    pub fn mark(&self, played: Option<Move>, score: Score) -> Mark {
        let is = |(mv, _): &&(Move, u32)| Some(*mv) == played;
        let points = self.points.iter().find(is).map_or(0, |&(_, points)| points);
        let is_best = self.best.is_empty() || self.best.iter().any(|&mv| Some(mv) == played);
        let is_avoided = self.avoid.iter().all(|&mv| Some(mv) != played);
        let solved = match self.mate {
            Some(moves) => is_mate(moves.get(), score),
            None => played.is_some() && is_best && is_avoided && points == self.most(),
        };
        Mark { solved, points }
    }

    /// The goal in words.
    pub fn words(&self, game: &Game) -> String {
        let names = |moves: &mut dyn Iterator<Item = Move>| {
            let names: Vec<String> = moves.map(|mv| notation::san(game, &[mv])).collect();
            names.join(" ")
        };
        if let Some(moves) = self.mate {
            return format!("#{moves}");
        }
        let most = self.most();
        let top = self.points.iter().filter(|&&(_, points)| points == most);
        let mut parts = Vec::new();
        if !self.best.is_empty() {
            parts.push(names(&mut self.best.iter().copied()));
        } else if !self.points.is_empty() {
            parts.push(names(&mut top.map(|&(mv, _)| mv)));
        }
        if !self.avoid.is_empty() {
            parts.push(format!("not {}", names(&mut self.avoid.iter().copied())));
        }
        parts.join(", ")
    }
}

/// Is it a mate in at most so many moves? Who is mated may hold out longer than asked for, since
/// the other side need not have found the shortest way.
fn is_mate(wanted: i32, score: Score) -> bool {
    match moves_to_mate(score) {
        Some(moves) if wanted > 0 => moves > 0 && moves <= wanted,
        Some(_) => score < 0,
        None => false,
    }
}

fn mate(text: &str) -> Result<NonZeroI32, String> {
    let moves = text.trim().parse::<NonZeroI32>();
    moves.map_err(|_| format!("'{}' is no number of moves to mate", excerpt(text)))
}

fn legal(game: &Game, opcode: &str, word: &str) -> Result<Move, String> {
    let found = notation::parse(game, word.trim_end_matches(','));
    found.ok_or_else(|| format!("{opcode}: '{}' is no legal move", excerpt(word)))
}

/// `c0 "f5=10, Be5+=2"`, or the same in two lists: points in `c8`, moves in `c9` or `c7`.
fn points(epd: &Epd) -> Result<Vec<(Move, u32)>, String> {
    let number = |text: &str| {
        let points = text.trim().parse::<u32>();
        points.map_err(|_| format!("'{}' is no number of points", excerpt(text)))
    };
    let pairs = |text: &str| {
        let pair = |part: &str| {
            let (mv, points) = part.split_once('=').unwrap_or((part, ""));
            Ok((legal(&epd.game, "c0", mv.trim())?, number(points)?))
        };
        text.split(',').map(pair).collect()
    };
    if let Some(text) = epd.get("c0").filter(|text| is_points(text)) {
        return pairs(text);
    }
    let moves = epd.get("c9").or_else(|| epd.get("c7"));
    let (Some(points), Some(moves)) = (epd.get("c8"), moves) else {
        return Ok(Vec::new());
    };
    let (points, moves) = (points.split_whitespace(), moves.split_whitespace());
    let pairs = moves.zip(points);
    pairs
        .map(|(mv, points)| Ok((legal(&epd.game, "c9", mv)?, number(points)?)))
        .collect()
}

/// Is this a list of moves with points, and not some remark?
fn is_points(text: &str) -> bool {
    let is_pair = |part: &str| {
        let number = part.rsplit_once('=').map(|(_, number)| number.trim());
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    text.split(',').all(is_pair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::score::{mate_in, mated_in};

    const BLACK: &str = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -";

    fn goal(operations: &str) -> Result<(Goal, Game), String> {
        let epd = Epd::parse(&format!("{BLACK} {operations}"));
        let epd = epd.expect("sound").expect("a position");
        Goal::of(&epd).map(|goal| (goal, epd.game))
    }

    fn solved(operations: &str, word: &str, score: Score) -> (bool, u32) {
        let (goal, game) = goal(operations).expect(operations);
        let played = notation::parse(&game, word);
        assert!(played.is_some(), "{word}");
        let Mark { solved, points } = goal.mark(played, score);
        (solved, points)
    }

    #[test]
    fn best_moves_and_moves_to_avoid() {
        for (operations, word, right) in [
            ("bm Qd1+", "Qd1+", true),
            ("bm Qd1+", "Bc6", false),
            ("bm Bc6 Qd1", "Bc6", true),
            ("am Qd1+", "Qd1+", false),
            ("am Qd1+", "Bc6", true),
            ("bm Bc6; am Qd1", "a6", false),
        ] {
            assert_eq!(
                solved(operations, word, 0),
                (right, 0),
                "{operations}: {word}"
            );
        }
    }

    #[test]
    fn a_mate_must_be_announced_and_not_be_too_long() {
        for (operations, score, right) in [
            ("dm 2", mate_in(3), true),
            ("dm 2", mate_in(1), true),
            ("dm 2; bm Qd1", mate_in(5), false),
            ("dm 2", 500, false),
            ("dm 2", mated_in(2), false),
            ("bm #3", mate_in(5), true),
            ("bm #-3", mated_in(8), true),
            ("bm #-3", mate_in(1), false),
            ("bm #-3", -900, false),
        ] {
            assert_eq!(solved(operations, "Bc6", score), (right, 0), "{operations}");
        }
    }

    #[test]
    fn points_are_read_in_both_forms() {
        let forms = [
            "bm Qd1+; c0 \"Qd1+=10, Bc6=3, a6=1\"",
            "bm Qd1+; c7 \"Qd1+ Bc6 a6\"; c8 \"10 3 1\"; c9 \"d6d1 d7c6 a7a6\"",
            "c7 \"Qd1+ Bc6 a6\"; c8 \"10 3 1\"",
        ];
        for form in forms {
            assert_eq!(solved(form, "Qd1", 0), (true, 10), "{form}");
            assert_eq!(solved(form, "Bc6", 0), (false, 3), "{form}");
            assert_eq!(solved(form, "b6", 0), (false, 0), "{form}");
        }
        // A remark is no list, and moves without points are none either.
        assert_eq!(solved("bm a6; c0 \"a = b, see Kopec\"", "a6", 0), (true, 0));
        assert_eq!(solved("bm a6; c9 \"a7a6\"", "a6", 0), (true, 0));
    }

    #[test]
    fn the_goal_is_told_in_words() {
        for (operations, words) in [
            ("bm Qd1 Bc6", "Qd1+ Bc6"),
            ("am a6", "not a6"),
            ("bm Bc6; am a6", "Bc6, not a6"),
            ("dm 4", "#4"),
            ("c0 \"a6=1, Bc6=7\"", "Bc6"),
        ] {
            let (goal, game) = goal(operations).expect(operations);
            assert_eq!(goal.words(&game), words);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (operations, reason) in [
            ("", "nothing to solve"),
            ("id \"x\"", "nothing to solve"),
            ("bm Qh1", "bm: 'Qh1' is no legal move"),
            ("am Zz", "am: 'Zz' is no legal move"),
            ("dm 0", "'0' is no number of moves to mate"),
            ("dm many", "'many' is no number of moves"),
            ("bm #", "'' is no number of moves"),
            ("c0 \"Qh1=3\"", "c0: 'Qh1' is no legal move"),
            ("c8 \"x\"; c9 \"a7a6\"", "'x' is no number of points"),
        ] {
            let error = goal(operations).expect_err(operations);
            assert!(error.contains(reason), "{error}");
        }
    }
}
