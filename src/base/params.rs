//! The one table of search constants.
//!
//! Each row gives a constant's name, default, range and tuning step. Nothing else in the engine
//! declares a tunable number. In an ordinary build a row is a constant function; with
//! `--features tune` it is an atomic that UCI spins can set, and [`ALL`] is the list for a tuner.
//!
//! # How they were tuned
//!
//! By simultaneous perturbation (SPSA) of many at once, in a build with `--features tune`:
//! `standpat spsa NAMES… --pairs N --nodes NODES --scale 2 --rate 0.015 --seed SEED`. Depths,
//! `material_scale`, `reverse_futility_least` and the clock were never among them.
//!
//! 1. Forty constants, 4200 pairs at 5000 nodes a move: +36 ± 29 Elo against the values before (320
//!    games at 12,000 nodes); those after 2400 pairs had scored +44 ± 26 (440 games). Nearly all of it
//!    goes one way: later moves are reduced and pruned more, and `bench` visits half as many nodes for
//!    the same depth.
//! 2. Seventy, 4000 pairs at 6000 nodes, with the rules that came with them (`table_probcut`, a
//!    margin of singularity in former principal variations, triple extensions, the ply of surplus in a
//!    bonus, the second search's lesson; these alone, untuned, +17 ± 35 in 260 games): +57 ± 26 (400
//!    games at 12,000 nodes). It holds at more nodes: against Stockfish 15.1 without NNUE, at 20,000
//!    nodes to its 8000, 85.2 % in place of 78.7 % (301 games each), at 160,000 to 64,000, 64.9 % in
//!    place of 55.4 % (101 each). But a node now takes longer, for more moves are pruned at each: at
//!    2+0.02, together with a clock that spends more in the middle of the game, +14 ± 32 (200 games).
//!
//! Dropped after it: leaving out what was tuned down to nearly nothing (`reverse_futility_improving`,
//! `reverse_futility_worsening`, `lmr_failed_malus`), 88 won, 120 drawn, 116 lost of 324 games at 12,000
//! nodes.
//!
//! # Glossary of units
//!
//! * *margins* are centipawns;
//! * *depths* are plies;
//! * *reductions* are 1024ths of a ply;
//! * *history* values lie within ±16384.

