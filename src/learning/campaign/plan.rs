//! What each generation does: how deep it plays, how much, what it trains, how it is measured.

use serde::{Deserialize, Serialize};

use crate::base::score::Score;

/// One generation's plan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Nodes after which a search of self-play starts no new iteration.
    pub nodes: u64,
    /// The most positions it adds; with a budget in time, the time may end play before.
    pub positions: u64,
    /// The share of games that start from a position of Chess960.
    pub chess960_share: f64,
    /// Whether scores end games of self-play.
    pub adjudicate: bool,
    /// Openings are dropped when the first search judges them beyond this, in centipawns.
    pub opening_limit: Score,
    /// The first generation whose games are learnt from, as a distance: 0 means this one only.
    pub pool: u32,
    /// Hidden neurons of each view.
    pub hidden: usize,
    /// Output buckets by the number of pieces: 1 or 8.
    pub buckets: usize,
    /// Train the teacher's network further, where its shape allows it, instead of random weights. It
    /// keeps what it learnt from games that are no longer pooled; the rate is half as high.
    #[serde(default)]
    pub further: bool,
    /// The share of the game's result in what is learnt; the rest is the search's score.
    pub lambda: f64,
    /// How often each position is learnt from; with a budget in time, the time may allow less.
    pub passes: u32,
    /// Pairs of games against the network before.
    pub gate_pairs: u64,
    /// Nodes a move in these games.
    pub gate_nodes: u64,
}

/// The data of the random network and of its first pupil never enter a later pool: their games
/// hardly resemble chess.
pub const FIRST_POOLED: u32 = 3;

/// How much a whole campaign may take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    /// So many seconds of running.
    Seconds(f64),
    /// So many generations, each with the share (1 is all) of the positions that are usual for it.
    Generations {
        /// How many.
        count: u32,
        /// The factor on each generation's positions.
        scale: f64,
    },
}

impl Budget {
    /// How many generations it is for.
    pub fn generations(&self) -> u32 {
        match *self {
            // Eight in five minutes, nine in ten, thirteen in an hour, twenty in a day.
            Budget::Seconds(seconds) => {
                let doublings = (seconds / 150.0).max(1.0).log2();
                (6.5 + 1.5 * doublings).round() as u32
            }
            Budget::Generations { count, .. } => count,
        }
    }

    /// The seconds that generation `number` may take after `elapsed` seconds; `None` without a
    /// limit in time. Each generation gets more than the one before, the last one what is left.
    pub fn seconds_for(&self, number: u32, elapsed: f64) -> Option<f64> {
        let Budget::Seconds(seconds) = *self else {
            return None;
        };
        let left = (seconds - elapsed).max(0.0);
        let last = self.generations();
        let growth = growth(seconds, last);
        let weight = |n: u32| growth.powi(n as i32 - 1);
        let weights: f64 = (number..=last.max(number)).map(weight).sum();
        Some(left * weight(number) / weights)
    }
}

/// The first generation of a campaign in time takes at most this, in seconds.
const FIRST_SECONDS: f64 = 75.0;

