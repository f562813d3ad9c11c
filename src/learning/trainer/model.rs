//! The network in training: its weights, their moments, and their gradients, cut into tiles of
//! columns so that each thread owns some and none shares any.

use super::kernels::{self, Grid, HalfRow, Level, ROWS, Row, Step, TILE, UNIT};
use super::sample::FEATURES;
use super::scale::SCALE;
use crate::base::rng::Rng;
use crate::eval::kernels::{Chunk, QA};
use crate::eval::network::{Network, QB};

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
        let mut row = || Row(std::array::from_fn(|_| value()));
        let values = (0..rows).map(|_| row()).collect();
        let zeros = vec![Row::ZERO; rows];
        Parameters {
            values,
            first: zeros.clone(),
            second: zeros,
        }
    }

    fn step(&mut self, level: Level, step: Step, gradients: &mut [Row]) {
        let Parameters {
            values,
            first,
            second,
        } = self;
        kernels::adam(level, step, values, first, second, gradients);
    }

    /// All its numbers, for storage: weights, first moments, second moments.
    pub fn numbers(&mut self) -> [Vec<&mut f32>; 3] {
        [&mut self.values, &mut self.first, &mut self.second]
            .map(|rows| rows.iter_mut().flat_map(|row| &mut row.0).collect())
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
    /// The output weights in the form that the way forward uses, bucket by bucket.
    pub rounded_outputs: Vec<[Row; 2]>,
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
            feature_gradients: boxed(Row::ZERO),
            bias_gradient: Row::ZERO,
            output_gradients: vec![[Row::ZERO; 2]; buckets],
            rounded: [boxed(HalfRow::ZERO), boxed(HalfRow::ZERO)],
            rounded_bias: [HalfRow::ZERO; 2],
            rounded_outputs: vec![[Row::ZERO; 2]; buckets],
        };
        tile.round(Level::PORTABLE, Grid::Fine);
        tile
    }

    /// Takes over a network's columns from `first` on; output weights times `unit`. Columns beyond
    /// the network keep their features, and no output listens to them.
    fn continue_from(&mut self, network: &Network, first: usize, unit: f32) {
        let hidden = network.hidden();
        let copy = |row: &mut Row, chunks: &[Chunk], first: usize, unit: f32| {
            let numbers = chunks.iter().flat_map(|chunk| chunk.0).skip(first);
            for (value, number) in row.0.iter_mut().zip(numbers) {
                *value = f32::from(number) * unit;
            }
        };
        if first < hidden {
            for (feature, row) in self.features.values.iter_mut().enumerate() {
                copy(row, network.row(feature as u16), first, 1.0 / QA as f32);
            }
            let bias = network.feature_bias();
            copy(&mut self.bias.values[0], bias, first, 1.0 / QA as f32);
        }
        for (bucket, rows) in self.outputs.values.chunks_exact_mut(2).enumerate() {
            let (mover, other) = network.output_weights(bucket).split_at(network.chunks());
            for (row, weights) in rows.iter_mut().zip([mover, other]) {
                *row = Row::ZERO;
                copy(row, weights, first, unit / QB as f32);
            }
        }
    }

    /// One step of AdamW with the gradients gathered so far, which are forgotten.
    pub fn step(&mut self, level: Level, step: Step) {
        self.features
            .step(level, step, &mut self.feature_gradients[..FEATURES]);
        self.bias
            .step(level, step, std::slice::from_mut(&mut self.bias_gradient));
        self.outputs
            .step(level, step, self.output_gradients.as_flattened_mut());
        self.round(level, step.grid);
    }

    /// Makes the rounded weights anew.
    pub fn round(&mut self, level: Level, grid: Grid) {
        let [low, high] = &mut self.rounded;
        let features = &self.features.values;
        kernels::round_rows(level, grid, features, &mut low[..], &mut high[..]);
        let [low, high] = self.rounded_bias.as_chunks_mut::<1>().0 else {
            return;
        };
        kernels::round_rows(level, grid, &self.bias.values, low, high);
        let rounded = self.rounded_outputs.as_flattened_mut();
        for (rounded, exact) in rounded.iter_mut().zip(&self.outputs.values) {
            *rounded = match grid {
                Grid::Fine => *exact,
                Grid::Coarse => Row(exact.0.map(round_output)),
            };
        }
    }

    /// Everything that a checkpoint holds.
    pub fn parameters(&mut self) -> [&mut Parameters; 3] {
        [&mut self.features, &mut self.bias, &mut self.outputs]
    }
}

/// The biases of the outputs. Each thread has a copy and moves it in the same way.
#[derive(Clone)]
pub struct OutputBias {
    /// One row, of which there are as many in use as there are buckets.
    pub parameters: Parameters,
    /// Gradients gathered so far, one a bucket.
    pub gradients: Row,
}

impl OutputBias {
    fn new() -> OutputBias {
        OutputBias {
            parameters: Parameters::new(1, || 0.0),
            gradients: Row::ZERO,
        }
    }

    /// The bias of a bucket.
    pub fn value(&self, bucket: usize) -> f32 {
        self.parameters.values[0].0[bucket]
    }

    /// One step of AdamW.
    pub fn step(&mut self, level: Level, step: Step) {
        let step = Step {
            limit: NO_LIMIT,
            ..step
        };
        let gradients = std::slice::from_mut(&mut self.gradients);
        self.parameters.step(level, step, gradients);
    }
}

