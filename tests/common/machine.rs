//! A watch on the machine: a thread that sleeps a millisecond at a time notes when it slept much
//! longer. What a stalled machine costs is not the engine's fault.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const BEAT: Duration = Duration::from_millis(1);
const STALL: Duration = Duration::from_millis(10);

/// A running heartbeat.
#[derive(Debug)]
pub struct Heartbeat {
    stalls: Arc<Mutex<Vec<(Instant, Instant)>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Starts the watch.
    pub fn start() -> Heartbeat {
        let stalls = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let (notes, ending) = (Arc::clone(&stalls), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            let mut last = Instant::now();
            while !ending.load(Ordering::Relaxed) {
                thread::sleep(BEAT);
                let now = Instant::now();
                if now - last > STALL
                    && let Ok(mut notes) = notes.lock()
                {
                    notes.push((last, now));
                }
                last = now;
            }
        });
        Heartbeat {
            stalls,
            stop,
            thread: Some(thread),
        }
    }

    /// How long the machine stood still between two moments.
    pub fn stalled_between(&self, from: Instant, to: Instant) -> Duration {
        let Ok(stalls) = self.stalls.lock() else {
            return Duration::ZERO;
        };
        stalls
            .iter()
            .map(|&(start, end)| end.min(to).saturating_duration_since(start.max(from)))
            .sum()
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
