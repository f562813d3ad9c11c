//! Iterative deepening: depth 1, 2, 3 …, each pass ordering the next one.
//!
//! # What a completed iteration is
//!
//! An iteration is complete when every line asked for was searched to its depth inside its
//! aspiration window, without being stopped. Only then is it recorded, as one value: depth, moves,
//! scores, variations. An iteration that is interrupted is thrown away, whatever it had found: not
//! its move, not its score, not its variation is ever used. Nothing stops the first iteration, so
//! there is always a completed one.

use std::time::Duration;

use crate::base::params;
use crate::base::score::{Bound, INFINITE, MAX_PLY, Score, is_decisive, mate_in};
use crate::board::{Move, Position};

use super::clock::Mood;
use super::node::Root;
use super::report::{BestSoFar, Event, Iteration, Line};
use super::worker::Search;

/// Bounds and current moves are reported once a search has taken so long.
const TALKATIVE_AFTER: Duration = Duration::from_secs(3);

impl Search<'_> {
    /// Deepens until a limit is reached; gives the last completed iteration.
    pub(super) fn deepen(mut self) -> Option<Iteration> {
        if self.root_moves.is_empty() {
            return None;
        }
        let deepest = self
            .job
            .limits
            .depth
            .unwrap_or(MAX_PLY as u32)
            .clamp(1, MAX_PLY as u32 - 1);
        let lines = self.job.multi_pv.clamp(1, self.root_moves.len());
        let mut completed: Option<Iteration> = None;
        let mut stable_iterations = 0;
        for depth in 1..=deepest {
            self.root_depth = depth as i32;
            if !self.iterate(lines) {
                break;
            }
            let iteration = self.record(depth, lines);
            let same = completed
                .as_ref()
                .is_some_and(|last| best(last) == best(&iteration));
            stable_iterations = if same { stable_iterations + 1 } else { 0 };
            if self.is_main() {
                self.send(&iteration);
            }
            let done =
                self.is_main() && self.is_done(&iteration, completed.as_ref(), stable_iterations);
            completed = Some(iteration);
            if done {
                break;
            }
        }
        self.publish_nodes();
        completed
    }

    /// One pass over all the lines. `false` when it was interrupted.
    fn iterate(&mut self, lines: usize) -> bool {
        for root in &mut self.root_moves {
            root.previous = root.score;
        }
        self.seldepth = 0;
        for index in 0..lines {
            self.pv_index = index;
            self.aspiration_window();
            if self.stopped {
                return false;
            }
            self.sort_root(index);
        }
        // A later line may have turned out better than an earlier one.
        self.root_moves[..lines].sort_by_key(|root| -root.score);
        true
    }

    /// Searches the current line inside a window around its last score, widened until the score
    /// lies inside.
    ///
    /// *Idea*: scores change little from one depth to the next, and a narrow window cuts off more.
    /// *Formula*: half width `aspiration_delta`, growing by a third and more with each failure;
    /// after a failure high the next try is a ply less deep. *Never*: below `aspiration_depth` or
    /// around a proven result.
    fn aspiration_window(&mut self) {
        let root = &self.root_moves[self.pv_index];
        let previous = root.previous;
        let center = root.average.unwrap_or(previous);
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut delta = params::aspiration_delta() + center.abs().min(2000) / 64;
        if self.root_depth >= params::aspiration_depth()
            && previous != -INFINITE
            && !is_decisive(previous)
        {
            (alpha, beta) = (
                (center - delta).max(-INFINITE),
                (center + delta).min(INFINITE),
            );
        }
        let job = self.job;
        let mut failed_high = 0;
        loop {
            let depth = (self.root_depth - failed_high).max(1);
            let score = self.alpha_beta::<Root>(job.game.position(), alpha, beta, depth, 0, false);
            if self.stopped {
                return;
            }
            self.sort_root(self.pv_index);
            if score <= alpha {
                self.send_bound(Bound::Upper);
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                failed_high = 0;
            } else if score >= beta {
                self.send_bound(Bound::Lower);
                beta = (score + delta).min(INFINITE);
                failed_high += 1;
            } else {
                return;
            }
            delta += delta / 2;
            if delta > 600 {
                (alpha, beta) = if score < 0 {
                    (-INFINITE, beta)
                } else {
                    (alpha, INFINITE)
                };
            }
        }
    }

    /// Sorts the root moves from this one on: the scored ones first, the others in the order of
    /// the pass before.
    fn sort_root(&mut self, from: usize) {
        self.root_moves[from..].sort_by_key(|root| (-root.score, -root.previous));
    }

    /// May this root move be searched now? Not those of the lines found already.
    pub(super) fn is_root_move(&self, mv: Move) -> bool {
        self.root_moves[self.pv_index..]
            .iter()
            .any(|root| root.mv == mv)
    }

    /// Notes the result of a root move: the first and every better one has a score and a
    /// variation, the others have none.
    pub(super) fn record_root(
        &mut self,
        mv: Move,
        score: Score,
        number: usize,
        alpha: Score,
        nodes: u64,
    ) {
        let seldepth = self.seldepth;
        let Some(root) = self.root_moves.iter_mut().find(|root| root.mv == mv) else {
            return;
        };
        root.nodes += nodes;
        if number > 1 && score <= alpha {
            root.score = -INFINITE;
            return;
        }
        root.score = score;
        root.average = Some(root.average.map_or(score, |average| {
            if is_decisive(score) {
                score
            } else {
                (average + score) / 2
            }
        }));
        root.seldepth = seldepth;
        root.pv.clear();
        root.pv.push(mv);
        root.pv.extend_from_slice(self.stack.at(1).pv.moves());
        if self.is_main() {
            self.sink.best_so_far(BestSoFar {
                depth: self.root_depth as u32,
                mv,
                score,
                nodes: self.nodes,
            });
        }
    }

    /// The completed iteration as a value.
    fn record(&self, depth: u32, lines: usize) -> Iteration {
        let lines = self.root_moves[..lines]
            .iter()
            .enumerate()
            .map(|(index, root)| Line {
                multipv: index + 1,
                depth,
                seldepth: root.seldepth.max(1) as u32,
                score: root.score,
                bound: Bound::Exact,
                pv: self.complete_mate(&root.pv, root.score),
            })
            .collect();
        Iteration { depth, lines }
    }

    /// A mating line that the search cut short is continued from the table, as far as that knows
    /// the way to the mate.
    fn complete_mate(&self, pv: &[Move], score: Score) -> Vec<Move> {
        let mut pv = pv.to_vec();
        let plies = (mate_in(0) - score.abs()).max(0) as usize;
        if plies > MAX_PLY {
            return pv;
        }
        let mut pos: Position = pv
            .iter()
            .fold(self.job.game.position().clone(), |pos, &mv| pos.play(mv));
        while pv.len() < plies {
            let known = self
                .shared
                .table
                .probe(pos.key())
                .and_then(|entry| entry.mv);
            match known.filter(|&mv| pos.is_pseudo_legal(mv) && pos.is_legal(mv)) {
                Some(mv) => {
                    pv.push(mv);
                    pos = pos.play(mv);
                }
                None => break,
            }
        }
        pv
    }

    fn send(&mut self, iteration: &Iteration) {
        if !self.sink.listens() {
            return;
        }
        let progress = self.progress();
        for line in &iteration.lines {
            self.sink.event(Event::Line(line.clone(), progress));
        }
    }

    /// Reports a score outside of the window, when the search takes long enough for somebody to
    /// watch.
    fn send_bound(&mut self, bound: Bound) {
        if !self.is_main() || self.clock.elapsed() < TALKATIVE_AFTER {
            return;
        }
        let root = &self.root_moves[self.pv_index];
        let line = Line {
            multipv: self.pv_index + 1,
            depth: self.root_depth as u32,
            seldepth: self.seldepth as u32,
            score: root.score,
            bound,
            pv: root.pv.clone(),
        };
        let progress = self.progress();
        self.sink.event(Event::Line(line, progress));
    }

    /// Reports the root move that is searched now, likewise.
    pub(super) fn announce(&mut self, mv: Move, number: usize) {
        if self.is_main() && self.root_depth > 8 && self.clock.elapsed() >= TALKATIVE_AFTER {
            let number = self.pv_index + number;
            self.sink.event(Event::CurrentMove {
                depth: self.root_depth as u32,
                mv,
                number,
            });
        }
    }

    /// Is the search done after this iteration?
    fn is_done(&self, iteration: &Iteration, last: Option<&Iteration>, stable: u32) -> bool {
        let limits = &self.job.limits;
        let score = iteration.lines[0].score;
        if limits.mate.is_some_and(|moves| mate_found(score, moves)) && !limits.infinite {
            return true;
        }
        self.publish_nodes();
        let nodes = self.shared.total_nodes();
        let over = |limit: Option<u64>| limit.is_some_and(|limit| nodes >= limit);
        if over(limits.nodes) || over(limits.soft_nodes) || self.clock.hard_expired() {
            return true;
        }
        let root = &self.root_moves[0];
        let drop = last.map_or(0, |last| last.lines[0].score - score);
        let below_average = root.average.map_or(0, |average| average - score);
        self.clock.soft_expired(Mood {
            stable_iterations: stable,
            score_drop: drop.max(below_average).clamp(-100, 100),
            best_move_effort: root.nodes as f64 / self.nodes.max(1) as f64,
            forced: self.root_moves.len() == 1,
        })
    }
}

fn best(iteration: &Iteration) -> Option<Move> {
    iteration
        .lines
        .first()
        .and_then(|line| line.pv.first())
        .copied()
}

/// Is the mate asked for found: given or suffered in so many moves or fewer?
fn mate_found(score: Score, moves: u32) -> bool {
    score.abs() >= mate_in((2 * moves) as usize)
}
