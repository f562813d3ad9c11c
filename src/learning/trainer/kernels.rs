//! The inner loops of training, compiled for several instruction sets and chosen at run time.
//!
//! They are plain loops over arrays of fixed length that the compiler turns into vector code. None
//! fuses a multiplication with an addition and every sum has a fixed order, so that all levels give
//! the same bits.
//!
//! The columns of the feature weights are cut into tiles of [`TILE`] columns. A tile of weights
//! (16-bit, half a tile at a time) fits in the first-level cache and a tile of gradients in the
//! second.

use super::group::{GRADIENT_ROWS, Group, Target};
use super::math;
use super::sample::Sample;
use crate::eval::kernels::QA;

/// Columns of a tile: hidden neurons that one thread works on at a time.
pub const TILE: usize = 32;

/// Columns of half a tile.
pub const HALF: usize = 16;

/// Rows of a tile: a power of two, so that a masked feature is always in range.
pub const ROWS: usize = 1024;

/// 1.0 as a weight of the way forward: sixteen times finer than in the finished network.
pub const UNIT: f32 = 4080.0;

/// A row of numbers that begins where a cache line does: one that straddled two would cost twice.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Row(pub [f32; TILE]);

impl Row {
    /// All zero.
    pub const ZERO: Row = Row([0.0; TILE]);
}

/// Sixteen-bit numbers, one for each column of half a tile.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct HalfRow(pub [i16; HALF]);

impl HalfRow {
    /// All zero.
    pub const ZERO: HalfRow = HalfRow([0; HALF]);
}

/// The sums of a position's rows, for each perspective.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Sums(pub [HalfRow; 2]);

impl Sums {
    /// All zero.
    pub const ZERO: Sums = Sums([HalfRow::ZERO; 2]);
}

/// An instruction set that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Level {
    /// What every machine has.
    pub const PORTABLE: Level = Level(Instructions::Portable);

    /// The levels of this machine, the fastest last. AVX-512 is no faster here: what costs time is
    /// to bring rows from the second-level cache.
    pub fn all() -> Vec<Level> {
        #[allow(unused_mut)]
        let mut levels = vec![Level::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
        {
            levels.push(Level(Instructions::Avx2));
        }
        levels
    }

    /// The fastest level of this machine.
    pub fn best() -> Level {
        Level::all().pop().unwrap_or(Level::PORTABLE)
    }
}

/// Declares a kernel: for each level a function that is the given body compiled for it, and one
/// that chooses among them.
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident = $body:ident($($arg:ident: $type:ty),* $(,)?)) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        pub fn $name(level: Level, $($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
            #[allow(clippy::too_many_arguments)]
            fn avx2($($arg: $type),*) {
                $body($($arg),*)
            }
            match level.0 {
                Instructions::Portable => $body($($arg),*),
                // SAFETY: a `Level` of AVX2 is only made where it was detected.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2($($arg),*) },
            }
        }
    };
}

kernel! {
    /// Takes up to [`GROUP`](super::group::GROUP) positions apart for the way forward.
    fill = fill_body(
        group: &mut Group,
        samples: &[&[Sample]],
        target: Target,
        buckets: usize,
    )
}

#[inline(always)]
fn fill_body(group: &mut Group, samples: &[&[Sample]], target: Target, buckets: usize) {
    group.fill(samples, target, buckets);
}

kernel! {
    /// Makes a group's lists for the way back.
    index_columns = index_columns_body(
        group: &mut Group,
    )
}

#[inline(always)]
fn index_columns_body(group: &mut Group) {
    group.index_columns();
}

kernel! {
    /// Adds up the rows of each position's features, onto the bias. Sums stick at the ends of their
    /// range, which lie far beyond where the activation is flat.
    sum_rows = sum_rows_body(
        weights: &[HalfRow; ROWS],
        bias: &HalfRow,
        group: &Group,
        sums: &mut [Sums],
    )
}

#[inline(always)]
fn sum_rows_body(weights: &[HalfRow; ROWS], bias: &HalfRow, group: &Group, sums: &mut [Sums]) {
    let mut features = group.features.as_slice();
    for (position, &men) in group.men.iter().enumerate() {
        let (own, rest) = features.split_at(usize::from(men));
        features = rest;
        let (mut mover, mut other) = (bias.0, bias.0);
        for &[m, o] in own {
            let m = &weights[usize::from(m) % ROWS].0;
            let o = &weights[usize::from(o) % ROWS].0;
            for i in 0..HALF {
                mover[i] = mover[i].saturating_add(m[i]);
                other[i] = other[i].saturating_add(o[i]);
            }
        }
        sums[position] = Sums([HalfRow(mover), HalfRow(other)]);
    }
}

/// A sum as a number, clamped to where the activation is not flat.
#[inline(always)]
fn clamped(sum: i16) -> f32 {
    (f32::from(sum) * (1.0 / UNIT)).clamp(0.0, 1.0)
}

