//! Training steps on several threads. Each thread owns some tiles, so that no gradients are summed
//! across threads: they meet twice for each portion of a batch, to exchange the tiles' shares of
//! the outputs and the next portion's lists. Every sum is made in an order that does not depend on
//! the number of threads.

use std::ops::Range;
use std::sync::RwLock;

use super::barrier::{Barrier, Broken};
use super::data::Epoch;
use super::group::{GRADIENT_ROWS, GROUP, Group, Target};
use super::kernels::{self, Judge, Level, Loss, Row, Step, Sums};
use super::model::{Model, OutputBias, Tile, boxed};

/// Groups of a portion: batches are worked off in portions, so that the sums that wait for their
/// gradients stay in the cache.
const PORTION: usize = 16;

/// What stays the same from step to step.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What the network shall say.
    pub target: Target,
    /// How far off it is when it says something else.
    pub loss: Loss,
    /// Centipawns of an output of 1.0.
    pub centipawns: f32,
    /// The instruction set to use.
    pub level: Level,
}

impl Rules {
    /// The judge of batches of so many positions.
    pub fn judge(&self, positions: usize) -> Judge {
        Judge {
            slope: self.centipawns / self.target.scale,
            loss: self.loss,
            share: 1.0 / positions.max(1) as f32,
        }
    }
}

/// The summed loss of some steps, and over how many positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Sum of the positions' losses.
    pub loss: f64,
    /// Positions.
    pub positions: u64,
}

impl Tally {
    /// The mean loss.
    pub fn mean(&self) -> f64 {
        self.loss / self.positions.max(1) as f64
    }

    /// Adds another tally.
    pub fn add(&mut self, other: Tally) {
        self.loss += other.loss;
        self.positions += other.positions;
    }
}

/// A tile's shares of a portion's outputs.
type Shares = RwLock<Vec<f32>>;

/// What the threads share.
struct Shared<'a> {
    epoch: &'a Epoch<'a>,
    rules: Rules,
    buckets: usize,
    threads: usize,
    barrier: Barrier,
    /// The groups of this portion and of the next.
    groups: [Vec<RwLock<Group>>; 2],
    shares: Vec<Shares>,
}

/// A portion of a batch.
#[derive(Clone, Copy, Debug)]
struct Portion {
    batch: usize,
    first: usize,
    groups: usize,
    /// It completes its batch.
    last: bool,
}

/// The portions of some batches.
fn portions(epoch: &Epoch, batches: Range<usize>) -> Vec<Portion> {
    let all = epoch.groups();
    let of_batch = |batch| {
        (0..all).step_by(PORTION).map(move |first| {
            let groups = PORTION.min(all - first);
            Portion {
                batch,
                first,
                groups,
                last: first + groups == all,
            }
        })
    };
    batches.flat_map(of_batch).collect()
}

/// Trains on some batches of an epoch; `step` gives the optimiser's settings for each batch.
/// Answers with the loss of each batch. Fails only when a thread died.
pub fn train_batches(
    model: &mut Model,
    epoch: &Epoch,
    batches: Range<usize>,
    rules: Rules,
    threads: usize,
    step: &(dyn Fn(usize) -> Step + Sync),
) -> Result<Vec<Tally>, Broken> {
    let buckets = model.buckets();
    // Tiles as evenly as can be over at most so many threads.
    let per_thread = model.tiles.len().div_ceil(threads.max(1));
    let threads = model.tiles.len().div_ceil(per_thread);
    let new_groups = || (0..PORTION).map(|_| RwLock::default()).collect();
    let shared = Shared {
        epoch,
        rules,
        buckets,
        threads,
        barrier: Barrier::new(threads),
        groups: [new_groups(), new_groups()],
        shares: model.tiles.iter().map(|_| RwLock::default()).collect(),
    };
    let portions = portions(epoch, batches);
    let bias = &model.output_bias;
    let outcome = std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for (number, tiles) in model.tiles.chunks_mut(per_thread).enumerate() {
            let first = number * per_thread;
            let mut worker = Worker::new(&shared, number, first, tiles, bias.clone());
            let portions = &portions;
            workers.push(scope.spawn(move || worker.run(portions, step)));
        }
        let results: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        results.into_iter().next()
    });
    match outcome {
        Some(Ok(Ok((bias, tallies)))) => {
            model.output_bias = bias;
            Ok(tallies)
        }
        _ => Err(Broken),
    }
}

struct Worker<'a> {
    shared: &'a Shared<'a>,
    number: usize,
    /// Number of the first tile.
    first: usize,
    tiles: &'a mut [Tile],
    bias: OutputBias,
    /// For each tile, for each half, the sums of the portion's positions.
    sums: Vec<[Vec<Sums>; 2]>,
    /// Outputs of the portion's positions, then their gradients.
    outputs: Vec<f32>,
    losses: Vec<f32>,
    rows: Box<[Row; GRADIENT_ROWS]>,
    /// Of this batch so far.
    tally: Tally,
}

