//! The network in training: its weights, their moments, and their gradients, cut into tiles of
//! columns so that each thread owns some and none shares any.

use super::kernels::{self, HALF, HalfRow, Level, ROWS, Row, Step, TILE, UNIT};
use super::sample::FEATURES;
use crate::base::rng::Rng;

/// No weight grows beyond this: output weights then fit in 8 bits, products in 16.
pub const WEIGHT_LIMIT: f32 = 1.98;

/// No limit, for the output's bias: it is a 32-bit number in the finished network.
const NO_LIMIT: f32 = 1e6;

/// Weights with what AdamW remembers of them.
#[derive(Clone, PartialEq)]
pub struct Parameters {
    /// The weights.
    pub values: Vec<Row>,
    first: Vec<Row>,
    second: Vec<Row>,
}

impl Parameters {
    fn new(rows: usize, mut value: impl FnMut() -> f32) -> Parameters {
        let values = (0..rows)
            .map(|_| std::array::from_fn(|_| value()))
            .collect();
        let zeros = vec![[0.0; TILE]; rows];
        Parameters {
            values,
            first: zeros.clone(),
            second: zeros,
        }
    }

    fn step(&mut self, level: Level, step: Step, gradients: &mut [Row]) {
        kernels::adam(
            level,
            step,
            self.values.as_flattened_mut(),
            self.first.as_flattened_mut(),
            self.second.as_flattened_mut(),
            gradients.as_flattened_mut(),
        );
    }

    /// All its numbers, for storage.
    pub fn numbers(&mut self) -> [&mut [f32]; 3] {
        [&mut self.values, &mut self.first, &mut self.second].map(|rows| rows.as_flattened_mut())
    }
}

/// Feature weights of half a tile, padded so that no feature needs a check.
pub type HalfTile = Box<[HalfRow; ROWS]>;

/// [`TILE`] hidden neurons: all that flows into them and out of them.
#[derive(Clone)]
pub struct Tile {
    /// One row for each feature.
    pub features: Parameters,
    /// One row.
    pub bias: Parameters,
    /// Two rows for each bucket: for the mover's perspective and the opponent's.
    pub outputs: Parameters,
    /// Gradients of the feature weights.
    pub feature_gradients: Box<[Row; ROWS]>,
    /// Gradient of the bias.
    pub bias_gradient: Row,
    /// Gradients of the output weights.
    pub output_gradients: Vec<[Row; 2]>,
    /// Feature weights as the way forward uses them.
    pub rounded: [HalfTile; 2],
    /// The bias in the same form.
    pub rounded_bias: [HalfRow; 2],
}

/// A boxed array of zeros, made without a detour over the stack.
pub fn boxed<T: Clone, const N: usize>(zero: T) -> Box<[T; N]> {
    match vec![zero; N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the slice was made with this length"),
    }
}

impl Tile {
    /// `columns` of a layer, drawn from these generators.
    fn new(buckets: usize, features: &mut Rng, outputs: &mut Rng, hidden: usize) -> Tile {
        // Sums of some thirty rows, and the output, then start with a spread well below one.
        let spread = |rng: &mut Rng, variance: f64| {
            ((rng.unit() * 2.0 - 1.0) * (3.0 * variance).sqrt()) as f32
        };
        let bucket = Parameters::new(2, || spread(outputs, 1.0 / hidden as f64)).values;
        let mut tile = Tile {
            features: Parameters::new(FEATURES, || spread(features, 2.0 / FEATURES as f64)),
            bias: Parameters::new(1, || 0.0),
            outputs: Parameters {
                values: bucket.repeat(buckets),
                ..Parameters::new(2 * buckets, || 0.0)
            },
            feature_gradients: boxed([0.0; TILE]),
            bias_gradient: [0.0; TILE],
            output_gradients: vec![[[0.0; TILE]; 2]; buckets],
            rounded: [boxed([0; HALF]), boxed([0; HALF])],
            rounded_bias: [[0; HALF]; 2],
        };
        tile.round(Level::PORTABLE);
        tile
    }

    /// The output weights, bucket by bucket.
    pub fn output_weights(&self) -> &[[Row; 2]] {
        self.outputs.values.as_chunks().0
    }

    /// One step of AdamW with the gradients gathered so far, which are forgotten.
    pub fn step(&mut self, level: Level, step: Step) {
        self.features
            .step(level, step, &mut self.feature_gradients[..FEATURES]);
        self.bias
            .step(level, step, std::slice::from_mut(&mut self.bias_gradient));
        self.outputs
            .step(level, step, self.output_gradients.as_flattened_mut());
        self.round(level);
    }

