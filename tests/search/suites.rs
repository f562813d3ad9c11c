//! Test positions of old: a report of how many are solved, and a floor that must not be missed.

use standpat::search::Limits;

use crate::common::epd;
use crate::support::{Searcher, game, on_search_stack};

fn solved(file: &str, nodes: u64) -> (usize, Vec<String>) {
    let records = epd::read(file);
    let total = records.len();
    let missed = on_search_stack(|| {
        let mut searcher = Searcher::new(32);
        let mut missed = Vec::new();
        for record in records {
            searcher.clear();
            let run = searcher.search(&game(&record.fen()), Limits::nodes(nodes));
            let best = run.best().uci(false).to_string();
            if !record.best().contains(&best) {
                missed.push(format!("{} {best}", record.id()));
            }
        }
        missed
    });
    (total - missed.len(), missed)
}

#[test]
fn a_floor_of_solved_positions() {
    let (bratko_kopec, _) = solved("bratko-kopec-24.epd", 60_000);
    let (kaufman, _) = solved("kaufman-20.epd", 60_000);
    println!("at 60,000 nodes: Bratko-Kopec {bratko_kopec} of 24, Kaufman {kaufman} of 20");
    assert!(bratko_kopec >= 6, "Bratko-Kopec: {bratko_kopec}");
    assert!(kaufman >= 2, "Kaufman: {kaufman}");
}

#[test]
#[ignore = "a report, and takes a minute"]
fn report_bratko_kopec_and_kaufman() {
    for nodes in [100_000, 1_000_000] {
        for file in ["bratko-kopec-24.epd", "kaufman-20.epd"] {
            let (solved, missed) = solved(file, nodes);
            let total = solved + missed.len();
            println!("{file}: {solved} of {total} at {nodes} nodes; missed {missed:?}");
        }
    }
}
