//! A plain search to compare others with: every move to a fixed depth, then what its mode says.
//!
//! Alpha-beta, and nothing that could change a value: no move and no ply is left out, and what is
//! remembered of captures depends on nothing but the position. The rules of the game hold
//! everywhere, at the last ply too: mate, stalemate, and draws by repetition, by fifty moves and by
//! too little material. Values are from the view of the side to move.

use std::collections::HashMap;

use crate::base::score::{Bound, DRAW, INFINITE, MAX_PLY, Score, from_table, mated_in, to_table};
use crate::board::exchange;
use crate::board::{Move, MoveList, Position};
use crate::eval::Evaluator;

use super::Mode;

/// What the reference search judges positions by, followed along a line of play.
pub trait Judge {
    /// Starts a new line at this position.
    fn reset(&mut self, root: &Position);
    /// Follows a move.
    fn push(&mut self, before: &Position, mv: Move, after: &Position);
    /// Takes the last move back.
    fn pop(&mut self);
    /// The judgement of the position at the end of the line: centipawns, from the view of the side
    /// to move.
    fn evaluate(&mut self, pos: &Position) -> Score;
}

impl Judge for Evaluator {
    fn reset(&mut self, root: &Position) {
        Evaluator::reset(self, root);
    }

    fn push(&mut self, before: &Position, mv: Move, after: &Position) {
        Evaluator::push(self, before, mv, after);
    }

    fn pop(&mut self) {
        Evaluator::pop(self);
    }

    fn evaluate(&mut self, pos: &Position) -> Score {
        Evaluator::evaluate(self, pos)
    }
}

/// Counts men, as everyone does: 1, 3, 3, 5 and 9 pawns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Material;

impl Judge for Material {
    fn reset(&mut self, _: &Position) {}

    fn push(&mut self, _: &Position, _: Move, _: &Position) {}

    fn pop(&mut self) {}

    fn evaluate(&mut self, pos: &Position) -> Score {
        let side = |own| {
            let men = pos.board().by_color(own).into_iter();
            men.filter_map(|square| pos.role_at(square).map(exchange::value))
                .sum::<Score>()
        };
        side(pos.turn()) - side(pos.turn().other())
    }
}

/// Positions whose captures are remembered: some hundred megabytes at most.
const MEMORY: usize = 4_000_000;

/// The reference search, standing on a position that moves lead on from and back to.
pub struct Reference {
    judge: Box<dyn Judge>,
    mode: Mode,
    /// The root first, the current position last; never empty.
    path: Vec<Position>,
    /// What captures alone gave, by the position's key.
    captures: HashMap<u64, (Score, Bound)>,
    /// The move that was best when the position was searched last: it is tried first.
    first: HashMap<u64, Move>,
    nodes: u64,
}

impl Reference {
    /// A search that stands on `root`.
    pub fn new(mut judge: Box<dyn Judge>, mode: Mode, root: &Position) -> Reference {
        judge.reset(root);
        Reference {
            judge,
            mode,
            path: vec![root.clone()],
            captures: HashMap::new(),
            first: HashMap::new(),
            nodes: 0,
        }
    }

    /// Positions visited so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The position it stands on.
    pub fn position(&self) -> &Position {
        // The root is never taken away.
        &self.path[self.path.len() - 1]
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        let next = self.position().play(mv);
        self.judge.push(&self.path[self.path.len() - 1], mv, &next);
        self.path.push(next);
    }

    /// Takes the last move back; the root stays.
    pub fn take_back(&mut self) {
        if self.path.len() > 1 {
            self.path.pop();
            self.judge.pop();
        }
    }

    /// What the position it stands on is judged to be, without any search.
    pub fn static_value(&mut self) -> Score {
        self.judge.evaluate(&self.path[self.path.len() - 1])
    }

    /// The exact value of the position it stands on, searched to `depth` plies.
    pub fn value(&mut self, depth: u32) -> Score {
        self.visit(-INFINITE, INFINITE, depth)
    }

