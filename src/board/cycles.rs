//! Moves that could be taken back, found by what they do to a position's key.
//!
//! A piece other than a pawn that goes from one square to another on an empty board changes the key
//! by one value, whichever way it goes. So when two positions' keys differ by such a value, one move
//! leads from one to the other. *Source*: Marcel van Kervinck, *The design and implementation of the
//! Rookie 2.0 chess playing program*, 2016, who keeps the values in a cuckoo hash table; here it is one
//! with open addresses.

use std::sync::LazyLock;

use shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

use super::keys;
use super::position::Position;

/// Twice as many slots as there are reversible moves, and a power of two.
const SLOTS: usize = 8192;

/// A reversible move: the value by which it changes the key, and its two squares.
#[derive(Clone, Copy)]
struct Reversible {
    key: u64,
    squares: [Square; 2],
}

static REVERSIBLE: LazyLock<Box<[Option<Reversible>]>> = LazyLock::new(|| {
    let mut table = vec![None; SLOTS].into_boxed_slice();
    for reversible in all() {
        let mut slot = home(reversible.key);
        while table[slot].is_some() {
            slot = (slot + 1) % SLOTS;
        }
        table[slot] = Some(reversible);
    }
    table
});

/// Where the search for a key begins.
const fn home(key: u64) -> usize {
    key as usize % SLOTS
}

/// Every reversible move, once for both its directions.
fn all() -> impl Iterator<Item = Reversible> {
    let roles = [
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ];
    let pieces = Color::ALL
        .into_iter()
        .flat_map(move |color| roles.map(|role| role.of(color)));
    pieces.flat_map(|piece| {
        Square::ALL.into_iter().flat_map(move |from| {
            let reached = attacks::attacks(from, piece, Board::empty().occupied());
            reached
                .into_iter()
                .filter(move |&to| to > from)
                .map(move |to| Reversible {
                    key: keys::piece_key(piece, from)
                        ^ keys::piece_key(piece, to)
                        ^ keys::turn_key(),
                    squares: [from, to],
                })
        })
    })
}

/// The reversible move that changes a key by this value.
fn find(key: u64) -> Option<Reversible> {
    let mut slot = home(key);
    while let Some(reversible) = REVERSIBLE[slot] {
        if reversible.key == key {
            return Some(reversible);
        }
        slot = (slot + 1) % SLOTS;
    }
    None
}

impl Position {
    /// Is there a move of a single piece between this position and the one with the key `other`, and
    /// is its way free here? The caller knows that the opponent's pieces stand alike in both.
    #[inline]
    pub fn is_one_move_from(&self, other: u64) -> bool {
        find(self.key() ^ other).is_some_and(|reversible| {
            let [from, to] = reversible.squares;
            (attacks::between(from, to) & self.occupied()) == Bitboard::EMPTY
        })
    }

    /// What passing does to the key.
    #[inline]
    pub fn key_of_turn() -> u64 {
        keys::turn_key()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;

    #[test]
    fn there_are_as_many_reversible_moves_as_on_an_empty_board() {
        // Known from van Kervinck's thesis; of one colour it is half of that.
        assert_eq!(all().count(), 3668);
        assert!(all().all(|reversible| find(reversible.key).is_some()));
        assert!(find(0).is_none() && find(1).is_none());
    }

    /// Is the position after these moves one move from the one `back` plies before it?
    fn is_near(fen: &str, moves: &str, back: usize) -> bool {
        let mut game = Game::from_fen(fen).unwrap();
        let mut keys = vec![game.position().key()];
        for text in moves.split_whitespace() {
            let mv = game.parse_uci(text).unwrap();
            game.play(mv);
            keys.push(game.position().key());
        }
        game.position()
            .is_one_move_from(keys[keys.len() - 1 - back])
    }

    #[test]
    fn a_piece_that_went_away_can_come_back_unless_its_way_is_barred() {
        let rooks = "4k2r/8/8/8/8/8/8/R3K3 w - - 0 1";
        assert!(is_near(rooks, "a1a5 h8h5 a5a4 h5h8", 3), "Ra4-a5 is left");
        assert!(!is_near(rooks, "a1a5 h8h5 a5a4 h5h6", 3), "both have moved");
        let round = "a2a1 e8d8 a1a2 d8e8 a2h2 e8d8 h2h1 d8e8";
        assert!(is_near("4k3/8/8/8/8/4K3/R7/8 w - - 0 1", round, 7));
        let barred = "4k3/8/8/8/8/8/R7/4K3 w - - 0 1";
        assert!(!is_near(barred, round, 7), "the king stands between");
        let pawn = "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1";
        assert!(!is_near(pawn, "e1d1 e8d8 e3e4 d8e8", 3), "a pawn stays");
    }
}
