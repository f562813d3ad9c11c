//! Perft: counting the leaves of the full game tree, the standard test of a move generator.

use super::moves::MoveList;
use super::position::Position;

/// The number of move sequences of `depth` plies. Every move is made, the last ones too.
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut list = MoveList::new();
    position.captures(&mut list);
    position.quiets(&mut list);
    let mut nodes = 0;
    for &m in &list {
        if position.is_legal(m) {
            nodes += perft(&position.play(m), depth - 1);
        }
    }
    nodes
}
