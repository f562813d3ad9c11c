//! The one table of search constants.
//!
//! Each row gives a constant's name, default, range and tuning step. Nothing else in the engine
//! declares a tunable number. In an ordinary build a row is a constant function; with
//! `--features tune` it is an atomic that UCI spins can set, and [`ALL`] is the list for a tuner.
//!
//! # How they were tuned
//!
//! Forty of them at once by simultaneous perturbation (SPSA), in a build with `--features tune`:
//! `standpat spsa NAMES… --pairs 4200 --nodes 5000 --scale 2 --rate 0.015 --seed 77`, 70 minutes on two
//! cores. Against the values before: +36 ± 29 Elo (320 games at 12,000 nodes a move); those after 2400
//! pairs had scored +44 ± 26 (440 games). Nearly all of it goes one way: later moves are reduced and
//! pruned more, and `bench` visits half as many nodes for the same depth. Not among them: depths, counts,
//! null move's whole plies, `hindsight_margin`, the evaluation bonuses, aspiration and clock.
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
    aspiration_delta = 12 in 4..=60, step 4;
    /// First iteration that uses an aspiration window.
    aspiration_depth = 4 in 2..=8, step 1;

    /// Reverse futility: margin per ply.
    reverse_futility_margin = 81 in 30..=160, step 8;
    /// Reverse futility: margin taken off when improving.
    reverse_futility_improving = 36 in 0..=160, step 8;
    /// Reverse futility: margin taken off when the opponent's last move was a bad one.
    reverse_futility_worsening = 25 in 0..=100, step 6;
    /// Reverse futility: deepest node it prunes.
    reverse_futility_depth = 9 in 4..=14, step 1;

    /// Hindsight: static evaluations that rise by this much take a ply off a reduced node.
    hindsight_margin = 170 in 50..=400, step 16;

    /// Razoring: constant part of the margin.
    razoring_base = 309 in 100..=600, step 24;
    /// Razoring: margin per squared ply.
    razoring_quadratic = 434 in 60..=500, step 24;
    /// Razoring: deepest node.
    razoring_depth = 4 in 1..=8, step 1;

    /// Null move: constant part of the reduction, plies.
    null_move_base = 4 in 2..=6, step 1;
    /// Null move: plies of depth for one more ply of reduction.
    null_move_divisor = 4 in 2..=6, step 1;
    /// Null move: centipawns above beta for one more ply of reduction.
    null_move_eval_divisor = 144 in 80..=400, step 16;
    /// Null move: most plies of reduction by evaluation.
    null_move_eval_max = 4 in 1..=6, step 1;
    /// Null move: shallowest depth at which a cutoff is verified by a search without it.
    null_move_verify_depth = 14 in 8..=20, step 1;

    /// Internal iterative reduction: shallowest node without a hash move that is reduced.
    iir_depth = 4 in 2..=8, step 1;

    /// ProbCut: margin above beta.
    probcut_margin = 322 in 100..=350, step 16;
    /// ProbCut: shallowest node.
    probcut_depth = 5 in 4..=8, step 1;

    /// Late move pruning: constant part of the move count.
    late_move_base = 3 in 1..=8, step 1;

    /// Futility of quiet moves: constant part of the margin.
    futility_base = 23 in 20..=250, step 12;
    /// Futility of quiet moves: margin per ply.
    futility_margin = 36 in 30..=200, step 10;
    /// Futility of quiet moves: deepest reduced depth.
    futility_depth = 9 in 4..=14, step 1;

    /// Futility of captures: constant part of the margin.
    capture_futility_base = 250 in 60..=600, step 24;
    /// Futility of captures: margin per ply.
    capture_futility_margin = 125 in 60..=500, step 20;
    /// Futility of captures: deepest reduced depth.
    capture_futility_depth = 6 in 2..=10, step 1;

    /// Exchange pruning of quiet moves: margin per squared reduced depth.
    exchange_quiet = 21 in 8..=60, step 4;
    /// Exchange pruning of captures: margin per ply.
    exchange_capture = 71 in 40..=180, step 8;

    /// History pruning: margin per ply of reduced depth.
    history_pruning = 2042 in 800..=7000, step 400;
    /// History pruning: deepest reduced depth.
    history_pruning_depth = 5 in 2..=10, step 1;

    /// Singular extension: shallowest node.
    singular_depth = 7 in 4..=10, step 1;
    /// Singular extension: margin below the hash score, 32nds of a centipawn per ply.
    singular_margin = 74 in 8..=96, step 6;
    /// Double extension: how far below the singular bound.
    double_extension_margin = 20 in 0..=60, step 5;

    /// Late move reduction: constant part, quiet moves.
    lmr_quiet_base = 1268 in 200..=1600, step 80;
    /// Late move reduction: divisor of ln(depth)·ln(move), quiet moves, 100ths.
    lmr_quiet_divisor = 186 in 140..=400, step 12;
    /// Late move reduction: constant part, captures.
    lmr_capture_base = 97 in -800..=1000, step 80;
    /// Late move reduction: divisor of ln(depth)·ln(move), captures, 100ths.
    lmr_capture_divisor = 292 in 180..=500, step 16;
    /// Late move reduction: less in a principal variation.
    lmr_pv = 1259 in 0..=2500, step 128;
    /// Late move reduction: more at an expected cut node.
    lmr_cut_node = 2399 in 0..=3500, step 160;
    /// Late move reduction: still more at an expected cut node without a hash move.
    lmr_no_hash_move = 260 in 0..=2500, step 128;
    /// Late move reduction: more when not improving.
    lmr_not_improving = 1405 in 0..=2000, step 100;
    /// Late move reduction: less for a move that gives check.
    lmr_gives_check = 899 in 0..=2000, step 100;
    /// Late move reduction: less for a killer.
    lmr_killer = 1000 in 0..=2500, step 128;
    /// Late move reduction: more when the hash move is a capture.
    lmr_hash_capture = 915 in 0..=2000, step 100;
    /// Late move reduction: less when the table says this was a principal variation.
    lmr_table_pv = 995 in 0..=2000, step 100;
    /// Late move reduction: more when the next ply has failed high often.
    lmr_cutoffs = 886 in 0..=2000, step 100;
    /// Late move reduction: less for each centipawn that the static evaluation was corrected by.
    lmr_correction = 19 in 0..=40, step 3;
    /// Late move reduction: history points for one ply less.
    lmr_history_divisor = 9937 in 4000..=16000, step 600;
    /// Search deeper after a reduced search that beats the best by this much.
    lmr_deeper_margin = 17 in 10..=120, step 8;

    /// Quiescence: a capture must bring the stand-pat score to within this of alpha.
    quiescence_futility = 149 in 60..=400, step 16;

    /// Ordering: history points for a quiet move that gives check.
    check_bonus = 17561 in 0..=32000, step 1500;
    /// Ordering: what such a move may lose in the exchange at most, in centipawns.
    check_bonus_loss = 75 in 0..=300, step 25;

    /// History bonus: per ply.
    history_bonus_scale = 141 in 60..=400, step 16;
    /// History bonus: constant part.
    history_bonus_base = 90 in -100..=300, step 20;
    /// History bonus: the most.
    history_bonus_max = 1962 in 800..=4000, step 120;
    /// History malus: per ply.
    history_malus_scale = 242 in 60..=500, step 16;
    /// History malus: the most.
    history_malus_max = 1240 in 600..=4000, step 120;

    /// History bonus of the last move by its change of the static evaluation: per centipawn.
    evaluation_bonus_scale = 10 in 0..=30, step 2;
    /// History bonus of the last move by its change of the static evaluation: constant part.
    evaluation_bonus_base = 400 in -500..=1500, step 100;

    /// Weight of the pawn-structure correction, 128ths.
    correction_pawn = 86 in 0..=200, step 10;
    /// Weight of the minor-piece correction, 128ths.
    correction_minor = 67 in 0..=200, step 10;
    /// Weight of each side's piece correction, 128ths.
    correction_pieces = 91 in 0..=200, step 10;
    /// Weight of the correction by the last two moves, 128ths.
    correction_continuation = 152 in 0..=200, step 10;

    /// Evaluation: how much more it counts for each pawn's worth of material, 1024ths.
    material_scale = 1 in -16..=16, step 2;

    /// Clock: share of the time left to plan for one move, 1000ths.
    time_share = 38 in 20..=70, step 3;
    /// Clock: share of the increment to plan for one move, 100ths.
    time_increment = 75 in 40..=100, step 5;
    /// Clock: hard limit as a multiple of the plan, 100ths.
    time_hard_multiple = 420 in 200..=800, step 40;
    /// Clock: the hard limit's greatest share of the time left, 100ths.
    time_hard_share = 60 in 30..=80, step 5;
}
