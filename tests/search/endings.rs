//! Elementary endings are won over the board (case R13 of the dialogues), and zugzwang is seen.

use shakmaty::Color;
use standpat::board::Game;
use standpat::board::game::Outcome;
use standpat::search::Limits;

use crate::common::epd;
use crate::support::{Searcher, game, on_search_stack};

/// Plays the position out, both sides by search. Gives the number of plies if the side with more
/// men wins, else how the game ended.
fn play_out(start: Game, nodes: u64, defence: u64) -> Result<usize, Option<Outcome>> {
    let men = |color| start.position().board().by_color(color).count();
    let winner = if men(Color::White) > men(Color::Black) {
        Color::White
    } else {
        Color::Black
    };
    let mut game = start.clone();
    let mut attacker = Searcher::new(8);
    let mut defender = Searcher::new(8);
    for plies in 0..200 {
        match game.outcome() {
            Some(Outcome::Win(color)) if color == winner => return Ok(plies),
            Some(outcome) => return Err(Some(outcome)),
            None => {}
        }
        let run = if game.position().turn() == winner {
            attacker.search(&game, Limits::nodes(nodes))
        } else {
            defender.search(&game, Limits::nodes(defence))
        };
        game.play(run.best());
    }
    Err(None)
}

fn all_won(positions: &[String], nodes: u64, most: usize) {
    let mut faults = Vec::new();
    on_search_stack(|| {
        for fen in positions {
            match play_out(game(fen), nodes, nodes / 2) {
                Ok(plies) if plies <= most => {}
                Ok(plies) => faults.push(format!("{fen}: won, but only after {plies} plies")),
                Err(outcome) => faults.push(format!("{fen}: {outcome:?}")),
            }
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// King and rook against king: won in less than fifty moves from each sampled position.
#[test]
fn rook_ending_is_won() {
    let records = epd::sample("krk-50.epd", 12);
    let positions: Vec<String> = records.iter().map(|record| record.fen()).collect();
    all_won(&positions, 20_000, 99);
}

/// King and queen against king.
#[test]
fn queen_ending_is_won() {
    let positions = [
        "8/8/8/4k3/8/8/8/KQ6 w - - 0 1",
        "8/8/3k4/8/8/8/1q6/7K b - - 0 1",
        "8/7k/8/8/3Q4/8/8/K7 b - - 0 1",
    ]
    .map(str::to_owned);
    all_won(&positions, 20_000, 60);
}

/// All sampled rook endings, near their exact distance.
#[test]
#[ignore = "takes minutes"]
fn all_rook_endings_are_won() {
    let records = epd::read("krk-50.epd");
    let positions: Vec<String> = records.iter().map(|record| record.fen()).collect();
    all_won(&positions, 100_000, 60);
}

/// The fifty-move rule near (R13): mate must come in time.
#[test]
fn rook_ending_under_the_fifty_move_rule() {
    let fen = "8/8/8/8/8/5k2/r7/7K b - - 92 100";
    let outcome = on_search_stack(|| play_out(game(fen), 50_000, 10_000));
    assert!(outcome.is_ok(), "{outcome:?}");
}

/// Whoever is to move in these positions loses (or only draws) because he must move: a null move
/// that is believed here gives a wrong result.
#[test]
fn mutual_zugzwang_is_seen() {
    // The trébuchet.
    on_search_stack(|| {
        let mut searcher = Searcher::new(16);
        let lost = searcher.search(&game("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"), Limits::depth(18));
        assert!(
            lost.score() < -100,
            "the trébuchet is lost: {:?}",
            lost.score()
        );
        let won = searcher.search(&game("8/8/8/3pK3/2kP4/8/8/8 b - - 0 1"), Limits::depth(18));
        assert!(won.score() < -100, "for either side: {:?}", won.score());
    });
}

/// Two old examples that a search without a guard of its null moves does not solve.
#[test]
fn old_zugzwangs_are_solved() {
    on_search_stack(|| {
        for (fen, best, nodes) in [
            // The rook goes to a square where it is lost, and the rest of the board must move.
            (
                "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1",
                "e1f1",
                12_000_000,
            ),
            ("1q1k4/2Rr4/8/2Q3K1/8/8/8/8 w - - 0 1", "g5h6", 2_000_000),
        ] {
            let run = Searcher::new(16).search(&game(fen), Limits::nodes(nodes));
            assert_eq!(run.best().uci(false).to_string(), best, "{fen}");
        }
    });
}

/// Of thirty positions with a zugzwang or a trap for null moves, how many are solved.
fn zugzwang_solved(nodes: u64) -> Vec<(String, bool)> {
    on_search_stack(|| {
        let mut searcher = Searcher::new(32);
        epd::read("zugzwang-30.epd")
            .iter()
            .map(|record| {
                searcher.clear();
                let run = searcher.search(&game(&record.fen()), Limits::nodes(nodes));
                let best = run.best().uci(false).to_string();
                (record.id().to_owned(), record.best().contains(&best))
            })
            .collect()
    })
}

#[test]
fn most_zugzwangs_are_solved_quickly() {
    let results = zugzwang_solved(200_000);
    let solved = results.iter().filter(|(_, solved)| *solved).count();
    println!("zugzwang: {solved} of {} at 200,000 nodes", results.len());
    assert!(solved >= 7, "{solved} solved: {results:?}");
}

#[test]
#[ignore = "a report, and takes a minute"]
fn report_zugzwang() {
    for nodes in [200_000, 1_000_000] {
        let results = zugzwang_solved(nodes);
        let missed: Vec<&String> = results
            .iter()
            .filter(|(_, solved)| !solved)
            .map(|(id, _)| id)
            .collect();
        let solved = results.len() - missed.len();
        println!(
            "zugzwang: {solved} of {} at {nodes} nodes; missed {missed:?}",
            results.len()
        );
    }
}

/// The sides are named as shakmaty names them.
#[test]
fn the_winner_of_a_finished_game_is_named() {
    let mated = game("7k/5KQ1/8/8/8/8/8/8 b - - 0 1");
    assert_eq!(mated.outcome(), Some(Outcome::Win(Color::White)));
}
