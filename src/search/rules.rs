//! The rules that shape the tree: every pruning and extension is one pure function here.
//!
//! Each doc comment says: the *idea*, the *formula*, when it must *never* fire, its *source*, and
//! what it *measured*.

use crate::base::params;
use crate::base::score::{
    Bound, EVALUATION_LIMIT, MATE_BOUND, Score, is_decisive, mate_in, mated_in,
};
use crate::board::Move;

use super::reductions::PLY;
use super::table::Entry;

/// What is known at a node before its moves are searched.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Remaining depth, plies.
    pub depth: i32,
    /// Lower bound of the window.
    pub alpha: Score,
    /// Upper bound of the window.
    pub beta: Score,
    /// Static evaluation, corrected; made more precise by the table's score where that is allowed.
    pub evaluation: Score,
    /// Static evaluation, corrected.
    pub static_evaluation: Score,
    /// Has the static evaluation risen since our last move?
    pub improving: bool,
    /// Is the opponent worse off than it judged itself before its last move?
    pub worsening: bool,
    /// Is the side to move in check?
    pub in_check: bool,
    /// Is this a principal variation?
    pub pv: bool,
    /// Does the table say this was once part of a principal variation, or is it one?
    pub table_pv: bool,
    /// Is the node expected to fail high?
    pub cut_node: bool,
    /// Is a move left out here (a search for singularity)?
    pub excluded: bool,
    /// What the table knows.
    pub hash: Option<Entry>,
    /// Is the table's move a capture?
    pub hash_capture: bool,
}

/// Mate distance pruning.
///
/// *Idea*: no line can beat a mate already found that is shorter than any mate below this node.
/// *Formula*: `alpha ≥ mated_in(ply)`, `beta ≤ mate_in(ply + 1)`; cut off when they meet.
/// *Never*: at the root. *Source*: as old as Crafty. *Measured*: saves time in mates, 0 Elo.
pub fn mate_distance_pruning(
    alpha: Score,
    beta: Score,
    ply: usize,
) -> Result<(Score, Score), Score> {
    let alpha = alpha.max(mated_in(ply));
    let beta = beta.min(mate_in(ply + 1));
    if alpha >= beta {
        Err(alpha)
    } else {
        Ok((alpha, beta))
    }
}

/// Can the table's entry stand for the search of this node?
///
/// *Formula*: deep enough, and its bound (with the score counted from the root) decides the window.
/// *Never*: in a principal variation, while a move is left out, or when the fifty-move clock is so
/// high that the position's past matters (the key does not hold it).
pub fn table_cutoff(known: &Known, score: Score, halfmoves: u32) -> bool {
    let Some(entry) = known.hash else {
        return false;
    };
    !known.pv
        && !known.excluded
        && history_is_known(halfmoves)
        && entry.depth >= known.depth
        && bound_decides(entry.bound, score, known.alpha, known.beta)
}

/// Is the fifty-move clock so low that the position's past, which the table's key does not hold, does not
/// matter?
fn history_is_known(halfmoves: u32) -> bool {
    halfmoves < params::table_cutoff_halfmoves() as u32
}

/// What a node's best score says, given the window it was searched with (fail-soft).
pub fn bound_of(score: Score, alpha: Score, beta: Score, pv: bool) -> Bound {
    if score >= beta {
        Bound::Lower
    } else if pv && score > alpha {
        Bound::Exact
    } else {
        Bound::Upper
    }
}

/// Does a score with this bound lie wholly outside of the window, or is it exact?
pub fn bound_decides(bound: Bound, score: Score, alpha: Score, beta: Score) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    }
}

/// Does a score with this bound tell more than the static evaluation does?
pub fn bound_improves(bound: Bound, score: Score, evaluation: Score) -> bool {
    !is_decisive(score)
        && match bound {
            Bound::Exact => true,
            Bound::Lower => score > evaluation,
            Bound::Upper => score < evaluation,
        }
}

