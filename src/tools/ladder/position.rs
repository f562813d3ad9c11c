//! The same ladder in a real position: how many nodes each way to search it visits.
//!
//! The tree is the plain one: every legal move to a fixed depth, the network's static evaluation at
//! its leaves, mates and stalemates where they are; no quiescence, no extension, no pruning, no
//! value taken from a table. Repetitions and the fifty-move rule are left out, so that the value of
//! a position does not depend on the way to it. Every rung must therefore return the same value.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::Failure;
use crate::base::score::{DRAW, INFINITE, Score, mated_in};
use crate::board::{Game, Move, Position};
use crate::eval::{Evaluator, Network};
use crate::search::picker::mvv_lva;

/// How a search orders its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By the numbers of their squares: no order in the sense of chess.
    Squares,
    /// Captures first, by most valuable victim and least valuable attacker.
    MvvLva,
    /// First the best move of the iteration before, the others by their squares.
    Previous,
    /// The best move of the iteration before, captures by MVV-LVA, killers, quiet moves by history.
    Full,
}

/// Nodes that each way to search visits for one depth. `None` where the tree was too large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rung {
    /// Plies.
    pub depth: u32,
    /// The value that all of them return, centipawns for the side to move.
    pub value: Score,
    /// Minimax.
    pub minimax: Option<u64>,
    /// Iterative deepening over minimax: this pass and all before it.
    pub deepening_minimax: Option<u64>,
    /// Alpha-beta, the moves in no order.
    pub unordered: Option<u64>,
    /// Alpha-beta, captures ordered.
    pub mvv_lva: u64,
    /// Alpha-beta, the move of the iteration before first: this pass and all before it.
    pub previous: u64,
    /// Alpha-beta with the full ordering: this pass …
    pub full: u64,
    /// … and with all before it.
    pub full_passes: u64,
    /// The fewest nodes that prove the value (Knuth and Moore's minimum for this tree).
    pub minimum: Option<u64>,
}

/// Climbs the ladder to `depth`; minimax only while it visits at most `limit` nodes.
///
/// # Errors
///
/// When two ways to search disagree on a value: a fault of this program.
pub fn climb(game: &Game, depth: u32, limit: u64) -> Result<Vec<Rung>, Failure> {
    let pos = game.position();
    let mut previous = Search::new(Order::Previous, pos);
    let mut full = Search::new(Order::Full, pos);
    let mut rungs: Vec<Rung> = Vec::new();
    let mut branching = pos.legal_moves().len() as u64;
    for depth in 1..=depth {
        let last = rungs.last().copied().unwrap_or_default();
        let mut rung = Rung {
            depth,
            ..Rung::default()
        };
        let mut values = Vec::new();
        // The tree may grow by a little more than it did for the last ply.
        let expected = last.minimax.or((depth == 1).then_some(1));
        if expected.is_some_and(|nodes| nodes.saturating_mul(branching * 3 / 2) <= limit) {
            let (value, nodes) = Search::new(Order::Squares, pos).minimax(pos, depth);
            values.push(value);
            branching = nodes / expected.unwrap_or(1).max(1) + 1;
            rung.minimax = Some(nodes);
            rung.deepening_minimax = Some(nodes + last.deepening_minimax.unwrap_or(0));
            rung.minimum = Some(Search::new(Order::Squares, pos).minimum(pos, depth, value));
            let mut unordered = Search::new(Order::Squares, pos);
            values.push(unordered.run(pos, depth));
            rung.unordered = Some(unordered.nodes);
        }
        let mut captures = Search::new(Order::MvvLva, pos);
        values.extend([captures.run(pos, depth), previous.run(pos, depth)]);
        let before = full.nodes;
        rung.value = full.run(pos, depth);
        rung.mvv_lva = captures.nodes;
        rung.previous = previous.nodes;
        (rung.full, rung.full_passes) = (full.nodes - before, full.nodes);
        if let Some(value) = values.iter().find(|&&value| value != rung.value) {
            return Err(Failure::Failed(format!(
                "depth {depth}: one search says {value}, another {}",
                rung.value
            )));
        }
        rungs.push(rung);
    }
    Ok(rungs)
}

/// What proving a value takes at a node: nodes of the least proof that it is at least as high, that
/// it is at most as high, and of both; `None` where it is not so.
#[derive(Clone, Copy)]
struct Proof {
    least: Option<u64>,
    most: Option<u64>,
    both: Option<u64>,
}

