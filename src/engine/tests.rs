//! The engine's promises, some with workers that follow a script.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, unbounded};

use super::*;
use crate::base::score::{Bound, mate_in, mated_in};
use crate::board::Move;
use crate::search::report::{Line, Progress};
use crate::search::{Event, Iteration};

const PATIENCE: Duration = Duration::from_secs(20);
const MATED: &str = "R5k1/5ppp/8/8/8/8/8/7K b - - 0 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

type Play = dyn Fn(usize, &Scene, &mut dyn Sink) -> Option<Iteration> + Send + Sync;

/// A searcher that follows a script.
struct Scripted {
    id: usize,
    play: Arc<Play>,
}

impl Searcher for Scripted {
    fn clear(&mut self) {}

    fn search(
        &mut self,
        job: &Job,
        _: &Clock,
        shared: &Shared,
        sink: &mut dyn Sink,
    ) -> Option<Iteration> {
        (self.play)(self.id, &Scene { job, shared }, sink)
    }
}

/// What a script sees.
struct Scene<'a> {
    job: &'a Job,
    shared: &'a Shared,
}

impl Scene<'_> {
    fn until_stopped(&self) {
        while !self.shared.stop.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn legal(&self, text: &str) -> Move {
        self.job.game.parse_uci(text).unwrap()
    }
}

fn scripted(
    threads: u32,
    play: impl Fn(usize, &Scene, &mut dyn Sink) -> Option<Iteration> + Send + Sync + 'static,
) -> Engine {
    let play: Arc<Play> = Arc::new(play);
    let factory: Factory = Arc::new(move |id| {
        Box::new(Scripted {
            id,
            play: Arc::clone(&play),
        }) as _
    });
    let options = Options {
        threads,
        hash: 1,
        ..Options::default()
    };
    Engine::with_searchers(options, factory).unwrap()
}

fn real(threads: u32) -> Engine {
    Engine::new(Options {
        threads,
        hash: 1,
        ..Options::default()
    })
    .unwrap()
}

fn line(mv: Move, score: i32, depth: u32, bound: Bound) -> Line {
    Line {
        multipv: 1,
        depth,
        seldepth: depth,
        score,
        bound,
        pv: vec![mv],
    }
}

fn iteration(mv: Move, score: i32, depth: u32) -> Iteration {
    Iteration {
        depth,
        lines: vec![line(mv, score, depth, Bound::Exact)],
    }
}

fn start(engine: &mut Engine, game: Game, limits: Limits) -> Receiver<Event> {
    let (sender, events) = unbounded();
    let sink = move |event| sender.send(event).unwrap_or_default();
    engine
        .go(game, limits, Instant::now(), Box::new(sink))
        .unwrap();
    events
}

/// All events up to the answer, and the check that nothing follows it.
fn finish(events: &Receiver<Event>) -> Vec<Event> {
    let mut all = Vec::new();
    loop {
        let event = events.recv_timeout(PATIENCE).expect("an answer");
        let last = matches!(event, Event::Finished { .. });
        all.push(event);
        if last {
            // The sink is dropped after its last event: the channel must be empty and closed.
            assert!(events.recv_timeout(PATIENCE).unwrap_err().is_disconnected());
            return all;
        }
    }
}

fn best(events: &[Event]) -> Option<Move> {
    match events.last() {
        Some(Event::Finished { best, .. }) => *best,
        other => panic!("{other:?}"),
    }
}

/// The last line before the answer: it must be exact.
fn last_line(events: &[Event]) -> &Line {
    match events
        .iter()
        .rev()
        .find(|event| matches!(event, Event::Line(..)))
    {
        Some(Event::Line(line, _)) if line.bound == Bound::Exact => line,
        other => panic!("{other:?}"),
    }
}

fn notes(events: &[Event]) -> Vec<&str> {
    let mut notes = Vec::new();
    for event in events {
        if let Event::Note(text) = event {
            notes.push(text.as_str());
        }
    }
    notes
}

fn infinite() -> Limits {
    Limits {
        infinite: true,
        ..Limits::default()
    }
}

