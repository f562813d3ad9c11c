//! Alpha-beta: the recursion, as numbered steps that call rules.
//!
//! Principal variation search, fail-soft. What decides whether a node, a move or a ply is left out
//! stands in [`rules`](super::rules) and [`reductions`](super::reductions); here it is only put in
//! order.

use crate::base::params;
use crate::base::score::{
    Bound, DRAW, EVALUATION_LIMIT, INFINITE, MAX_PLY, Score, from_table, is_mate, mated_in,
    to_table,
};
use crate::board::exchange::{self, static_exchange_evaluation};
use crate::board::{Move, Position};

use super::history::{self, Line};
use super::node::{NodeKind, NonPv};
use super::picker::Picker;
use super::reductions::{Late, PLY};
use super::rules::{self, Known};
use super::table::{Entry, NO_EVALUATION};
use super::worker::Search;

/// Half of the material that a game begins with, in pawns.
const USUAL_MATERIAL: i32 = 40;

/// Moves tried at a node before the best one, to be punished when it cuts off.
#[derive(Default)]
struct Tried {
    quiets: Few,
    captures: Few,
}

/// The first few moves of a kind.
#[derive(Default)]
struct Few {
    moves: [Option<Move>; 32],
    len: usize,
}

impl Tried {
    fn push(&mut self, candidate: Candidate) {
        let few = if candidate.quiet {
            &mut self.quiets
        } else {
            &mut self.captures
        };
        if let Some(slot) = few.moves.get_mut(few.len) {
            *slot = Some(candidate.mv);
            few.len += 1;
        }
    }
}

impl Few {
    fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.len].iter().flatten().copied()
    }
}

/// A move about to be searched, and what its node knows of it.
#[derive(Clone, Copy)]
struct Candidate {
    mv: Move,
    /// Its number in the node's order, from 1.
    number: usize,
    quiet: bool,
    gives_check: bool,
    /// History value: of all tables for quiet moves, of captures for captures.
    history: i32,
    killer: bool,
}

/// What to do with a move before it is searched.
enum Verdict {
    Search,
    Skip,
    SkipQuiets,
}