/// Both halves of one perspective's sums, clamped.
#[inline(always)]
fn clamped_row(low: &Sums, high: &Sums, perspective: usize) -> [f32; TILE] {
    let mut row = [0.0; TILE];
    for i in 0..HALF {
        row[i] = clamped(low.0[perspective].0[i]);
        row[HALF + i] = clamped(high.0[perspective].0[i]);
    }
    row
}

kernel! {
    /// A tile's share of each position's output: activations times output weights.
    outputs = outputs_body(
        low: &[Sums],
        high: &[Sums],
        weights: &[[Row; 2]],
        buckets: &[u8],
        outputs: &mut [f32],
    )
}

#[inline(always)]
fn outputs_body(
    low: &[Sums],
    high: &[Sums],
    weights: &[[Row; 2]],
    buckets: &[u8],
    outputs: &mut [f32],
) {
    for (position, output) in outputs.iter_mut().enumerate() {
        let (low, high) = (&low[position], &high[position]);
        let [Row(own), Row(theirs)] = &weights[usize::from(buckets[position])];
        let (mover, other) = (clamped_row(low, high, 0), clamped_row(low, high, 1));
        let mut sums = [0.0; HALF];
        for i in 0..HALF {
            let j = HALF + i;
            let low = mover[i] * mover[i] * own[i] + other[i] * other[i] * theirs[i];
            let high = mover[j] * mover[j] * own[j] + other[j] * other[j] * theirs[j];
            sums[i] = low + high;
        }
        let mut eight = [0.0; 8];
        for i in 0..8 {
            eight[i] = sums[i] + sums[i + 8];
        }
        let mut four = [0.0; 4];
        for i in 0..4 {
            four[i] = eight[i] + eight[i + 4];
        }
        *output = (four[0] + four[2]) + (four[1] + four[3]);
    }
}

kernel! {
    /// From the gradients of the outputs to those of the sums (`rows`, two for each position), of
    /// the output weights and of the bias; the last two are added to.
    output_gradients = output_gradients_body(
        low: &[Sums],
        high: &[Sums],
        weights: &[[Row; 2]],
        buckets: &[u8],
        gradients: &[f32],
        rows: &mut [Row; GRADIENT_ROWS],
        weight_gradients: &mut [[Row; 2]],
        bias_gradient: &mut Row,
    )
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn output_gradients_body(
    low: &[Sums],
    high: &[Sums],
    weights: &[[Row; 2]],
    buckets: &[u8],
    gradients: &[f32],
    rows: &mut [Row; GRADIENT_ROWS],
    weight_gradients: &mut [[Row; 2]],
    bias_gradient: &mut Row,
) {
    let mut bias = bias_gradient.0;
    let (rows, _) = rows.as_chunks_mut::<2>();
    for (position, &gradient) in gradients.iter().enumerate() {
        let (low, high) = (&low[position], &high[position]);
        let bucket = usize::from(buckets[position]);
        let (weights, weight_gradients) = (&weights[bucket], &mut weight_gradients[bucket]);
        let rows = &mut rows[position];
        for perspective in 0..2 {
            let active = clamped_row(low, high, perspective);
            for i in 0..TILE {
                let x = active[i];
                // Flat at both ends.
                let slope = if x < 1.0 { 2.0 * x } else { 0.0 };
                let row = gradient * weights[perspective].0[i] * slope;
                rows[perspective].0[i] = row;
                bias[i] += row;
                weight_gradients[perspective].0[i] += gradient * (x * x);
            }
        }
    }
    bias_gradient.0 = bias;
}

kernel! {
    /// Adds to each feature's gradient those of the positions that have it.
    add_columns = add_columns_body(
        group: &Group,
        rows: &[Row; GRADIENT_ROWS],
        gradients: &mut [Row; ROWS],
    )
}

#[inline(always)]
fn add_columns_body(group: &Group, rows: &[Row; GRADIENT_ROWS], gradients: &mut [Row; ROWS]) {
    let mut list = group.rows.as_slice();
    for &(feature, length) in &group.columns {
        let (own, rest) = list.split_at(usize::from(length));
        list = rest;
        // Two sums at a time: one alone would wait for each addition before the next.
        let (mut even, mut odd) = ([0.0; TILE], [0.0; TILE]);
        let (pairs, left) = own.as_chunks::<2>();
        for &[first, second] in pairs {
            let first = &rows[usize::from(first) % GRADIENT_ROWS].0;
            let second = &rows[usize::from(second) % GRADIENT_ROWS].0;
            for i in 0..TILE {
                even[i] += first[i];
                odd[i] += second[i];
            }
        }
        if let &[last] = left {
            let last = &rows[usize::from(last) % GRADIENT_ROWS].0;
            for i in 0..TILE {
                even[i] += last[i];
            }
        }
        let gradient = &mut gradients[usize::from(feature) % ROWS].0;
        for i in 0..TILE {
            gradient[i] += even[i] + odd[i];
        }
    }
}

/// How the loss grows with the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// Its square.
    Square,
    /// Its power of 2.5: large errors count for more.
    Power25,
}

