//! What the tests of this floor share: random games, and positions turned over.

use crate::base::rng::Rng;
use crate::board::{Game, Move, Position};

/// Starts that soon meet promotions, en passant and castling on both wings.
const STARTS: [&str; 5] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
];

/// The starts above, the usual one, and some of Chess960.
pub fn starts() -> Vec<Game> {
    let special = STARTS
        .iter()
        .map(|fen| Game::from_fen(fen).expect("a good FEN"));
    let shuffled = [0, 90, 355, 518, 700, 959].map(Game::chess960_start);
    special.chain([Game::start()]).chain(shuffled).collect()
}

/// Plays a random game of at most `plies` from `game`, and shows each step: the position before,
/// the move, the game after it.
pub fn play_randomly(
    mut game: Game,
    plies: usize,
    rng: &mut Rng,
    mut step: impl FnMut(&Position, Move, &Game),
) {
    for _ in 0..plies {
        let moves = game.legal_moves();
        if moves.is_empty() {
            return;
        }
        let before = game.position().clone();
        // These are rare among random moves: take them when they come.
        let rare = moves
            .iter()
            .copied()
            .find(|m| m.is_castle() || m.is_en_passant());
        let m = rare.unwrap_or_else(|| moves[rng.below(moves.len())]);
        game.play(m);
        step(&before, m, &game);
    }
}

/// The same position with colours exchanged and ranks reversed.
pub fn turned_over(game: &Game) -> Game {
    let fen = game.fen();
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    let ranks: Vec<&str> = fields[0].split('/').rev().collect();
    fields[0] = swap_case(&ranks.join("/"));
    fields[1] = if fields[1] == "w" { "b" } else { "w" }.to_owned();
    fields[2] = swap_case(&fields[2]);
    fields[3] = fields[3]
        .replace('3', "x")
        .replace('6', "3")
        .replace('x', "6");
    Game::from_fen(&fields.join(" ")).expect("a good FEN")
}

fn swap_case(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_ascii_uppercase() {
                c.to_ascii_lowercase()
            } else {
                c.to_ascii_uppercase()
            }
        })
        .collect()
}
