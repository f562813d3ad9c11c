//! The end of a search: from what the threads have found to one answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_channel::Receiver;

use crate::base::score::{Bound, DRAW, mated_in};
use crate::board::{Game, Move};
use crate::search::report::{Line, Progress};
use crate::search::{Event, Iteration, Sink};

use super::control::{Control, Run};
use super::pool::{Report, Searcher, guarded_search};
use super::vote::{Candidate, vote};

/// Passes events on and remembers what the client has been told.
struct Tracker<'a> {
    sink: &'a mut dyn Sink,
    /// The lines since the last one with number 1.
    told: Vec<Line>,
    /// The last exact best line: what can be played when all else fails.
    best: Option<Line>,
}

impl Sink for Tracker<'_> {
    fn event(&mut self, event: Event) {
        if let Event::Line(line, _) = &event {
            if line.multipv == 1 {
                self.told.clear();
                if line.bound == Bound::Exact {
                    self.best = Some(line.clone());
                }
            }
            self.told.push(line.clone());
        }
        self.sink.event(event);
    }
}

/// The debt of one answer: dropped without having given one, as by a panic, it gives a legal move.
struct Promise {
    run: Arc<Run>,
    control: Arc<Control>,
    sink: Box<dyn Sink + Send>,
    kept: bool,
}

impl Promise {
    fn note(&mut self, text: String) {
        self.sink.event(Event::Note(text));
    }

    fn progress(&self) -> Progress {
        Progress {
            elapsed: self.run.clock.elapsed(),
            nodes: self.run.shared.total_nodes(),
            hashfull: self.run.shared.table.hashfull(),
            tb_hits: 0,
        }
    }

    fn keep(&mut self, best: Option<Move>, ponder: Option<Move>) {
        self.kept = true;
        let sink = &mut self.sink;
        self.control
            .finish(|| sink.event(Event::Finished { best, ponder }));
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if !self.kept {
            self.run.shared.stop.store(true, Ordering::Release);
            self.note("error: the search has failed; any legal move is played".to_owned());
            let any = self.run.job.game.legal_moves().first().copied();
            self.keep(any, None);
        }
    }
}

/// The main thread's part of a search: to search, to gather what the others found, to answer.
pub(super) struct Lead {
    promise: Promise,
    reports: Receiver<Report>,
}

/// The main thread's searcher has panicked.
pub(super) struct Broken;

impl Lead {
    pub fn new(
        run: Arc<Run>,
        control: Arc<Control>,
        sink: Box<dyn Sink + Send>,
        reports: Receiver<Report>,
    ) -> Lead {
        Lead {
            promise: Promise {
                run,
                control,
                sink,
                kept: false,
            },
            reports,
        }
    }

    /// Searches and answers, exactly once whatever happens.
    pub fn search(self, searcher: &mut dyn Searcher) -> Result<(), Broken> {
        let Lead {
            mut promise,
            reports,
        } = self;
        let run = Arc::clone(&promise.run);
        if let Some(line) = final_line(&run.job.game) {
            run.shared.stop.store(true, Ordering::Release);
            promise.sink.event(Event::Line(line, promise.progress()));
            promise.control.hold();
            promise.keep(None, None);
            return Ok(());
        }

        let mut tracker = Tracker {
            sink: &mut *promise.sink,
            told: Vec::new(),
            best: None,
        };
        let own = guarded_search(searcher, &run, &mut tracker);
        let Tracker { told, best, .. } = tracker;
        run.shared.stop.store(true, Ordering::Release);
        let broken = own.is_err();

        // Ends when each helper has reported or is gone.
        let mut found = Vec::new();
        for report in std::iter::once(own).chain(reports.iter()) {
            match report {
                Ok(iteration) => found.extend(iteration),
                Err(message) => promise.note(format!("error: a search thread failed: {message}")),
            }
        }
        promise.control.hold();
        let any = || run.job.game.legal_moves().first().copied();
        let Some(iteration) = chosen(&found, run.job.multi_pv) else {
            let last = best.and_then(|line| line.pv.first().copied());
            promise.keep(last.or_else(any), None);
            return if broken { Err(Broken) } else { Ok(()) };
        };
        if told != iteration.lines {
            let progress = promise.progress();
            for line in &iteration.lines {
                promise.sink.event(Event::Line(line.clone(), progress));
            }
        }
        let pv = iteration.lines.first().map_or(&[][..], |line| &line.pv);
        promise.keep(pv.first().copied().or_else(any), reply(&run.job.game, pv));
        if broken { Err(Broken) } else { Ok(()) }
    }
}

/// The line of a position without a move: mated, or stalemate.
fn final_line(game: &Game) -> Option<Line> {
    let pos = game.position();
    if pos.has_legal_move() {
        return None;
    }
    let score = if pos.in_check() { mated_in(0) } else { DRAW };
    Some(Line {
        multipv: 1,
        depth: 0,
        seldepth: 0,
        score,
        bound: Bound::Exact,
        pv: Vec::new(),
    })
}

/// The iteration that is played. With several lines asked for it is the main thread's, which is
/// the only one to have searched them all.
fn chosen(found: &[Iteration], multi_pv: usize) -> Option<&Iteration> {
    if multi_pv > 1 {
        return found.first();
    }
    let (index, candidates): (Vec<usize>, Vec<Candidate>) = found
        .iter()
        .enumerate()
        .filter_map(|(index, iteration)| Some((index, Candidate::of(iteration)?)))
        .unzip();
    found.get(*index.get(vote(&candidates)?)?)
}

/// The expected reply: the second move of the line, when it is legal after the first.
fn reply(game: &Game, pv: &[Move]) -> Option<Move> {
    let &[best, reply, ..] = pv else { return None };
    let pos = game.position().play(best);
    (pos.is_pseudo_legal(reply) && pos.is_legal(reply)).then_some(reply)
}
