//! The first layer along a line of play: for each ply and each perspective the sum of the rows of
//! all pieces on the board, kept up to date by adding and removing the few rows that a move changes.
//!
//! A perspective sees the files reversed while its own king stands on files e–h. When the king
//! crosses that line all of the perspective's rows change; it is then *refreshed*, from the last
//! board that was seen on that side of the line rather than from an empty one.

use std::sync::Arc;

use shakmaty::{Board, Color, Role, Square};

use super::features::{Delta, Shape, feature, is_mirrored, seen_by};
use super::kernels::{Chunk, Kernels};
use super::network::Network;
use crate::base::score::MAX_PLY;
use crate::board::{Move, Position};

/// When accumulators are brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// With each move.
    Eager,
    /// When a position is evaluated, with all its ancestors that are not yet up to date.
    Lazy,
}

/// What is known of one ply of the line.
#[derive(Clone, Copy, Debug)]
struct Ply {
    /// What the move that led here changed.
    delta: Delta,
    /// By perspective: are the sums up to date?
    computed: [bool; 2],
    /// By perspective: did its king cross the line between d and e on the way here?
    crossed: [bool; 2],
    /// Null moves made on top of this position; they change no sums.
    nulls: u32,
}

/// A root's entry: its sums come from its board, not from a move.
const ROOT: Ply = Ply {
    delta: Delta {
        shape: Shape::Quiet,
        added: [0; 2],
        removed: [0; 2],
    },
    computed: [true; 2],
    crossed: [true; 2],
    nulls: 0,
};

/// Plies for which there is room from the start; more are made when they are needed.
const ROOM: usize = MAX_PLY + 8;

/// The accumulators of a line of play.
#[derive(Clone)]
pub struct Accumulators {
    network: Arc<Network>,
    kernels: Kernels,
    update: Update,
    /// The root first; never empty.
    line: Vec<Ply>,
    /// By ply, then by perspective: the sums.
    sums: Vec<Chunk>,
    refresher: Refresher,
}

/// Index of a perspective.
#[inline]
fn index(perspective: Color) -> usize {
    usize::from(perspective.is_black())
}

impl Accumulators {
    /// Accumulators of an empty board: [`reset`](Accumulators::reset) them first.
    pub fn new(network: Arc<Network>, kernels: Kernels, update: Update) -> Accumulators {
        let mut sums = vec![Chunk::ZERO; ROOM * 2 * network.chunks()];
        for view in sums.chunks_exact_mut(network.chunks()).take(2) {
            view.copy_from_slice(network.feature_bias());
        }
        let mut line = Vec::with_capacity(ROOM);
        line.push(ROOT);
        let refresher = Refresher::new(&network);
        Accumulators {
            network,
            kernels,
            update,
            line,
            sums,
            refresher,
        }
    }

    /// The network whose first layer this is.
    #[inline]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The loops it runs.
    #[inline]
    pub fn kernels(&self) -> &Kernels {
        &self.kernels
    }

    /// Starts a new line at this position.
    pub fn reset(&mut self, root: &Position) {
        self.line.clear();
        self.line.push(ROOT);
        for perspective in Color::ALL {
            self.refresh(perspective, root);
        }
    }

    /// Follows `m`, which led from `before` to `after`.
    #[inline]
    pub fn push(&mut self, before: &Position, m: Move, after: &Position) {
        let us = before.turn();
        let mut crossed = [false; 2];
        crossed[index(us)] = is_mirrored(before.king_of(us)) != is_mirrored(after.king_of(us));
        self.line.push(Ply {
            delta: Delta::of(before, m),
            computed: [false; 2],
            crossed,
            nulls: 0,
        });
        let needed = self.line.len() * 2 * self.network.chunks();
        if needed > self.sums.len() {
            self.sums.resize(needed, Chunk::ZERO);
        }
        if self.update == Update::Eager {
            for perspective in Color::ALL {
                if crossed[index(perspective)] {
                    self.refresh(perspective, after);
                } else {
                    let mirrored = is_mirrored(after.king_of(perspective));
                    self.follow(self.line.len() - 1, perspective, mirrored);
                }
            }
        }
    }

    /// Follows a null move.
    #[inline]
    pub fn push_null(&mut self) {
        if let Some(top) = self.line.last_mut() {
            top.nulls += 1;
        }
    }

    /// Takes back the last move or null move; the root stays.
    #[inline]
    pub fn pop(&mut self) {
        let plies = self.line.len();
        match self.line.last_mut() {
            Some(top) if top.nulls > 0 => top.nulls -= 1,
            _ => self.line.truncate((plies - 1).max(1)),
        }
    }

