//! The same search twice: the same tree.

use standpat::search::Limits;

use crate::common::epd;
use crate::support::{Run, Searcher, game, on_search_stack};

fn same(first: &Run, second: &Run) -> bool {
    first.nodes == second.nodes
        && first.answer == second.answer
        && first.completed == second.completed
}

/// After a new game, and with a new worker, every position gives the same nodes, moves, scores and
/// lines as before, whatever was searched in between.
#[test]
fn a_new_game_repeats_the_search() {
    on_search_stack(|| {
        let records = epd::sample("bratko-kopec-24.epd", 8);
        let mut fresh = Vec::new();
        for record in &records {
            let mut searcher = Searcher::new(4);
            fresh.push(searcher.search(&game(&record.fen()), Limits::depth(10)));
        }
        let mut searcher = Searcher::new(4);
        for (record, first) in records.iter().zip(&fresh) {
            searcher.search(&game(&record.fen()), Limits::depth(5));
            searcher.clear();
            let second = searcher.search(&game(&record.fen()), Limits::depth(10));
            assert!(
                same(first, &second),
                "{}: {} nodes, then {}",
                record.id(),
                first.nodes,
                second.nodes
            );
        }
    });
}

/// Several lines do not change that, and the first of them stay sorted and distinct.
#[test]
fn several_lines_are_sorted_distinct_and_repeatable() {
    on_search_stack(|| {
        let mut searcher = Searcher::new(4);
        for record in epd::sample("kaufman-20.epd", 5) {
            let game = game(&record.fen());
            searcher.clear();
            let first = searcher.search_lines(&game, Limits::depth(7), 4);
            searcher.clear();
            let second = searcher.search_lines(&game, Limits::depth(7), 4);
            assert!(same(&first, &second), "{}", record.id());
            for completed in &first.completed {
                let lines = &completed.iteration.lines;
                assert_eq!(lines.len(), 4);
                assert!(
                    lines.is_sorted_by_key(|line| -line.score),
                    "{}",
                    record.id()
                );
                let mut firsts: Vec<u16> = lines.iter().map(|line| line.pv[0].bits()).collect();
                firsts.sort_unstable();
                firsts.dedup();
                assert_eq!(firsts.len(), 4, "{}", record.id());
            }
        }
    });
}

/// A table that is far too small changes the tree but not the legality, and stays repeatable.
#[test]
fn the_size_of_the_table_changes_no_rules() {
    on_search_stack(|| {
        let record = &epd::sample("kaufman-20.epd", 1)[0];
        let game = game(&record.fen());
        for mib in [1, 3, 16] {
            let first = Searcher::new(mib).search(&game, Limits::depth(10));
            let second = Searcher::new(mib).search(&game, Limits::depth(10));
            assert!(same(&first, &second), "{mib} MiB");
        }
    });
}
