//! The draws of the game, as the search sees them (cases R01 to R12 of the dialogues).

use standpat::base::score::{mate_in, moves_to_mate};
use standpat::search::Limits;

use crate::support::{Searcher, game, game_after, mates_as_promised, on_search_stack};

/// Best moves (separated by `|`) that a search by depth must find, with the mate if it is one.
const MOVES: [(&str, &str, u32, &str, Option<i32>); 8] = [
    // R01: mate on move 100 beats the fifty-move rule.
    (
        "R01",
        "8/8/2p5/3b1K1k/4p3/4PpR1/5P2/8 w - - 99 113",
        6,
        "g3h3",
        Some(1),
    ),
    (
        "R01",
        "4Q3/8/1p4pk/1PbB1p1p/7P/p3P1PK/P3qP2/8 w - - 99 88",
        6,
        "e8h8",
        Some(1),
    ),
    // R02: only a capture, or a sacrifice that forces one, keeps the win.
    ("R02", "k7/8/K7/8/8/7b/Q7/n7 w - - 98 1", 12, "a2a1", None),
    ("R02", "7k/8/7K/N7/3N4/8/B7/n7 w - - 96 1", 12, "a5b3", None),
    // R03: mate before the draw.
    (
        "R03",
        "8/3R4/3p4/3P4/1K4Q1/8/7k/8 w - - 97 104",
        8,
        "d7h7",
        Some(1),
    ),
    // R12: a queen would be stalemate.
    (
        "R12",
        "8/5P1k/5K2/8/8/8/8/8 w - - 0 1",
        10,
        "f7f8r",
        Some(2),
    ),
    (
        "R12",
        "8/6P1/5K1k/6N1/5N2/8/8/8 w - - 0 1",
        6,
        "g7g8n",
        Some(1),
    ),
    (
        "R12",
        "6n1/5P1k/7p/np4b1/3B4/1pP4P/5PP1/1b4K1 w - - 0 1",
        6,
        "f7f8n",
        Some(1),
    ),
];

#[test]
fn the_move_that_wins_in_spite_of_a_draw_near_by() {
    on_search_stack(|| {
        for (id, fen, depth, best, mate) in MOVES {
            let game = game(fen);
            let run = Searcher::new(16).search(&game, Limits::depth(depth));
            let found = run.best().uci(false).to_string();
            assert!(
                best.split('|').any(|text| text == found),
                "{id} {fen}: {found}"
            );
            if let Some(moves) = mate {
                assert_eq!(run.score(), mate_in((2 * moves - 1) as usize), "{id} {fen}");
                assert!(mates_as_promised(&game, &run), "{id} {fen}: {:?}", run.pv());
            }
        }
    });
}

/// Positions whose value is a draw, and a depth at which that must be seen.
const DRAWN: [(&str, u32); 5] = [
    // Fifty moves are over, or over before anything can happen.
    ("8/8/8/4k3/8/8/R7/4K3 w - - 100 120", 6),
    ("8/4Q3/8/8/8/8/8/k6K w - - 95 1", 12),
    ("8/8/8/4k3/8/8/R7/4K3 w - - 98 120", 8),
    // Not enough to mate.
    ("8/8/8/4k3/8/8/8/4K2N w - - 0 1", 5),
    ("8/8/8/4k3/8/8/8/4K2B b - - 0 1", 5),
];

#[test]
fn a_draw_is_worth_nothing() {
    on_search_stack(|| {
        for (fen, depth) in DRAWN {
            let run = Searcher::new(16).search(&game(fen), Limits::depth(depth));
            assert!(
                run.score().abs() <= 2,
                "{fen}: {} {:?}",
                run.score(),
                run.pv()
            );
        }
    });
}

/// R04: the table knows a mate that the fifty-move rule no longer allows.
#[test]
fn no_false_mate_from_the_table() {
    on_search_stack(|| {
        let mut searcher = Searcher::new(16);
        searcher.search(&game("8/8/8/3k4/8/8/6K1/7R w - - 0 1"), Limits::depth(18));
        let run = searcher.search(&game("8/8/8/3k4/8/8/6K1/7R w - - 76 1"), Limits::depth(16));
        for completed in &run.completed {
            let score = completed.iteration.lines[0].score;
            assert_eq!(
                moves_to_mate(score),
                None,
                "depth {}",
                completed.iteration.depth
            );
        }
    });
}

/// A side that is lost otherwise saves itself by checks without end.
#[test]
fn perpetual_check_is_a_draw() {
    on_search_stack(|| {
        let run = Searcher::new(16).search(
            &game("6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 32"),
            Limits::depth(14),
        );
        assert!(run.score().abs() <= 2, "{} {:?}", run.score(), run.pv());
    });
}

/// Q13: the side that wins does not repeat, the side that loses does.
#[test]
fn repetition_is_avoided_or_sought() {
    let queen = "8/8/8/4k3/8/8/8/KQ6 w - - 0 1";
    let before = "b1b2 e5d5 b2b1 d5e5 b1b2 e5d5";
    on_search_stack(|| {
        for nodes in [100, 1000, 10_000, 50_000] {
            let game = game_after(queen, before);
            let run = Searcher::new(16).search(&game, Limits::nodes(nodes));
            assert_ne!(run.best().uci(false).to_string(), "b2b1", "{nodes} nodes");
            assert!(run.score() > 100, "{nodes} nodes: {}", run.score());
        }
        // Black, whom the queen will mate, can complete the third occurrence himself.
        let game = game_after(queen, "b1b2 e5d5 b2b1 d5e5 b1b2 e5d5 b2b1");
        let run = Searcher::new(16).search(&game, Limits::depth(6));
        assert_eq!(run.best().uci(false).to_string(), "d5e5", "{:?}", run.pv());
        assert!(run.score().abs() <= 2, "{}", run.score());
    });
}

/// R08: en passant that is not legal makes no difference: the root has occurred three times, and
/// the search still gives a move.
#[test]
fn a_root_that_has_occurred_three_times_has_a_move() {
    let fen = "6k1/1p2p1rp/rP1pR3/2pP1pP1/p1P2P1P/R5K1/8/8 b - - 0 1";
    let moves = "h7h5 e6h6 g7h7 h6e6 h7g7 e6h6 g7h7 h6e6 h7g7";
    on_search_stack(|| {
        let game = game_after(fen, moves);
        assert!(game.outcome().is_some(), "it is a draw by the rules");
        let run = Searcher::new(16).search(&game, Limits::depth(6));
        assert!(!run.pv().is_empty());
    });
}
