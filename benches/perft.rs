//! Speed of the board: perft, counting the legal moves of the last ply and making them all, beside
//! shakmaty's, which counts.
//!
//! Runs are short so that on a busy machine the best of many meets no disturbance.
//!
//! `cargo bench --bench perft`

use std::time::{Duration, Instant};

use standpat::board::perft::perft;
use standpat::board::{Game, MoveList, Position};

const POSITIONS: [(&str, &str, u32); 2] = [
    (
        "start position",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        4,
    ),
    (
        "Kiwipete",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        3,
    ),
];

/// Perft that counts the legal moves of the last ply without making them, as shakmaty's does.
fn count(position: &Position, depth: u32) -> u64 {
    let mut list = MoveList::new();
    position.captures(&mut list);
    position.quiets(&mut list);
    let legal = list.iter().filter(|m| position.is_legal(**m));
    if depth == 1 {
        legal.count() as u64
    } else {
        legal.map(|m| count(&position.play(*m), depth - 1)).sum()
    }
}

fn main() {
    for (name, fen, depth) in POSITIONS {
        let game = Game::from_fen(fen).expect("a legal position");
        let chess = game.to_chess();
        let position = game.position();
        let mut counters: [(&str, &mut dyn FnMut() -> u64); 3] = [
            ("shakmaty", &mut || shakmaty::perft(&chess, depth)),
            ("counted", &mut || count(position, depth)),
            ("made", &mut || perft(position, depth)),
        ];
        let mut best = [Duration::MAX; 3];
        let mut nodes = 0;
        for _ in 0..300 {
            for ((_, counter), best) in counters.iter_mut().zip(&mut best) {
                let start = Instant::now();
                nodes = counter();
                *best = start.elapsed().min(*best);
            }
        }
        println!("{name}, depth {depth}");
        for ((what, _), time) in counters.iter().zip(best) {
            let speed = nodes as f64 / time.as_secs_f64() / 1e6;
            let ratio = best[0].as_secs_f64() / time.as_secs_f64();
            println!("  {what:<9} {speed:4.0} Mnps, {ratio:.2} of shakmaty");
        }
    }
}
