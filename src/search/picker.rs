//! Move ordering: the picker gives a node's moves one by one, the most promising first, and
//! generates no more than it needs.
//!
//! 1. the hash move, checked to be possible here;
//! 2. captures that do not lose material, by MVV-LVA and capture history;
//! 3. the killer;
//! 4. quiet moves by history and continuation history, those that give check earlier;
//! 5. captures that lose material by static exchange evaluation.
//!
//! In quiescence only captures are given, by MVV-LVA.

use shakmaty::{Bitboard, Role, attacks};

use crate::base::params;
use crate::board::exchange::static_exchange_evaluation;
use crate::board::{Move, MoveList, Position};

use super::history::{Histories, Line};

/// A move with its place in the order.
#[derive(Clone, Copy, Debug)]
pub struct Scored {
    mv: Move,
    score: i32,
}

/// Room for all the pickers of a line: each uses the stretch above its parent's, so that no node
/// clears or allocates memory.
#[derive(Default)]
pub struct Arena {
    moves: Vec<Scored>,
    scratch: MoveList,
}

/// Most valuable victim, least valuable attacker: the victim decides, the attacker breaks ties.
///
/// *Idea*: the capture that wins most is likeliest to refute, and the cheapest attacker risks
/// least. A promotion counts as winning the new piece as well. *Source*: as old as chess programs.
#[inline]
pub fn mvv_lva(pos: &Position, mv: Move) -> i32 {
    let rank = |role: Role| role as i32 - Role::Pawn as i32;
    let victim = pos.captured_role(mv).map_or(0, |role| rank(role) + 1);
    let attacker = pos.role_at(mv.from()).map_or(0, rank);
    let promoted = mv.promoted_role().map_or(0, |role| rank(role) + 1);
    (victim + promoted) * 8 - attacker
}

/// The squares from which a piece of each role attacks the opponent's king, pawns first.
///
/// *Idea*: a check leaves few replies, so a quiet move that gives one is worth trying early. *Formula*:
/// `check_bonus` history points, which also spare it pruning and reduction. *Never*: for a discovered
/// check, or when the exchange loses more than `check_bonus_loss`. *Source*: Stockfish. *Measured*: with
/// [`lmr_no_hash_move`](params::lmr_no_hash_move), the search for an upcoming repetition and no reverse
/// futility where the table saw a principal variation, +27 ± 27 Elo (400 games, 12,000 nodes a move).
struct CheckSquares([Bitboard; 6]);

impl CheckSquares {
    fn of(pos: &Position) -> CheckSquares {
        let king = pos.king_of(pos.turn().other());
        let diagonals = attacks::bishop_attacks(king, pos.occupied());
        let lines = attacks::rook_attacks(king, pos.occupied());
        CheckSquares([
            attacks::pawn_attacks(pos.turn().other(), king),
            attacks::knight_attacks(king),
            diagonals,
            lines,
            diagonals | lines,
            Bitboard::EMPTY,
        ])
    }

    /// Does a quiet move give check with the piece that moves, and not lose it?
    #[inline]
    fn worth_trying(&self, pos: &Position, mv: Move) -> bool {
        pos.role_at(mv.from())
            .is_some_and(|role| self.0[role as usize - Role::Pawn as usize].contains(mv.to()))
            && static_exchange_evaluation(pos, mv, -params::check_bonus_loss())
    }
}

/// Weight of one step of MVV-LVA's victim in terms of capture history.
const MVV_LVA_WEIGHT: i32 = 512;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    HashMove,
    Captures,
    GoodCaptures,
    Killer,
    Quiets,
    GoodQuiets,
    BadCaptures,
    Done,
}

/// Gives out a node's pseudo-legal moves in order; the caller checks legality.
pub struct Picker {
    stage: Stage,
    hash_move: Option<Move>,
    killer: Option<Move>,
    captures_only: bool,
    skip_quiets: bool,
    start: usize,
    next: usize,
    end: usize,
    bad_end: usize,
    history: Option<i32>,
}

impl Picker {
    /// For a node of the main search. `hash_move` and `killer` may be anything: they are checked.
    pub fn new(
        arena: &mut Arena,
        pos: &Position,
        hash_move: Option<Move>,
        killer: Option<Move>,
    ) -> Picker {
        let start = arena.moves.len();
        let hash_move = hash_move.filter(|&mv| pos.is_pseudo_legal(mv));
        let killer = killer
            .filter(|&mv| Some(mv) != hash_move && pos.is_pseudo_legal(mv) && !pos.is_capture(mv));
        Picker {
            stage: Stage::HashMove,
            hash_move,
            killer,
            captures_only: false,
            skip_quiets: false,
            start,
            next: start,
            end: start,
            bad_end: start,
            history: None,
        }
    }

    /// For captures only, without those that lose material when `skip_losing` looks at them.
    pub fn captures(arena: &mut Arena, pos: &Position, hash_move: Option<Move>) -> Picker {
        let hash_move = hash_move.filter(|&mv| pos.is_capture(mv));
        Picker {
            captures_only: true,
            ..Picker::new(arena, pos, hash_move, None)
        }
    }

    /// No quiet move is wanted any more.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The history value of the move given last, if it was ordered by that.
    pub fn history(&self) -> Option<i32> {
        self.history
    }

    /// Gives the arena's room back. Call it when the node is done.
    pub fn release(&self, arena: &mut Arena) {
        arena.moves.truncate(self.start);
    }

