//! Who may stop a search, and when its answer may be given.
//!
//! The pool's threads, the thread of the caller, a reader of input and a timer all meet here. A
//! search is *running* from [`Control::begin`] to [`Control::finish`]; between the two `stop` and
//! `ponderhit` reach it, and outside of them both do nothing and are not remembered.

use std::fmt;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::search::{Clock, Job, Shared};

/// One `go`.
pub(super) struct Run {
    pub job: Job,
    pub clock: Clock,
    pub shared: Arc<Shared>,
}

impl Run {
    /// Must the answer wait for `stop` or `ponderhit` even when the search has ended?
    fn is_held(&self) -> bool {
        self.job.limits.infinite || self.clock.is_pondering()
    }
}

/// A search is running already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy;

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a search is running")
    }
}

impl std::error::Error for Busy {}

#[derive(Default)]
struct State {
    run: Option<Arc<Run>>,
    /// `stop` has come for the run.
    stopped: bool,
    /// The run's hard limit has passed and its flag is raised.
    expired: bool,
    /// The engine goes away.
    closed: bool,
}

/// The state of the search that runs, if one does.
#[derive(Default)]
pub(super) struct Control {
    state: Mutex<State>,
    changed: Condvar,
}

impl Control {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, mut condition: impl FnMut(&State) -> bool) {
        let state = self
            .changed
            .wait_while(self.lock(), |state| condition(state));
        drop(state.unwrap_or_else(PoisonError::into_inner));
    }

    /// Registers a search. From here on `stop` is meant for it.
    pub fn begin(&self, run: &Arc<Run>) -> Result<(), Busy> {
        let mut state = self.lock();
        if state.run.is_some() {
            return Err(Busy);
        }
        state.stopped = false;
        state.expired = false;
        state.run = Some(Arc::clone(run));
        self.changed.notify_all();
        Ok(())
    }

    /// Lowers the flag that ended the last search, unless this one has been told to end meanwhile.
    /// Called when no thread works for the last one any more.
    pub fn start(&self, run: &Run) {
        let state = self.lock();
        run.shared.start();
        if state.stopped || state.expired {
            run.shared.stop.store(true, Ordering::Release);
        }
    }

    /// Ends the search as soon as its threads see it.
    pub fn stop(&self) {
        let mut state = self.lock();
        if let Some(run) = &state.run {
            run.shared.stop.store(true, Ordering::Release);
            state.stopped = true;
            self.changed.notify_all();
        }
    }

    /// The opponent played the expected move: from now on the limits hold.
    pub fn ponder_hit(&self) {
        let state = self.lock();
        if let Some(run) = &state.run {
            run.clock.ponder_hit();
            self.changed.notify_all();
        }
    }

    /// Waits until the answer of the search that runs may be given.
    pub fn hold(&self) {
        self.wait_while(|state| {
            !state.stopped && state.run.as_ref().is_some_and(|run| run.is_held())
        });
    }

    /// Gives the answer by `answer` and ends the search. Nobody can begin another, nor see that
    /// this one is over, before the answer is given.
    pub fn finish(&self, answer: impl FnOnce()) {
        let mut state = self.lock();
        answer();
        state.run = None;
        self.changed.notify_all();
    }

    /// Waits until no search is running.
    pub fn wait(&self) {
        self.wait_while(|state| state.run.is_some());
    }

    pub fn is_running(&self) -> bool {
        self.lock().run.is_some()
    }

    /// Is a search running that `stop` has reached?
    pub fn is_stopping(&self) -> bool {
        let state = self.lock();
        state.run.is_some() && state.stopped
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Raises the stop flag of each run whose hard limit passes.
    ///
    /// The main worker reads the clock by itself; but with more threads than processors it may
    /// have to wait for its turn when the limit passes. A thread that slept gets its turn at once,
    /// and the flag makes all others give up theirs.
    fn watch(&self) {
        let mut state = self.lock();
        while !state.closed {
            let left = state
                .run
                .as_ref()
                .filter(|run| !run.is_held())
                .and_then(|run| {
                    let (_, hard) = run.clock.limits();
                    hard.map(|hard| hard.saturating_sub(run.clock.elapsed()))
                });
            state = match left {
                Some(left) if !state.expired => {
                    if left.is_zero() {
                        if let Some(run) = &state.run {
                            run.shared.stop.store(true, Ordering::Release);
                        }
                        state.expired = true;
                        continue;
                    }
                    match self.changed.wait_timeout(state, left) {
                        Ok((state, _)) => state,
                        Err(poisoned) => poisoned.into_inner().0,
                    }
                }
                _ => self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

/// The thread that watches the hard limits.
pub(super) struct Watch {
    control: Arc<Control>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// # Errors
    ///
    /// When the thread cannot be started. Searches end without it too, only less punctually.
    pub fn start(control: &Arc<Control>) -> io::Result<Watch> {
        let watched = Arc::clone(control);
        let thread = thread::Builder::new()
            .name("standpat-clock".to_owned())
            .spawn(move || watched.watch())?;
        Ok(Watch {
            control: Arc::clone(control),
            thread: Some(thread),
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.control.close();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked is gone as well.
            drop(thread.join());
        }
    }
}

/// Reaches the search that runs from any thread.
#[derive(Clone)]
pub struct Handle {
    control: Arc<Control>,
}

impl Handle {
    pub(super) fn new(control: &Arc<Control>) -> Handle {
        Handle {
            control: Arc::clone(control),
        }
    }

    /// As [`Engine::stop`](super::Engine::stop).
    pub fn stop(&self) {
        self.control.stop();
    }

    /// As [`Engine::ponder_hit`](super::Engine::ponder_hit).
    pub fn ponder_hit(&self) {
        self.control.ponder_hit();
    }
}
