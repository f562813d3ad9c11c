//! A search that is stopped, at whatever moment, answers with its last *completed* iteration.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use standpat::eval::Network;
use standpat::search::report::Silent;
use standpat::search::{Clock, Event, Job, Limits, Shared, Worker};

use crate::common::{Random, epd};
use crate::support::{
    Completed, Run, Searcher, game, mates_as_promised, on_search_stack, play_out, record,
};

/// Depth of the whole search that the stopped ones are compared with.
const DEPTH: u32 = 11;

/// Stops per position.
const STOPS: usize = 25;

/// The iteration that had been completed when a search of so many nodes was stopped: the last node
/// is visited but no longer searched. Depth 1 is always completed.
fn expected(whole: &Run, nodes: u64) -> &Completed {
    whole
        .completed
        .iter()
        .take_while(|completed| completed.nodes < nodes || completed.iteration.depth == 1)
        .last()
        .expect("depth 1 is always completed")
}

/// At random node counts over the whole search, and around the completion of each iteration: move,
/// score, line and depth are those of the iteration that was complete by then; and the limit of
/// nodes is kept to the node.
#[test]
fn a_node_limit_gives_the_last_completed_iteration() {
    let mut random = Random::named("stopping");
    let mut positions: Vec<String> = vec![
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into(),
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".into(),
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1".into(),
        "qqqqkqqq/qq6/8/8/8/8/QQ6/QQQQKQQQ w - - 0 1".into(),
    ];
    positions.extend(
        epd::sample("bratko-kopec-24.epd", 6)
            .iter()
            .map(epd::Record::fen),
    );
    on_search_stack(|| {
        let mut searcher = Searcher::new(4);
        for fen in positions {
            let game = game(&fen);
            searcher.clear();
            let bounded = Limits {
                depth: Some(DEPTH),
                ..Limits::nodes(300_000)
            };
            let whole = searcher.search(&game, bounded);
            let mut stops: Vec<u64> = (0..STOPS).map(|_| random.between(1, whole.nodes)).collect();
            for completed in &whole.completed {
                stops.extend([completed.nodes, completed.nodes + 1]);
            }
            let first = whole.completed[0].nodes;
            for nodes in stops {
                searcher.clear();
                let run = searcher.search(&game, Limits::nodes(nodes));
                let completed = expected(&whole, nodes);
                assert_eq!(
                    run.answer, completed.iteration,
                    "{fen} stopped at {nodes} nodes"
                );
                assert!(
                    run.nodes <= nodes.max(first) + 1,
                    "{fen}: {} of {nodes}",
                    run.nodes
                );
            }
        }
    });
}

/// The same with several lines: an iteration is complete when all its lines are.
#[test]
fn an_iteration_of_several_lines_is_complete_with_the_last_one() {
    let mut random = Random::named("several");
    on_search_stack(|| {
        let mut searcher = Searcher::new(4);
        for record in epd::sample("kaufman-20.epd", 4) {
            let game = game(&record.fen());
            searcher.clear();
            let whole = searcher.search_lines(&game, Limits::depth(7), 3);
            for _ in 0..STOPS {
                let nodes = random.between(1, whole.nodes);
                searcher.clear();
                let run = searcher.search_lines(&game, Limits::nodes(nodes), 3);
                let completed = expected(&whole, nodes);
                assert_eq!(
                    run.answer,
                    completed.iteration,
                    "{} at {nodes}",
                    record.id()
                );
            }
        }
    });
}

/// Runs a search in another thread, raises the stop flag after a while, and gives the answer with
/// what had been reported. `helpers` search beside it, unheard.
fn stopped_after(fen: &str, wait: Duration, helpers: usize) -> Run {
    let job = Job {
        game: game(fen),
        limits: Limits {
            infinite: true,
            ..Limits::default()
        },
        multi_pv: 1,
    };
    let shared = Shared::new(4, 1 + helpers).expect("memory for the table");
    let clock = Clock::unlimited();
    let (job, shared, clock) = (&job, &shared, &clock);
    shared.start();
    thread::scope(|scope| {
        for id in 1..=helpers {
            thread::Builder::new()
                .stack_size(Worker::STACK_BYTES)
                .spawn_scoped(scope, move || {
                    Worker::new(id, &Network::shipped()).search(job, clock, shared, &mut Silent);
                })
                .expect("a thread");
        }
        let main = thread::Builder::new()
            .stack_size(Worker::STACK_BYTES)
            .spawn_scoped(scope, move || {
                let mut completed = Vec::new();
                let mut sink = |event: Event| record(&mut completed, event);
                let answer = Worker::new(0, &Network::shipped())
                    .search(job, clock, shared, &mut sink)
                    .expect("the position has a legal move");
                shared.stop.store(true, Ordering::SeqCst);
                Run {
                    answer,
                    completed,
                    nodes: shared.total_nodes(),
                }
            })
            .expect("a thread");
        thread::sleep(wait);
        shared.stop.store(true, Ordering::SeqCst);
        main.join().expect("no panic")
    })
}

/// A stop flag raised at a random moment: the answer is the last iteration that was reported, and
/// it is the iteration of that depth of an undisturbed search.
#[test]
fn a_stop_at_a_random_moment_gives_the_last_reported_iteration() {
    let mut random = Random::named("moments");
    let records = epd::sample("bratko-kopec-24.epd", 8);
    for record in records {
        let fen = record.fen();
        let whole = on_search_stack(|| Searcher::new(4).search(&game(&fen), Limits::depth(DEPTH)));
        for _ in 0..5 {
            let wait = Duration::from_millis(random.between(0, 40));
            let run = stopped_after(&fen, wait, 0);
            let last = run.completed.last().expect("depth 1 is always reported");
            assert_eq!(run.answer, last.iteration, "{} after {wait:?}", record.id());
            if let Some(same) = whole.completed.get(last.iteration.depth as usize - 1) {
                assert_eq!(run.answer, same.iteration, "{} after {wait:?}", record.id());
            }
        }
    }
}

/// With a second thread the trees differ from run to run, but the answer is still the last
/// iteration that the main worker completed, and its line is legal.
#[test]
fn two_threads_stopped_at_a_random_moment() {
    let mut random = Random::named("pairs");
    for record in epd::sample("bratko-kopec-24.epd", 12) {
        let fen = record.fen();
        for _ in 0..3 {
            let wait = Duration::from_millis(random.between(0, 60));
            let run = stopped_after(&fen, wait, 1);
            let last = run.completed.last().expect("depth 1 is always reported");
            assert_eq!(run.answer, last.iteration, "{} after {wait:?}", record.id());
            let game = game(&fen);
            play_out(&game, run.pv());
            if standpat::base::score::is_mate(run.score()) {
                assert!(
                    mates_as_promised(&game, &run),
                    "{}: {:?}",
                    record.id(),
                    run.pv()
                );
            }
        }
    }
}

/// A stop that is raised before the search begins still leaves the first iteration.
#[test]
fn a_stop_at_once_leaves_the_first_iteration() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "qqqqkqqq/qq6/8/8/8/8/QQ6/QQQQKQQQ w - - 0 1",
    ] {
        let run = stopped_after(fen, Duration::ZERO, 0);
        assert!(run.answer.depth >= 1 && !run.pv().is_empty());
    }
}
