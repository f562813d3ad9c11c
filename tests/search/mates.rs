//! Mates in one to three are found with their exact distance, and the line leads to the mate.

use standpat::base::score::{mate_in, moves_to_mate};
use standpat::search::Limits;

use crate::common::epd::{self, Record};
use crate::support::{Searcher, game, mates_as_promised, on_search_stack};

/// A mate that is not found after so many nodes counts as missed.
const NODES: u64 = 20_000_000;

/// Searches for each mate; every one must be found in exactly the moves that its record says, save
/// for so many that are not found in time. None may be found too early, or with a line
/// that does not mate.
fn all_found(records: Vec<Record>, may_miss: usize) {
    let count = records.len();
    let (mut faults, mut missed, mut nodes) = (Vec::new(), Vec::new(), 0);
    on_search_stack(|| {
        let mut searcher = Searcher::new(32);
        for record in records {
            let moves = record.mate().expect("a distance");
            let game = game(&record.fen());
            searcher.clear();
            let limits = Limits {
                mate: Some(moves as u32),
                ..Limits::nodes(NODES)
            };
            let run = searcher.search(&game, limits);
            nodes += run.nodes;
            let plies = (2 * moves - 1) as usize;
            if run.score() < mate_in(plies) {
                missed.push(format!("{}: {moves}, {} nodes", record.id(), run.nodes));
            } else if run.score() > mate_in(plies) {
                let found = moves_to_mate(run.score());
                faults.push(format!("{}: {moves}, found {found:?}", record.id()));
            } else if !mates_as_promised(&game, &run) {
                faults.push(format!("{}: the line is {:?}", record.id(), run.pv()));
            }
        }
    });
    println!("{count} mates, {nodes} nodes, missed {missed:?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(missed.len() <= may_miss, "{}", missed.join("\n"));
}

#[test]
fn mates_in_one() {
    all_found(epd::read("mate-in-1.epd"), 0);
}

#[test]
fn mates_in_two() {
    // A knight promoted behind a sacrificed queen, where everything else wins as well, may take longer.
    all_found(epd::sample("mate-in-2.epd", 150), 1);
}

#[test]
fn mates_in_three() {
    all_found(epd::sample("mate-in-3.epd", 100), 0);
}

#[test]
#[ignore = "takes minutes"]
fn all_mates_in_two() {
    all_found(epd::read("mate-in-2.epd"), 0);
}

#[test]
#[ignore = "takes minutes"]
fn all_mates_in_three() {
    all_found(epd::read("mate-in-3.epd"), 12);
}

/// An ordinary search by depth, which knows nothing of a mate to be found, gives no wrong
/// distance: never shorter than it can be, and what it promises its line delivers.
#[test]
fn no_mate_is_shorter_than_it_can_be() {
    let mut faults = Vec::new();
    on_search_stack(|| {
        let mut searcher = Searcher::new(16);
        for (file, count) in [
            ("mate-in-2.epd", 60),
            ("mate-in-3.epd", 60),
            ("mate-in-4.epd", 60),
        ] {
            for record in epd::sample(file, count) {
                let game = game(&record.fen());
                let run = searcher.search(&game, Limits::depth(8));
                for completed in &run.completed {
                    let score = completed.iteration.lines[0].score;
                    let moves = moves_to_mate(score);
                    if moves.is_some_and(|moves| moves < record.mate().unwrap_or(0)) {
                        faults.push(format!("{}: mate in {moves:?}", record.id()));
                    }
                }
                if moves_to_mate(run.score()).is_some() && !mates_as_promised(&game, &run) {
                    faults.push(format!("{}: the line is {:?}", record.id(), run.pv()));
                }
            }
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