/// One row of the table, for tools that list or set constants by name.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The function's name.
    pub name: &'static str,
    /// The value that is played with.
    pub default: i32,
    /// Least sensible value.
    pub min: i32,
    /// Greatest sensible value.
    pub max: i32,
    /// Step for a tuner.
    pub step: i32,
}

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident = $default:literal in $min:literal..=$max:literal, step $step:literal;)*) => {
        /// Every search constant.
        pub const ALL: &[Param] = &[$(Param {
            name: stringify!($name), default: $default, min: $min, max: $max, step: $step,
        }),*];

        $(
            const _: () = assert!(
                $min <= $default && $default <= $max && $step > 0,
                concat!(stringify!($name), ": the default lies outside of its range"),
            );

            $(#[$doc])*
            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub const fn $name() -> i32 { $default }

            $(#[$doc])*
            #[cfg(feature = "tune")]
            #[inline]
            pub fn $name() -> i32 {
                tuned::$name.load(std::sync::atomic::Ordering::Relaxed)
            }
        )*

        #[cfg(feature = "tune")]
        #[allow(non_upper_case_globals)]
        mod tuned {
            use std::sync::atomic::AtomicI32;
            $(pub static $name: AtomicI32 = AtomicI32::new($default);)*
        }

        /// Sets a constant by name, clamped to its range; `false` when no row has that name.
        #[cfg(feature = "tune")]
        pub fn set(name: &str, value: i32) -> bool {
            match name {
                $(stringify!($name) => tuned::$name.store(
                    value.clamp($min, $max), std::sync::atomic::Ordering::Relaxed),)*
                _ => return false,
            }
            true
        }
    };
}

params! {
    /// Half width of the first aspiration window.
    aspiration_delta = 29 in 4..=60, step 4;
    /// First iteration that uses an aspiration window.
    aspiration_depth = 4 in 2..=8, step 1;

    /// Reverse futility: margin per ply.
    reverse_futility_margin = 59 in 30..=160, step 8;
    /// Reverse futility: margin taken off when improving.
    reverse_futility_improving = 2 in 0..=160, step 8;
    /// Reverse futility: margin taken off when the opponent's last move was a bad one.
    reverse_futility_worsening = 2 in 0..=100, step 6;
    /// Reverse futility: the least margin.
    reverse_futility_least = 20 in 0..=80, step 5;
    /// Reverse futility: share of what lies above beta in the answer, 1024ths.
    reverse_futility_share = 549 in 0..=1024, step 48;
    /// Reverse futility: deepest node it prunes.
    reverse_futility_depth = 9 in 4..=14, step 1;

    /// Hindsight: static evaluations that rise by this much take a ply off a reduced node.
    hindsight_margin = 181 in 50..=400, step 16;
    /// Hindsight: plies of reduction from which a node is searched deeper again.
    hindsight_deeper = 3 in 1..=5, step 1;
    /// Hindsight: plies of reduction from which a node is searched still less deep.
    hindsight_shallower = 2 in 1..=5, step 1;

    /// Razoring: constant part of the margin.
    razoring_base = 317 in 100..=600, step 24;
    /// Razoring: margin per squared ply.
    razoring_quadratic = 612 in 60..=700, step 24;
    /// Razoring: deepest node.
    razoring_depth = 4 in 1..=8, step 1;

    /// Null move: shallowest node.
    null_move_least_depth = 3 in 1..=6, step 1;
    /// Table cutoffs: none from so many plies without a capture or a pawn's move on.
    table_cutoff_halfmoves = 90 in 60..=100, step 5;

    /// Null move: least that the static evaluation lies above beta, at depth 0.
    null_move_margin = 197 in 0..=320, step 20;
    /// Null move: how much less that is per ply.
    null_move_margin_depth = 15 in 0..=40, step 3;
    /// Null move: constant part of the reduction.
    null_move_base = 5367 in 2048..=7168, step 256;
    /// Null move: reduction per ply of depth.
    null_move_depth = 257 in 96..=512, step 24;
    /// Null move: reduction per centipawn that the evaluation lies above beta.
    null_move_evaluation = 12 in 1..=16, step 1;
    /// Null move: most reduction by evaluation.
    null_move_evaluation_max = 3327 in 1024..=8192, step 256;
    /// Null move: shallowest depth at which a cutoff is verified by a search without it.
    null_move_verify_depth = 14 in 8..=20, step 1;

    /// Internal iterative reduction: shallowest node without a hash move that is reduced.
    iir_depth = 4 in 2..=8, step 1;
    /// Internal iterative reduction: an entry that is more than this less deep counts as none.
    iir_gap = 4 in 2..=8, step 1;

    /// ProbCut: margin above beta.
    probcut_margin = 368 in 100..=500, step 20;
    /// ProbCut: shallowest node.
    probcut_depth = 5 in 4..=8, step 1;
    /// ProbCut: how much less deep the capture is searched, counted from the node.
    probcut_reduction = 4 in 2..=6, step 1;

    /// ProbCut by the table alone: margin above beta.
    table_probcut_margin = 223 in 150..=800, step 32;
    /// ProbCut by the table alone: how much less deep than the node the entry may be.
    table_probcut_gap = 4 in 2..=6, step 1;

    /// After a move that raised alpha: the least depth at which the others are searched less deep.
    raised_alpha_least_depth = 3 in 1..=6, step 1;
    /// After a move that raised alpha: the greatest such depth.
    raised_alpha_depth = 13 in 6..=20, step 1;

    /// Late move pruning: constant part of the move count, 100ths of a move.
    late_move_base = 809 in 100..=900, step 40;
    /// Late move pruning: moves per squared ply, 100ths.
    late_move_quadratic = 124 in 40..=200, step 8;
    /// Late move pruning: share of the count when not improving, 100ths.
    late_move_not_improving = 62 in 25..=100, step 4;

    /// Futility of quiet moves: constant part of the margin.
    futility_base = -32 in -80..=250, step 12;
    /// Futility of quiet moves: margin per ply.
    futility_margin = 38 in 10..=200, step 8;
    /// Futility of quiet moves: deepest reduced depth.
    futility_depth = 9 in 4..=14, step 1;

    /// Futility of captures: constant part of the margin.
    capture_futility_base = 275 in 60..=600, step 24;
    /// Futility of captures: margin per ply.
    capture_futility_margin = 116 in 30..=500, step 16;
    /// Futility of captures: share of the capture's history, 128ths.
    capture_futility_history = 9 in 0..=48, step 2;
    /// Futility of captures: deepest reduced depth.
    capture_futility_depth = 6 in 2..=10, step 1;

    /// Exchange pruning of quiet moves: margin per squared reduced depth.
    exchange_quiet = 31 in 8..=60, step 4;
    /// Exchange pruning of captures: margin per ply.
    exchange_capture = 77 in 40..=180, step 8;

    /// History pruning: margin per ply of reduced depth.
    history_pruning = 2049 in 800..=7000, step 400;
    /// History pruning: deepest reduced depth.
    history_pruning_depth = 5 in 2..=10, step 1;

    /// Singular extension: shallowest node.
    singular_depth = 7 in 4..=10, step 1;
    /// Singular extension: how much less deep than the node the entry may be.
    singular_gap = 3 in 2..=5, step 1;
    /// Singular extension: margin below the hash score, 32nds of a centipawn per ply.
    singular_margin = 80 in 8..=96, step 6;
    /// Singular extension: further margin in former principal variations, likewise.
    singular_margin_former = 15 in 0..=120, step 8;
    /// Double extension: how far below the singular bound.
    double_extension_margin = 19 in 0..=60, step 5;
    /// Triple extension: how far below the singular bound.
    triple_extension_margin = 83 in 40..=200, step 10;

    /// Late move reduction: constant part, quiet moves.
    lmr_quiet_base = 1387 in 200..=1600, step 80;
    /// Late move reduction: divisor of ln(depth)·ln(move), quiet moves, 100ths.
    lmr_quiet_divisor = 183 in 140..=400, step 12;
    /// Late move reduction: constant part, captures.
    lmr_capture_base = -65 in -800..=1000, step 80;
    /// Late move reduction: divisor of ln(depth)·ln(move), captures, 100ths.
    lmr_capture_divisor = 183 in 180..=500, step 16;
    /// Late move reduction: less in a principal variation.
    lmr_pv = 966 in 0..=2500, step 128;
    /// Late move reduction: more at an expected cut node.
    lmr_cut_node = 912 in 0..=3500, step 160;
    /// Late move reduction: still more at an expected cut node without a hash move.
    lmr_no_hash_move = 145 in 0..=2500, step 128;
    /// Late move reduction: more when not improving.
    lmr_not_improving = 1582 in 0..=2000, step 100;
    /// Late move reduction: less for a move that gives check.
    lmr_gives_check = 874 in 0..=2000, step 100;
    /// Late move reduction: less for a killer.
    lmr_killer = 1682 in 0..=2500, step 128;
    /// Late move reduction: more when the hash move is a capture.
    lmr_hash_capture = 302 in 0..=2000, step 100;
    /// Late move reduction: less when the table says this was a principal variation.
    lmr_table_pv = 966 in 0..=2000, step 100;
    /// Late move reduction: more when the next ply has failed high often.
    lmr_cutoffs = 1160 in 0..=2000, step 100;
    /// Late move reduction: how often the next ply may fail high before.
    lmr_cutoffs_allowed = 3 in 1..=6, step 1;
    /// Late move reduction: less for each centipawn that the static evaluation was corrected by.
    lmr_correction = 24 in 0..=40, step 3;
    /// Late move reduction: history points for one ply less.
    lmr_history_divisor = 12125 in 4000..=16000, step 600;
    /// Search deeper after a reduced search that beats the best by this much.
    lmr_deeper_margin = 29 in 4..=120, step 6;
    /// History as a reply for a late move that held in the second search, share of the bonus, 128ths.
    lmr_held_bonus = 142 in 0..=256, step 16;
    /// History as a reply for a late move that did not, share of the malus, 128ths.
    lmr_failed_malus = 4 in 0..=256, step 16;

    /// Quiescence: a capture must bring the stand-pat score to within this of alpha.
    quiescence_futility = 227 in 60..=400, step 16;

    /// Ordering: history points for a quiet move that gives check.
    check_bonus = 21663 in 0..=32000, step 1500;
    /// Ordering: what such a move may lose in the exchange at most, in centipawns.
    check_bonus_loss = 85 in 0..=300, step 25;

    /// Ordering: weight of a quiet move's own history, 64ths.
    order_quiet = 94 in 0..=160, step 6;
    /// Ordering: weight of its history by pawn structure, 64ths.
    order_pawn = 35 in 0..=160, step 6;
    /// Ordering: weight of its history as a reply, 64ths.
    order_reply = 67 in 0..=160, step 6;
    /// Ordering: weight of its history after our last move, 64ths.
    order_follow_up = 78 in 0..=160, step 6;
    /// Ordering: weight of its history after our last move but one, 64ths.
    order_plan = 61 in 0..=160, step 6;

    /// History bonus: a ply more for a score so far above beta.
    history_bonus_margin = 45 in 20..=200, step 10;
    /// History bonus: per ply.
    history_bonus_scale = 188 in 60..=400, step 16;
    /// History bonus: constant part.
    history_bonus_base = 108 in -100..=300, step 20;
    /// History bonus: the most.
    history_bonus_max = 2852 in 800..=4000, step 120;
    /// History malus: per ply.
    history_malus_scale = 346 in 60..=500, step 16;
    /// History malus: the most.
    history_malus_max = 1645 in 600..=4000, step 120;

    /// History bonus of the last move by its change of the static evaluation: per centipawn.
    evaluation_bonus_scale = 9 in 0..=30, step 2;
    /// History bonus of the last move by its change of the static evaluation: constant part.
    evaluation_bonus_base = 102 in -500..=1500, step 100;
    /// History bonus of the last move by its change of the static evaluation: the most by that change.
    evaluation_bonus_max = 1500 in 500..=4000, step 200;
    /// History bonus of the last move when all replies failed: share of the bonus, 128ths.
    last_move_bonus = 64 in 0..=256, step 16;

    /// Weight of the pawn-structure correction, 128ths.
    correction_pawn = 99 in 0..=200, step 10;
    /// Weight of the minor-piece correction, 128ths.
    correction_minor = 87 in 0..=200, step 10;
    /// Weight of each side's piece correction, 128ths.
    correction_pieces = 170 in 0..=200, step 10;
    /// Weight of the correction by the last two moves, 128ths.
    correction_continuation = 135 in 0..=200, step 10;
    /// Correction: the greatest weight of one result, 256ths.
    correction_weight = 16 in 4..=48, step 4;

    /// Evaluation: how much more it counts for each pawn's worth of material, 1024ths.
    material_scale = 1 in -16..=16, step 2;

    /// Clock: patience with a new best move, 100ths.
    time_stability_base = 150 in 100..=250, step 10;
    /// Clock: patience lost for each iteration that the best move has stood, 100ths.
    time_stability_step = 12 in 4..=24, step 2;
    /// Clock: after so many such iterations no more is lost.
    time_stability_iterations = 7 in 3..=12, step 1;
    /// Clock: patience with a best move that took none of the nodes, 100ths.
    time_effort_base = 180 in 120..=250, step 10;
    /// Clock: patience lost with its share of the nodes, 100ths.
    time_effort_scale = 135 in 80..=200, step 10;
    /// Clock: the least patience by effort, 100ths.
    time_effort_least = 45 in 20..=80, step 5;
    /// Clock: the most patience by effort, 100ths.
    time_effort_most = 160 in 120..=250, step 10;
    /// Clock: patience with a score that stays, 100ths.
    time_score_base = 95 in 70..=130, step 5;
    /// Clock: patience gained for each centipawn that the score fell, 1000ths.
    time_score_scale = 12 in 0..=40, step 3;
    /// Clock: the least patience by score, 100ths.
    time_score_least = 85 in 50..=100, step 5;
    /// Clock: the most patience by score, 100ths.
    time_score_most = 150 in 110..=250, step 10;
    /// Clock: patience with the only legal move, 100ths.
    time_forced = 10 in 1..=50, step 5;

    /// Clock: share of the time left to plan for one move, 1000ths.
    time_share = 38 in 20..=70, step 3;
    /// Clock: how much that share grows with each move of the game, 10,000ths.
    time_share_growth = 12 in 0..=40, step 2;
    /// Clock: share of the increment to plan for one move, 100ths.
    time_increment = 75 in 40..=100, step 5;
    /// Clock: hard limit as a multiple of the plan, 100ths.
    time_hard_multiple = 420 in 200..=800, step 40;
    /// Clock: the hard limit's greatest share of the time left, 100ths.
    time_hard_share = 60 in 30..=80, step 5;
}