/// A search of one kind, and what it remembers from one iteration to the next.
struct Search {
    order: Order,
    evaluator: Evaluator,
    nodes: u64,
    /// The best move of a position, by its key, from the iteration before.
    best: HashMap<u64, Move>,
    killers: Vec<Option<Move>>,
    history: HashMap<(usize, bool), i64>,
}

impl Search {
    fn new(order: Order, pos: &Position) -> Search {
        let mut evaluator = Evaluator::new(Arc::clone(&Network::shipped()));
        evaluator.reset(pos);
        Search {
            order,
            evaluator,
            nodes: 0,
            best: HashMap::new(),
            killers: Vec::new(),
            history: HashMap::new(),
        }
    }

    /// Alpha-beta to `depth` plies.
    fn run(&mut self, pos: &Position, depth: u32) -> Score {
        self.killers = vec![None; depth as usize + 1];
        self.alpha_beta(pos, -INFINITE, INFINITE, depth, 0)
    }

    /// The value of a position without legal moves, or at the end of the tree.
    fn leaf(&mut self, pos: &Position, moves: usize, depth: u32, ply: usize) -> Option<Score> {
        match (moves, depth) {
            (0, _) if pos.in_check() => Some(mated_in(ply)),
            (0, _) => Some(DRAW),
            (_, 0) => Some(self.evaluator.evaluate(pos)),
            _ => None,
        }
    }

    fn follow<T>(
        &mut self,
        pos: &Position,
        mv: Move,
        visit: impl FnOnce(&mut Search, &Position) -> T,
    ) -> T {
        let next = pos.play(mv);
        self.evaluator.push(pos, mv, &next);
        let answer = visit(self, &next);
        self.evaluator.pop();
        answer
    }

    /// Minimax to `depth` plies: value and nodes.
    fn minimax(&mut self, pos: &Position, depth: u32) -> (Score, u64) {
        fn visit(search: &mut Search, pos: &Position, depth: u32, ply: usize) -> Score {
            search.nodes += 1;
            let moves = pos.legal_moves();
            if let Some(value) = search.leaf(pos, moves.len(), depth, ply) {
                return value;
            }
            let value = |&mv| {
                search.follow(pos, mv, |search, next| {
                    -visit(search, next, depth - 1, ply + 1)
                })
            };
            moves.iter().map(value).max().unwrap_or(DRAW)
        }
        let value = visit(self, pos, depth, 0);
        (value, self.nodes)
    }

    /// The fewest nodes that prove that the tree of this depth is worth `value`.
    fn minimum(&mut self, pos: &Position, depth: u32, value: Score) -> u64 {
        self.proof(pos, depth, value, 0).both.unwrap_or(0)
    }

    /// The proofs at a node that `value` (for its side to move) is the root's.
    ///
    /// At least: one move that is good enough, proved. At most: every move proved not to be better.
    /// Both: of one move both, and of all others that they are not better.
    fn proof(&mut self, pos: &Position, depth: u32, value: Score, ply: usize) -> Proof {
        let moves = pos.legal_moves();
        if let Some(found) = self.leaf(pos, moves.len(), depth, ply) {
            let when = |holds: bool| holds.then_some(1);
            return Proof {
                least: when(found >= value),
                most: when(found <= value),
                both: when(found == value),
            };
        }
        let proofs: Vec<Proof> = moves
            .iter()
            .map(|&mv| {
                self.follow(pos, mv, |search, next| {
                    search.proof(next, depth - 1, -value, ply + 1)
                })
            })
            .collect();
        // A child's bounds are its parent's, turned over.
        let most: Option<u64> = proofs.iter().map(|child| child.least).sum();
        let least = proofs.iter().filter_map(|child| child.most).min();
        let both = most.and_then(|all| {
            let cost = |child: &Proof| Some(all - child.least? + child.both?);
            proofs.iter().filter_map(cost).min()
        });
        Proof {
            least: least.map(|nodes| nodes + 1),
            most: most.map(|nodes| nodes + 1),
            both: both.map(|nodes| nodes + 1),
        }
    }

