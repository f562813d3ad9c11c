//! The inner loops of training, compiled for several instruction sets and chosen at run time.
//!
//! They are plain loops over arrays of fixed length that the compiler turns into vector code. None
//! fuses a multiplication with an addition and every sum has a fixed order, so that all levels give
//! the same bits.
//!
//! The columns of the feature weights are cut into tiles of [`TILE`] columns. A tile of weights
//! (16-bit, half a tile at a time) fits in the first-level cache and a tile of gradients in the
//! second.

use super::group::{GRADIENT_ROWS, Group};
use super::math;

/// Columns of a tile: hidden neurons that one thread works on at a time.
pub const TILE: usize = 32;

/// Columns of half a tile.
pub const HALF: usize = 16;

/// Rows of a tile: a power of two, so that a masked feature is always in range.
pub const ROWS: usize = 1024;

/// 1.0 as a weight of the way forward: sixteen times finer than in the finished network.
pub const UNIT: f32 = 4080.0;

/// Sixteen-bit numbers, one for each column of half a tile.
pub type HalfRow = [i16; HALF];

/// Numbers, one for each column of a tile.
pub type Row = [f32; TILE];

/// The sums of a position's rows, for each perspective.
pub type Sums = [HalfRow; 2];

/// An instruction set that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// What every machine has.
    pub const PORTABLE: Level = Level(Instructions::Portable);

    /// The levels of this machine, the fastest last.
    pub fn all() -> Vec<Level> {
        #[allow(unused_mut)]
        let mut levels = vec![Level::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
                levels.push(Level(Instructions::Avx2));
            }
            if is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
            {
                levels.push(Level(Instructions::Avx512));
            }
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
            #[target_feature(enable = "avx2,bmi1,bmi2")]
            #[allow(clippy::too_many_arguments)]
            fn avx2($($arg: $type),*) {
                $body($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl")]
            #[allow(clippy::too_many_arguments)]
            fn avx512($($arg: $type),*) {
                $body($($arg),*)
            }
            match level.0 {
                Instructions::Portable => $body($($arg),*),
                // SAFETY: a `Level` of AVX2 is only made where it was detected.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2($($arg),*) },
                // SAFETY: a `Level` of AVX-512 is only made where it was detected.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 => unsafe { avx512($($arg),*) },
            }
        }
    };
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
    for (&men, sums) in group.men.iter().zip(sums) {
        let Some((own, rest)) = features.split_at_checked(usize::from(men)) else {
            return;
        };
        features = rest;
        let (mut mover, mut other) = (*bias, *bias);
        for &[m, o] in own {
            let (m, o) = (
                &weights[usize::from(m) % ROWS],
                &weights[usize::from(o) % ROWS],
            );
            for i in 0..HALF {
                mover[i] = mover[i].saturating_add(m[i]);
                other[i] = other[i].saturating_add(o[i]);
            }
        }
        *sums = [mover, other];
    }
}

/// A sum as a number, clamped to where the activation is not flat.
#[inline(always)]
fn clamped(sum: i16) -> f32 {
    (f32::from(sum) * (1.0 / UNIT)).clamp(0.0, 1.0)
}

