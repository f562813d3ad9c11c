//! Speed of the board: perft beside shakmaty's own.
//!
//! Runs are short so that on a busy machine the best of many meets no disturbance.
//!
//! `cargo bench --bench perft`

use std::time::{Duration, Instant};

use standpat::board::Game;
use standpat::board::perft::perft;

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

fn main() {
    for (name, fen, depth) in POSITIONS {
        let game = Game::from_fen(fen).expect("a legal position");
        let chess = game.to_chess();
        let position = game.position();
        let mut counters: [(&str, &mut dyn FnMut() -> u64); 2] = [
            ("shakmaty", &mut || shakmaty::perft(&chess, depth)),
            ("standpat", &mut || perft(position, depth)),
        ];
        let mut best = [Duration::MAX; 2];
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