/// The ratio of two generations' times that spends the whole of `seconds`.
fn growth(seconds: f64, generations: u32) -> f64 {
    let first = (seconds / 20.0).min(FIRST_SECONDS);
    let total = |ratio: f64| first * (0..generations).map(|n| ratio.powi(n as i32)).sum::<f64>();
    let (mut low, mut high) = (1.0, 10.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if total(middle) < seconds {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

impl Plan {
    /// The usual plan of generation `number`, from 1. `failed` is the number of generations in a
    /// row just before it that lost their gate: it pools as many more.
    pub fn usual(number: u32, failed: u32, budget: &Budget) -> Plan {
        let scale = match *budget {
            Budget::Generations { scale, .. } => scale,
            Budget::Seconds(_) => 1.0,
        };
        let short = matches!(*budget, Budget::Seconds(seconds) if seconds < 1_800.0);
        // Early networks improve so fast that their games are soon worth nothing: little data for
        // many generations, and no pooling, until the steps get smaller.
        let (positions, hidden, lambda, passes, pool) = match number {
            0 | 1 => (200_000, 64, 1.0, 3, 0),
            2 => (300_000, 64, 0.2, 8, 0),
            3 => (400_000, 128, 0.05, 12, 0),
            4 => (600_000, 128, 0.05, 14, 0),
            5 => (800_000, 128, 0.05, 14, 1),
            6 => (1_000_000, 128, 0.05, 14, 1),
            7 => (1_500_000, 128, 0.05, 14, 2),
            8 => (2_500_000, 256, 0.05, 14, 2),
            9 => (5_000_000, 256, 0.1, 12, 2),
            10 => (10_000_000, 256, 0.1, 12, 2),
            11 | 12 => (20_000_000, 256, 0.1, 12, 2),
            13 | 14 => (40_000_000, 256, 0.1, 12, 3),
            _ => (400_000_000, 512, 0.1, 12, 3),
        };
        Plan {
            nodes: 100,
            positions: (positions as f64 * scale).ceil() as u64,
            chess960_share: if number < 4 { 0.0 } else { 0.1 },
            adjudicate: number > 1,
            opening_limit: if number <= 3 { 1_000 } else { 400 },
            pool: pool + failed,
            hidden: if short { hidden.min(128) } else { hidden },
            buckets: if number < 9 { 1 } else { 8 },
            further: false,
            lambda,
            passes,
            gate_pairs: if short || number < 4 { 100 } else { 250 },
            gate_nodes: 1_000,
        }
    }

    /// The generations whose games generation `number` learns from.
    pub fn pooled(&self, number: u32) -> std::ops::RangeInclusive<u32> {
        let first = number
            .saturating_sub(self.pool)
            .max(FIRST_POOLED)
            .min(number);
        first..=number
    }

    /// Positions in one step of the trainer: small enough for some thousand steps, for much data
    /// larger.
    pub fn batch(&self, positions: u64) -> usize {
        if positions > 20_000_000 {
            return 16_384;
        }
        let wanted = positions * u64::from(self.passes.max(1)) / 3_000;
        (wanted.max(1).next_power_of_two() as usize).clamp(512, 4_096)
    }
}

/// Changes to the usual plans: the file `plan.toml` of a campaign, read before each generation.
///
/// ```toml
/// [[change]]
/// from = 9        # this generation and all later ones
/// hidden = 512
/// lambda = 0.15
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// The changes, in order: a later one wins.
    #[serde(default)]
    pub change: Vec<Change>,
}

/// One change to the usual plans; what is absent stays usual.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The first generation that it concerns.
    pub from: u32,
    /// See [`Plan::nodes`].
    pub nodes: Option<u64>,
    /// See [`Plan::positions`].
    pub positions: Option<u64>,
    /// See [`Plan::chess960_share`].
    pub chess960_share: Option<f64>,
    /// See [`Plan::opening_limit`].
    pub opening_limit: Option<Score>,
    /// See [`Plan::pool`].
    pub pool: Option<u32>,
    /// See [`Plan::hidden`].
    pub hidden: Option<usize>,
    /// See [`Plan::buckets`].
    pub buckets: Option<usize>,
    /// See [`Plan::further`].
    pub further: Option<bool>,
    /// See [`Plan::lambda`].
    pub lambda: Option<f64>,
    /// See [`Plan::passes`].
    pub passes: Option<u32>,
    /// See [`Plan::gate_pairs`].
    pub gate_pairs: Option<u64>,
    /// See [`Plan::gate_nodes`].
    pub gate_nodes: Option<u64>,
}

impl Changes {
    /// Applies what concerns generation `number`.
    pub fn apply(&self, number: u32, plan: &mut Plan) {
        for change in self.change.iter().filter(|change| change.from <= number) {
            set(&mut plan.nodes, change.nodes);
            set(&mut plan.positions, change.positions);
            set(&mut plan.chess960_share, change.chess960_share);
            set(&mut plan.opening_limit, change.opening_limit);
            set(&mut plan.pool, change.pool);
            set(&mut plan.hidden, change.hidden);
            set(&mut plan.buckets, change.buckets);
            set(&mut plan.further, change.further);
            set(&mut plan.lambda, change.lambda);
            set(&mut plan.passes, change.passes);
            set(&mut plan.gate_pairs, change.gate_pairs);
            set(&mut plan.gate_nodes, change.gate_nodes);
        }
    }
}

fn set<T: Copy>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_in_time_is_spent_whole_by_growing_generations() {
        for minutes in [5.0, 10.0, 60.0, 1_200.0] {
            let budget = Budget::Seconds(minutes * 60.0);
            let count = budget.generations();
            let mut elapsed = 0.0;
            let mut before = 0.0;
            for number in 1..=count {
                let seconds = budget.seconds_for(number, elapsed).unwrap();
                assert!(seconds > before, "generation {number} of {minutes} minutes");
                elapsed += seconds;
                before = seconds;
            }
            assert!((elapsed - minutes * 60.0).abs() < 1.0, "{elapsed}");
        }
        assert_eq!(Budget::Seconds(300.0).generations(), 8);
        assert_eq!(Budget::Seconds(0.0).seconds_for(1, 5.0), Some(0.0));
    }

    #[test]
    fn the_first_generations_are_never_pooled_and_failures_pool_more() {
        let budget = Budget::Seconds(36_000.0);
        assert_eq!(Plan::usual(1, 0, &budget).pooled(1), 1..=1);
        assert_eq!(Plan::usual(3, 0, &budget).pooled(3), 3..=3);
        assert_eq!(Plan::usual(4, 0, &budget).pooled(4), 4..=4);
        assert_eq!(Plan::usual(4, 5, &budget).pooled(4), 3..=4);
        assert_eq!(Plan::usual(6, 0, &budget).pooled(6), 5..=6);
        assert_eq!(Plan::usual(8, 1, &budget).pooled(8), 5..=8);
    }

    #[test]
    fn a_change_concerns_its_generation_and_later_ones() {
        let text = "[[change]]\nfrom = 5\nhidden = 512\nfurther = true\n[[change]]\nfrom = 7\nlambda = 0.3\n";
        let changes: Changes = toml::from_str(text).unwrap();
        let budget = Budget::Seconds(36_000.0);
        let usual = |number| Plan::usual(number, 0, &budget);
        let changed = |number| {
            let mut plan = usual(number);
            changes.apply(number, &mut plan);
            plan
        };
        assert_eq!(changed(4), usual(4));
        assert_eq!((changed(5).hidden, changed(5).further), (512, true));
        assert_eq!(changed(5).lambda, usual(5).lambda);
        assert_eq!((changed(7).hidden, changed(7).lambda), (512, 0.3));
        assert!(toml::from_str::<Changes>("[[change]]\nfrom = 5\nhiden = 3\n").is_err());
    }

    #[test]
    fn batches_grow_with_the_data() {
        let plan = Plan::usual(4, 0, &Budget::Seconds(300.0));
        assert_eq!(plan.batch(1_000), 512);
        assert_eq!(plan.batch(150_000), 1_024);
        assert_eq!(plan.batch(2_000_000), 4_096);
        assert_eq!(plan.batch(50_000_000), 16_384);
    }
}