/// Reverse futility pruning (static null move): the position is so good that no reply will matter.
///
/// *Formula*: `evaluation − margin · depth (+ improving, worsening) ≥ beta` at small depth; returns a score
/// between the two. *Never*: in check, in what is or once was a principal variation, with a move left
/// out, or when beta or the evaluation is a proven result. *Source*: Heinz's futility, turned around.
/// *Measured*: the opponent's worsening in a group, see [`hindsight`]; the former principal variations
/// in a group with quiet checks in the picker, +27 ± 27 Elo (400 games, 12,000 nodes a move).
pub fn reverse_futility(known: &Known) -> Option<Score> {
    if known.table_pv
        || known.in_check
        || known.excluded
        || known.depth > params::reverse_futility_depth()
        || is_decisive(known.beta)
        || is_decisive(known.evaluation)
    {
        return None;
    }
    let margin = params::reverse_futility_margin() * known.depth
        - if known.improving {
            params::reverse_futility_improving()
        } else {
            0
        }
        - if known.worsening {
            params::reverse_futility_worsening()
        } else {
            0
        };
    let surplus = known.evaluation - known.beta;
    (surplus >= margin.max(params::reverse_futility_least()))
        .then(|| known.beta + surplus * params::reverse_futility_share() / 1024)
}

/// Razoring: the position is so bad that only captures can save it; ask quiescence.
///
/// *Formula*: `evaluation + base + quadratic · depth² < alpha` at small depth. *Never*: in check,
/// in a principal variation, with a move left out, or when alpha is a proven result.
/// *Source*: Birmingham and Kent; the quadratic margin is Stockfish's.
pub fn razoring(known: &Known) -> bool {
    !known.pv
        && !known.in_check
        && !known.excluded
        && !is_decisive(known.alpha)
        && known.depth <= params::razoring_depth()
        && known.evaluation
            + params::razoring_base()
            + params::razoring_quadratic() * known.depth * known.depth
            < known.alpha
}

/// Null move: give the opponent a second move; if that does not save them, cut off.
///
/// *Formula*: tried when `evaluation ≥ beta` and the static evaluation is not far below it.
/// *Never*: in check, in a principal variation, with a move left out, after another null move,
/// without pieces besides pawns (zugzwang), when beta is a lost score, or while a null move of the
/// same side is being verified. *Source*: Beal; Donninger.
pub fn null_move_allowed(known: &Known, has_pieces: bool, after_null: bool) -> bool {
    !known.pv
        && !known.in_check
        && !known.excluded
        && !after_null
        && has_pieces
        && known.depth >= params::null_move_least_depth()
        && known.beta > -EVALUATION_LIMIT
        && known.evaluation >= known.beta
        && known.static_evaluation + params::null_move_margin_depth() * known.depth
            >= known.beta + params::null_move_margin()
        && !known
            .hash
            .is_some_and(|entry| entry.bound == Bound::Upper && entry.score < known.beta)
}

/// How many plies less deep the search after a null move is.
pub fn null_move_reduction(known: &Known) -> i32 {
    let by_evaluation = params::null_move_evaluation() * (known.evaluation - known.beta);
    let reduction = params::null_move_base()
        + params::null_move_depth() * known.depth
        + by_evaluation.min(params::null_move_evaluation_max());
    reduction / PLY
}

/// Hindsight: a late move was searched less deep before its reply's static evaluation was known; now
/// that it is, the reduction looks too large or too small.
///
/// *Formula*: `before` is what the opponent judged before its move. After a reduction of three plies
/// or more, a ply deeper unless that move made things worse for it; after two or more, a ply less
/// deep when both judgements together exceed `hindsight_margin`. *Never*: in check or with a move
/// left out. *Source*: Stockfish. *Measured*: with the margin for a worsening opponent, the history of
/// the last move's evaluation and that of the last move when all replies fail: +28 ± 20 Elo (800 games,
/// 8000 nodes a move).
pub fn hindsight(known: &Known, reduction: i32, before: Score) -> i32 {
    if known.in_check || known.excluded {
        return 0;
    }
    let sum = known.static_evaluation + before;
    let deeper = reduction >= params::hindsight_deeper() && sum <= 0;
    let shallower = reduction >= params::hindsight_shallower()
        && known.depth >= 2
        && sum > params::hindsight_margin();
    i32::from(deeper) - i32::from(shallower)
}

