//! Quiescence: captures only, with the choice to stand pat.
//!
//! The main search trusts a leaf only when it is quiet. Here the side to move may decline every
//! capture (*stand pat*) and take the static evaluation, or play captures, most valuable victim
//! first, until neither side wants to. Quiet moves are never tried, not even to give or answer a
//! check: a side in check is not at the horizon, so [`Search::at_horizon`] gives such a node back
//! to the main search.

use crate::base::params;
use crate::base::score::{EVALUATION_LIMIT, MAX_PLY, Score, from_table, to_table};
use crate::board::Position;
use crate::board::exchange::{self, static_exchange_evaluation};

use super::node::NodeKind;
use super::picker::Picker;
use super::rules;
use super::table::{Entry, NO_EVALUATION};
use super::worker::Search;

/// See [`Search::first_iteration_is_long`]: an ordinary first iteration takes a tenth of that.
const FIRST_ITERATION_NODES: u64 = 1000;

impl Search<'_> {
    /// The score of a position at the horizon. A side in check is not there yet: the main search
    /// looks one ply further.
    pub(super) fn at_horizon<N: NodeKind>(
        &mut self,
        pos: &Position,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Score {
        if rules::at_horizon(0, pos.in_check()) {
            self.quiescence::<N>(pos, alpha, beta, ply)
        } else {
            self.alpha_beta::<N>(pos, alpha, beta, 1, ply, false)
        }
    }

    /// Has the first iteration, which nothing may stop, visited too many nodes? From then on every
    /// quiescence stands pat at once, so that it ends within milliseconds even where nine queens a
    /// side leave millions of captures.
    fn first_iteration_is_long(&self) -> bool {
        self.root_depth == 1 && self.nodes > FIRST_ITERATION_NODES
    }

    /// The score of a position when only captures are played from here, each side free to stop.
    pub(super) fn quiescence<N: NodeKind>(
        &mut self,
        pos: &Position,
        mut alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Score {
        if N::PV {
            self.stack.clear_pv(ply);
        }
        if self.visit(ply) {
            return 0;
        }
        if self.is_draw(pos, ply) {
            return self.draw();
        }

        alpha = self.draw_at_least(pos, alpha, ply);
        if alpha >= beta {
            return alpha;
        }

        self.tree.quiescence += 1;
        let hash = self.probe(pos);
        if let Some(entry) = hash
            && !N::PV
            && pos.halfmoves() < 90
            && rules::bound_decides(entry.bound, from_table(entry.score, ply), alpha, beta)
        {
            return from_table(entry.score, ply);
        }

        let raw = match hash {
            Some(entry) if entry.evaluation != NO_EVALUATION => entry.evaluation,
            _ => self.evaluator.evaluate(pos),
        };
        let line = self.stack.line(ply);
        let mut stand_pat = self.scaled_and_corrected(raw, pos, &line);
        if let Some(entry) = hash {
            let score = from_table(entry.score, ply);
            if rules::bound_improves(entry.bound, score, stand_pat) {
                stand_pat = score;
            }
        }
        if stand_pat >= beta || ply >= MAX_PLY || self.first_iteration_is_long() {
            return rules::softened_stand_pat(stand_pat, beta);
        }
        let original_alpha = alpha;
        alpha = alpha.max(stand_pat);

        let mut best_score = stand_pat;
        let mut best_move = None;
        let mut picker = Picker::captures(self.arena, pos, hash.and_then(|entry| entry.mv));
        while let Some(mv) = picker.next(self.arena, pos, self.histories, &line) {
            if !pos.is_legal(mv) {
                continue;
            }
            let gain = pos.captured_role(mv).map_or(0, exchange::value);
            if !mv.is_promotion() && rules::quiescence_futile(stand_pat, gain, alpha) {
                best_score = best_score
                    .max((stand_pat + gain + params::quiescence_futility()).min(EVALUATION_LIMIT));
                continue;
            }
            self.shared.table.prefetch(pos.key_after(mv));
            if !static_exchange_evaluation(pos, mv, 0) {
                continue;
            }
            let next = self.make(pos, mv, ply);
            #[cfg(test)]
            tests::watch(pos, &next);
            let score = -self.at_horizon::<N::Child>(&next, -beta, -alpha, ply + 1);
            self.unmake();
            if self.stopped {
                picker.release(self.arena);
                return 0;
            }
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(mv);
                    alpha = score;
                    if N::PV {
                        self.stack.extend_pv(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        picker.release(self.arena);

        let bound = rules::bound_of(best_score, original_alpha, beta, N::PV);
        self.shared.table.store(
            pos.key(),
            Entry {
                mv: best_move,
                score: to_table(best_score, ply),
                evaluation: raw,
                depth: 0,
                bound,
                pv: hash.is_some_and(|entry| entry.pv),
            },
        );
        best_score
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::thread;

    use super::*;
    use crate::board::Game;
    use crate::eval::Network;
    use crate::search::report::Silent;
    use crate::search::{Clock, Job, Limits, Shared, Worker};

    thread_local! {
        /// Men before and after each move that this thread's quiescence made.
        static MADE: RefCell<Vec<(usize, usize)>> = const { RefCell::new(Vec::new()) };
    }

    /// Notes a move that quiescence makes.
    pub(super) fn watch(before: &Position, after: &Position) {
        let men = |pos: &Position| pos.occupied().count();
        MADE.with_borrow_mut(|made| made.push((men(before), men(after))));
    }

    /// What quiescence made in a search of this position to `depth` plies.
    fn made(fen: &str, depth: u32) -> Vec<(usize, usize)> {
        let job = Job {
            game: Game::from_fen(fen).unwrap(),
            limits: Limits::depth(depth),
            multi_pv: 1,
        };
        let search = move || {
            let shared = Shared::new(1, 1).unwrap();
            let mut worker = Worker::new(0, &Network::shipped());
            let _ = worker.search(&job, &Clock::unlimited(), &shared, &mut Silent);
            MADE.take()
        };
        let thread = thread::Builder::new().stack_size(Worker::STACK_BYTES);
        thread.spawn(search).unwrap().join().unwrap()
    }

    #[test]
    fn no_quiet_move_is_ever_made_in_quiescence() {
        for (fen, depth) in [
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                9,
            ),
            // Promotions, with a capture and without; en passant; one side in check.
            (
                "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
                10,
            ),
            ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 11),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 13),
        ] {
            let made = made(fen, depth);
            assert!(made.len() > 100, "{fen}: {} moves", made.len());
            // By the rules of chess a capture, and nothing else, takes one man off the board.
            assert!(made.iter().all(|&(before, after)| after + 1 == before));
        }
    }
}