    /// The sums of the position at the end of the line, as `perspective` sees it. They are those
    /// of the last call of [`bring_up_to_date`](Accumulators::bring_up_to_date).
    #[inline]
    pub fn sums(&self, perspective: Color) -> &[Chunk] {
        let chunks = self.network.chunks();
        let start = ((self.line.len() - 1) * 2 + index(perspective)) * chunks;
        &self.sums[start..start + chunks]
    }

    /// Computes what is missing for `pos`, the position at the end of the line.
    #[inline]
    pub fn bring_up_to_date(&mut self, pos: &Position) {
        for perspective in Color::ALL {
            if !self.line[self.line.len() - 1].computed[index(perspective)] {
                self.compute(perspective, pos);
            }
        }
    }

    fn compute(&mut self, perspective: Color, pos: &Position) {
        let view = index(perspective);
        let top = self.line.len() - 1;
        let mut known = top;
        while !self.line[known].computed[view] {
            if self.line[known].crossed[view] {
                self.refresh(perspective, pos);
                return;
            }
            // The root is always computed.
            known -= 1;
        }
        // The king did not cross since.
        let mirrored = is_mirrored(pos.king_of(perspective));
        for ply in known + 1..=top {
            self.follow(ply, perspective, mirrored);
        }
    }

    /// Computes one ply's sums from those of the ply before.
    #[inline]
    fn follow(&mut self, ply: usize, perspective: Color, mirrored: bool) {
        let view = index(perspective);
        let chunks = self.network.chunks();
        let (before, after) = self.sums.split_at_mut(ply * 2 * chunks);
        let input = &before[((ply - 1) * 2 + view) * chunks..][..chunks];
        let out = &mut after[view * chunks..][..chunks];
        let entry = &mut self.line[ply];
        entry.computed[view] = true;
        let delta = &entry.delta;
        let row = |feature| self.network.row(seen_by(feature, perspective, mirrored));
        let added = row(delta.added[0]);
        let removed = row(delta.removed[0]);
        match delta.shape {
            Shape::Quiet => self.kernels.quiet(out, input, added, removed),
            Shape::Capture => {
                self.kernels
                    .capture(out, input, added, [removed, row(delta.removed[1])]);
            }
            Shape::Castle => {
                let added = [added, row(delta.added[1])];
                let removed = [removed, row(delta.removed[1])];
                self.kernels.castle(out, input, added, removed);
            }
        }
    }

    /// Computes the sums at the end of the line from the board.
    fn refresh(&mut self, perspective: Color, pos: &Position) {
        let chunks = self.network.chunks();
        let top = self.line.len() - 1;
        let start = (top * 2 + index(perspective)) * chunks;
        let sums = self
            .refresher
            .sums(&self.network, &self.kernels, perspective, pos);
        self.sums[start..start + chunks].copy_from_slice(sums);
        self.line[top].computed[index(perspective)] = true;
    }
}

/// For each perspective and each side its king may stand on: the last board seen so, and its sums.
/// Two boards of one search differ by few pieces.
#[derive(Clone)]
struct Refresher {
    boards: [Board; 4],
    sums: Vec<Chunk>,
}

impl Refresher {
    fn new(network: &Network) -> Refresher {
        Refresher {
            boards: std::array::from_fn(|_| Board::empty()),
            sums: network.feature_bias().repeat(4),
        }
    }

    /// The sums of `pos` as `perspective` sees it.
    fn sums(
        &mut self,
        network: &Network,
        kernels: &Kernels,
        perspective: Color,
        pos: &Position,
    ) -> &[Chunk] {
        let mirrored = is_mirrored(pos.king_of(perspective));
        let slot = index(perspective) * 2 + usize::from(mirrored);
        let known = &mut self.boards[slot];
        let (mut added, mut removed) = (Rows::default(), Rows::default());
        for color in Color::ALL {
            for role in Role::ALL {
                let piece = role.of(color);
                let number =
                    |square: Square| seen_by(feature(piece, square), perspective, mirrored);
                let (old, new) = (known.by_piece(piece), pos.board().by_piece(piece));
                (new & !old)
                    .into_iter()
                    .for_each(|square| added.push(number(square)));
                (old & !new)
                    .into_iter()
                    .for_each(|square| removed.push(number(square)));
            }
        }
        *known = pos.board().clone();
        let sums = &mut self.sums[slot * network.chunks()..][..network.chunks()];
        kernels.apply(
            sums,
            network.feature_weights(),
            added.rows(),
            removed.rows(),
        );
        sums
    }
}

/// A list of feature rows: at most one for each square.
struct Rows {
    rows: [u16; 64],
    count: usize,
}

impl Default for Rows {
    fn default() -> Rows {
        Rows {
            rows: [0; 64],
            count: 0,
        }
    }
}

impl Rows {
    #[inline]
    fn push(&mut self, row: u16) {
        self.rows[self.count] = row;
        self.count += 1;
    }

    #[inline]
    fn rows(&self) -> &[u16] {
        &self.rows[..self.count]
    }
}
