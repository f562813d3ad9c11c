//! How many threads work at a time. They wait for each other every few milliseconds: on a machine
//! that others keep busy, the system seldom runs all of them at once, and one alone is faster. The
//! result does not depend on the choice.

/// Between two trials of the slower choice, in stretches of work.
const TRIAL_EVERY: u32 = 24;

/// Stretches before the first trial.
const FIRST_TRIAL: u32 = 8;

/// A trial is shorter than a stretch of work by this factor.
const TRIAL_SHARE: usize = 8;

/// What the next stretch of work is done by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// Threads.
    pub threads: usize,
    /// To find out which choice is faster now: a shorter stretch will do.
    pub trial: bool,
}

impl Shift {
    /// The length of the stretch, if `usual` is that of any other.
    pub fn length(self, usual: usize) -> usize {
        if self.trial {
            (usual / TRIAL_SHARE).max(1)
        } else {
            usual
        }
    }
}

/// Chooses between all threads and one, by the speeds that were measured.
#[derive(Clone, Debug)]
pub struct Crew {
    threads: usize,
    /// Of all threads, and of one alone; nothing before the first measurement.
    all: Option<f64>,
    one: Option<f64>,
    /// Stretches since the last trial.
    since: u32,
}

impl Crew {
    /// A crew of so many threads at most.
    pub fn new(threads: usize) -> Crew {
        Crew {
            threads: threads.max(1),
            all: None,
            one: None,
            // The first trial comes earlier, but not before the stretches have their length.
            since: TRIAL_EVERY - FIRST_TRIAL,
        }
    }

    /// Who works now.
    pub fn choose(&mut self) -> Shift {
        let shift = |threads, trial| Shift { threads, trial };
        if self.threads == 1 {
            return shift(1, false);
        }
        self.since += 1;
        // Until one alone was tried, all are taken to be faster.
        let all_is_faster = match (self.all, self.one) {
            (Some(all), Some(one)) => all >= one,
            _ => true,
        };
        let trial = self.since >= TRIAL_EVERY;
        if trial {
            self.since = 0;
        }
        let threads = if all_is_faster != trial {
            self.threads
        } else {
            1
        };
        shift(threads, trial)
    }

    /// How fast they were, in whatever unit.
    pub fn measured(&mut self, shift: Shift, speed: f64) {
        if shift.threads == 1 {
            self.one = Some(speed);
        } else {
            self.all = Some(speed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share of stretches, trials not counted, that all threads worked in.
    fn share_of_all(speed: impl Fn(usize, u32) -> f64) -> f64 {
        let mut crew = Crew::new(2);
        let (mut all, mut stretches) = (0, 0);
        for time in 0..1000 {
            let shift = crew.choose();
            if !shift.trial {
                stretches += 1;
                all += u32::from(shift.threads == 2);
            }
            crew.measured(shift, speed(shift.threads, time));
        }
        assert!(stretches > 900);
        f64::from(all) / f64::from(stretches)
    }

    #[test]
    fn whoever_is_faster_works() {
        assert_eq!(share_of_all(|threads, _| threads as f64), 1.0);
        assert!(share_of_all(|threads, _| 1.0 / threads as f64) < 0.01);
        // The others stop keeping the machine busy half-way.
        let share = share_of_all(|threads, time| match (threads, time) {
            (1, _) => 1.0,
            (_, 0..500) => 0.1,
            _ => 1.9,
        });
        assert!((0.45..0.55).contains(&share), "{share}");
        let mut alone = Crew::new(1);
        assert_eq!(
            alone.choose(),
            Shift {
                threads: 1,
                trial: false
            }
        );
    }
}