#[test]
fn every_go_is_answered_by_the_line_told_last() {
    for threads in [1, 3] {
        let mut engine = real(threads);
        for limits in [
            Limits::depth(4),
            Limits::nodes(1),
            Limits::nodes(5000),
            Limits {
                move_time: Some(Duration::ZERO),
                ..Limits::default()
            },
            Limits {
                move_time: Some(Duration::from_millis(30)),
                ..Limits::default()
            },
        ] {
            let events = finish(&start(&mut engine, Game::start(), limits));
            let best = best(&events).expect("a move");
            assert!(Game::start().legal_moves().contains(&best));
            let pv = &last_line(&events).pv;
            assert_eq!(pv[0], best);
            let Some(Event::Finished { ponder, .. }) = events.last() else {
                panic!()
            };
            assert_eq!(*ponder, pv.get(1).copied());
            assert!(!engine.is_searching());
        }
    }
}

#[test]
fn an_infinite_search_that_has_ended_waits_for_stop() {
    let mut engine = scripted(2, |_, run, _| Some(iteration(run.legal("e2e4"), 10, 5)));
    let events = start(&mut engine, Game::start(), infinite());
    assert!(events.recv_timeout(Duration::from_millis(100)).is_err());
    assert!(engine.is_searching() && !engine.is_stopping());
    // The opponent's move is not what it waits for.
    engine.ponder_hit();
    assert!(events.recv_timeout(Duration::from_millis(50)).is_err());
    engine.stop();
    assert!(best(&finish(&events)).is_some());
}

#[test]
fn a_pondering_search_waits_for_the_hit_or_stop() {
    let mut engine = real(2);
    for hit in [true, false] {
        let limits = Limits {
            ponder: true,
            ..Limits::depth(1)
        };
        let events = start(&mut engine, Game::start(), limits);
        std::thread::sleep(Duration::from_millis(50));
        assert!(
            !events
                .try_iter()
                .any(|event| matches!(event, Event::Finished { .. }))
        );
        if hit {
            engine.ponder_hit()
        } else {
            engine.handle().stop()
        }
        assert!(best(&finish(&events)).is_some());
    }
}

#[test]
fn stop_and_ponderhit_while_idle_are_not_remembered() {
    let mut engine = real(1);
    engine.stop();
    engine.ponder_hit();
    let events = start(&mut engine, Game::start(), infinite());
    std::thread::sleep(Duration::from_millis(100));
    assert!(engine.is_searching());
    engine.stop();
    let events = finish(&events);
    assert!(last_line(&events).depth > 3);
}

#[test]
fn go_and_stop_at_once_gives_one_answer_each() {
    let mut engine = real(2);
    for _ in 0..200 {
        let events = start(&mut engine, Game::start(), infinite());
        engine.stop();
        engine.stop();
        assert!(best(&finish(&events)).is_some());
        engine.wait();
    }
}

#[test]
fn a_second_go_is_refused_and_so_is_what_needs_an_idle_engine() {
    let mut engine = real(1);
    let events = start(&mut engine, Game::start(), infinite());
    let sink = Box::new(crate::search::report::Silent);
    assert_eq!(
        engine.go(Game::start(), infinite(), Instant::now(), sink),
        Err(Busy)
    );
    assert_eq!(engine.new_game(), Err(Busy));
    for name in ["Hash", "Threads"] {
        assert!(matches!(
            engine.set_option(name, Some("2")),
            Err(EngineError::Busy)
        ));
    }
    assert!(engine.set_option("MultiPV", Some("2")).is_ok());
    assert_eq!((engine.options().hash, engine.options().threads), (1, 1));
    engine.stop();
    finish(&events);
}

#[test]
fn a_finished_game_has_a_score_and_no_move() {
    let mut engine = real(2);
    for (fen, score) in [(MATED, mated_in(0)), (STALEMATE, 0)] {
        let game = Game::from_fen(fen).unwrap();
        let events = finish(&start(&mut engine, game.clone(), Limits::depth(3)));
        assert_eq!(best(&events), None);
        assert_eq!(
            (last_line(&events).depth, last_line(&events).score),
            (0, score)
        );
        let events = start(&mut engine, game, infinite());
        std::thread::sleep(Duration::from_millis(20));
        assert!(engine.is_searching());
        engine.stop();
        assert_eq!(best(&finish(&events)), None);
    }
}