    /// The line that the value of such a search comes from, to its very end. Of moves that are
    /// equally good the first one is taken: most valuable victim, least valuable attacker, then
    /// quiet moves as they are generated.
    pub fn line(&mut self, depth: u32) -> Vec<Move> {
        let value = self.value(depth);
        let start = self.path.len();
        let mut line = Vec::new();
        let (mut depth, mut value) = (depth, value);
        while let Some(mv) = self.reaches(value, depth) {
            line.push(mv);
            self.play(mv);
            depth = depth.saturating_sub(1);
            value = -value;
        }
        while self.path.len() > start {
            self.take_back();
        }
        line
    }

    /// The first move that reaches this value, which is the position's; nothing when the game is
    /// over, when depth and captures are, or when standing pat is as good.
    fn reaches(&mut self, value: Score, depth: u32) -> Option<Move> {
        if self.game_over().is_some() || self.path.len() > MAX_PLY {
            return None;
        }
        let (stand_pat, moves) = self.choices(depth);
        if stand_pat == Some(value) {
            return None;
        }
        let ordered = self.ordered(&moves, None);
        ordered.into_iter().find(|&mv| {
            self.play(mv);
            let reached = -self.visit(-value, 1 - value, depth.saturating_sub(1)) >= value;
            self.take_back();
            reached
        })
    }