/// Internal iterative reduction: without a hash move the ordering is poor, so search less deep and
/// let the next iteration do better.
///
/// *Formula*: one ply less in principal variations and expected cut nodes of some depth.
/// *Never*: in check or with a move left out. *Source*: Ed Schröder, in place of internal iterative
/// deepening.
pub fn internal_iterative_reduction(known: &Known) -> i32 {
    let reduce = (known.pv || known.cut_node)
        && !known.in_check
        && !known.excluded
        && known.depth >= params::iir_depth()
        && known.hash.is_none_or(|entry| {
            entry.mv.is_none() || entry.depth + params::iir_gap() < known.depth
        });
    i32::from(reduce)
}

/// ProbCut: a good capture that beats beta by a margin at reduced depth will beat it at full depth.
///
/// Gives the raised beta. *Never*: in check, in a principal variation, with a move left out, for
/// proven results, or when the table already says that the raised beta is not reached.
/// *Source*: Buro; Stockfish's form.
pub fn probcut_beta(known: &Known) -> Option<Score> {
    let raised = known.beta + params::probcut_margin();
    let allowed = !known.pv
        && !known.in_check
        && !known.excluded
        && known.depth >= params::probcut_depth()
        && !is_decisive(known.beta)
        && !known
            .hash
            .is_some_and(|entry| entry.depth > probcut_depth(known) && entry.score < raised);
    allowed.then_some(raised)
}

/// The depth to which ProbCut searches what comes after its capture; a ply less than what the node's
/// entry then stands for.
pub fn probcut_depth(known: &Known) -> i32 {
    known.depth - params::probcut_reduction()
}

/// ProbCut by the table alone: a lower bound that was searched a little less deep and lies far above
/// beta will hold.
///
/// Gives the score. *Formula*: `score ≥ beta + margin`, at most four plies less deep. *Never*: in a
/// principal variation, with a move left out, for proven results, or when the fifty-move clock is as high
/// as in [`table_cutoff`]. *Source*: Stockfish. *Measured*: in the second group of [`params`].
pub fn table_probcut(known: &Known, score: Score, halfmoves: u32) -> Option<Score> {
    let entry = known.hash?;
    let raised = known.beta + params::table_probcut_margin();
    let cut = !known.pv
        && !known.excluded
        && history_is_known(halfmoves)
        && entry.bound != Bound::Upper
        && entry.depth >= known.depth - params::table_probcut_gap()
        && score >= raised
        && !is_decisive(score)
        && !is_decisive(known.beta);
    cut.then_some(raised)
}

/// Late move pruning: after so many moves at small depth the quiet rest is left out.
///
/// *Formula*: `base + quadratic · depth²`, of which a share when not improving. *Never*: while the best
/// score is a loss by mate. *Source*: Fruit's and Glaurung's history pruning, simplified.
pub fn late_move_pruning_count(depth: i32, improving: bool) -> usize {
    let count = params::late_move_base() + params::late_move_quadratic() * depth * depth;
    let share = if improving {
        100
    } else {
        params::late_move_not_improving()
    };
    (count * share / 10_000) as usize
}

/// Futility: a quiet move at small reduced depth cannot lift a static evaluation that far below alpha.
///
/// *Formula*: `evaluation + base + margin · depth ≤ alpha`. *Never*: in check or for a move that
/// gives check (the caller looks); the quiet moves behind it are still looked at, for a check may be
/// among them. *Source*: Heinz. *Measured*: leaving out all later quiet moves with the first futile
/// one was neutral in games (240 at 12,000 nodes a move: +89 =55 −96 without it) and hid mates:
/// 99 mates in three took 11.8 M nodes and two were missed, against 2.7 M and none.
pub fn futile(known: &Known, reduced_depth: i32) -> bool {
    !known.in_check
        && reduced_depth <= params::futility_depth()
        && known.static_evaluation
            + params::futility_base()
            + params::futility_margin() * reduced_depth.max(0)
            <= known.alpha
}

/// Futility of captures: not even what it takes lifts the static evaluation to alpha.
///
/// *Formula*: `evaluation + base + margin · depth + captured + share of history ≤ alpha` at small
/// reduced depth. *Never*: in check, for a move that gives check or promotes. *Source*: Stockfish.
/// *Measured*: with the reduction by correction, +17 ± 29 Elo (400 games, 12,000 nodes a move).
pub fn capture_futile(known: &Known, reduced_depth: i32, captured: Score, history: i32) -> bool {
    !known.in_check
        && reduced_depth <= params::capture_futility_depth()
        && known.static_evaluation
            + params::capture_futility_base()
            + params::capture_futility_margin() * reduced_depth.max(0)
            + captured
            + history * params::capture_futility_history() / 128
            <= known.alpha
}