#[test]
fn a_panic_of_the_main_thread_is_told_and_survived() {
    let panics = AtomicUsize::new(1);
    let mut engine = scripted(2, move |id, run, sink| {
        let mv = run.legal("g1f3");
        if id > 0 {
            run.until_stopped();
            return None;
        }
        let progress = Progress::default();
        sink.event(Event::Line(line(mv, 7, 3, Bound::Exact), progress));
        if panics
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1))
            .is_ok()
        {
            panic!("by the script");
        }
        Some(iteration(mv, 7, 3))
    });
    let events = finish(&start(&mut engine, Game::start(), Limits::depth(3)));
    assert_eq!(
        notes(&events),
        ["error: a search thread failed: by the script"]
    );
    assert_eq!(best(&events), Game::start().parse_uci("g1f3"));
    let events = finish(&start(&mut engine, Game::start(), Limits::depth(3)));
    assert_eq!(notes(&events), [""; 0]);
}

#[test]
fn a_panic_of_all_threads_still_gives_a_legal_move() {
    let mut engine = scripted(3, |_, _, _| panic!("all of us"));
    for _ in 0..2 {
        let events = finish(&start(&mut engine, Game::start(), Limits::depth(3)));
        // Those that have not begun when the first one fails need not begin at all.
        assert!((1..=3).contains(&notes(&events).len()));
        assert!(
            Game::start()
                .legal_moves()
                .contains(&best(&events).unwrap())
        );
    }
}

#[test]
fn a_panic_of_a_helper_stops_the_others() {
    let mut engine = scripted(3, |id, run, _| {
        if id == 2 {
            panic!("number two");
        }
        run.until_stopped();
        Some(iteration(run.legal("e2e4"), 10, 5))
    });
    let events = finish(&start(&mut engine, Game::start(), Limits::depth(60)));
    assert_eq!(
        notes(&events),
        ["error: a search thread failed: number two"]
    );
    assert_eq!(best(&events), Game::start().parse_uci("e2e4"));
}

#[test]
fn a_helper_that_wins_the_vote_is_told_before_it_is_played() {
    let begun = AtomicUsize::new(0);
    let mut engine = scripted(2, move |id, run, sink| {
        let (quiet, mate) = (run.legal("e2e4"), run.legal("d2d4"));
        if id == 1 {
            begun.store(1, Ordering::SeqCst);
            return Some(iteration(mate, mate_in(5), 9));
        }
        while begun.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        // Time enough for the helper's report, whatever else the machine does.
        std::thread::sleep(Duration::from_millis(200));
        let told = iteration(quiet, 10, 12);
        sink.event(Event::Line(told.lines[0].clone(), Progress::default()));
        Some(told)
    });
    let events = finish(&start(&mut engine, Game::start(), Limits::depth(12)));
    assert_eq!(best(&events), Game::start().parse_uci("d2d4"));
    assert_eq!(
        (last_line(&events).score, last_line(&events).depth),
        (mate_in(5), 9)
    );
}

#[test]
fn a_bound_of_an_unfinished_iteration_is_followed_by_the_exact_line() {
    let mut engine = scripted(1, |_, run, sink| {
        let (old, new) = (run.legal("e2e4"), run.legal("d2d4"));
        let done = iteration(old, 10, 7);
        sink.event(Event::Line(done.lines[0].clone(), Progress::default()));
        sink.event(Event::Line(
            line(new, 40, 8, Bound::Lower),
            Progress::default(),
        ));
        Some(done)
    });
    let events = finish(&start(&mut engine, Game::start(), Limits::depth(9)));
    assert_eq!(events.len(), 4);
    assert_eq!(
        last_line(&events).pv,
        [Game::start().parse_uci("e2e4").unwrap()]
    );
}

#[test]
fn a_reply_is_given_only_when_it_is_legal() {
    for (reply, expected) in [("e7e5", true), ("e2e4", false)] {
        let mut engine = scripted(1, move |_, run, _| {
            let mut found = iteration(run.legal("e2e4"), 10, 5);
            let mut game = run.job.game.clone();
            if reply == "e7e5" {
                game.play(run.legal("e2e4"));
            }
            found.lines[0].pv.push(game.parse_uci(reply).unwrap());
            Some(found)
        });
        let events = finish(&start(&mut engine, Game::start(), Limits::depth(5)));
        let Some(Event::Finished { ponder, .. }) = events.last() else {
            panic!()
        };
        assert_eq!(ponder.is_some(), expected);
    }
}

