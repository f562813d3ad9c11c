//! What a line of play carries from ply to ply.

use crate::base::score::{MAX_PLY, Score};
use crate::board::{Move, Position};

use super::history::{Line, PieceTo};
use shakmaty::Bitboard;

/// Frames before the root, so that looking back needs no test.
const BEFORE: usize = 4;

/// One ply of the line that is being searched.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Corrected static evaluation, `None` in check.
    pub evaluation: Option<Score>,
    /// How far it was corrected, without sign; 0 in check.
    pub correction: Score,
    /// The move made here: its piece on its new square. `None` for a null move.
    pub moved: Option<PieceTo>,
    /// The move made here, `None` for a null move.
    pub mv: Option<Move>,
    /// Does the move made here take nothing? Not for a null move.
    pub quiet: bool,
    /// The squares that the opponent attacks here, once they were asked for.
    pub threats: Option<Bitboard>,
    /// By how many plies the search of the move made here is reduced; 0 when it is not.
    pub reduction: i32,
    /// A quiet move that cut off at this ply in a sibling.
    pub killer: Option<Move>,
    /// The move that a search for singularity leaves out.
    pub excluded: Option<Move>,
    /// Cutoffs among this ply's nodes since its grandparent was entered.
    pub cutoffs: i32,
    /// The principal variation from here.
    pub pv: Variation,
}

/// A principal variation.
#[derive(Clone, Debug, Default)]
pub struct Variation(Vec<Move>);

impl Variation {
    /// The moves.
    pub fn moves(&self) -> &[Move] {
        &self.0
    }
}

/// The frames of the line that is being searched, by ply.
pub struct Stack(Box<[Frame]>);

impl Default for Stack {
    fn default() -> Self {
        Stack(vec![Frame::default(); BEFORE + MAX_PLY + 3].into_boxed_slice())
    }
}

impl Stack {
    /// Prepares for a new search. The variations keep their memory.
    pub fn reset(&mut self) {
        for frame in &mut self.0 {
            let mut pv = std::mem::take(&mut frame.pv);
            pv.0.clear();
            *frame = Frame {
                pv,
                ..Frame::default()
            };
        }
    }

    /// The frame of a ply.
    #[inline]
    pub fn at(&mut self, ply: usize) -> &mut Frame {
        &mut self.0[BEFORE + ply]
    }

    /// Another node comes to this ply: nothing is known of its moves.
    #[inline]
    pub fn open(&mut self, ply: usize, pv: bool) {
        self.at(ply).threats = None;
        if pv {
            self.clear_pv(ply);
        }
    }

    /// A node is entered: its grandchildren start without a killer and without cutoffs.
    #[inline]
    pub fn enter(&mut self, ply: usize) {
        let grandchild = self.at(ply + 2);
        grandchild.killer = None;
        grandchild.cutoffs = 0;
    }

    /// The squares that the opponent attacks at a ply whose position is `pos`.
    #[inline]
    pub fn threats(&mut self, pos: &Position, ply: usize) -> Bitboard {
        *self.at(ply).threats.get_or_insert_with(|| pos.threats())
    }

    /// The frame so many plies before a ply; empty before the root.
    #[inline]
    pub fn back(&self, ply: usize, plies: usize) -> &Frame {
        &self.0[BEFORE + ply - plies]
    }

    /// The moves that led to a ply: one, two and four plies before it.
    #[inline]
    pub fn line(&self, ply: usize) -> Line {
        [1, 2, 4].map(|plies| self.back(ply, plies).moved)
    }

    /// Makes a move followed by the next ply's variation the variation of this ply.
    pub fn extend_pv(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.0.split_at_mut(BEFORE + ply + 1);
        let pv = &mut upper[BEFORE + ply].pv.0;
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&lower[0].pv.0);
    }

    /// Empties a ply's variation.
    #[inline]
    pub fn clear_pv(&mut self, ply: usize) {
        self.at(ply).pv.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Square;

    #[test]
    fn a_variation_grows_from_the_end_to_the_root() {
        let (first, second) = (
            Move::normal(Square::E2, Square::E4),
            Move::normal(Square::E7, Square::E5),
        );
        let mut stack = Stack::default();
        stack.extend_pv(1, second);
        stack.extend_pv(0, first);
        assert_eq!(stack.at(0).pv.moves(), [first, second]);
        stack.clear_pv(1);
        stack.extend_pv(0, second);
        assert_eq!(stack.at(0).pv.moves(), [second]);
    }

    #[test]
    fn before_the_root_there_is_nothing() {
        let stack = Stack::default();
        assert_eq!(stack.line(0), [None; 3]);
    }
}
