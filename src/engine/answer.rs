//! The end of a search: from what the threads have found to one answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use crate::base::score::{Bound, DRAW, mated_in};
use crate::board::{Game, Move};
use crate::search::report::{Line, Progress, TreeCounts};
use crate::search::{Event, Iteration, Sink};

use super::control::{Control, Run};
use super::pool::{Helpers, Report, Searcher, guarded_search};
use super::vote::{Candidate, vote};

/// How long the answer waits for what the helpers found. They report within microseconds unless
/// the processors are busy with other work, and then the clock matters more than their votes.
const GRACE: Duration = Duration::from_millis(2);

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
            tree: TreeCounts::default(),
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
    helpers: Helpers,
}

/// The main thread's searcher has panicked.
pub(super) struct Broken;

impl Lead {
    pub fn new(
        run: Arc<Run>,
        control: Arc<Control>,
        sink: Box<dyn Sink + Send>,
        helpers: Helpers,
    ) -> Lead {
        Lead {
            promise: Promise {
                run,
                control,
                sink,
                kept: false,
            },
            helpers,
        }
    }

    /// Searches and answers, exactly once whatever happens. Returns when no helper works for this
    /// search any more, which may be later.
    pub fn search(self, searcher: &mut dyn Searcher) -> Result<(), Broken> {
        let Lead {
            mut promise,
            helpers,
        } = self;
        let run = Arc::clone(&promise.run);
        promise.control.start(&run);
        if let Some(line) = final_line(&run.job.game) {
            promise.sink.event(Event::Line(line, promise.progress()));
            promise.control.hold();
            promise.keep(None, None);
            return Ok(());
        }

        let reports = helpers.call(&run);
        let mut tracker = Tracker {
            sink: &mut *promise.sink,
            told: Vec::new(),
            best: None,
        };
        let own = guarded_search(searcher, &run, &mut tracker);
        let Tracker { told, best, .. } = tracker;
        run.shared.stop.store(true, Ordering::Release);
        let result = if own.is_ok() { Ok(()) } else { Err(Broken) };

        let found = promise.gather(own, &reports);
        promise.control.hold();
        promise.answer(&found, &told, best);
        drop(promise);
        reports.iter().for_each(drop);
        result
    }
}

impl Promise {
    /// The completed iterations, the main thread's first.
    fn gather(&mut self, own: Report, reports: &Receiver<Report>) -> Vec<Iteration> {
        let deadline = Instant::now() + GRACE;
        let mut found = Vec::new();
        let mut report = Ok(own);
        // Ends early when each helper has reported or is gone.
        while let Ok(next) = report {
            match next {
                Ok(iteration) => found.extend(iteration),
                Err(message) => self.note(format!("error: a search thread failed: {message}")),
            }
            report = reports.recv_deadline(deadline);
        }
        found
    }

    /// Answers with the best of what was found, after its exact lines if they are not what was
    /// `told` last; with nothing found, with the last exact line's move or any other.
    fn answer(&mut self, found: &[Iteration], told: &[Line], last: Option<Line>) {
        let game = &self.run.job.game;
        let any = game.legal_moves().first().copied();
        let Some(iteration) = chosen(found, self.run.job.multi_pv) else {
            let last = last.and_then(|line| line.pv.first().copied());
            return self.keep(last.or(any), None);
        };
        let pv = iteration.lines.first().map_or(&[][..], |line| &line.pv);
        let (best, reply) = (pv.first().copied().or(any), reply(game, pv));
        if told != iteration.lines {
            let progress = self.progress();
            for line in &iteration.lines {
                self.sink.event(Event::Line(line.clone(), progress));
            }
        }
        self.keep(best, reply);
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
