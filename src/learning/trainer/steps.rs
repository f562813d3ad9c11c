//! Training steps on several threads. A task is a tile of columns, so that no gradients are summed
//! across threads. A portion of a batch takes two phases: forward through all tiles, which ends
//! with the losses; and back through all tiles, while the next portion is taken apart. Every sum is
//! made in an order that does not depend on the number of threads.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::crew::{self, Broken, Plan};
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

/// A portion of a batch.
#[derive(Clone, Copy, Debug)]
struct Portion {
    batch: usize,
    /// Positions of the whole batch.
    size: usize,
    /// The first group.
    first: usize,
    groups: usize,
    /// It completes its batch.
    last: bool,
}

/// The portions of some batches.
fn portions(epoch: &Epoch, batches: Range<usize>) -> Vec<Portion> {
    let all = epoch.groups();
    let of_batch = |batch| {
        let runs = (0..all).flat_map(|group| epoch.group(batch, group));
        let size = runs.map(<[_]>::len).sum();
        (0..all).step_by(PORTION).map(move |first| {
            let groups = PORTION.min(all - first);
            Portion {
                batch,
                size,
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
    let groups = || (0..PORTION).map(|_| RwLock::default()).collect();
    let steps = Steps {
        epoch,
        rules,
        buckets: model.buckets(),
        step,
        portions: portions(epoch, batches),
        groups: [groups(), groups()],
        tiles: model.tiles.iter_mut().map(Work::new).collect(),
        judgement: RwLock::new(Judgement {
            bias: &mut model.output_bias,
            outputs: Vec::new(),
            losses: Vec::new(),
            tally: Tally::default(),
            tallies: Vec::new(),
        }),
    };
    let scratches = (0..threads.max(1)).map(|_| boxed(Row::ZERO)).collect();
    crew::work(&steps, scratches)?;
    let judgement = steps.judgement.into_inner();
    Ok(judgement.unwrap_or_else(PoisonError::into_inner).tallies)
}

/// Some steps, as a plan for several threads. Phase 0 takes the first portion apart; portion `n`
/// then goes forward in phase 2n + 1 and back in phase 2n + 2.
struct Steps<'a> {
    epoch: &'a Epoch<'a>,
    rules: Rules,
    buckets: usize,
    step: &'a (dyn Fn(usize) -> Step + Sync),
    portions: Vec<Portion>,
    /// The groups of the even portions and of the odd ones.
    groups: [Vec<RwLock<Group>>; 2],
    tiles: Vec<Work<'a>>,
    judgement: RwLock<Judgement<'a>>,
}

/// A tile, and what it computed of the portion.
struct Work<'a> {
    /// The tile, and for each half the sums of the positions.
    tile: Mutex<(&'a mut Tile, [Vec<Sums>; 2])>,
    /// Its shares of the outputs.
    shares: RwLock<Vec<f32>>,
}

impl<'a> Work<'a> {
    fn new(tile: &'a mut Tile) -> Work<'a> {
        let sums = || vec![Sums::ZERO; PORTION * GROUP];
        Work {
            tile: Mutex::new((tile, [sums(), sums()])),
            shares: RwLock::new(vec![0.0; PORTION * GROUP]),
        }
    }
}

/// What the outputs of the portion are worth.
struct Judgement<'a> {
    bias: &'a mut OutputBias,
    /// Outputs, then their gradients.
    outputs: Vec<f32>,
    losses: Vec<f32>,
    /// Of the batch so far.
    tally: Tally,
    /// Of the batches before.
    tallies: Vec<Tally>,
}

impl Plan for Steps<'_> {
    type Scratch = Box<[Row; GRADIENT_ROWS]>;

    fn tasks(&self, phase: usize) -> Option<usize> {
        let portion = self.portions.get(phase / 2);
        if phase % 2 == 1 {
            return portion.map(|_| self.tiles.len());
        }
        // All tiles back, unless this is the very first phase; then the next portion's groups.
        let back = if phase == 0 { 0 } else { self.tiles.len() };
        let groups = portion.map_or(0, |portion| portion.groups);
        Some(back + groups).filter(|&tasks| tasks > 0)
    }

    fn run(&self, phase: usize, task: usize, rows: &mut Self::Scratch) {
        let number = phase / 2;
        if phase % 2 == 1 {
            self.forward(number, task);
        } else if phase == 0 {
            self.prepare(number, task);
        } else if task < self.tiles.len() {
            self.backward(number - 1, task, rows);
        } else {
            self.prepare(number, task - self.tiles.len());
        }
    }

    fn finish(&self, phase: usize) {
        if phase % 2 == 1 {
            self.judge(phase / 2);
        }
    }
}

impl Steps<'_> {
    /// The groups of a portion, and where each one's positions stand in it.
    fn groups(
        &self,
        number: usize,
    ) -> impl Iterator<Item = (RwLockReadGuard<'_, Group>, Range<usize>)> {
        let groups = &self.groups[number % 2][..self.portions[number].groups];
        let mut start = 0;
        groups.iter().map(move |group| {
            let group = read(group);
            let range = start..start + group.len();
            start = range.end;
            (group, range)
        })
    }

    /// Takes a group apart.
    fn prepare(&self, number: usize, group: usize) {
        let (portion, rules) = (self.portions[number], self.rules);
        let samples = self.epoch.group(portion.batch, portion.first + group);
        let mut group = write(&self.groups[number % 2][group]);
        kernels::fill(
            rules.level,
            &mut group,
            &samples,
            rules.target,
            self.buckets,
        );
        kernels::index_columns(rules.level, &mut group);
    }

    /// A tile's shares of the outputs.
    fn forward(&self, number: usize, tile: usize) {
        let level = self.rules.level;
        let work = &self.tiles[tile];
        let mut locked = lock(&work.tile);
        let (tile, sums) = &mut *locked;
        for (half, sums) in sums.iter_mut().enumerate() {
            let (weights, bias) = (&tile.rounded[half], &tile.rounded_bias[half]);
            for (group, range) in self.groups(number) {
                kernels::sum_rows(level, weights, bias, &group, &mut sums[range]);
            }
        }
        let [low, high] = sums;
        let mut shares = write(&work.shares);
        for (group, range) in self.groups(number) {
            let (low, high) = (&low[range.clone()], &high[range.clone()]);
            let (weights, shares) = (&tile.rounded_outputs, &mut shares[range]);
            kernels::outputs(level, low, high, weights, &group.buckets, shares);
        }
    }

    /// Sums up all tiles' shares; from outputs to losses and gradients.
    fn judge(&self, number: usize) {
        let (portion, rules) = (self.portions[number], self.rules);
        let judge = rules.judge(portion.size);
        let mut judgement = write(&self.judgement);
        let Judgement {
            bias,
            outputs,
            losses,
            tally,
            tallies,
        } = &mut *judgement;
        outputs.clear();
        for (group, _) in self.groups(number) {
            outputs.extend(
                group
                    .buckets
                    .iter()
                    .map(|&bucket| bias.value(usize::from(bucket))),
            );
        }
        for work in &self.tiles {
            let shares = read(&work.shares);
            outputs
                .iter_mut()
                .zip(&*shares)
                .for_each(|(sum, share)| *sum += share);
        }
        losses.resize(outputs.len(), 0.0);
        for (group, range) in self.groups(number) {
            let (outputs, losses) = (&mut outputs[range.clone()], &mut losses[range]);
            kernels::judge_outputs(rules.level, judge, &group.targets, outputs, losses);
            for (gradient, &bucket) in outputs.iter().zip(&group.buckets) {
                bias.gradients.0[usize::from(bucket)] += gradient;
            }
            tally.loss += losses.iter().map(|&loss| f64::from(loss)).sum::<f64>();
        }
        tally.positions += outputs.len() as u64;
        if portion.last {
            bias.step(rules.level, (self.step)(portion.batch));
            tallies.push(std::mem::take(tally));
        }
    }

    /// From the gradients of the outputs to those of a tile's weights; after the last portion of a
    /// batch the weights make their step.
    fn backward(&self, number: usize, tile: usize, rows: &mut [Row; GRADIENT_ROWS]) {
        let (portion, level) = (self.portions[number], self.rules.level);
        let mut locked = lock(&self.tiles[tile].tile);
        let (tile, [low, high]) = &mut *locked;
        let judgement = read(&self.judgement);
        for (group, range) in self.groups(number) {
            kernels::output_gradients(
                level,
                &low[range.clone()],
                &high[range.clone()],
                &tile.rounded_outputs,
                &group.buckets,
                &judgement.outputs[range],
                rows,
                &mut tile.output_gradients,
                &mut tile.bias_gradient,
            );
            kernels::add_columns(level, &group, rows, &mut tile.feature_gradients);
        }
        if portion.last {
            tile.step(level, (self.step)(portion.batch));
        }
    }
}

// A poisoned lock means that a thread died, and then the others go home as well.

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