    fn alpha_beta(
        &mut self,
        pos: &Position,
        mut alpha: Score,
        beta: Score,
        depth: u32,
        ply: usize,
    ) -> Score {
        self.nodes += 1;
        let moves = pos.legal_moves();
        if let Some(value) = self.leaf(pos, moves.len(), depth, ply) {
            return value;
        }
        let mut best_score = -INFINITE;
        for mv in self.ordered(pos, &moves, ply) {
            let score = self.follow(pos, mv, |search, next| {
                -search.alpha_beta(next, -beta, -alpha, depth - 1, ply + 1)
            });
            if score > best_score {
                best_score = score;
                if score > alpha {
                    alpha = score;
                    self.remember(pos, mv);
                }
            }
            if alpha >= beta {
                self.reward(pos, mv, depth, ply);
                break;
            }
        }
        best_score
    }

    /// The moves in this search's order.
    fn ordered(&self, pos: &Position, moves: &[Move], ply: usize) -> Vec<Move> {
        let mut moves = moves.to_vec();
        moves.sort_unstable_by_key(|mv| (mv.from_to(), mv.promoted_role()));
        let capture = |mv: Move| pos.is_capture(mv).then(|| i64::from(mvv_lva(pos, mv)));
        let first = self.best.get(&pos.key()).copied();
        let worth = |mv: Move| match self.order {
            Order::Squares => 0,
            Order::MvvLva => capture(mv).map_or(0, |worth| worth + 100),
            Order::Previous => i64::from(first == Some(mv)),
            Order::Full if first == Some(mv) => i64::MAX,
            Order::Full => match capture(mv) {
                Some(worth) => (1 << 60) + worth,
                None if self.killers[ply] == Some(mv) => 1 << 59,
                None => self
                    .history
                    .get(&self.history_key(pos, mv))
                    .copied()
                    .unwrap_or(0),
            },
        };
        // Equal moves keep the order of their squares.
        moves.sort_by_key(|&mv| std::cmp::Reverse(worth(mv)));
        moves
    }

    fn history_key(&self, pos: &Position, mv: Move) -> (usize, bool) {
        (mv.from_to(), pos.turn().is_white())
    }

    fn remember(&mut self, pos: &Position, mv: Move) {
        if matches!(self.order, Order::Previous | Order::Full) {
            self.best.insert(pos.key(), mv);
        }
    }

    fn reward(&mut self, pos: &Position, mv: Move, depth: u32, ply: usize) {
        if self.order == Order::Full && !pos.is_capture(mv) {
            self.killers[ply] = Some(mv);
            let key = self.history_key(pos, mv);
            *self.history.entry(key).or_default() += i64::from(depth * depth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rungs(fen: &str, depth: u32) -> Vec<Rung> {
        climb(&Game::from_fen(fen).unwrap(), depth, 3_000_000).unwrap()
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn minimax_visits_as_many_nodes_as_perft_counts() {
        let rungs = rungs(START, 4);
        let minimax: Vec<u64> = rungs.iter().filter_map(|rung| rung.minimax).collect();
        // 1, 20, 400, 8902 and 197281 positions at the plies from the root.
        assert_eq!(minimax, [21, 421, 9323, 206_604]);
        assert_eq!(rungs[3].deepening_minimax, Some(21 + 421 + 9323 + 206_604));
    }

    #[test]
    fn each_rung_stands_above_the_minimum_and_below_the_one_before() {
        for fen in [
            START,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        ] {
            for rung in rungs(fen, 3) {
                let (minimum, minimax) = (rung.minimum.unwrap(), rung.minimax.unwrap());
                let unordered = rung.unordered.unwrap();
                for nodes in [unordered, rung.mvv_lva, rung.full] {
                    assert!((minimum..=minimax).contains(&nodes), "{fen} {rung:?}");
                }
                if rung.depth == 3 {
                    assert!(
                        rung.full <= rung.mvv_lva && rung.mvv_lva < unordered,
                        "{rung:?}"
                    );
                    assert!(rung.full_passes < minimax, "{rung:?}");
                }
            }
        }
    }

    #[test]
    fn one_ply_needs_all_moves_and_a_mate_is_found_by_all() {
        let rungs = rungs("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", 3);
        let all = rungs[0].minimax;
        assert_eq!((rungs[0].minimum, rungs[0].unordered), (all, all));
        assert_eq!(rungs[0].value, crate::base::score::mate_in(1));
    }

    #[test]
    fn minimax_is_left_out_where_its_tree_is_too_large() {
        let rungs = climb(&Game::start(), 4, 20_000).unwrap();
        assert!(rungs[2].minimax.is_some() && rungs[3].minimax.is_none());
        assert!(rungs[3].minimum.is_none() && rungs[3].full > 0);
    }
}
