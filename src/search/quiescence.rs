//! Quiescence: captures only, with the choice to stand pat.
//!
//! The main search trusts a leaf only when it is quiet. Here the side to move may decline every
//! capture (*stand pat*) and take the static evaluation, or play captures, most valuable victim
//! first, until neither side wants to. Quiet moves are never tried, not even to give or answer a
//! check: a side in check is not at the horizon, so [`Search::at_horizon`] gives such a node back
//! to the main search.

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
                best_score = best_score.max(
                    (stand_pat + gain + crate::base::params::quiescence_futility())
                        .min(EVALUATION_LIMIT),
                );
                continue;
            }
            self.shared.table.prefetch(pos.key_after(mv));
            if !static_exchange_evaluation(pos, mv, 0) {
                continue;
            }
            let next = self.make(pos, mv, ply);
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
