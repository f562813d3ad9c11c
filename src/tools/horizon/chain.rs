//! The horizon effect, in the smallest tree that shows it.
//!
//! Five captures follow each other on one square. White captures on even plies, Black on odd ones;
//! each capture changes a running total (from White's view, in pawns) by its *delta*, and the side
//! to move may always decline and leave the total as it stands. So the tree is a single chain of
//! six positions, and a search of depth `d` visits the first `d + 1` of them.
//!
//! ## The deltas
//!
//! With `t1 … t5` the totals after each capture, the figures asked for are: a fixed depth of 1, 2,
//! 3, 4, 5 reports +1, 0, +1, 0, +1, quiescence reports +1 whatever the nominal depth, and with
//! every capture forced the result is +5. A search that stops after capture `d` backs up
//!
//! | depth | value | asked for | hence |
//! |---|---|---|---|
//! | 1 | `max(0, t1)` | +1 | `t1 = 1` |
//! | 2 | `max(0, min(1, t2))` | 0 | `t2 ≤ 0` |
//! | 3 | `max(0, min(1, max(t2, t3)))` | +1 | `t3 ≥ 1` |
//! | 4 | `max(0, min(1, max(t2, min(t3, t4))))` | 0 | `t4 ≤ 0` |
//! | 5 | `max(0, min(1, max(t2, min(t3, max(t4, t5)))))` | +1 | `t5 ≥ 1`, which `t5 = 5` gives |
//!
//! so `t1 = 1`, `t2 ≤ 0`, `t3 ≥ 1`, `t4 ≤ 0`, `t5 = 5`: the signs of the deltas must alternate, and
//! the family has three free parameters (a test counts 205 solutions with no delta beyond ±9). Of
//! them all exactly one moves the total least: every step between two neighbouring totals is
//! smallest when `t2 = 0`, `t3 = 1`, `t4 = 0`. That one is [`DELTAS`], **+1 −1 +1 −1 +5**, and it is
//! chess: [`POSITION`] is a board on which it happens, pawn takes pawn three times, rook takes pawn,
//! rook takes rook.
//!
//! ## What it shows
//!
//! The fixed depths disagree with each other for ever, because each believes the last capture it
//! sees. The forced line wins five pawns that Black would never give. Only a search that goes on
//! until the captures are over, and lets each side stop when stopping is better (*stand pat*), says
//! +1 at every depth: White wins one pawn, and Black's rook does not recapture.

use std::io::{self, Write};

use super::Mode;

/// What each capture changes, in pawns from White's view.
pub const DELTAS: [i32; 5] = [1, -1, 1, -1, 5];

/// A position in which the five captures on d5 have the deltas of [`DELTAS`]: c4xd5 c6xd5 e4xd5
/// Rd8xd5 Rd1xd5.
pub const POSITION: &str = "3r2k1/5ppp/2p5/3p4/2P1P3/8/5PPP/3R2K1 w - - 0 1";

/// What a search of the chain found and what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Pawns, from White's view.
    pub value: i32,
    /// Positions visited, the first included.
    pub nodes: u32,
}

/// Searches the chain of captures to `depth` plies, by plain minimax.
pub fn search(deltas: &[i32], depth: usize, mode: Mode) -> Outcome {
    let mut nodes = 0;
    let value = visit(deltas, 0, 0, depth, mode, &mut nodes);
    Outcome { value, nodes }
}

fn visit(deltas: &[i32], ply: usize, total: i32, depth: usize, mode: Mode, nodes: &mut u32) -> i32 {
    *nodes += 1;
    let Some(delta) = deltas.get(ply) else {
        return total;
    };
    if ply >= depth && mode == Mode::FixedDepth {
        return total;
    }
    let captured = visit(deltas, ply + 1, total + delta, depth, mode, nodes);
    match mode {
        Mode::WithoutStandPat => captured,
        _ if ply.is_multiple_of(2) => captured.max(total),
        _ => captured.min(total),
    }
}