/// Both halves of one perspective's sums, clamped.
#[inline(always)]
fn clamped_row(low: &Sums, high: &Sums, perspective: usize) -> Row {
    let mut row = [0.0; TILE];
    for i in 0..HALF {
        row[i] = clamped(low[perspective][i]);
        row[HALF + i] = clamped(high[perspective][i]);
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
    for (((low, high), &bucket), output) in low.iter().zip(high).zip(buckets).zip(outputs) {
        let Some(weights) = weights.get(usize::from(bucket)) else {
            return;
        };
        let (mover, other) = (clamped_row(low, high, 0), clamped_row(low, high, 1));
        let mut sums = [0.0; TILE];
        for i in 0..TILE {
            sums[i] = mover[i] * mover[i] * weights[0][i] + other[i] * other[i] * weights[1][i];
        }
        let mut width = TILE / 2;
        while width > 0 {
            for i in 0..width {
                sums[i] += sums[i + width];
            }
            width /= 2;
        }
        *output = sums[0];
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
    let mut bias = *bias_gradient;
    let positions = low.iter().zip(high).zip(buckets).zip(gradients);
    for ((((low, high), &bucket), &gradient), rows) in positions.zip(rows.as_chunks_mut().0) {
        let bucket = usize::from(bucket);
        let (Some(weights), Some(weight_gradients)) =
            (weights.get(bucket), weight_gradients.get_mut(bucket))
        else {
            return;
        };
        let rows: &mut [Row; 2] = rows;
        for perspective in 0..2 {
            let active = clamped_row(low, high, perspective);
            for i in 0..TILE {
                let x = active[i];
                // Flat at both ends.
                let slope = if x < 1.0 { 2.0 * x } else { 0.0 };
                let row = gradient * weights[perspective][i] * slope;
                rows[perspective][i] = row;
                bias[i] += row;
                weight_gradients[perspective][i] += gradient * (x * x);
            }
        }
    }
    *bias_gradient = bias;
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
        let Some((own, rest)) = list.split_at_checked(usize::from(length)) else {
            return;
        };
        list = rest;
        // Four sums at a time: one alone would wait for each addition before the next.
        let mut sums = [[0.0; TILE]; 4];
        let (fours, left) = own.as_chunks::<4>();
        for four in fours {
            for (sum, &row) in sums.iter_mut().zip(four) {
                let row = &rows[usize::from(row) % GRADIENT_ROWS];
                for i in 0..TILE {
                    sum[i] += row[i];
                }
            }
        }
        for &row in left {
            let row = &rows[usize::from(row) % GRADIENT_ROWS];
            for i in 0..TILE {
                sums[0][i] += row[i];
            }
        }
        let gradient = &mut gradients[usize::from(feature) % ROWS];
        for i in 0..TILE {
            gradient[i] += (sums[0][i] + sums[1][i]) + (sums[2][i] + sums[3][i]);
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
    for ((output, &target), loss) in outputs.iter_mut().zip(targets).zip(losses) {
        (*loss, *output) = judge.judge(*output, target);
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
        values: &mut [f32],
        first: &mut [f32],
        second: &mut [f32],
        gradients: &mut [f32],
    )
}

#[inline(always)]
fn adam_body(
    step: Step,
    values: &mut [f32],
    first: &mut [f32],
    second: &mut [f32],
    gradients: &mut [f32],
) {
    let moments = first.iter_mut().zip(second);
    for ((value, gradient), (first, second)) in values.iter_mut().zip(gradients).zip(moments) {
        let g = std::mem::take(gradient);
        *first = BETA_1 * *first + (1.0 - BETA_1) * g;
        *second = BETA_2 * *second + (1.0 - BETA_2) * (g * g);
        let size = second.sqrt() * step.correction + EPSILON;
        let moved = *value * step.keep - step.rate * *first / size;
        *value = moved.clamp(-step.limit, step.limit);
    }
}

kernel! {
    /// Weights as the way forward uses them: rounded to `1 / UNIT`, in two halves.
    round_rows = round_rows_body(
        values: &[Row],
        low: &mut [HalfRow],
        high: &mut [HalfRow],
    )
}

#[inline(always)]
fn round_rows_body(values: &[Row], low: &mut [HalfRow], high: &mut [HalfRow]) {
    for ((row, low), high) in values.iter().zip(low).zip(high) {
        for i in 0..HALF {
            low[i] = rounded(row[i]);
            high[i] = rounded(row[HALF + i]);
        }
    }
}

/// To the nearest; weights are clipped to ±1.98, so nothing overflows.
#[inline(always)]
fn rounded(value: f32) -> i16 {
    const ROUNDER: f32 = 12_582_912.0;
    (value * UNIT + ROUNDER - ROUNDER) as i32 as i16
}
