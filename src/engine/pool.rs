//! The threads: they live as long as the engine, and each keeps its worker's memory.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::search::report::Silent;
use crate::search::{Clock, Iteration, Job, Shared, Sink, Worker};

use super::answer::Lead;
use super::control::Run;

/// What a thread of the pool does: a [`Worker`], or a stand-in for it in tests.
pub(super) trait Searcher {
    fn clear(&mut self);
    fn search(
        &mut self,
        job: &Job,
        clock: &Clock,
        shared: &Shared,
        sink: &mut dyn Sink,
    ) -> Option<Iteration>;
}

impl Searcher for Worker {
    fn clear(&mut self) {
        Worker::clear(self);
    }

    fn search(
        &mut self,
        job: &Job,
        clock: &Clock,
        shared: &Shared,
        sink: &mut dyn Sink,
    ) -> Option<Iteration> {
        Worker::search(self, job, clock, shared, sink)
    }
}

/// Makes the searcher of a thread, in that thread.
pub(super) type Factory = Arc<dyn Fn(usize) -> Box<dyn Searcher> + Send + Sync>;

/// What a helper thread has to say at the end of a search: its last completed iteration, or the
/// message of its panic.
pub(super) type Report = Result<Option<Iteration>, String>;

/// What a thread is asked to do.
enum Task {
    /// Search as the main thread, and answer.
    Lead(Lead),
    /// Search along with the main thread.
    Help(Arc<Run>, Sender<Report>),
    /// Forget the last game.
    Clear(Sender<()>),
    /// Say that everything before is done.
    Settle(Sender<()>),
}

/// The way to the helper threads.
pub(super) struct Helpers(Vec<Sender<Task>>);

impl Helpers {
    /// Makes all helpers search along. The reports end when each has reported or is gone.
    pub fn call(&self, run: &Arc<Run>) -> Receiver<Report> {
        let (report, reports) = unbounded();
        for helper in &self.0 {
            drop(helper.send(Task::Help(Arc::clone(run), report.clone())));
        }
        reports
    }
}

struct Thread {
    tasks: Sender<Task>,
    handle: JoinHandle<()>,
}

impl Thread {
    /// Starts a thread and waits until its worker is made.
    fn start(id: usize, factory: &Factory) -> io::Result<(Thread, Receiver<()>)> {
        let (tasks, inbox) = unbounded();
        let (ready, made) = bounded(1);
        let factory = Arc::clone(factory);
        let handle = thread::Builder::new()
            .name(format!("standpat-{id}"))
            .stack_size(Worker::STACK_BYTES)
            .spawn(move || serve(id, &inbox, &ready, &factory))?;
        Ok((Thread { tasks, handle }, made))
    }

    /// Sends a task. A thread that is gone lets it fall: whoever waits for it sees that.
    fn send(&self, task: Task) {
        drop(self.tasks.send(task));
    }

    fn end(self) {
        drop(self.tasks);
        // A thread that panicked is gone as well.
        drop(self.handle.join());
    }
}

fn serve(id: usize, inbox: &Receiver<Task>, ready: &Sender<()>, factory: &Factory) {
    let mut searcher = factory(id);
    // Nobody listens any more: then nobody waits either.
    let tell = |listener: &Sender<()>| listener.send(()).unwrap_or_default();
    tell(ready);
    for task in inbox {
        let broken = match task {
            Task::Lead(lead) => lead.search(&mut *searcher).is_err(),
            Task::Help(run, reports) => {
                // The search may be over before this thread has had its first turn.
                let report = if run.shared.stop.load(Ordering::Acquire) {
                    Ok(None)
                } else {
                    guarded_search(&mut *searcher, &run, &mut Silent)
                };
                let broken = report.is_err();
                drop(reports.send(report));
                broken
            }
            Task::Clear(listener) => {
                searcher.clear();
                tell(&listener);
                false
            }
            Task::Settle(listener) => {
                tell(&listener);
                false
            }
        };
        if broken {
            // A panic may have left it in any state.
            searcher = factory(id);
        }
    }
}

/// Searches; a panic stops all threads of the search and gives its message.
pub(super) fn guarded_search(
    searcher: &mut dyn Searcher,
    run: &Run,
    sink: &mut dyn Sink,
) -> Report {
    let search = || searcher.search(&run.job, &run.clock, &run.shared, sink);
    catch_unwind(AssertUnwindSafe(search)).map_err(|panic| {
        run.shared.stop.store(true, Ordering::Release);
        panic_message(&*panic)
    })
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
        .to_owned()
}

/// The threads, the main one first.
pub(super) struct Pool {
    threads: Vec<Thread>,
    factory: Factory,
}

impl Pool {
    pub fn new(factory: Factory) -> Pool {
        Pool {
            threads: Vec::new(),
            factory,
        }
    }

    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// Brings the pool to so many threads and waits until all are ready.
    ///
    /// # Errors
    ///
    /// When a thread cannot be had; those that could be are there.
    pub fn resize(&mut self, threads: usize) -> io::Result<()> {
        while self.threads.len() > threads
            && let Some(thread) = self.threads.pop()
        {
            thread.end();
        }
        let mut result = Ok(());
        let mut started = Vec::new();
        for id in self.threads.len()..threads {
            match Thread::start(id, &self.factory) {
                Ok(thread) => started.push(thread),
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        let mut whole = true;
        for (thread, made) in started {
            // Numbers must have no gap: what comes after a thread that failed is let go.
            whole &= made.recv().is_ok();
            if whole {
                self.threads.push(thread);
            } else {
                thread.end();
            }
        }
        if !whole && result.is_ok() {
            result = Err(io::Error::other("a thread ended before it began"));
        }
        result
    }

    /// Replaces every thread's searcher by one of another factory.
    ///
    /// # Errors
    ///
    /// When a thread cannot be had again; those that could be are there.
    pub fn rebuild(&mut self, factory: Factory) -> io::Result<()> {
        let threads = self.len();
        self.resize(0)?;
        self.factory = factory;
        self.resize(threads)
    }

    /// Hands a search to the main thread, which calls the others.
    pub fn search(&self, lead: impl FnOnce(Helpers) -> Lead) {
        let mut tasks = self.threads.iter().map(|thread| thread.tasks.clone());
        let main = tasks.next();
        let lead = lead(Helpers(tasks.collect()));
        if let Some(main) = main {
            // A lead that cannot be sent is dropped, which answers.
            drop(main.send(Task::Lead(lead)));
        }
    }

    /// Makes all threads forget the last game.
    pub fn clear(&self) {
        self.all(Task::Clear);
    }

    /// Waits until no thread holds on to a search.
    pub fn settle(&self) {
        self.all(Task::Settle);
    }

    fn all(&self, task: fn(Sender<()>) -> Task) {
        let (listener, done) = unbounded();
        for thread in &self.threads {
            thread.send(task(listener.clone()));
        }
        drop(listener);
        // Ends when each thread has answered or is gone.
        done.iter().for_each(drop);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // All are told to end before the first is waited for.
        let handles: Vec<_> = self.threads.drain(..).map(|thread| thread.handle).collect();
        for handle in handles {
            drop(handle.join());
        }
    }
}