impl<'a> Worker<'a> {
    fn new(
        shared: &'a Shared<'a>,
        number: usize,
        first: usize,
        tiles: &'a mut [Tile],
        bias: OutputBias,
    ) -> Worker<'a> {
        let sums = || vec![Sums::ZERO; PORTION * GROUP];
        Worker {
            shared,
            number,
            first,
            sums: tiles.iter().map(|_| [sums(), sums()]).collect(),
            tiles,
            bias,
            outputs: Vec::new(),
            losses: Vec::new(),
            rows: boxed(Row::ZERO),
            tally: Tally::default(),
        }
    }

    fn run(
        &mut self,
        portions: &[Portion],
        step: &(dyn Fn(usize) -> Step + Sync),
    ) -> Result<(OutputBias, Vec<Tally>), Broken> {
        let mut tallies = Vec::new();
        let shared = self.shared;
        let _guard = shared.barrier.guard();
        if let Some(&portion) = portions.first() {
            self.prepare(0, portion);
            shared.barrier.wait()?;
        }
        // A batch's gradients are shares of the whole batch's.
        let mut sizes = portions
            .chunk_by(|a, b| a.batch == b.batch)
            .flat_map(|batch| {
                let size: usize = batch.iter().map(|&portion| shared.size(portion)).sum();
                batch.iter().map(move |_| size)
            });
        for (turn, &portion) in portions.iter().enumerate() {
            self.forward(turn % 2, portion);
            shared.barrier.wait()?;
            let size = sizes.next().unwrap_or_default();
            self.judge(turn % 2, portion, size);
            self.backward(turn % 2, portion);
            if portion.last {
                let step = step(portion.batch);
                self.tiles
                    .iter_mut()
                    .for_each(|tile| tile.step(shared.rules.level, step));
                self.bias.step(shared.rules.level, step);
                tallies.push(std::mem::take(&mut self.tally));
            }
            if let Some(&next) = portions.get(turn + 1) {
                self.prepare((turn + 1) % 2, next);
            }
            shared.barrier.wait()?;
        }
        Ok((self.bias.clone(), tallies))
    }

    /// Takes this thread's share of a portion's groups apart.
    fn prepare(&self, turn: usize, portion: Portion) {
        let Shared {
            epoch,
            rules,
            buckets,
            threads,
            groups,
            ..
        } = self.shared;
        for number in (self.number..portion.groups).step_by(*threads) {
            let samples = epoch.group(portion.batch, portion.first + number);
            let mut group = write(&groups[turn][number]);
            kernels::fill(rules.level, &mut group, &samples, rules.target, *buckets);
            kernels::index_columns(rules.level, &mut group);
        }
    }

    /// This thread's tiles' shares of the outputs.
    fn forward(&mut self, turn: usize, portion: Portion) {
        let level = self.shared.rules.level;
        let groups = &self.shared.groups[turn][..portion.groups];
        for (number, (tile, sums)) in self.tiles.iter().zip(&mut self.sums).enumerate() {
            for (half, sums) in sums.iter_mut().enumerate() {
                let mut start = 0;
                for group in groups {
                    let group = read(group);
                    let sums = &mut sums[start..start + group.len()];
                    let (weights, bias) = (&tile.rounded[half], &tile.rounded_bias[half]);
                    kernels::sum_rows(level, weights, bias, &group, sums);
                    start += group.len();
                }
            }
            let [low, high] = sums;
            let mut shares = write(&self.shared.shares[self.first + number]);
            shares.resize(PORTION * GROUP, 0.0);
            let mut start = 0;
            for group in groups {
                let group = read(group);
                let range = start..start + group.len();
                start = range.end;
                kernels::outputs(
                    level,
                    &low[range.clone()],
                    &high[range.clone()],
                    tile.output_weights(),
                    &group.buckets,
                    &mut shares[range],
                );
            }
        }
    }

    /// Sums up all tiles' shares; from outputs to losses and gradients. `size` is the number of
    /// positions of the whole batch.
    fn judge(&mut self, turn: usize, portion: Portion, size: usize) {
        let Shared {
            rules,
            groups,
            shares,
            ..
        } = self.shared;
        let judge = rules.judge(size);
        let length = self.shared.size(portion);
        self.outputs.clear();
        let groups = &groups[turn][..portion.groups];
        for group in groups {
            let group = read(group);
            self.outputs.extend(
                group
                    .buckets
                    .iter()
                    .map(|&b| self.bias.value(usize::from(b))),
            );
        }
        for shares in shares {
            let shares = read(shares);
            self.outputs
                .iter_mut()
                .zip(&shares[..length])
                .for_each(|(sum, share)| *sum += share);
        }
        self.losses.resize(length, 0.0);
        let mut start = 0;
        for group in groups {
            let group = read(group);
            let range = start..start + group.len();
            start = range.end;
            let (outputs, losses) = (&mut self.outputs[range.clone()], &mut self.losses[range]);
            kernels::judge_outputs(rules.level, judge, &group.targets, outputs, losses);
            for (gradient, &bucket) in outputs.iter().zip(&group.buckets) {
                self.bias.gradients.0[usize::from(bucket)] += gradient;
            }
            self.tally.loss += losses.iter().map(|&loss| f64::from(loss)).sum::<f64>();
        }
        self.tally.positions += length as u64;
    }

    /// From the gradients of the outputs to those of this thread's weights.
    fn backward(&mut self, turn: usize, portion: Portion) {
        let level = self.shared.rules.level;
        for (tile, [low, high]) in self.tiles.iter_mut().zip(&self.sums) {
            let mut start = 0;
            for group in &self.shared.groups[turn][..portion.groups] {
                let group = read(group);
                let range = start..start + group.len();
                start = range.end;
                kernels::output_gradients(
                    level,
                    &low[range.clone()],
                    &high[range.clone()],
                    tile.outputs.values.as_chunks().0,
                    &group.buckets,
                    &self.outputs[range],
                    &mut self.rows,
                    &mut tile.output_gradients,
                    &mut tile.bias_gradient,
                );
                kernels::add_columns(level, &group, &self.rows, &mut tile.feature_gradients);
            }
        }
    }
}

impl Shared<'_> {
    /// How many positions a portion has.
    fn size(&self, portion: Portion) -> usize {
        let groups = portion.first..portion.first + portion.groups;
        let runs = groups.flat_map(|group| self.epoch.group(portion.batch, group));
        runs.map(<[_]>::len).sum()
    }
}

// A poisoned lock means that a thread died, and then the barrier is broken too.

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
