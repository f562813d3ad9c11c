//! What makes the engine's name: a leaf is trusted when it is quiet, captures are resolved, and
//! nobody is forced to capture.

use shakmaty::Position;
use standpat::search::Limits;

use crate::common::epd;
use crate::support::{Searcher, game, on_search_stack, play_out};

/// Where nothing can be captured, an iteration of depth 1 visits the root and each move, some of
/// them again with a wider window, and nothing else.
#[test]
fn a_quiet_leaf_is_one_node() {
    on_search_stack(|| {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "4k3/8/8/8/8/8/PPP5/4K3 w - - 0 1",
        ] {
            let game = game(fen);
            let moves = game.legal_moves().len() as u64;
            let run = Searcher::new(1).search(&game, Limits::depth(1));
            let nodes = run.nodes;
            assert!(
                (1 + moves..=1 + 2 * moves).contains(&nodes),
                "{fen}: {nodes}"
            );
        }
    });
}

/// Behind the first ply of a search of depth 1 stand captures only, save where a check must be
/// answered.
#[test]
fn only_captures_are_tried_beyond_the_horizon() {
    on_search_stack(|| {
        let mut beyond = 0;
        for file in ["bratko-kopec-24.epd", "kaufman-20.epd", "mate-in-3.epd"] {
            for record in epd::sample(file, 60) {
                let game = game(&record.fen());
                let run = Searcher::new(1).search(&game, Limits::depth(1));
                for ply in 1..run.pv().len() {
                    let position = play_out(&game, &run.pv()[..ply]);
                    let mv = run.pv()[ply].uci(true).to_string();
                    let uci: shakmaty::uci::UciMove = mv.parse().expect("a move");
                    let mv = uci.to_move(&position).expect("a legal move");
                    let noisy = mv.is_capture() || mv.is_promotion();
                    assert!(
                        noisy || position.is_check(),
                        "{}: {:?}",
                        record.id(),
                        run.pv()
                    );
                    beyond += 1;
                }
            }
        }
        assert!(
            beyond > 10,
            "hardly any line went beyond the horizon: {beyond}"
        );
    });
}

/// Standing pat: a queen need not take a protected pawn, though it is the only capture, and a
/// search of depth 1 sees that taking it loses the queen.
#[test]
fn nobody_is_forced_to_capture() {
    on_search_stack(|| {
        let game = game("4k3/2p5/3p4/8/3Q4/8/8/4K3 w - - 0 1");
        let run = Searcher::new(1).search(&game, Limits::depth(1));
        assert_ne!(run.best().uci(false).to_string(), "d4d6");
        assert!(run.score() > 300, "{}", run.score());
    });
}

/// A queen that a pawn attacks takes the rook that nothing protects, already at depth 1: standing
/// pat elsewhere would leave her where the reply takes her.
#[test]
fn a_hanging_piece_is_seen_at_depth_one() {
    on_search_stack(|| {
        let game = game("6k1/5ppp/3r4/4p3/3Q4/8/5PPP/6K1 w - - 0 1");
        let run = Searcher::new(1).search(&game, Limits::depth(1));
        assert_eq!(run.best().uci(false).to_string(), "d4d6");
        assert!(run.score() > 300, "{}", run.score());
    });
}
