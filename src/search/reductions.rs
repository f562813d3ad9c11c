//! Late move reductions: how much less deep a late move is searched.

use crate::base::params;

/// One ply, in the unit of reductions.
pub const PLY: i32 = 1024;

/// What a late move reduction looks at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Late {
    /// Is this a principal variation?
    pub pv: bool,
    /// Does the table say this node was once part of one?
    pub table_pv: bool,
    /// Is the node expected to fail high?
    pub cut_node: bool,
    /// Has the table no move for the node?
    pub no_hash_move: bool,
    /// Has the static evaluation risen since our last move?
    pub improving: bool,
    /// Does the move give check?
    pub gives_check: bool,
    /// Is the move this ply's killer?
    pub killer: bool,
    /// Is the hash move a capture?
    pub hash_capture: bool,
    /// Has the next ply failed high more than a few times?
    pub many_cutoffs: bool,
    /// Is the move a capture?
    pub capture: bool,
    /// The move's history value.
    pub history: i32,
    /// How far the static evaluation was corrected, centipawns: it is not to be trusted so much.
    pub correction: i32,
}

/// The logarithmic base reductions, indexed by depth and move number.
pub struct Reductions {
    quiet: Box<[[i16; 64]; 64]>,
    capture: Box<[[i16; 64]; 64]>,
}

impl Default for Reductions {
    fn default() -> Self {
        Reductions {
            quiet: table(params::lmr_quiet_base(), params::lmr_quiet_divisor()),
            capture: table(params::lmr_capture_base(), params::lmr_capture_divisor()),
        }
    }
}

fn table(base: i32, divisor: i32) -> Box<[[i16; 64]; 64]> {
    let mut table = Box::new([[0; 64]; 64]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, entry) in row.iter_mut().enumerate().skip(1) {
            let product = (depth as f64).ln() * (number as f64).ln();
            let reduction = f64::from(base) + product * f64::from(PLY) * 100.0 / f64::from(divisor);
            *entry = reduction.max(0.0) as i16;
        }
    }
    table
}

impl Reductions {
    /// The base reduction of the `number`-th move at this depth, in 1024ths of a ply.
    #[inline]
    pub fn base(&self, depth: i32, number: usize, capture: bool) -> i32 {
        let table = if capture { &self.capture } else { &self.quiet };
        i32::from(table[depth.clamp(0, 63) as usize][number.min(63)])
    }

    /// How many plies less deep to search a late move; may be negative.
    ///
    /// *Idea*: with good ordering a late move rarely matters, so search it less deep, and again in
    /// full if it surprises. *Formula*: `base + ln(depth)·ln(number)/divisor`, then more at cut
    /// nodes (and still more without a hash move there), when not improving and after many cutoffs;
    /// less in principal variations, for checks, killers, moves with a good history, and where the
    /// static evaluation was corrected by much. *Never*: for the first move; below depth 1 (the
    /// caller clamps). *Source*: Fruit, Glaurung; the adjustments are common to strong engines.
    /// *Measured*: the hash move in a group with quiet checks in the picker, +27 ± 27 Elo (400 games,
    /// 12,000 nodes a move); the amounts by tuning, see [`params`].
    pub fn late_move_reduction(&self, depth: i32, number: usize, late: Late) -> i32 {
        let when = |condition: bool, amount: i32| if condition { amount } else { 0 };
        let mut reduction = self.base(depth, number, late.capture);
        reduction -= when(late.pv, params::lmr_pv());
        reduction -= when(late.table_pv, params::lmr_table_pv());
        reduction += when(late.cut_node, params::lmr_cut_node());
        reduction += when(
            late.cut_node && late.no_hash_move,
            params::lmr_no_hash_move(),
        );
        reduction += when(!late.improving, params::lmr_not_improving());
        reduction -= when(late.gives_check, params::lmr_gives_check());
        reduction -= when(late.killer, params::lmr_killer());
        reduction += when(late.hash_capture, params::lmr_hash_capture());
        reduction += when(late.many_cutoffs, params::lmr_cutoffs());
        reduction -= late.correction * params::lmr_correction();
        reduction -= late.history * PLY / params::lmr_history_divisor();
        reduction / PLY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_grows_with_depth_and_move_number() {
        let reductions = Reductions::default();
        assert_eq!(reductions.base(0, 5, false), 0);
        for depth in 2..63 {
            for number in 2..63 {
                assert!(
                    reductions.base(depth, number + 1, false)
                        >= reductions.base(depth, number, false)
                );
                assert!(
                    reductions.base(depth + 1, number, true)
                        >= reductions.base(depth, number, true)
                );
            }
        }
        // Beyond the table's edge the last column stands.
        assert_eq!(
            reductions.base(500, 500, false),
            reductions.base(63, 63, false)
        );
    }

    #[test]
    fn what_is_promising_is_reduced_less() {
        let reductions = Reductions::default();
        let plain = Late {
            improving: true,
            ..Late::default()
        };
        let of = |late| reductions.late_move_reduction(12, 20, late);
        assert!(of(Late { pv: true, ..plain }) < of(plain));
        assert!(
            of(Late {
                cut_node: true,
                ..plain
            }) > of(plain)
        );
        let cut = Late {
            cut_node: true,
            ..plain
        };
        let unknown = Late {
            no_hash_move: true,
            ..cut
        };
        // Less than a ply each: the sum over many moves shows it.
        let sum = |late| -> i32 {
            (5..40)
                .map(|number| reductions.late_move_reduction(12, number, late))
                .sum()
        };
        assert!(sum(unknown) > sum(cut));
        assert_eq!(
            of(Late {
                cut_node: false,
                ..unknown
            }),
            of(plain)
        );
        assert!(
            of(Late {
                killer: true,
                gives_check: true,
                ..plain
            }) < of(plain)
        );
        assert!(
            of(Late {
                history: 20_000,
                ..plain
            }) < of(plain)
        );
        assert!(
            of(Late {
                history: -20_000,
                ..plain
            }) > of(plain)
        );
    }
}
