//! Which thread's answer is given: a vote among the completed iterations.

use std::cmp::Reverse;

use crate::base::score::{MATE_BOUND, Score};
use crate::board::Move;
use crate::search::Iteration;

/// One thread's completed iteration, as far as the vote looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The move it would play.
    pub mv: Move,
    /// That move's score.
    pub score: Score,
    /// The iteration's depth, plies.
    pub depth: u32,
}

impl Candidate {
    /// What an iteration stands for; nothing if it has no line.
    pub fn of(iteration: &Iteration) -> Option<Candidate> {
        let line = iteration.lines.first()?;
        let mv = *line.pv.first()?;
        Some(Candidate {
            mv,
            score: line.score,
            depth: iteration.depth,
        })
    }
}

/// Added to each candidate's lead over the lowest score, so that the lowest has a voice too.
const VOICE: i64 = 14;

/// The index of the winning candidate; `None` without candidates. The main thread's comes first.
///
/// *Idea*: threads that agree are right more often than the one that shouts loudest.
/// *Formula*: each candidate gives its move `(score − lowest score + 14) · depth` votes; the move
/// with the most votes wins, and of its candidates the deepest, then the one with the highest
/// score, then the first.
/// *Never when* a candidate has found a forced mate: then the shortest one is played.
/// *Source*: common to the engines with a shared table and independent threads since 2016.
pub fn vote(candidates: &[Candidate]) -> Option<usize> {
    let lowest = candidates.iter().map(|candidate| candidate.score).min()?;
    let weight = |candidate: &Candidate| {
        (i64::from(candidate.score - lowest) + VOICE) * i64::from(candidate.depth)
    };
    let votes = |mv: Move| -> i64 {
        candidates
            .iter()
            .filter(|candidate| candidate.mv == mv)
            .map(weight)
            .sum()
    };
    let rank = |candidate: &Candidate| {
        // Only a mate that is given counts here: one that is suffered is a low score like others.
        let mate = if candidate.score >= MATE_BOUND {
            candidate.score
        } else {
            0
        };
        (mate, votes(candidate.mv), candidate.depth, candidate.score)
    };
    (0..candidates.len()).max_by_key(|&index| (candidates.get(index).map(rank), Reverse(index)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::score::{mate_in, mated_in};
    use shakmaty::Square;

    fn candidate(to: Square, score: Score, depth: u32) -> Candidate {
        Candidate {
            mv: Move::normal(Square::E2, to),
            score,
            depth,
        }
    }

    #[test]
    fn without_candidates_nobody_wins() {
        assert_eq!(vote(&[]), None);
        assert_eq!(vote(&[candidate(Square::E4, -900, 1)]), Some(0));
    }

    #[test]
    fn equal_candidates_leave_it_to_the_main_thread() {
        let same = candidate(Square::E4, 20, 9);
        assert_eq!(vote(&[same; 4]), Some(0));
    }

    #[test]
    fn two_that_agree_outvote_one() {
        let alone = candidate(Square::E3, 30, 12);
        let agreed = candidate(Square::E4, 25, 12);
        assert_eq!(vote(&[alone, agreed, agreed]), Some(1));
    }

    #[test]
    fn the_deepest_speaks_for_its_move() {
        let shallow = candidate(Square::E4, 25, 11);
        let deep = candidate(Square::E4, 20, 13);
        assert_eq!(vote(&[shallow, deep, shallow]), Some(1));
    }

    #[test]
    fn a_far_better_score_at_equal_depth_wins() {
        let quiet = candidate(Square::E4, 10, 12);
        let find = candidate(Square::E3, 300, 12);
        assert_eq!(vote(&[quiet, quiet, find]), Some(2));
    }

    #[test]
    fn the_shortest_mate_wins_whatever_the_votes_say() {
        let quiet = candidate(Square::E4, 900, 40);
        let mate = candidate(Square::E3, mate_in(9), 9);
        let shorter = candidate(Square::E3, mate_in(5), 8);
        assert_eq!(vote(&[quiet, quiet, mate, shorter, quiet]), Some(3));
    }

    #[test]
    fn a_lost_position_is_lost_as_late_as_possible() {
        let soon = candidate(Square::E4, mated_in(4), 12);
        let late = candidate(Square::E3, mated_in(10), 12);
        assert_eq!(vote(&[soon, late]), Some(1));
        let hope = candidate(Square::D3, -800, 11);
        assert_eq!(vote(&[soon, soon, soon, hope]), Some(3));
    }
}
