//! Where threads wait for each other: spinning first, since they arrive within microseconds.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Spins before the processor is offered to others.
const SPINS: u32 = 4000;

/// A thread that others wait for has died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

/// A barrier for a fixed number of threads.
pub struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    broken: AtomicBool,
}

/// Breaks the barrier if its thread panics.
pub struct Guard<'a>(&'a Barrier);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Release);
        }
    }
}

impl Barrier {
    /// A barrier for so many threads.
    pub fn new(threads: usize) -> Barrier {
        Barrier {
            threads,
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
        }
    }

    /// To be held by each thread while others may wait for it.
    pub fn guard(&self) -> Guard<'_> {
        Guard(self)
    }

    /// Waits until all threads have arrived; what they wrote before is visible afterwards.
    pub fn wait(&self) -> Result<(), Broken> {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return Ok(());
        }
        let mut spins = 0;
        while self.round.load(Ordering::Acquire) == round {
            if self.broken.load(Ordering::Acquire) {
                return Err(Broken);
            }
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_passes_before_all_have_arrived() {
        let barrier = Barrier::new(3);
        let arrived = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=500 {
                        arrived.fetch_add(1, Ordering::Relaxed);
                        barrier.wait().unwrap();
                        assert_eq!(arrived.load(Ordering::Relaxed), 3 * round);
                        barrier.wait().unwrap();
                    }
                });
            }
        });
    }

    #[test]
    fn the_death_of_one_frees_the_others() {
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            let dying = scope.spawn(|| {
                let _guard = barrier.guard();
                std::panic::resume_unwind(Box::new("dead"));
            });
            assert_eq!(barrier.wait(), Err(Broken));
            assert!(dying.join().is_err());
        });
    }
}