#[test]
fn the_hard_limit_ends_a_search_that_does_not_look_at_the_clock() {
    let mut engine = scripted(2, |_, run, _| {
        run.until_stopped();
        Some(iteration(run.legal("e2e4"), 10, 5))
    });
    let limits = Limits {
        move_time: Some(Duration::from_millis(60)),
        ..Limits::default()
    };
    let begun = Instant::now();
    finish(&start(&mut engine, Game::start(), limits.clone()));
    assert!(begun.elapsed() >= Duration::from_millis(45));
    let events = start(
        &mut engine,
        Game::start(),
        Limits {
            ponder: true,
            ..limits
        },
    );
    assert!(events.recv_timeout(Duration::from_millis(150)).is_err());
    engine.ponder_hit();
    finish(&events);
}

#[test]
fn a_helper_that_lags_behind_does_not_delay_the_answer_nor_spoil_the_next() {
    let laggard = AtomicUsize::new(0);
    let mut engine = scripted(2, move |id, run, _| {
        if id == 1 && laggard.fetch_add(1, Ordering::SeqCst) == 0 {
            // It does not see the flag for a while.
            std::thread::sleep(Duration::from_millis(400));
        }
        while id == 0 && laggard.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        Some(iteration(run.legal("e2e4"), 10, 5))
    });
    let begun = Instant::now();
    let events = start(&mut engine, Game::start(), Limits::depth(5));
    assert!(matches!(events.recv_timeout(PATIENCE), Ok(Event::Line(..))));
    assert!(matches!(
        events.recv_timeout(PATIENCE),
        Ok(Event::Finished { .. })
    ));
    assert!(begun.elapsed() < Duration::from_millis(350));
    let events = start(&mut engine, Game::start(), infinite());
    engine.stop();
    assert!(best(&finish(&events)).is_some());
}

#[test]
fn the_table_keeps_its_content_when_threads_come_and_go() {
    let mut engine = real(1);
    finish(&start(&mut engine, Game::start(), Limits::depth(6)));
    let key = Game::start().position().key();
    assert!(engine.shared.table.probe(key).is_some());
    for threads in ["4", "1", "2"] {
        engine.set_option("Threads", Some(threads)).unwrap();
        assert_eq!(engine.options().threads.to_string(), threads);
        assert_eq!(engine.shared.nodes.len().to_string(), threads);
        assert!(engine.shared.table.probe(key).is_some());
        finish(&start(&mut engine, Game::start(), Limits::depth(3)));
    }
    engine.set_option("Clear Hash", None).unwrap();
    assert!(engine.shared.table.probe(key).is_none());
}

#[test]
fn a_table_that_cannot_be_had_leaves_the_old_one() {
    let mut engine = real(1);
    engine.set_option("Hash", Some("3")).unwrap();
    assert_eq!(engine.shared.table.mib(), 3);
    // 32 TiB: more than almost any machine gives.
    match engine.set_option("Hash", Some("33554432")) {
        Err(EngineError::Table(_)) => assert_eq!(engine.shared.table.mib(), 3),
        other => assert!(other.is_ok()),
    }
    assert_eq!(engine.options().hash as usize, engine.shared.table.mib());
    engine.set_option("Hash", Some("1")).unwrap();
    assert_eq!(engine.shared.table.mib(), 1);
}

#[test]
fn a_new_game_gives_the_same_search_again() {
    let mut engine = real(1);
    let search = |engine: &mut Engine| {
        engine.new_game().unwrap();
        let events = finish(&start(engine, Game::start(), Limits::depth(8)));
        let Some(Event::Line(line, progress)) = events.iter().rev().nth(1) else {
            panic!()
        };
        (progress.nodes, line.clone())
    };
    let first = search(&mut engine);
    finish(&start(
        &mut engine,
        Game::from_fen(MATED).unwrap(),
        Limits::depth(8),
    ));
    finish(&start(
        &mut engine,
        Game::chess960_start(3),
        Limits::depth(5),
    ));
    assert_eq!(search(&mut engine), first);
}