/// Depth of the moves that follow one that raised alpha: each of them has to beat a good move.
///
/// *Formula*: a ply less between depth 3 and 13. *Never*: when alpha is a proven result. *Source*:
/// Stockfish. *Measured*: with [`softened_cutoff`] and [`softened_stand_pat`], +36 ± 29 Elo (400
/// games, 12,000 nodes a move).
pub fn depth_after_raised_alpha(depth: i32, score: Score) -> i32 {
    let medium = params::raised_alpha_least_depth()..=params::raised_alpha_depth();
    depth - i32::from(medium.contains(&depth) && !is_decisive(score))
}

/// The score of a node that failed high, brought nearer to beta the less deep it was searched.
///
/// *Idea*: that a move beats beta is likely to hold, by how much is not. *Formula*: the mean of score
/// and beta, the score weighing `depth` times. *Never*: for a proven result. *Source*: Stockfish.
/// *Measured*: in a group, see [`depth_after_raised_alpha`].
pub fn softened_cutoff(score: Score, beta: Score, depth: i32) -> Score {
    if score <= beta || is_decisive(score) || is_decisive(beta) {
        score
    } else {
        (score * depth + beta) / (depth + 1)
    }
}

/// What quiescence answers when the stand-pat score beats beta: see [`softened_cutoff`].
pub fn softened_stand_pat(stand_pat: Score, beta: Score) -> Score {
    softened_cutoff(stand_pat, beta, 1)
}

/// Exchange pruning: the least a move's static exchange may lose, in centipawns (negative).
///
/// *Formula*: quadratic in the reduced depth for quiet moves, linear in the depth for captures.
pub fn exchange_threshold(depth: i32, reduced_depth: i32, capture: bool) -> Score {
    if capture {
        -params::exchange_capture() * depth
    } else {
        -params::exchange_quiet() * reduced_depth.max(0) * reduced_depth.max(0)
    }
}

/// History pruning: a quiet move that has mostly failed as a reply is left out at small depth.
pub fn bad_history(reduced_depth: i32, continuation_value: i32) -> bool {
    reduced_depth <= params::history_pruning_depth()
        && continuation_value < -params::history_pruning() * reduced_depth.max(1)
}

/// May moves be pruned at all? Not before something better than being mated is found.
pub fn pruning_is_safe(best_score: Score) -> bool {
    best_score > -MATE_BOUND
}

/// Singular extension: is the hash move worth asking whether it is the only good one?
///
/// *Idea*: if all the other moves fail low well below the hash score, the hash move is forced, and
/// is searched a ply deeper. *Formula*: the entry is a lower bound or exact, nearly as deep as the
/// node, and no mate. *Never*: at the root, with a move left out, or when the line is already twice
/// as long as the iteration. *Source*: Anantharaman et al.; Stockfish's form.
pub fn singular_candidate(known: &Known, mv: Move, ply: usize, root_depth: i32) -> Option<Entry> {
    let entry = known.hash?;
    let candidate = ply > 0
        && !known.excluded
        && entry.mv == Some(mv)
        && known.depth >= params::singular_depth()
        && entry.depth >= known.depth - params::singular_gap()
        && entry.bound != Bound::Upper
        && !is_decisive(entry.score)
        && (ply as i32) < root_depth * 2;
    candidate.then_some(entry)
}

/// The bound that all the other moves must stay below for the hash move to be singular.
///
/// *Formula*: the hash score less a margin per ply, larger where a principal variation once was.
/// *Source*: Stockfish. *Measured*: the larger margin in the second group of [`params`].
pub fn singular_beta(known: &Known, hash_score: Score) -> Score {
    let former = known.table_pv && !known.pv;
    let margin = params::singular_margin()
        + if former {
            params::singular_margin_former()
        } else {
            0
        };
    hash_score - margin * known.depth / 32
}