/// Everything that turns an output into a loss.
#[derive(Clone, Copy, Debug)]
pub struct Judge {
    /// Output times this is the logarithm of the odds.
    pub slope: f32,
    /// How the loss grows with the error.
    pub loss: Loss,
    /// Multiplies every gradient: one over the number of positions of the batch.
    pub share: f32,
}

impl Judge {
    /// The loss of an output, and the gradient of the batch's mean loss with respect to it.
    #[inline(always)]
    pub fn judge(&self, output: f32, target: f32) -> (f32, f32) {
        let points = math::sigmoid(output * self.slope);
        let error = points - target;
        let slope = points * (1.0 - points) * (self.slope * self.share);
        match self.loss {
            Loss::Square => (error * error, 2.0 * error * slope),
            Loss::Power25 => {
                let size = error.abs();
                let root = size.sqrt();
                (size * size * root, 2.5 * error * root * slope)
            }
        }
    }
}

kernel! {
    /// From outputs to losses and gradients (these take the outputs' place).
    judge_outputs = judge_outputs_body(
        judge: Judge,
        targets: &[f32],
        outputs: &mut [f32],
        losses: &mut [f32],
    )
}

#[inline(always)]
fn judge_outputs_body(judge: Judge, targets: &[f32], outputs: &mut [f32], losses: &mut [f32]) {
    let (targets, losses) = (&targets[..outputs.len()], &mut losses[..outputs.len()]);
    for i in 0..outputs.len() {
        (losses[i], outputs[i]) = judge.judge(outputs[i], targets[i]);
    }
}

/// AdamW's settings for one step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Learning rate, already corrected for the first moment's bias.
    pub rate: f32,
    /// One over the square root of the second moment's bias correction.
    pub correction: f32,
    /// What decay leaves of a weight.
    pub keep: f32,
    /// Weights stay within plus and minus this.
    pub limit: f32,
    /// How the weights are rounded after the step.
    pub grid: Grid,
}

/// Decay of the first moment.
pub const BETA_1: f32 = 0.9;
/// Decay of the second moment.
pub const BETA_2: f32 = 0.999;
/// Keeps a division by nothing away.
const EPSILON: f32 = 1e-8;

kernel! {
    /// One step of AdamW; the gradients are zero afterwards.
    adam = adam_body(
        step: Step,
        values: &mut [Row],
        first: &mut [Row],
        second: &mut [Row],
        gradients: &mut [Row],
    )
}

#[inline(always)]
fn adam_body(
    step: Step,
    values: &mut [Row],
    first: &mut [Row],
    second: &mut [Row],
    gradients: &mut [Row],
) {
    for row in 0..values.len() {
        let (value, gradient) = (&mut values[row], &mut gradients[row]);
        let (first, second) = (&mut first[row], &mut second[row]);
        for i in 0..TILE {
            let g = gradient.0[i];
            let m = BETA_1 * first.0[i] + (1.0 - BETA_1) * g;
            let v = BETA_2 * second.0[i] + (1.0 - BETA_2) * (g * g);
            let size = v.sqrt() * step.correction + EPSILON;
            let moved = value.0[i] * step.keep - step.rate * m / size;
            first.0[i] = m;
            second.0[i] = v;
            value.0[i] = moved.clamp(-step.limit, step.limit);
        }
        *gradient = Row::ZERO;
    }
}

/// How finely weights are rounded on the way forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// Feature weights to `1 / UNIT`; output weights not at all.
    Fine,
    /// As in the finished network: so that the weights learn to make up for each other's rounding.
    Coarse,
}

impl Grid {
    /// Steps of feature weights in 1.0, and what each of them is in `1 / UNIT`.
    fn feature_steps(self) -> (f32, i16) {
        match self {
            Grid::Fine => (UNIT, 1),
            Grid::Coarse => (QA as f32, (UNIT / QA as f32) as i16),
        }
    }
}

kernel! {
    /// Feature weights as the way forward uses them: rounded, in two halves.
    round_rows = round_rows_body(
        grid: Grid,
        values: &[Row],
        low: &mut [HalfRow],
        high: &mut [HalfRow],
    )
}

#[inline(always)]
fn round_rows_body(grid: Grid, values: &[Row], low: &mut [HalfRow], high: &mut [HalfRow]) {
    let (steps, size) = grid.feature_steps();
    // To the nearest: weights are clipped to ±1.98, so the result fits, and adding 1.5 · 2²³ leaves
    // it in the low bits of the sum.
    let rounded = |value: f32| (value * steps + 12_582_912.0).to_bits() as i16 * size;
    for (number, row) in values.iter().enumerate() {
        let (low, high) = (&mut low[number].0, &mut high[number].0);
        for i in 0..HALF {
            low[i] = rounded(row.0[i]);
            high[i] = rounded(row.0[HALF + i]);
        }
    }
}