impl Search<'_> {
    /// The score of a position searched to `depth` plies, for the side to move. Outside of the
    /// window it is a bound. Means nothing once `self.stopped` is set.
    pub(super) fn alpha_beta<N: NodeKind>(
        &mut self,
        pos: &Position,
        mut alpha: Score,
        mut beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        // 1. The horizon. A side in check is not there yet (check extension).
        let in_check = pos.in_check();
        if rules::at_horizon(depth, in_check) {
            return self.quiescence::<N>(pos, alpha, beta, ply);
        }
        let depth = depth.clamp(1, MAX_PLY as i32 - 1);

        // 2. Count the node; stop when told to.
        self.stack.open(ply, N::PV);
        if self.visit(ply) {
            return 0;
        }

        // 3. The end of the game, of the stack, and of any hope for a shorter mate.
        if !N::ROOT {
            if self.is_draw(pos, ply) {
                return self.draw();
            }
            if ply >= MAX_PLY {
                return if in_check {
                    DRAW
                } else {
                    self.static_evaluation(pos, None, ply).1
                };
            }
            match self.narrowed(pos, (alpha, beta), ply) {
                Ok(window) => (alpha, beta) = window,
                Err(score) => return score,
            }
        }

        // 4. The transposition table.
        let excluded = self.stack.at(ply).excluded;
        let hash = excluded.is_none().then(|| self.probe(pos)).flatten();
        let hash_move = if N::ROOT {
            Some(self.root_moves[self.pv_index].mv)
        } else {
            hash.and_then(|entry| entry.mv)
        };
        let table_pv = N::PV || hash.is_some_and(|entry| entry.pv);

        // 5. What is known of the node.
        let (raw, static_evaluation) = self.static_evaluation(pos, hash, ply);
        let mut known = Known {
            depth,
            alpha,
            beta,
            evaluation: static_evaluation,
            static_evaluation,
            improving: self.improving(ply),
            worsening: self.opponent_worsening(static_evaluation, in_check, ply),
            in_check,
            pv: N::PV,
            table_pv,
            cut_node,
            excluded: excluded.is_some(),
            hash,
            hash_capture: hash_move.is_some_and(|mv| pos.is_capture(mv)),
        };
        if let Some(entry) = hash {
            let score = table_score(entry, ply, pos.halfmoves());
            if let Some(answer) = self.table_answer(pos, entry, score, &known, ply) {
                return answer;
            }
            if !in_check && rules::bound_improves(entry.bound, score, static_evaluation) {
                known.evaluation = score;
            }
        }
        self.stack.enter(ply);
        self.judge_last_move(pos, &known, ply);
        known.depth += self.hindsight(&known, ply);

        // 6. Prune the whole node, or search it less deep.
        if let Some(score) = self.prune_node::<N>(pos, &known, raw, ply) {
            return score;
        }
        known.depth -= rules::internal_iterative_reduction(&known);

        // 7. The moves.
        let line = self.stack.line(ply);
        let killer = self.stack.at(ply).killer;
        let original_alpha = alpha;
        let mut best_score = -INFINITE;
        let mut best_move = None;
        let mut number = 0;
        let mut tried = Tried::default();
        let mut picker = Picker::new(self.arena, pos, hash_move, killer);
        while let Some(mv) = picker.next(self.arena, pos, self.histories, &line) {
            if Some(mv) == excluded || !pos.is_legal(mv) || (N::ROOT && !self.is_root_move(mv)) {
                continue;
            }
            number += 1;
            if N::ROOT {
                self.announce(mv, number);
            }
            // Long before it is needed: a cache miss takes as long as all that comes before 7c.
            self.shared.table.prefetch(pos.key_after(mv));
            let candidate = self.candidate(pos, mv, number, picker.history(), killer, &line);
            known.alpha = alpha;

            // 7a. Leave the move out?
            if !N::ROOT && rules::pruning_is_safe(best_score) && number > 1 {
                match self.judge(pos, &known, candidate, &line) {
                    Verdict::Search => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }

            // 7b. Extend it?
            let extension = match self.extension(pos, &known, candidate, ply) {
                Ok(extension) => extension,
                Err(score) => {
                    picker.release(self.arena);
                    return score;
                }
            };

            // 7c. Search it.
            let nodes_before = self.nodes;
            let next = self.make(pos, mv, ply);
            let window = (alpha, beta, best_score);
            let score = self.search_move::<N>(&next, &known, candidate, extension, window, ply);
            self.unmake();
            if self.stopped {
                picker.release(self.arena);
                return 0;
            }
            if N::ROOT {
                self.record_root(mv, score, number, alpha, self.nodes - nodes_before);
            }

            // 7d. A new best move? A cutoff?
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.stack.extend_pv(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                    known.depth = rules::depth_after_raised_alpha(known.depth, score);
                }
            }
            if Some(mv) != best_move {
                tried.push(candidate);
            }
        }
        picker.release(self.arena);

        // 8. No move: mate or stalemate, unless one was left out.
        if number == 0 {
            return match (excluded, in_check) {
                (Some(_), _) => alpha,
                (None, true) => mated_in(ply),
                (None, false) => self.draw(),
            };
        }

        // 9. Learn from the cutoff, and remember the result.
        if best_score >= beta
            && let Some(mv) = best_move
        {
            self.tree.cutoffs += 1;
            self.tree.first_move_cutoffs += u64::from(number == 1);
            let surplus = best_score - beta;
            self.reward_cutoff(pos, mv, history::lesson(known.depth, surplus), ply, &tried);
            best_score = rules::softened_cutoff(best_score, beta, known.depth);
        } else if best_move.is_none() {
            self.reward_last_move(pos, &known, ply);
        }
        if excluded.is_none() && !(N::ROOT && self.pv_index > 0) {
            let bound = rules::bound_of(best_score, original_alpha, beta, N::PV);
            let entry = Entry {
                mv: best_move,
                score: best_score,
                evaluation: raw,
                depth: known.depth,
                bound,
                pv: table_pv,
            };
            self.remember(pos, &known, entry, ply);
        }
        best_score
    }

    /// The window, without scores that cannot be: worse than a draw that is there to be had, or a
    /// mate longer than one found already. An error is the node's score.
    fn narrowed(
        &self,
        pos: &Position,
        (alpha, beta): (Score, Score),
        ply: usize,
    ) -> Result<(Score, Score), Score> {
        let alpha = self.draw_at_least(pos, alpha, ply);
        if alpha >= beta {
            return Err(alpha);
        }
        rules::mate_distance_pruning(alpha, beta, ply)
    }

    /// The static evaluation: as the evaluator gives it (for the table), and corrected. Sets the
    /// frame's. In check there is none.
    fn static_evaluation(
        &mut self,
        pos: &Position,
        hash: Option<Entry>,
        ply: usize,
    ) -> (Score, Score) {
        if pos.in_check() {
            self.stack.at(ply).evaluation = None;
            self.stack.at(ply).correction = 0;
            return (NO_EVALUATION, 0);
        }
        let frame = self.stack.at(ply);
        if let (Some(_), Some(evaluation)) = (frame.excluded, frame.evaluation) {
            // The search that looks for singularity evaluated the node already.
            return (NO_EVALUATION, evaluation);
        }
        let raw = match hash {
            Some(entry) if entry.evaluation != NO_EVALUATION => entry.evaluation,
            _ => self.evaluator.evaluate(pos),
        };
        let corrected = self.scaled_and_corrected(raw, pos, &self.stack.line(ply));
        self.stack.at(ply).evaluation = Some(corrected);
        self.stack.at(ply).correction = (corrected - scaled(raw, pos)).abs();
        (raw, corrected)
    }

    /// The static evaluation made smaller as the fifty-move draw comes nearer, and corrected by
    /// what similar positions turned out to be worth.
    #[inline]
    pub(super) fn scaled_and_corrected(&self, raw: Score, pos: &Position, line: &Line) -> Score {
        self.histories.corrected(scaled(raw, pos), pos, line)
    }

    /// Has the static evaluation risen since our last move (or the one before it)?
    fn improving(&self, ply: usize) -> bool {
        let Some(now) = self.stack.back(ply, 0).evaluation else {
            return false;
        };
        let before = |plies| {
            if ply >= plies {
                self.stack.back(ply, plies).evaluation
            } else {
                None
            }
        };
        before(2).or(before(4)).is_none_or(|before| now > before)
    }

    /// Is the opponent worse off than it judged itself before its last move?
    fn opponent_worsening(&self, now: Score, in_check: bool, ply: usize) -> bool {
        let before = self.stack.back(ply, 1).evaluation;
        !in_check && before.is_some_and(|before| now > -before)
    }

    /// The last move is a better or worse one by what it did to the static evaluation.
    fn judge_last_move(&mut self, pos: &Position, known: &Known, ply: usize) {
        let last = self.stack.back(ply, 1);
        if let (Some(mv), Some(before)) = (last.mv, last.evaluation)
            && let Some(threats) = last.threats
            && last.quiet
            && !known.in_check
            && !known.excluded
        {
            let bonus = history::evaluation_bonus(-before - known.static_evaluation);
            self.histories.update_last_quiet(pos, threats, mv, bonus);
        }
    }

    /// See [`rules::hindsight`].
    fn hindsight(&self, known: &Known, ply: usize) -> i32 {
        let last = self.stack.back(ply, 1);
        last.evaluation
            .map_or(0, |before| rules::hindsight(known, last.reduction, before))
    }

    /// Step 6: the rules that answer for the whole node.
    fn prune_node<N: NodeKind>(
        &mut self,
        pos: &Position,
        known: &Known,
        raw: Score,
        ply: usize,
    ) -> Option<Score> {
        if N::PV {
            return None;
        }
        if let Some(score) = rules::reverse_futility(known) {
            return Some(score);
        }
        if rules::razoring(known) {
            let score = self.quiescence::<NonPv>(pos, known.alpha, known.alpha + 1, ply);
            if self.stopped {
                return Some(0);
            }
            if score <= known.alpha {
                return Some(score);
            }
        }
        self.null_move(pos, known, ply)
            .or_else(|| self.probcut(pos, known, raw, ply))
    }

    /// Null move, with the cutoff verified at great depth (zugzwang).
    fn null_move(&mut self, pos: &Position, known: &Known, ply: usize) -> Option<Score> {
        let has_pieces = pos.has_non_pawn_material(pos.turn());
        let after_null = ply > 0 && self.stack.back(ply, 1).mv.is_none();
        if ply < self.null_move_from || !rules::null_move_allowed(known, has_pieces, after_null) {
            return None;
        }
        let depth = known.depth - rules::null_move_reduction(known);
        let next = pos.play_null();
        self.shared.table.prefetch(next.key());
        let frame = self.stack.at(ply);
        (frame.mv, frame.moved, frame.quiet, frame.reduction) = (None, None, false, 0);
        self.keys.push(pos.key());
        self.evaluator.push_null();
        let score = -self.alpha_beta::<NonPv>(
            &next,
            -known.beta,
            -known.beta + 1,
            depth,
            ply + 1,
            !known.cut_node,
        );
        self.unmake();
        if self.stopped {
            return Some(0);
        }
        if score < known.beta {
            return None;
        }
        // A mate that the opponent would allow by passing is no mate.
        let score = if score > EVALUATION_LIMIT {
            known.beta
        } else {
            score
        };
        if self.null_move_from > 0 || known.depth < params::null_move_verify_depth() {
            return Some(score);
        }
        self.null_move_from = ply + (depth.max(1) as usize) * 3 / 4;
        let verified = self.alpha_beta::<NonPv>(pos, known.beta - 1, known.beta, depth, ply, false);
        self.null_move_from = 0;
        (self.stopped || verified >= known.beta).then_some(score)
    }

    /// ProbCut: a capture that beats a raised beta at reduced depth.
    fn probcut(&mut self, pos: &Position, known: &Known, raw: Score, ply: usize) -> Option<Score> {
        let raised = rules::probcut_beta(known)?;
        let line = self.stack.line(ply);
        let hash_move = known.hash.and_then(|entry| entry.mv);
        let mut picker = Picker::captures(self.arena, pos, hash_move);
        let mut answer = None;
        while let Some(mv) = picker.next(self.arena, pos, self.histories, &line) {
            let needed = raised - known.static_evaluation;
            if !pos.is_legal(mv) || !static_exchange_evaluation(pos, mv, needed) {
                continue;
            }
            self.shared.table.prefetch(pos.key_after(mv));
            let next = self.make(pos, mv, ply);
            let mut score = -self.at_horizon::<NonPv>(&next, -raised, -raised + 1, ply + 1);
            let depth = rules::probcut_depth(known);
            if score >= raised && depth > 0 {
                score = -self.alpha_beta::<NonPv>(
                    &next,
                    -raised,
                    -raised + 1,
                    depth,
                    ply + 1,
                    !known.cut_node,
                );
            }
            self.unmake();
            if self.stopped {
                answer = Some(0);
                break;
            }
            if score >= raised {
                let entry = Entry {
                    mv: Some(mv),
                    score: to_table(score, ply),
                    evaluation: raw,
                    depth: depth + 1,
                    bound: Bound::Lower,
                    pv: false,
                };
                self.shared.table.store(pos.key(), entry);
                answer = Some(score);
                break;
            }
        }
        picker.release(self.arena);
        answer
    }

    fn candidate(
        &self,
        pos: &Position,
        mv: Move,
        number: usize,
        history: Option<i32>,
        killer: Option<Move>,
        line: &Line,
    ) -> Candidate {
        let quiet = !pos.is_capture(mv) && mv.promoted_role() != Some(shakmaty::Role::Queen);
        let history = match history {
            // The first move is neither pruned nor reduced.
            _ if number == 1 => 0,
            Some(history) if quiet => history,
            _ if quiet => self.histories.quiet_value(pos, mv, line),
            _ => self.histories.capture_value(pos, mv),
        };
        Candidate {
            mv,
            number,
            quiet,
            gives_check: pos.gives_check(mv),
            history,
            killer: killer == Some(mv),
        }
    }

    /// Step 7a: the rules that leave a single move out.
    fn judge(&self, pos: &Position, known: &Known, candidate: Candidate, line: &Line) -> Verdict {
        let Candidate {
            mv,
            number,
            quiet,
            gives_check,
            history,
            ..
        } = candidate;
        let reduction = self.reductions.base(known.depth, number, !quiet)
            - history * PLY / params::lmr_history_divisor();
        let reduced_depth = known.depth - reduction / PLY;
        if quiet {
            if number > rules::late_move_pruning_count(known.depth, known.improving) {
                return Verdict::SkipQuiets;
            }
            if !gives_check && rules::futile(known, reduced_depth) {
                return Verdict::Skip;
            }
            let continuation = self.histories.continuation_value(pos, mv, line);
            if rules::bad_history(reduced_depth, continuation) {
                return Verdict::Skip;
            }
        } else if !gives_check && !mv.is_promotion() {
            let captured = pos.captured_role(mv).map_or(0, exchange::value);
            if rules::capture_futile(known, reduced_depth, captured, history) {
                return Verdict::Skip;
            }
        }
        let threshold = rules::exchange_threshold(known.depth, reduced_depth, !quiet);
        if !static_exchange_evaluation(pos, mv, threshold) {
            return Verdict::Skip;
        }
        Verdict::Search
    }

    /// Step 7b: how many plies to extend a move, or the score of a node at which several moves
    /// would cut off (multi-cut).
    fn extension(
        &mut self,
        pos: &Position,
        known: &Known,
        candidate: Candidate,
        ply: usize,
    ) -> Result<i32, Score> {
        let Some(entry) = rules::singular_candidate(known, candidate.mv, ply, self.root_depth)
        else {
            return Ok(0);
        };
        let hash_score = table_score(entry, ply, pos.halfmoves());
        let bound = rules::singular_beta(known, hash_score);
        let depth = (known.depth - 1) / 2;
        self.stack.at(ply).excluded = Some(candidate.mv);
        let score = self.alpha_beta::<NonPv>(pos, bound - 1, bound, depth, ply, known.cut_node);
        self.stack.at(ply).excluded = None;
        if self.stopped {
            return Err(0);
        }
        if score >= bound && bound >= known.beta && !is_mate(score) {
            return Err(bound);
        }
        Ok(rules::singular_extension(known, score, bound, hash_score))
    }

    /// Step 7c: principal variation search of one move, the later ones reduced first. `window` is
    /// alpha, beta and the best score so far.
    #[allow(clippy::too_many_arguments)]
    fn search_move<N: NodeKind>(
        &mut self,
        next: &Position,
        known: &Known,
        candidate: Candidate,
        extension: i32,
        (alpha, beta, best_score): (Score, Score, Score),
        ply: usize,
    ) -> Score {
        let mut new_depth = known.depth - 1 + extension;
        let number = candidate.number;
        let mut score = best_score;
        let mut full_search = !N::PV || number > 1;
        let mut reduced_first = false;
        if known.depth >= 2 && number > 1 + usize::from(N::ROOT) {
            let late = Late {
                pv: N::PV,
                table_pv: known.table_pv,
                cut_node: known.cut_node,
                no_hash_move: known.hash.is_none_or(|entry| entry.mv.is_none()),
                improving: known.improving,
                gives_check: candidate.gives_check,
                killer: candidate.killer,
                hash_capture: known.hash_capture,
                many_cutoffs: self.stack.at(ply + 1).cutoffs > params::lmr_cutoffs_allowed(),
                capture: !candidate.quiet,
                history: candidate.history,
                correction: self.stack.at(ply).correction,
            };
            let reduction = self
                .reductions
                .late_move_reduction(known.depth, number, late);
            let reduced = (new_depth - reduction).clamp(1, (new_depth + i32::from(N::PV)).max(1));
            self.stack.at(ply).reduction = new_depth - reduced;
            score = -self.alpha_beta::<NonPv>(next, -alpha - 1, -alpha, reduced, ply + 1, true);
            if self.stopped {
                return 0;
            }
            self.stack.at(ply).reduction = 0;
            full_search = score > alpha && reduced < new_depth;
            if full_search {
                new_depth += rules::research_extension(score, best_score);
                reduced_first = true;
            }
        }
        if full_search {
            let cut_node = !known.cut_node;
            score =
                -self.alpha_beta::<NonPv>(next, -alpha - 1, -alpha, new_depth, ply + 1, cut_node);
            if reduced_first && candidate.quiet && !self.stopped {
                self.judge_second_search(score, alpha, beta, new_depth, ply);
            }
        }
        if N::PV && !self.stopped && (number == 1 || score > alpha) {
            score = -self.alpha_beta::<N::Child>(next, -beta, -alpha, new_depth, ply + 1, false);
        }
        score
    }

    /// See [`history::second_search`].
    fn judge_second_search(
        &mut self,
        score: Score,
        alpha: Score,
        beta: Score,
        depth: i32,
        ply: usize,
    ) {
        let bonus = history::second_search(score, alpha, beta, depth);
        let line = self.stack.line(ply);
        if let Some(moved) = self.stack.at(ply).moved {
            self.histories.update_continuation(moved, &line, bonus);
        }
    }

    /// Step 4: the rules by which an entry of the table answers for the node.
    fn table_answer(
        &mut self,
        pos: &Position,
        entry: Entry,
        score: Score,
        known: &Known,
        ply: usize,
    ) -> Option<Score> {
        if rules::table_cutoff(known, score, pos.halfmoves()) {
            self.reward_table_cutoff(pos, entry, score, known, ply);
            return Some(score);
        }
        rules::table_probcut(known, score, pos.halfmoves())
    }

    /// A cutoff from the table is a success of its quiet move as well.
    fn reward_table_cutoff(
        &mut self,
        pos: &Position,
        entry: Entry,
        score: Score,
        known: &Known,
        ply: usize,
    ) {
        if let Some(mv) = entry.mv
            && score >= known.beta
            && pos.is_pseudo_legal(mv)
            && !pos.is_capture(mv)
        {
            let line = self.stack.line(ply);
            let threats = self.stack.threats(pos, ply);
            self.histories
                .update_quiet(pos, threats, mv, &line, history::bonus(known.depth));
        }
    }

    /// Step 9: the move that cut off is rewarded, those tried before it are punished.
    fn reward_cutoff(&mut self, pos: &Position, mv: Move, depth: i32, ply: usize, tried: &Tried) {
        self.stack.at(ply).cutoffs += 1;
        let line = self.stack.line(ply);
        let (bonus, malus) = (history::bonus(depth), history::malus(depth));
        if pos.is_capture(mv) {
            self.histories.update_capture(pos, mv, bonus);
        } else {
            self.stack.at(ply).killer = Some(mv);
            let threats = self.stack.threats(pos, ply);
            self.histories.update_quiet(pos, threats, mv, &line, bonus);
            for other in tried.quiets.iter() {
                self.histories
                    .update_quiet(pos, threats, other, &line, -malus);
            }
        }
        for other in tried.captures.iter() {
            self.histories.update_capture(pos, other, -malus);
        }
    }

    /// Step 9: no move beat alpha, so the quiet move that led here was a good one.
    fn reward_last_move(&mut self, pos: &Position, known: &Known, ply: usize) {
        let last = self.stack.back(ply, 1);
        if let (Some(mv), Some(moved), Some(threats)) = (last.mv, last.moved, last.threats)
            && last.quiet
            && !known.excluded
        {
            let bonus = history::bonus(known.depth);
            let line = self.stack.line(ply - 1);
            self.histories
                .update_last_quiet(pos, threats, mv, history::share_for_last_move(bonus));
            self.histories.update_continuation(moved, &line, bonus);
        }
    }

    /// Stores a node's result (its score counted from the root) in the table, and teaches the
    /// correction history when the score is comparable with a static evaluation: not in check, no
    /// capture, no proven result, and not a bound on the wrong side.
    fn remember(&mut self, pos: &Position, known: &Known, found: Entry, ply: usize) {
        let quiet = found.mv.is_none_or(|mv| !pos.is_capture(mv));
        if !known.in_check
            && quiet
            && rules::bound_improves(found.bound, found.score, known.static_evaluation)
        {
            let line = self.stack.line(ply);
            let diff = found.score - known.static_evaluation;
            self.histories
                .update_correction(pos, &line, known.depth, diff);
        }
        let score = to_table(found.score, ply);
        self.shared.table.store(pos.key(), Entry { score, ..found });
    }
}

/// The evaluation, larger the more material there is left to win with, and made smaller as the
/// fifty-move draw comes nearer.
///
/// *Formula*: `material_scale` 1024ths more for each pawn's worth above [`USUAL_MATERIAL`], less below.
/// *Source*: Stockfish. *Measured*: with the other tuned constants, see [`params`].
#[inline]
fn scaled(raw: Score, pos: &Position) -> Score {
    let surplus = pos.material() - USUAL_MATERIAL;
    raw * (1024 + params::material_scale() * surplus) / 1024
        * (200 - pos.halfmoves().min(100) as i32)
        / 200
}

/// A table's score, counted from the root. A mate that the fifty-move rule would forestall is no
/// mate: it becomes the best (or worst) judgement.
pub(super) fn table_score(entry: Entry, ply: usize, halfmoves: u32) -> Score {
    let score = from_table(entry.score, ply);
    let distance = crate::base::score::MATE - score.abs() - ply as Score;
    if is_mate(score) && distance + halfmoves as Score > 100 {
        EVALUATION_LIMIT * score.signum()
    } else {
        score
    }
}