/// Prints the table of the three ways to search the chain.
///
/// # Errors
///
/// When the output cannot be written.
pub fn show(out: &mut dyn Write) -> io::Result<()> {
    let deltas: Vec<String> = DELTAS.iter().map(|delta| format!("{delta:+}")).collect();
    writeln!(
        out,
        "Five captures on d5 change White's total by {}.",
        deltas.join(" ")
    )?;
    writeln!(out, "{POSITION}\n")?;
    writeln!(out, "        fixed depth      quiescence      no stand pat")?;
    writeln!(out, "depth  value  nodes    value  nodes    value  nodes")?;
    for depth in 1..=DELTAS.len() {
        write!(out, "{depth:5}")?;
        for mode in Mode::ALL {
            let Outcome { value, nodes } = search(&DELTAS, depth, mode);
            let value = if value == 0 {
                "0".to_string()
            } else {
                format!("{value:+}")
            };
            let gap = if mode == Mode::FixedDepth { 2 } else { 4 };
            write!(out, "{:gap$}{value:>5}  {nodes:>5}", "")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    use shakmaty::{Role, Square};

    use crate::board::{Game, Move};

    /// Pawns for a man, as everyone counts them.
    fn worth(role: Role) -> i32 {
        match role {
            Role::Pawn => 1,
            Role::Knight | Role::Bishop => 3,
            Role::Rook => 5,
            Role::Queen => 9,
            Role::King => 0,
        }
    }

    #[test]
    fn the_chain_stands_on_a_real_board() {
        let mut game = Game::from_fen(POSITION).unwrap();
        for (ply, delta) in DELTAS.into_iter().enumerate() {
            let position = game.position();
            let taker = |m: &Move| position.role_at(m.from()).map(worth);
            let moves = game.legal_moves();
            let capture = moves
                .iter()
                .copied()
                .filter(|m| m.to() == Square::D5)
                .min_by_key(taker);
            let capture = capture.expect("somebody takes on d5");
            let taken = position.captured_role(capture).map(worth).unwrap();
            assert_eq!(if ply % 2 == 0 { taken } else { -taken }, delta);
            game.play(capture);
        }
        assert!(game.legal_moves().iter().all(|m| m.to() != Square::D5));
    }

    /// Does this chain give every figure that the text names?
    fn fits(deltas: &[i32; 5]) -> bool {
        let fixed = [1, 0, 1, 0, 1];
        (1..=5).all(|depth| {
            search(deltas, depth, Mode::FixedDepth).value == fixed[depth - 1]
                && search(deltas, depth, Mode::Quiescence).value == 1
        }) && search(deltas, 5, Mode::WithoutStandPat).value == 5
    }

    /// Every chain that fits, with no delta beyond `limit` either way.
    fn solutions(limit: i32) -> Vec<[i32; 5]> {
        let range = || -limit..=limit;
        let mut found = Vec::new();
        for a in range() {
            for b in range() {
                for c in range() {
                    // The last delta follows from the forced total, so only four are free.
                    for d in range() {
                        let deltas = [a, b, c, d, 5 - a - b - c - d];
                        if deltas[4].abs() <= limit && fits(&deltas) {
                            found.push(deltas);
                        }
                    }
                }
            }
        }
        found
    }

    #[test]
    fn a_fixed_depth_believes_the_last_capture_it_sees() {
        for (depth, value) in [(1, 1), (2, 0), (3, 1), (4, 0), (5, 1)] {
            let nodes = depth as u32 + 1;
            assert_eq!(
                search(&DELTAS, depth, Mode::FixedDepth),
                Outcome { value, nodes }
            );
        }
    }

    #[test]
    fn quiescence_says_the_same_at_every_depth() {
        for depth in 1..=5 {
            let outcome = search(&DELTAS, depth, Mode::Quiescence);
            assert_eq!(outcome, Outcome { value: 1, nodes: 6 });
        }
    }

    #[test]
    fn without_standing_pat_the_chain_is_played_to_its_end() {
        for depth in 1..=5 {
            let outcome = search(&DELTAS, depth, Mode::WithoutStandPat);
            assert_eq!(outcome, Outcome { value: 5, nodes: 6 });
        }
    }

    #[test]
    fn the_deltas_are_the_only_solution_that_moves_the_total_least() {
        let all = solutions(9);
        let change = |deltas: &[i32; 5]| deltas.iter().map(|delta| delta.abs()).sum::<i32>();
        let least = all.iter().map(change).min().unwrap();
        let smallest: Vec<_> = all
            .iter()
            .filter(|deltas| change(deltas) == least)
            .collect();
        assert_eq!(smallest, [&DELTAS]);
        assert_eq!(least, 9);
        for deltas in &all {
            let totals: Vec<i32> = (1..=5).map(|n| deltas[..n].iter().sum()).collect();
            assert!(totals[0] == 1 && totals[1] <= 0 && totals[2] >= 1 && totals[3] <= 0);
            assert_eq!(totals[4], 5);
        }
        assert_eq!(all.len(), 205);
        // Restricted to ±5, and to the values of chess men (1, 3, 5, 9).
        assert_eq!(solutions(5).len(), 15);
        let men = |deltas: &&[i32; 5]| deltas.iter().all(|d| [1, 3, 5, 9].contains(&d.abs()));
        assert_eq!(all.iter().filter(men).count(), 15);
    }
}
