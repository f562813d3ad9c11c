//! The move generator counts what others have counted.

mod suites;

use standpat::board::Game;
use standpat::board::perft::perft;

/// Checks all counts of at most `limit` leaves, spread over two threads.
fn check(name: &str, limit: u64) {
    let entries = suites::read(name);
    let half = entries.len().div_ceil(2);
    std::thread::scope(|scope| {
        for chunk in entries.chunks(half) {
            scope.spawn(move || {
                for entry in chunk {
                    let game = Game::from_fen(&entry.fen).expect("a legal position");
                    for &(depth, nodes) in entry.counts.iter().filter(|count| count.1 <= limit) {
                        let counted = perft(game.position(), depth);
                        assert_eq!(counted, nodes, "{} depth {depth}", entry.fen);
                    }
                }
            });
        }
    });
}

#[test]
fn standard_suite() {
    check("standard-128", 1_000_000);
}

#[test]
fn chess960_suite() {
    check("chess960-1000", 100_000);
}

#[test]
fn tricky_suite() {
    check("tricky", 10_000_000);
}

#[test]
#[ignore = "minutes: every count up to 200 million leaves"]
fn standard_suite_deep() {
    check("standard-128", 200_000_000);
}

#[test]
#[ignore = "minutes: every count up to 10 million leaves"]
fn chess960_suite_deep() {
    check("chess960-1000", 10_000_000);
}
