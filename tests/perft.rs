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

/// Castling at its strangest: counts of Stockfish 15.1 for depths 1, 2, 3.
const CHESS960_CASTLING: [(&str, [u64; 3]); 10] = [
    // The rook leaving opens the rank to the king's new square.
    ("4k3/8/8/8/8/8/8/rR2K1N1 w Q - 0 1", [11, 136, 2219]),
    // King or rook stay where they are, or change places.
    ("4k3/8/8/8/8/8/8/R1K5 w A - 0 1", [14, 63, 1125]),
    ("4k3/8/8/8/8/8/8/6KR w H - 0 1", [12, 53, 948]),
    ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", [13, 58, 1033]),
    ("1k6/8/8/8/8/8/8/RKR5 w AC - 0 1", [23, 41, 977]),
    (
        "rk2r2b/ppp2b1p/1n4p1/3p1p2/3q1P2/1P1QN3/P1P1P2P/RK2R1BB w EAea - 0 12",
        [33, 1404, 45170],
    ),
    (
        "4rrk1/pbbp2p1/1ppnp3/3n1pqp/3N1PQP/1PPNP3/PBBP2P1/4RRK1 w Ff - 10 18",
        [42, 1743, 71908],
    ),
    // Which rook has the right?
    (
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/rR2K3 w Q - 0 1",
        [21, 424, 8265],
    ),
    ("4k3/8/8/8/8/8/8/4K1RR w K - 0 1", [20, 88, 2380]),
    ("2nkn3/2p1p3/8/8/8/6r1/7r/RR3K2 w B - 0 1", [19, 664, 14005]),
];

#[test]
fn chess960_castling() {
    for (fen, counts) in CHESS960_CASTLING {
        let game = Game::from_fen(fen).expect("a legal position");
        for (depth, nodes) in (1..).zip(counts) {
            assert_eq!(perft(game.position(), depth), nodes, "{fen} depth {depth}");
        }
    }
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