    /// Makes the rounded weights anew.
    pub fn round(&mut self, level: Level) {
        let [low, high] = &mut self.rounded;
        kernels::round_rows(level, &self.features.values, &mut low[..], &mut high[..]);
        let [low, high] = self.rounded_bias.as_chunks_mut::<1>().0 else {
            return;
        };
        kernels::round_rows(level, &self.bias.values, low, high);
    }

    /// Everything that a checkpoint holds.
    pub fn parameters(&mut self) -> [&mut Parameters; 3] {
        [&mut self.features, &mut self.bias, &mut self.outputs]
    }
}

/// The biases of the outputs, one a bucket. Each thread has a copy and moves it in the same way.
#[derive(Clone, PartialEq)]
pub struct OutputBias {
    /// The biases.
    pub values: Vec<f32>,
    /// Gradients gathered so far.
    pub gradients: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
}

impl OutputBias {
    fn new(buckets: usize) -> OutputBias {
        let zeros = || vec![0.0; buckets];
        OutputBias {
            values: zeros(),
            gradients: zeros(),
            first: zeros(),
            second: zeros(),
        }
    }

    /// One step of AdamW.
    pub fn step(&mut self, level: Level, step: Step) {
        let step = Step {
            limit: NO_LIMIT,
            ..step
        };
        let OutputBias {
            values,
            gradients,
            first,
            second,
        } = self;
        kernels::adam(level, step, values, first, second, gradients);
    }

    /// All its numbers, for storage.
    pub fn numbers(&mut self) -> [&mut [f32]; 3] {
        [&mut self.values, &mut self.first, &mut self.second]
    }
}

/// A network in training.
#[derive(Clone)]
pub struct Model {
    /// The hidden neurons.
    pub tiles: Vec<Tile>,
    /// The biases of the outputs.
    pub output_bias: OutputBias,
}

impl Model {
    /// Random weights. `hidden` is a multiple of [`TILE`].
    pub fn random(hidden: usize, buckets: usize, seed: u64) -> Model {
        let tile = |number: usize| {
            let mut features = Rng::stream(seed, (1 << 32) | (2 * number as u64));
            let mut outputs = Rng::stream(seed, (1 << 32) | (2 * number as u64 + 1));
            Tile::new(buckets, &mut features, &mut outputs, hidden)
        };
        Model {
            tiles: (0..hidden / TILE).map(tile).collect(),
            output_bias: OutputBias::new(buckets),
        }
    }

    /// Hidden neurons of each perspective.
    pub fn hidden(&self) -> usize {
        self.tiles.len() * TILE
    }

    /// Output buckets.
    pub fn buckets(&self) -> usize {
        self.output_bias.values.len()
    }

    /// All numbers of a checkpoint, in a fixed order.
    pub fn numbers(&mut self) -> Vec<&mut [f32]> {
        let tiles = self.tiles.iter_mut().flat_map(Tile::parameters);
        let mut numbers: Vec<_> = tiles.flat_map(Parameters::numbers).collect();
        numbers.extend(self.output_bias.numbers());
        numbers
    }

    /// Rounds all weights anew: after they were read.
    pub fn round(&mut self) {
        self.tiles
            .iter_mut()
            .for_each(|tile| tile.round(Level::best()));
    }
}

/// The value of a rounded weight.
pub fn value(rounded: i16) -> f32 {
    f32::from(rounded) / UNIT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_weights_whatever_the_width() {
        let mut small = Model::random(64, 8, 5);
        let large = Model::random(128, 8, 5);
        assert!(small.tiles[1].features == large.tiles[1].features);
        assert!(Model::random(64, 8, 6).tiles[0].features != small.tiles[0].features);
        assert!(small.tiles[0].features != small.tiles[1].features);
        let numbers: usize = small.numbers().iter().map(|part| part.len()).sum();
        assert_eq!(numbers, 3 * (768 * 64 + 64 + 8 * 128 + 8));
        // All buckets begin alike.
        let weights = small.tiles[0].output_weights();
        assert!(weights.iter().all(|bucket| *bucket == weights[0]));
    }

    #[test]
    fn rounded_weights_follow_the_exact_ones() {
        let mut tile = Model::random(64, 1, 5).tiles.remove(0);
        tile.features.values[700][20] = -1.98;
        tile.features.values[3][4] = 0.5;
        tile.bias.values[0][31] = 1.98;
        tile.round(Level::best());
        assert_eq!(value(tile.rounded[0][3][4]), 0.5);
        assert_eq!(tile.rounded[1][700][4], -8078);
        assert_eq!(tile.rounded_bias[1][15], 8078);
        for (feature, row) in tile.features.values.iter().enumerate() {
            for (i, exact) in row.iter().enumerate() {
                let rounded = value(tile.rounded[i / HALF][feature][i % HALF]);
                assert!((rounded - exact).abs() <= 0.5001 / UNIT);
            }
        }
    }
}