    /// Alpha-beta, fail-soft. Outside of the window the value is a bound.
    fn visit(&mut self, mut alpha: Score, beta: Score, depth: u32) -> Score {
        self.nodes += 1;
        if let Some(score) = self.game_over() {
            return score;
        }
        if self.path.len() > MAX_PLY {
            return self.static_value();
        }
        let (key, ply) = (self.position().key(), self.path.len() - 1);
        let remembered = depth == 0 && self.depends_on_nothing_before();
        if remembered && let Some(&(score, bound)) = self.captures.get(&key) {
            let score = from_table(score, ply);
            match bound {
                Bound::Exact => return score,
                Bound::Lower if score >= beta => return score,
                Bound::Upper if score <= alpha => return score,
                Bound::Lower | Bound::Upper => {}
            }
        }
        let asked = alpha;
        let (stand_pat, moves) = self.choices(depth);
        let mut best = stand_pat.unwrap_or(-INFINITE);
        alpha = alpha.max(best);
        for mv in self.ordered(&moves, self.first.get(&key).copied()) {
            if best >= beta {
                break;
            }
            self.play(mv);
            let score = -self.visit(-beta, -alpha, depth.saturating_sub(1));
            self.take_back();
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    self.remember_first(key, mv);
                }
            }
        }
        if remembered && self.captures.len() < MEMORY {
            let bound = match best {
                best if best <= asked => Bound::Upper,
                best if best >= beta => Bound::Lower,
                _ => Bound::Exact,
            };
            self.captures.insert(key, (to_table(best, ply), bound));
        }
        best
    }

    /// May the side to move stand pat, and for how much; and the legal moves it may choose from.
    fn choices(&mut self, depth: u32) -> (Option<Score>, MoveList) {
        let pos = self.position();
        let mut moves = pos.legal_moves();
        if depth > 0 {
            return (None, moves);
        }
        let in_check = pos.in_check();
        let mut captures = moves.clone();
        captures.retain(|mv| pos.is_capture(mv));
        match self.mode {
            Mode::FixedDepth => moves.clear(),
            Mode::Quiescence if !in_check => moves = captures,
            Mode::WithoutStandPat if !captures.is_empty() => return (None, captures),
            Mode::WithoutStandPat if !in_check => moves.clear(),
            // A check is answered by any move: a side in check cannot stand pat.
            Mode::Quiescence | Mode::WithoutStandPat => return (None, moves),
        }
        (Some(self.static_value()), moves)
    }

    /// The score of a finished game. At the root only mate and stalemate finish it, so that a
    /// position can be searched whatever its clock says.
    fn game_over(&self) -> Option<Score> {
        let pos = self.position();
        let ply = self.path.len() - 1;
        if !pos.has_legal_move() {
            return Some(if pos.in_check() { mated_in(ply) } else { DRAW });
        }
        let drawn = pos.halfmoves() >= 100 || pos.is_insufficient_material() || self.is_repeated();
        (ply > 0 && drawn).then_some(DRAW)
    }

    /// Has the current position occurred before on the path?
    fn is_repeated(&self) -> bool {
        let pos = self.position();
        let reach = pos.halfmoves() as usize;
        let earlier = self.path.iter().rev().skip(1).take(reach);
        earlier.into_iter().any(|other| other.key() == pos.key())
    }

    /// Is what follows by captures alone the same whatever led here? A capture can repeat no
    /// earlier position; a quiet answer to a check could.
    fn depends_on_nothing_before(&self) -> bool {
        self.mode != Mode::FixedDepth
            && (!self.position().in_check() || self.position().halfmoves() == 0)
    }

    fn remember_first(&mut self, key: u64, mv: Move) {
        if self.first.len() < MEMORY {
            self.first.insert(key, mv);
        }
    }

    /// The moves, the promising ones first.
    fn ordered(&self, moves: &MoveList, first: Option<Move>) -> Vec<Move> {
        let pos = self.position();
        let promise = |mv: &Move| {
            let victim = pos.captured_role(*mv).map_or(0, exchange::value);
            let attacker = pos.role_at(mv.from()).map_or(0, exchange::value);
            (
                first != Some(*mv),
                victim == 0,
                std::cmp::Reverse(10 * victim - attacker),
            )
        };
        let mut ordered = moves.to_vec();
        ordered.sort_by_key(promise);
        ordered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::score::mate_in;
    use crate::board::Game;
    use crate::board::notation::san;
    use crate::eval::Network;

    fn by_material(fen: &str, mode: Mode) -> (Game, Reference) {
        let game = Game::from_fen(fen).unwrap();
        let reference = Reference::new(Box::new(Material), mode, game.position());
        (game, reference)
    }

    /// Minimax without any cut, memory or order, written from the definition.
    fn minimax(path: &mut Vec<Position>, mode: Mode, judge: &mut dyn Judge, depth: u32) -> Score {
        let pos = path.last().unwrap().clone();
        let ply = path.len() - 1;
        let moves = pos.legal_moves();
        if moves.is_empty() {
            return if pos.in_check() { mated_in(ply) } else { 0 };
        }
        let back = pos.halfmoves() as usize;
        let repeated = (1..=back.min(ply)).any(|n| path[ply - n].key() == pos.key());
        let drawn = repeated || pos.halfmoves() >= 100 || pos.is_insufficient_material();
        if ply > 0 && drawn {
            return 0;
        }
        let captures: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|m| pos.is_capture(*m))
            .collect();
        judge.reset(&pos);
        let value = judge.evaluate(&pos);
        let (mut best, tried) = match mode {
            _ if depth > 0 => (None, moves.to_vec()),
            Mode::FixedDepth => return value,
            Mode::Quiescence if pos.in_check() => (None, moves.to_vec()),
            Mode::Quiescence => (Some(value), captures),
            Mode::WithoutStandPat if !captures.is_empty() => (None, captures),
            Mode::WithoutStandPat if pos.in_check() => (None, moves.to_vec()),
            Mode::WithoutStandPat => return value,
        };
        for mv in tried {
            path.push(pos.play(mv));
            let score = -minimax(path, mode, judge, depth.saturating_sub(1));
            path.pop();
            best = best.max(Some(score));
        }
        best.unwrap()
    }

    #[test]
    fn cuts_and_memory_change_no_value() {
        let network = Network::shipped();
        for (fen, depths) in [
            ("3r2k1/5ppp/2p5/3p4/2P1P3/8/5PPP/3R2K1 w - - 0 1", 2),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 2),
            ("r3k3/1P6/8/8/8/8/6p1/4K2R w K - 0 1", 2),
            ("3k4/3pp3/8/2P1N3/4n3/3P4/4K3/8 b - - 0 1", 2),
            ("8/8/8/8/8/5k2/4q3/7K b - - 97 90", 3),
        ] {
            let game = Game::from_fen(fen).unwrap();
            for mode in Mode::ALL {
                let mut judge = Evaluator::new(std::sync::Arc::clone(&network));
                let mut reference = Reference::new(Box::new(judge.clone()), mode, game.position());
                for depth in 0..=depths {
                    let mut path = vec![game.position().clone()];
                    let value = minimax(&mut path, mode, &mut judge, depth);
                    assert_eq!(reference.value(depth), value, "{fen} {mode:?} {depth}");
                    check_line(&game, &mut reference, depth, value);
                }
            }
        }
    }

    /// The line is legal and ends in a position that is worth the value.
    fn check_line(game: &Game, reference: &mut Reference, depth: u32, value: Score) {
        let line = reference.line(depth);
        let mut at = game.clone();
        for (ply, &mv) in line.iter().enumerate() {
            assert!(at.legal_moves().contains(&mv));
            if ply >= depth as usize {
                let position = at.position();
                assert!(position.is_capture(mv) || position.in_check());
            }
            at.play(mv);
            reference.play(mv);
        }
        let end = match reference.game_over() {
            Some(score) => score,
            None => reference.static_value(),
        };
        let sign = if line.len().is_multiple_of(2) { 1 } else { -1 };
        assert_eq!(sign * end, value, "{}", san(game, &line));
        for _ in line {
            reference.take_back();
        }
        assert_eq!(reference.position().key(), game.position().key());
    }

    /// The chain of five captures on d5, on its board and with every other move allowed too.
    #[test]
    fn the_chain_shows_the_same_on_the_whole_board() {
        let fixed = [100, 0, 100, 0, 100];
        for (index, &value) in fixed.iter().enumerate() {
            let depth = index as u32 + 1;
            let (_, mut plain) = by_material(super::super::chain::POSITION, Mode::FixedDepth);
            assert_eq!(plain.value(depth), value, "depth {depth}");
            let (_, mut quiet) = by_material(super::super::chain::POSITION, Mode::Quiescence);
            assert_eq!(quiet.value(depth), 100, "depth {depth}");
        }
        let (game, mut forced) = by_material(super::super::chain::POSITION, Mode::WithoutStandPat);
        assert_eq!(forced.value(0), 500);
        assert_eq!(forced.line(0).len(), 5, "{}", san(&game, &forced.line(0)));
    }

    /// A queen before a protected pawn: declined by whoever may decline, lost by whoever may not.
    #[test]
    fn nobody_need_take_a_protected_pawn_unless_forced() {
        let fen = "4k3/2p5/3p4/8/3Q4/8/8/4K3 w - - 0 1";
        for (mode, value) in [
            (Mode::FixedDepth, 900 - 200),
            (Mode::Quiescence, 900 - 200),
            (Mode::WithoutStandPat, -100),
        ] {
            assert_eq!(by_material(fen, mode).1.value(0), value, "{mode:?}");
        }
    }

    #[test]
    fn the_rules_hold_at_the_horizon() {
        let mate_in_one = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
        let stalemating = "7k/8/5KQ1/8/8/8/8/8 b - - 0 1";
        for mode in Mode::ALL {
            let (game, mut reference) = by_material(mate_in_one, mode);
            assert_eq!(reference.value(1), mate_in(1), "{mode:?}");
            assert_eq!(san(&game, &reference.line(1)), "Ra8#");
            assert_eq!(by_material(stalemating, mode).1.value(1), DRAW, "{mode:?}");
        }
    }

    /// In check quiescence answers the check with any move, and sees the mate behind it.
    #[test]
    fn a_side_in_check_does_not_stand_pat() {
        let fen = "R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1";
        assert_eq!(by_material(fen, Mode::Quiescence).1.value(0), mated_in(0));
        // The queen gives check and is taken by the only move there is.
        let fen = "6k1/5ppp/8/8/8/8/5PPq/6K1 w - - 0 1";
        let (game, mut reference) = by_material(fen, Mode::Quiescence);
        assert_eq!(reference.value(0), -100);
        assert_eq!(san(&game, &reference.line(0)), "Kxh2");
    }
}
