//! Perft: counting the leaves of the full game tree, the standard test of a move generator.

use super::moves::MoveList;
use super::position::Position;

/// The number of move sequences of `depth` plies. Every move of every ply is generated and proved
/// legal on its own; those of the last ply, after which nothing is counted, are not played.
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut list = MoveList::new();
    position.captures(&mut list);
    position.quiets(&mut list);
    let legal = list.iter().filter(|m| position.is_legal(**m));
    if depth == 1 {
        legal.count() as u64
    } else {
        legal.map(|m| perft(&position.play(*m), depth - 1)).sum()
    }
}