/// A network in training.
#[derive(Clone)]
pub struct Model {
    /// The hidden neurons.
    pub tiles: Vec<Tile>,
    /// The biases of the outputs.
    pub output_bias: OutputBias,
    buckets: usize,
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
            output_bias: OutputBias::new(),
            buckets,
        }
    }

    /// The weights of a finished network, to be trained further. It must not be wider than `hidden`,
    /// and have as many buckets: what is wider begins with random features that no output listens to
    /// yet, so that the model judges as the network does.
    pub fn continued(network: &Network, hidden: usize, seed: u64) -> Model {
        let mut model = Model::random(hidden, network.buckets(), seed);
        let unit = f32::from(network.scale()) / SCALE;
        for (number, tile) in model.tiles.iter_mut().enumerate() {
            tile.continue_from(network, number * TILE, unit);
        }
        let biases = &mut model.output_bias.parameters.values[0].0;
        for (bucket, bias) in biases.iter_mut().enumerate().take(network.buckets()) {
            *bias = network.output_bias(bucket) as f32 / (QA * QB) as f32 * unit;
        }
        model.round(Grid::Fine);
        model
    }

    /// Hidden neurons of each perspective.
    pub fn hidden(&self) -> usize {
        self.tiles.len() * TILE
    }

    /// Output buckets.
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// All numbers of a checkpoint, in a fixed order, in parts: weights, first moments, second
    /// moments, and again.
    pub fn numbers(&mut self) -> Vec<Vec<&mut f32>> {
        let tiles = self.tiles.iter_mut().flat_map(Tile::parameters);
        let all = tiles.chain([&mut self.output_bias.parameters]);
        all.flat_map(Parameters::numbers).collect()
    }

    /// Rounds all weights anew: after they were read.
    pub fn round(&mut self, grid: Grid) {
        self.tiles
            .iter_mut()
            .for_each(|tile| tile.round(Level::best(), grid));
    }
}

/// An output weight as the finished network has it.
fn round_output(weight: f32) -> f32 {
    (weight * QB as f32).round_ties_even() / QB as f32
}

/// The value of a rounded weight.
pub fn value(rounded: i16) -> f32 {
    f32::from(rounded) / UNIT
}

#[cfg(test)]
mod tests {
    use super::super::kernels::HALF;
    use super::*;

    #[test]
    fn a_seed_gives_the_same_weights_whatever_the_width() {
        let mut small = Model::random(64, 8, 5);
        let large = Model::random(128, 8, 5);
        assert!(small.tiles[1].features == large.tiles[1].features);
        assert!(Model::random(64, 8, 6).tiles[0].features != small.tiles[0].features);
        assert!(small.tiles[0].features != small.tiles[1].features);
        let numbers: usize = small.numbers().iter().map(|part| part.len()).sum();
        assert_eq!(numbers, 3 * (768 * 64 + 64 + 8 * 128 + 32));
        // All buckets begin alike.
        let weights = &small.tiles[0].rounded_outputs;
        assert!(weights.iter().all(|bucket| *bucket == weights[0]));
    }

    #[test]
    fn a_network_that_is_continued_is_the_same_network() {
        let network = Network::random(128, 8, 9);
        let same = Model::continued(&network, 128, 1);
        let again = Network::from_parts(&super::super::quantise::parts(&same, network.scale()));
        assert!(again.unwrap() == network);

        // A wider one has new features, and outputs that do not listen to them yet.
        let wide = Model::continued(&network, 192, 1);
        let parts = super::super::quantise::parts(&wide, network.scale());
        assert!(
            parts.feature_weights[128..192]
                .iter()
                .any(|&weight| weight != 0)
        );
        for side in parts.output_weights.chunks_exact(192) {
            assert!(side[..128].iter().any(|&weight| weight != 0));
            assert!(side[128..].iter().all(|&weight| weight == 0));
        }
    }

    #[test]
    fn rounded_weights_follow_the_exact_ones() {
        let mut tile = Model::random(64, 1, 5).tiles.remove(0);
        tile.features.values[700].0[20] = -1.98;
        tile.features.values[3].0[4] = 0.5;
        tile.bias.values[0].0[31] = 1.98;
        tile.round(Level::best(), Grid::Fine);
        assert_eq!(value(tile.rounded[0][3].0[4]), 0.5);
        assert_eq!(tile.rounded[1][700].0[4], -8078);
        assert_eq!(tile.rounded_bias[1].0[15], 8078);
        for (grid, steps) in [(Grid::Fine, UNIT), (Grid::Coarse, 255.0)] {
            tile.round(Level::best(), grid);
            for (feature, row) in tile.features.values.iter().enumerate() {
                for (i, exact) in row.0.iter().enumerate() {
                    let rounded = value(tile.rounded[i / HALF][feature].0[i % HALF]);
                    assert!((rounded - exact).abs() <= 0.5001 / steps);
                    assert!((rounded * steps).fract().abs() < 1e-3, "{rounded}");
                }
            }
        }
        let rounded = tile.rounded_outputs.as_flattened()[1].0[3];
        assert!((rounded - tile.outputs.values[1].0[3]).abs() <= 0.5 / 64.0);
        assert_eq!((rounded * 64.0).fract(), 0.0);
    }
}
