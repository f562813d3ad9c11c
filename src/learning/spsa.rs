//! Tuning of constants by games: simultaneous perturbation stochastic approximation.
//!
//! *Idea*: move all constants at once, each by its step up or down at random; let the two settings
//! that lie opposite each other play; move every constant a little towards its side of the winner.
//! What matters adds up over thousands of games, what does not cancels out. *Formula*: with `N`
//! pairs in all, in pair `k` the perturbation is `c_k = c · (N / (k + 1))^0.101` and the gain
//! `R_k`, such that the last pair moves a constant by `rate · step` for each point won. *Source*:
//! Spall 1992; the schedule is that of Stockfish's testing framework.

use crate::base::params::Param;
use crate::base::rng::Rng;

/// How fast the perturbation shrinks.
const GAMMA: f64 = 0.101;

/// How fast the gain shrinks.
const ALPHA: f64 = 0.602;

/// The share of all pairs after which the gain begins to shrink.
const STABILITY: f64 = 0.1;

/// How a tuning goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Pairs of games in all.
    pub pairs: u64,
    /// The perturbation at the end, in steps of each constant.
    pub scale: f64,
    /// The move at the end for each point won, in perturbations.
    pub rate: f64,
}

impl Schedule {
    /// The perturbation of pair `k`, in steps.
    fn perturbation(&self, k: u64) -> f64 {
        self.scale * (self.pairs as f64 / (k + 1) as f64).max(1.0).powf(GAMMA)
    }

    /// The move of a constant in pair `k` for each point won, in steps.
    fn gain(&self, k: u64) -> f64 {
        let (k, pairs) = (k as f64, self.pairs as f64);
        let stability = STABILITY * pairs;
        let shrunk = ((stability + pairs) / (stability + k + 1.0)).powf(ALPHA);
        let last = self.rate * self.scale * self.scale;
        last * shrunk / self.perturbation(k as u64)
    }
}

/// One pair's two settings, and which way each constant was moved in the first of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Number of the pair.
    pub number: u64,
    up: Vec<bool>,
    /// The settings that play each other.
    pub settings: [Vec<i32>; 2],
}

/// Constants being tuned.
#[derive(Clone, Debug)]
pub struct Spsa {
    /// The constants.
    pub params: Vec<Param>,
    /// Where they stand now.
    pub values: Vec<f64>,
    /// Pairs played.
    pub played: u64,
    schedule: Schedule,
}

impl Spsa {
    /// Constants at their defaults.
    pub fn new(params: Vec<Param>, schedule: Schedule) -> Spsa {
        let values = params.iter().map(|param| f64::from(param.default));
        Spsa {
            values: values.collect(),
            params,
            played: 0,
            schedule,
        }
    }

    /// The settings of pair `number`. Fractions are rounded up or down at random, so that they
    /// count on average.
    pub fn trial(&self, number: u64, rng: &mut Rng) -> Trial {
        let width = self.schedule.perturbation(number);
        let up: Vec<bool> = self.params.iter().map(|_| rng.unit() < 0.5).collect();
        let mut setting = |sign: f64| {
            let moved = self.params.iter().zip(&self.values).zip(&up);
            moved
                .map(|((param, value), &up)| {
                    let sign = if up { sign } else { -sign };
                    let moved = value + sign * width * f64::from(param.step);
                    let rounded = (moved + rng.unit()).floor() as i32;
                    rounded.clamp(param.min, param.max)
                })
                .collect()
        };
        let settings = [setting(1.0), setting(-1.0)];
        Trial {
            number,
            up,
            settings,
        }
    }

    /// Learns what a pair came to: `points` is wins less losses of its first setting, −2 to 2.
    pub fn learn(&mut self, trial: &Trial, points: f64) {
        let gain = self.schedule.gain(trial.number);
        let moved = self.params.iter().zip(&mut self.values).zip(&trial.up);
        for ((param, value), &up) in moved {
            let sign = if up { 1.0 } else { -1.0 };
            let (min, max) = (f64::from(param.min), f64::from(param.max));
            *value = (*value + sign * gain * points * f64::from(param.step)).clamp(min, max);
        }
        self.played += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(default: i32, step: i32) -> Param {
        Param {
            name: "constant",
            default,
            min: 0,
            max: 1000,
            step,
        }
    }

    const SCHEDULE: Schedule = Schedule {
        pairs: 20_000,
        scale: 1.0,
        rate: 0.01,
    };

    #[test]
    fn it_finds_the_top_of_a_hill_through_noise() {
        // Elo falls with the square of the distance in steps; the second constant does nothing.
        let mut spsa = Spsa::new(
            vec![param(100, 10), param(500, 50), param(700, 20)],
            SCHEDULE,
        );
        let strength = |setting: &[i32]| {
            let off = |value: i32, best: i32, step: i32| f64::from(value - best) / f64::from(step);
            -off(setting[0], 160, 10).powi(2) - off(setting[2], 600, 20).powi(2)
        };
        let mut rng = Rng::new(7);
        for number in 0..SCHEDULE.pairs {
            let trial = spsa.trial(number, &mut rng);
            let elo = strength(&trial.settings[0]) - strength(&trial.settings[1]);
            let expected = 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
            let mut game = || match rng.unit() {
                luck if luck < expected - 0.25 => 1.0,
                luck if luck < expected + 0.25 => 0.0,
                _ => -1.0,
            };
            let points = game() + game();
            spsa.learn(&trial, points);
        }
        let [first, idle, third] = spsa.values[..] else {
            unreachable!("three constants")
        };
        assert!((first - 160.0).abs() < 15.0, "{first}");
        assert!((third - 600.0).abs() < 30.0, "{third}");
        assert!((idle - 500.0).abs() < 150.0, "{idle}");
    }

    #[test]
    fn settings_lie_opposite_each_other_and_within_the_range() {
        let spsa = Spsa::new(vec![param(5, 10), param(500, 50), param(998, 20)], SCHEDULE);
        let mut rng = Rng::new(1);
        for number in 0..100 {
            let trial = spsa.trial(number, &mut rng);
            let [one, other] = &trial.settings;
            assert!(one.iter().chain(other).all(|v| (0..=1000).contains(v)));
            assert!((one[1] + other[1] - 1000).abs() <= 2);
            assert!(one[1] != other[1]);
        }
    }

    #[test]
    fn steps_grow_smaller() {
        let last = SCHEDULE.pairs - 1;
        assert!(SCHEDULE.perturbation(0) > SCHEDULE.perturbation(last));
        assert!((SCHEDULE.perturbation(last) - 1.0).abs() < 1e-9);
        assert!(SCHEDULE.gain(0) > SCHEDULE.gain(last));
        assert!((SCHEDULE.gain(last) - 0.01).abs() < 1e-9);
    }
}