/// How many plies to extend the hash move after the search without it scored `score`.
///
/// Two or three when it is singular by far (not in principal variations), one when it is singular;
/// fewer when other moves would cut off too: minus two for a hash score above beta, minus one at cut
/// nodes. *Measured*: the third ply in the second group of [`params`].
pub fn singular_extension(
    known: &Known,
    score: Score,
    singular_beta: Score,
    hash_score: Score,
) -> i32 {
    if score < singular_beta {
        let beyond = |margin: Score| i32::from(!known.pv && score < singular_beta - margin);
        1 + beyond(params::double_extension_margin()) + beyond(params::triple_extension_margin())
    } else if hash_score >= known.beta {
        -2
    } else if known.cut_node {
        -1
    } else {
        0
    }
}

/// Check extension at the horizon: a side in check is not at the horizon.
pub fn at_horizon(depth: i32, in_check: bool) -> bool {
    depth <= 0 && !in_check
}

/// Delta pruning in quiescence: can this capture bring the score near alpha at all?
///
/// *Formula*: `stand_pat + margin + value(captured) ≤ alpha`. *Never*: for promotions.
pub fn quiescence_futile(stand_pat: Score, gain: Score, alpha: Score) -> bool {
    stand_pat + params::quiescence_futility() + gain <= alpha
}

