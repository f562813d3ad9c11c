//! Threads that work through phases of tasks together.
//!
//! A phase ends when its tasks are done, not when all threads have arrived: on a busy machine a
//! thread that is not on a processor holds nobody up, unless it was taken off in mid-task. Who has
//! nothing to do spins for a moment, since phases are short, and then sleeps, so that its share of
//! the processor is there when it wakes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Spins before a thread goes to sleep: some tens of microseconds.
const SPINS: u32 = 2000;

/// A thread of the crew has died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

/// What a crew works through.
pub trait Plan: Sync {
    /// What each thread has for itself.
    type Scratch;

    /// How many tasks a phase has, at least one; `None` after the last phase.
    fn tasks(&self, phase: usize) -> Option<usize>;

    /// Does a task.
    fn run(&self, phase: usize, task: usize, scratch: &mut Self::Scratch);

    /// Called once, by one thread, when all tasks of a phase are done.
    fn finish(&self, phase: usize);
}

struct State {
    phase: usize,
    /// Tasks of the phase; none after the last one.
    tasks: Option<usize>,
    /// The next one to be given out.
    next: usize,
    /// How many are done.
    done: usize,
    broken: bool,
}

struct Crew<'a, P: Plan> {
    plan: &'a P,
    state: Mutex<State>,
    changed: Condvar,
    /// Changes whenever the state's phase does: to spin on.
    phase: AtomicUsize,
}

/// What a thread shall do next.
enum Order {
    /// This task of this phase.
    Run(usize, usize),
    /// Wait for this phase to end.
    Wait(usize),
    /// Go home.
    Leave(Result<(), Broken>),
}

/// Works through a plan, with one thread for each scratch.
pub fn work<P: Plan>(plan: &P, scratches: Vec<P::Scratch>) -> Result<(), Broken>
where
    P::Scratch: Send,
{
    let crew = Crew {
        plan,
        state: Mutex::new(State {
            phase: 0,
            tasks: plan.tasks(0),
            next: 0,
            done: 0,
            broken: false,
        }),
        changed: Condvar::new(),
        phase: AtomicUsize::new(0),
    };
    std::thread::scope(|scope| {
        let serve = |mut scratch| {
            let crew = &crew;
            scope.spawn(move || crew.serve(&mut scratch))
        };
        let threads: Vec<_> = scratches.into_iter().map(serve).collect();
        let well = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or(Err(Broken)));
        // All are waited for, whatever the first one says.
        well.collect::<Vec<_>>().into_iter().collect()
    })
}

impl<P: Plan> Crew<'_, P> {
    fn serve(&self, scratch: &mut P::Scratch) -> Result<(), Broken> {
        let _guard = Guard(self);
        loop {
            match self.order() {
                Order::Run(phase, task) => {
                    self.plan.run(phase, task, scratch);
                    self.complete(phase);
                }
                Order::Wait(phase) => self.wait(phase),
                Order::Leave(result) => return result,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn order(&self) -> Order {
        let mut state = self.lock();
        match state.tasks {
            _ if state.broken => Order::Leave(Err(Broken)),
            None => Order::Leave(Ok(())),
            Some(tasks) if state.next == tasks => Order::Wait(state.phase),
            Some(_) => {
                state.next += 1;
                Order::Run(state.phase, state.next - 1)
            }
        }
    }

    /// Counts a task of the current phase as done; after the last one the next phase begins.
    fn complete(&self, phase: usize) {
        let mut state = self.lock();
        state.done += 1;
        if Some(state.done) != state.tasks {
            return;
        }
        // Nobody else can do anything until the phase changes.
        drop(state);
        self.plan.finish(phase);
        let tasks = self.plan.tasks(phase + 1);
        let mut state = self.lock();
        state.phase = phase + 1;
        state.tasks = tasks;
        state.next = 0;
        state.done = 0;
        self.phase.store(phase + 1, Ordering::Release);
        drop(state);
        self.changed.notify_all();
    }

    fn wait(&self, phase: usize) {
        for _ in 0..SPINS {
            if self.phase.load(Ordering::Acquire) != phase {
                return;
            }
            std::hint::spin_loop();
        }
        let waiting = |state: &mut State| state.phase == phase && !state.broken;
        let state = self.changed.wait_while(self.lock(), waiting);
        drop(state.unwrap_or_else(PoisonError::into_inner));
    }
}

/// Sends all others home if its thread panics.
struct Guard<'a, 'b, P: Plan>(&'a Crew<'b, P>);

impl<P: Plan> Drop for Guard<'_, '_, P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().broken = true;
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Phases of up to four tasks; each task adds one to its phase's count.
    struct Counting {
        counts: Vec<AtomicUsize>,
        finished: AtomicUsize,
        dying: Option<usize>,
    }

    impl Counting {
        fn new(phases: usize, dying: Option<usize>) -> Counting {
            Counting {
                counts: (0..phases).map(|_| AtomicUsize::new(0)).collect(),
                finished: AtomicUsize::new(0),
                dying,
            }
        }
    }

    impl Plan for Counting {
        type Scratch = usize;

        fn tasks(&self, phase: usize) -> Option<usize> {
            (phase < self.counts.len()).then_some(1 + phase % 4)
        }

        fn run(&self, phase: usize, task: usize, scratch: &mut usize) {
            if self.dying == Some(phase) && task == 0 {
                std::panic::resume_unwind(Box::new("dead"));
            }
            // All earlier phases are over.
            assert_eq!(self.finished.load(Ordering::Relaxed), phase);
            self.counts[phase].fetch_add(1, Ordering::Relaxed);
            *scratch += 1;
        }

        fn finish(&self, phase: usize) {
            assert_eq!(self.counts[phase].load(Ordering::Relaxed), 1 + phase % 4);
            assert_eq!(self.finished.fetch_add(1, Ordering::Relaxed), phase);
        }
    }

    #[test]
    fn each_phase_begins_when_the_one_before_is_done() {
        for threads in 1..5 {
            let plan = Counting::new(400, None);
            assert_eq!(work(&plan, vec![0; threads]), Ok(()));
            assert_eq!(plan.finished.load(Ordering::Relaxed), 400);
        }
        assert_eq!(work(&Counting::new(0, None), vec![0; 2]), Ok(()));
    }

    #[test]
    fn the_death_of_one_sends_the_others_home() {
        for threads in 1..4 {
            let plan = Counting::new(400, Some(7));
            assert_eq!(work(&plan, vec![0; threads]), Err(Broken));
            assert_eq!(plan.finished.load(Ordering::Relaxed), 7);
        }
    }
}