    /// The next move.
    pub fn next(
        &mut self,
        arena: &mut Arena,
        pos: &Position,
        histories: &Histories,
        line: &Line,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::HashMove => {
                    self.stage = Stage::Captures;
                    if self.hash_move.is_some() {
                        return self.hash_move;
                    }
                }
                Stage::Captures => {
                    self.add_captures(arena, pos, histories);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => {
                    if let Some(mv) = self.next_good_capture(arena, pos) {
                        return Some(mv);
                    }
                    self.stage = if self.captures_only {
                        Stage::Done
                    } else {
                        Stage::Killer
                    };
                }
                Stage::Killer => {
                    self.stage = Stage::Quiets;
                    if !self.skip_quiets && self.killer.is_some() {
                        return self.killer;
                    }
                }
                Stage::Quiets => {
                    if !self.skip_quiets {
                        self.add_quiets(arena, pos, histories, line);
                    }
                    self.stage = Stage::GoodQuiets;
                }
                Stage::GoodQuiets => {
                    if !self.skip_quiets
                        && let Some(best) = self.take_best(arena)
                    {
                        self.history = Some(best.score);
                        return Some(best.mv);
                    }
                    self.history = None;
                    self.next = self.start;
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    if self.next < self.bad_end {
                        let mv = arena.moves[self.next].mv;
                        self.next += 1;
                        return Some(mv);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn add_captures(&mut self, arena: &mut Arena, pos: &Position, histories: &Histories) {
        arena.scratch.clear();
        pos.captures(&mut arena.scratch);
        for &mv in arena
            .scratch
            .iter()
            .filter(|&&mv| Some(mv) != self.hash_move)
        {
            let score = MVV_LVA_WEIGHT * mvv_lva(pos, mv)
                + if self.captures_only {
                    0
                } else {
                    histories.capture_value(pos, mv)
                };
            arena.moves.push(Scored { mv, score });
        }
        self.end = arena.moves.len();
    }

    fn add_quiets(
        &mut self,
        arena: &mut Arena,
        pos: &Position,
        histories: &Histories,
        line: &Line,
    ) {
        // Captures are all given or stand before `bad_end`: quiets go behind them.
        arena.moves.truncate(self.bad_end);
        self.next = self.bad_end;
        arena.scratch.clear();
        pos.quiets(&mut arena.scratch);
        let history = histories.quiet_at(pos, line);
        let checks = CheckSquares::of(pos);
        for &mv in &*arena.scratch {
            if Some(mv) != self.hash_move && Some(mv) != self.killer {
                let mut score = history.value(mv);
                if mv.promoted_role() == Some(Role::Queen) {
                    score += 65_536;
                } else if checks.worth_trying(pos, mv) {
                    score += params::check_bonus();
                }
                arena.moves.push(Scored { mv, score });
            }
        }
        self.end = arena.moves.len();
    }

    /// Moves the best of the moves that are left to the front and takes it.
    #[inline]
    fn take_best(&mut self, arena: &mut Arena) -> Option<Scored> {
        let rest = &mut arena.moves[self.next..self.end];
        let mut best = *rest.first()?;
        let mut place = 0;
        for (index, &scored) in rest.iter().enumerate().skip(1) {
            // Two selections instead of a branch: which move is best cannot be predicted.
            let better = scored.score > best.score;
            place = if better { index } else { place };
            best = if better { scored } else { best };
        }
        rest.swap(0, place);
        self.next += 1;
        Some(best)
    }

    /// The best capture that does not lose material; losing ones are put aside for later. In
    /// quiescence all are given: the caller prunes.
    fn next_good_capture(&mut self, arena: &mut Arena, pos: &Position) -> Option<Move> {
        while let Some(best) = self.take_best(arena) {
            if self.captures_only || static_exchange_evaluation(pos, best.mv, 0) {
                return Some(best.mv);
            }
            arena.moves[self.bad_end] = best;
            self.bad_end += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;

    /// The quiet moves that get a check's bonus, in UCI notation, in alphabetical order.
    fn checks(fen: &str) -> Vec<String> {
        let game = Game::from_fen(fen).unwrap();
        let pos = game.position();
        let squares = CheckSquares::of(pos);
        let mut found: Vec<String> = game
            .legal_moves()
            .iter()
            .filter(|&&mv| !pos.is_capture(mv) && squares.worth_trying(pos, mv))
            .map(|mv| format!("{}{}", mv.from(), mv.to()))
            .collect();
        found.sort();
        found
    }

    #[test]
    fn quiet_checks_are_tried_early_unless_they_lose_the_piece() {
        assert_eq!(checks("4k3/3p4/8/8/8/8/8/R3K3 w - - 0 1"), ["a1a8"]);
        let knight = "4k3/8/8/8/4N3/8/8/4K3 w - - 0 1";
        assert_eq!(checks(knight), ["e4d6", "e4f6"]);
        // The pawn would take it on either square.
        assert!(checks("4k3/4p3/8/8/4N3/8/8/4K3 w - - 0 1").is_empty());
        assert_eq!(checks("8/8/3k4/8/1KP5/8/8/8 w - - 0 1"), ["c4c5"]);
        assert!(checks("8/8/3k4/8/2P5/8/8/4K3 w - - 0 1").is_empty());
    }
}