/// How many plies to search deeper after a reduced search that beat alpha: one when it beat the best by
/// far.
///
/// *Source*: Stockfish. *Tried*: a ply less when it barely did; the margin for it was tuned down to 0,
/// where it cannot fire.
pub fn research_extension(score: Score, best_score: Score) -> i32 {
    i32::from(score > best_score + params::lmr_deeper_margin())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Square;

    fn known() -> Known {
        Known {
            depth: 5,
            alpha: 0,
            beta: 1,
            evaluation: 0,
            static_evaluation: 0,
            improving: false,
            worsening: false,
            in_check: false,
            pv: false,
            table_pv: false,
            cut_node: true,
            excluded: false,
            hash: None,
            hash_capture: false,
        }
    }

    fn entry(depth: i32, bound: Bound, score: Score) -> Entry {
        let mv = Some(Move::normal(Square::E2, Square::E4));
        Entry {
            mv,
            score,
            evaluation: 0,
            depth,
            bound,
            pv: false,
        }
    }

    #[test]
    fn mate_distance_closes_the_window_only_when_a_shorter_mate_is_known() {
        assert_eq!(mate_distance_pruning(-100, 100, 8), Ok((-100, 100)));
        // We already mate in 3 plies: nothing from ply 4 on can be better.
        assert!(mate_distance_pruning(mate_in(3), mate_in(2), 4).is_err());
        assert_eq!(
            mate_distance_pruning(-32_001, 32_001, 2),
            Ok((mated_in(2), mate_in(3)))
        );
    }

    #[test]
    fn hindsight_takes_back_a_reduction_or_adds_to_it() {
        let node = known();
        assert_eq!(hindsight(&node, 0, -500), 0);
        assert_eq!(hindsight(&node, 3, -1), 1);
        assert_eq!(hindsight(&node, 2, -1), 0);
        let margin = params::hindsight_margin();
        assert_eq!(hindsight(&node, 2, margin + 1), -1);
        assert_eq!(hindsight(&node, 2, margin), 0);
        let in_check = Known {
            in_check: true,
            ..node
        };
        assert_eq!(hindsight(&in_check, 3, -1), 0);
    }

    #[test]
    fn reverse_futility_needs_a_margin_that_grows_with_depth() {
        let good = Known {
            evaluation: 1000,
            ..known()
        };
        let score = reverse_futility(&good).unwrap();
        assert!(score >= good.beta && score <= good.evaluation);
        assert!(reverse_futility(&known()).is_none());
        assert!(reverse_futility(&Known { depth: 60, ..good }).is_none());
        for never in [
            Known {
                in_check: true,
                ..good
            },
            Known {
                table_pv: true,
                ..good
            },
            Known {
                excluded: true,
                ..good
            },
            Known {
                beta: MATE_BOUND,
                evaluation: MATE_BOUND + 5,
                ..good
            },
        ] {
            assert!(reverse_futility(&never).is_none());
        }
    }

    #[test]
    fn razoring_fires_far_below_alpha_only() {
        let bad = Known {
            depth: 1,
            evaluation: -2000,
            ..known()
        };
        assert!(razoring(&bad));
        assert!(!razoring(&Known {
            evaluation: -50,
            ..bad
        }));
        assert!(!razoring(&Known {
            in_check: true,
            ..bad
        }));
        assert!(!razoring(&Known { pv: true, ..bad }));
        assert!(!razoring(&Known { depth: 12, ..bad }));
    }

    #[test]
    fn the_null_move_is_guarded_against_zugzwang_check_and_itself() {
        let good = Known {
            evaluation: 400,
            static_evaluation: 400,
            ..known()
        };
        assert!(null_move_allowed(&good, true, false));
        assert!(!null_move_allowed(&good, false, false), "only pawns");
        assert!(!null_move_allowed(&good, true, true), "two in a row");
        assert!(!null_move_allowed(
            &Known {
                in_check: true,
                ..good
            },
            true,
            false
        ));
        assert!(!null_move_allowed(&Known { pv: true, ..good }, true, false));
        assert!(!null_move_allowed(
            &Known {
                evaluation: -5,
                ..good
            },
            true,
            false
        ));
        let fails_low = Known {
            hash: Some(entry(1, Bound::Upper, -30)),
            ..good
        };
        assert!(!null_move_allowed(&fails_low, true, false));
        let deep = Known { depth: 16, ..good };
        assert!(null_move_reduction(&deep) > null_move_reduction(&good));
    }

    #[test]
    fn the_table_cuts_off_when_deep_enough_and_decided() {
        let with = |entry| Known {
            hash: Some(entry),
            ..known()
        };
        let cuts = |entry: Entry| table_cutoff(&with(entry), entry.score, 0);
        assert!(cuts(entry(5, Bound::Lower, 1)));
        assert!(!cuts(entry(5, Bound::Lower, 0)));
        assert!(cuts(entry(9, Bound::Upper, 0)));
        assert!(!cuts(entry(9, Bound::Upper, 1)));
        assert!(cuts(entry(5, Bound::Exact, 300)));
        assert!(!cuts(entry(4, Bound::Exact, 300)));
        assert!(!table_cutoff(
            &Known {
                pv: true,
                ..with(entry(9, Bound::Exact, 0))
            },
            0,
            0
        ));
        assert!(
            !table_cutoff(&with(entry(9, Bound::Exact, 0)), 0, 95),
            "fifty moves near"
        );
        assert!(!table_cutoff(&known(), 0, 0));
    }

    #[test]
    fn a_missing_hash_move_reduces_where_ordering_matters() {
        assert_eq!(internal_iterative_reduction(&known()), 1);
        assert_eq!(
            internal_iterative_reduction(&Known {
                cut_node: false,
                ..known()
            }),
            0
        );
        assert_eq!(
            internal_iterative_reduction(&Known {
                depth: 1,
                ..known()
            }),
            0
        );
        let ordered = Known {
            hash: Some(entry(4, Bound::Exact, 0)),
            ..known()
        };
        assert_eq!(internal_iterative_reduction(&ordered), 0);
    }

    #[test]
    fn a_lower_bound_far_above_beta_answers_for_a_node_a_little_deeper() {
        let far = params::table_probcut_margin() + 10;
        let with = |entry| Known {
            depth: 8,
            hash: Some(entry),
            ..known()
        };
        let node = with(entry(4, Bound::Lower, far));
        assert_eq!(table_probcut(&node, far, 0), Some(far - 9));
        assert!(table_probcut(&node, far - 20, 0).is_none());
        assert!(table_probcut(&node, far, 95).is_none());
        assert!(table_probcut(&with(entry(3, Bound::Lower, far)), far, 0).is_none());
        assert!(table_probcut(&with(entry(9, Bound::Upper, far)), far, 0).is_none());
        assert!(table_probcut(&Known { pv: true, ..node }, far, 0).is_none());
        let excluded = Known {
            excluded: true,
            ..node
        };
        assert!(table_probcut(&excluded, far, 0).is_none());
        assert!(table_probcut(&with(entry(9, Bound::Lower, MATE_BOUND)), MATE_BOUND, 0).is_none());
    }

    #[test]
    fn a_late_move_that_beats_the_best_by_far_is_searched_deeper() {
        assert_eq!(
            [research_extension(20, 20), research_extension(220, 20)],
            [0, 1]
        );
    }

    #[test]
    fn late_moves_are_pruned_earlier_at_small_depth_and_when_not_improving() {
        assert!(late_move_pruning_count(1, false) >= 1);
        assert!(late_move_pruning_count(3, false) < late_move_pruning_count(3, true));
        assert!(late_move_pruning_count(3, true) < late_move_pruning_count(6, true));
    }

    #[test]
    fn futility_looks_at_the_reduced_depth() {
        let bad = Known {
            static_evaluation: -250,
            ..known()
        };
        assert!(futile(&bad, 1));
        assert!(!futile(&bad, 8));
        assert!(!futile(
            &Known {
                in_check: true,
                ..bad
            },
            1
        ));
        assert!(exchange_threshold(4, 3, true) < 0 && exchange_threshold(4, 0, false) == 0);
    }

    #[test]
    fn captures_are_futile_only_when_their_victim_cannot_make_up_for_it() {
        let bad = Known {
            static_evaluation: -900,
            ..known()
        };
        assert!(capture_futile(&bad, 1, 100, 0));
        assert!(!capture_futile(&bad, 1, 900, 0));
        assert!(!capture_futile(&bad, 1, 100, 16_384));
        assert!(!capture_futile(&bad, 12, 100, 0));
        let in_check = Known {
            in_check: true,
            ..bad
        };
        assert!(!capture_futile(&in_check, 1, 100, 0));
    }

    #[test]
    fn a_raised_alpha_costs_a_ply_at_medium_depth() {
        let depths = [1, 2, 3, 13, 14, 30].map(|depth| depth_after_raised_alpha(depth, 50));
        assert_eq!(depths, [1, 2, 2, 12, 14, 30]);
        assert_eq!(depth_after_raised_alpha(8, mate_in(5)), 8);
    }

    #[test]
    fn a_cutoff_is_softened_towards_beta_and_stays_one() {
        assert_eq!(softened_cutoff(140, 100, 3), 130);
        assert_eq!(softened_cutoff(100, 100, 3), 100);
        assert_eq!(softened_stand_pat(140, 100), 120);
        assert_eq!(softened_cutoff(mate_in(5), 100, 3), mate_in(5));
        assert_eq!(softened_cutoff(500, mated_in(4), 3), 500);
        for depth in 1..20 {
            assert!((100..=700).contains(&softened_cutoff(700, 100, depth)));
        }
    }

    #[test]
    fn a_move_is_singular_only_with_a_deep_lower_bound() {
        let mv = Move::normal(Square::E2, Square::E4);
        let node = Known {
            depth: 9,
            hash: Some(entry(8, Bound::Lower, 40)),
            ..known()
        };
        assert!(singular_candidate(&node, mv, 3, 12).is_some());
        assert!(singular_candidate(&node, mv, 0, 12).is_none(), "root");
        assert!(
            singular_candidate(&node, mv, 30, 12).is_none(),
            "line already long"
        );
        assert!(
            singular_candidate(
                &Known {
                    excluded: true,
                    ..node
                },
                mv,
                3,
                12
            )
            .is_none()
        );
        for weak in [
            entry(4, Bound::Lower, 40),
            entry(8, Bound::Upper, 40),
            entry(8, Bound::Lower, MATE_BOUND + 1),
        ] {
            assert!(
                singular_candidate(
                    &Known {
                        hash: Some(weak),
                        ..node
                    },
                    mv,
                    3,
                    12
                )
                .is_none()
            );
        }
        let other = Move::normal(Square::D2, Square::D4);
        assert!(singular_candidate(&node, other, 3, 12).is_none());
    }

    #[test]
    fn extensions_follow_how_singular_a_move_is() {
        let node = Known {
            depth: 9,
            beta: 100,
            ..known()
        };
        let bound = singular_beta(&node, 40);
        assert!(bound < 40);
        assert_eq!(singular_extension(&node, bound - 1, bound, 40), 1);
        assert_eq!(singular_extension(&node, bound - 35, bound, 40), 2);
        assert_eq!(singular_extension(&node, bound - 300, bound, 40), 3);
        let pv = Known { pv: true, ..node };
        assert_eq!(singular_extension(&pv, bound - 200, bound, 40), 1);
        assert_eq!(singular_extension(&node, bound, bound, 120), -2);
        assert_eq!(singular_extension(&node, bound, bound, 40), -1);
    }

    #[test]
    fn a_side_in_check_is_not_at_the_horizon() {
        assert!(at_horizon(0, false) && at_horizon(-3, false));
        assert!(!at_horizon(0, true) && !at_horizon(1, false));
    }
}
