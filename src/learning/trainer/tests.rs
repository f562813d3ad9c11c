//! The trainer as a whole: gradients against finite differences, a small set learned by heart,
//! runs that are the same however they are made.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use super::checkpoint;
use super::data::Epoch;
use super::data::tests::random_samples;
use super::evaluate;
use super::group::{GROUP, Target, bucket};
use super::kernels::{Grid, Level, Step, TILE, UNIT};
use super::model::Model;
use super::sample::Sample;
use super::steps::{Rules, train_batches};
use super::*;

/// Rules for tests: a bit of everything.
pub fn rules() -> Rules {
    Rules {
        target: Target {
            lambda: 0.3,
            scale: 350.0,
        },
        loss: Loss::Square,
        centipawns: 400.0,
        level: Level::best(),
    }
}

/// A step that changes nothing, so that gradients can be told from what it remembers.
const STILL: Step = Step {
    rate: 0.0,
    correction: 1.0,
    keep: 1.0,
    limit: 10.0,
    grid: Grid::Fine,
};

/// The mean loss, computed in the plainest way and with double precision.
fn plain_loss(model: &Model, samples: &[Sample], rules: Rules) -> f64 {
    let buckets = model.buckets();
    let losses = samples.iter().map(|sample| {
        let bucket = bucket(sample.men(), buckets);
        let mut output = f64::from(model.output_bias.value(bucket));
        for tile in &model.tiles {
            let bias = tile.bias.values[0].0.map(f64::from);
            let mut sums = [bias, bias];
            for features in sample.features() {
                for (sums, feature) in sums.iter_mut().zip(features) {
                    let row = tile.features.values[usize::from(feature)].0;
                    sums.iter_mut()
                        .zip(row)
                        .for_each(|(sum, weight)| *sum += f64::from(weight));
                }
            }
            for (perspective, sums) in sums.iter().enumerate() {
                for (column, sum) in sums.iter().enumerate() {
                    let active = sum.clamp(0.0, 1.0);
                    let weight = tile.outputs.values[2 * bucket + perspective].0[column];
                    output += active * active * f64::from(weight);
                }
            }
        }
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let slope = f64::from(rules.centipawns) / f64::from(rules.target.scale);
        let judged = sigmoid(f64::from(sample.score) / f64::from(rules.target.scale));
        let lambda = f64::from(rules.target.lambda);
        let target = lambda * f64::from(sample.points()) + (1.0 - lambda) * judged;
        let error = (sigmoid(output * slope) - target).abs();
        match rules.loss {
            Loss::Square => error.powi(2),
            Loss::Power25 => error.powf(2.5),
        }
    });
    losses.sum::<f64>() / samples.len() as f64
}

/// A model whose weights are whole multiples of the rounding step, so that rounding them is exact,
/// large enough for sums on all three pieces of the activation.
fn even_model(buckets: usize) -> Model {
    let mut model = Model::random(64, buckets, 21);
    for tile in &mut model.tiles {
        let numbers = tile.features.values.iter_mut().flat_map(|row| &mut row.0);
        for (i, value) in numbers.enumerate() {
            *value = (*value * 3.0 * UNIT).round() / UNIT + (i % 7) as f32 / UNIT;
        }
        for (i, value) in tile.bias.values[0].0.iter_mut().enumerate() {
            *value = (i as f32 * 0.02 * UNIT).round() / UNIT;
        }
    }
    let biases = &mut model.output_bias.parameters.values[0].0[..buckets];
    for (i, value) in biases.iter_mut().enumerate() {
        *value = i as f32 / 8.0;
    }
    model.round(Grid::Fine);
    model
}

/// All numbers of a model.
fn numbers(model: &mut Model) -> Vec<Vec<f32>> {
    let parts = model.numbers().into_iter();
    let copy = |part: Vec<&mut f32>| part.into_iter().map(|number| *number).collect();
    parts.map(copy).collect()
}

/// The gradients of the mean loss over some samples: the first moments after one still step are
/// a tenth of them.
fn gradients(model: &Model, samples: &[Sample], rules: Rules) -> Model {
    let mut model = model.clone();
    let epoch = Epoch::new(samples, 1, 0, 64);
    let (still, before) = (&|_| STILL, plain_loss(&model, samples, rules));
    let tally = train_batches(&mut model, &epoch, 0..1, rules, 2, still).unwrap()[0];
    assert_eq!(tally.positions, samples.len() as u64);
    assert!(
        (tally.mean() - before).abs() < 1e-6,
        "{} {before}",
        tally.mean()
    );
    model
}

#[test]
fn gradients_agree_with_finite_differences() {
    for (buckets, loss) in [(1, Loss::Square), (8, Loss::Square), (8, Loss::Power25)] {
        let rules = Rules { loss, ..rules() };
        let samples = random_samples(2 * GROUP + 100, 31);
        let model = even_model(buckets);
        let mut moved = gradients(&model, &samples, rules);
        let found = numbers(&mut moved);
        let mut checked = 0;
        // Parts come in threes: values, first moments, second moments.
        for part in (0..found.len()).step_by(3) {
            let count = found[part].len();
            for i in (0..count).step_by((count / 12).max(1)) {
                let gradient = f64::from(found[part + 1][i]) * 10.0;
                // A step so small that hardly a sum crosses one of the activation's corners; and
                // upwards only, since the kernels count a sum at the upper corner as beyond it.
                let around = [0.0, 1.0 / 16384.0].map(|change| {
                    let mut model = model.clone();
                    *model.numbers()[part][i] += change;
                    let value = *model.numbers()[part][i];
                    (f64::from(value), plain_loss(&model, &samples, rules))
                });
                let [(x, y), (next_x, next_y)] = around;
                let expected = (next_y - y) / (next_x - x);
                let error = (gradient - expected).abs();
                assert!(
                    error < 2e-3 * expected.abs() + 2e-7,
                    "{part} {i}: {gradient} {expected}"
                );
                checked += usize::from(expected.abs() > 1e-6);
            }
        }
        assert!(checked > 50, "only {checked} gradients were not zero");
    }
}

fn small_config() -> Config {
    Config {
        hidden: 64,
        buckets: 8,
        epochs: 3,
        batch: Some(256),
        ..Config::default()
    }
}

fn small_data() -> Dataset {
    Dataset::of(random_samples(2000, 41), random_samples(300, 42), 7)
}

fn on(threads: usize) -> Environment {
    Environment {
        threads,
        ..Environment::default()
    }
}

fn quiet(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn a_tiny_set_is_learned_by_heart() {
    let data = Dataset::of(random_samples(150, 51), Vec::new(), 1);
    let config = Config {
        epochs: 1500,
        lambda: 0.5,
        rate: 5e-3,
        ..small_config()
    };
    let trained = train(&config, &data, &on(1), &mut quiet).unwrap();
    let first = trained.report.history[0].training;
    assert!(first > 0.02, "{first}");
    assert!(
        trained.report.training < 1e-4,
        "{}",
        trained.report.training
    );
    assert!(
        trained.report.quantisation.rounded_loss < 5e-4,
        "{:?}",
        trained.report.quantisation
    );
}

#[test]
fn neither_threads_nor_instructions_change_the_result() {
    let data = small_data();
    let one = train(&small_config(), &data, &on(1), &mut quiet).unwrap();
    let two = train(&small_config(), &data, &on(2), &mut quiet).unwrap();
    let many = train(&small_config(), &data, &on(7), &mut quiet).unwrap();
    assert!(one.network == two.network && one.network == many.network);
    assert_eq!(one.report.history, two.report.history);
    assert_eq!(one.report.quantisation, two.report.quantisation);

    let epoch = Epoch::new(&data.training, 1, 0, 2);
    let step = |_| Step {
        rate: 1e-3,
        correction: 10.0,
        keep: 0.999,
        limit: 1.98,
        grid: Grid::Fine,
    };
    let mut models = Vec::new();
    for level in Level::all() {
        let mut model = Model::random(64, 8, 3);
        let rules = Rules { level, ..rules() };
        train_batches(&mut model, &epoch, 0..3, rules, 2, &step).unwrap();
        let loss = evaluate::loss(&model, &data.validation, rules, 2);
        models.push((numbers(&mut model), loss));
    }
    assert!(models.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn seeds_make_different_networks() {
    let data = small_data();
    let train = |seed| {
        let config = Config {
            seed,
            epochs: 1,
            ..small_config()
        };
        train(&config, &data, &on(2), &mut quiet).unwrap().network
    };
    assert!(train(1) == train(1));
    assert!(train(1) != train(2));
}

#[test]
fn a_network_is_trained_further() {
    let data = small_data();
    let first = train(&small_config(), &data, &on(2), &mut quiet).unwrap();
    let start = Start::with(Arc::new(first.network));
    let further = Config {
        hidden: 128,
        start: Some(start),
        ..small_config()
    };
    let second = train(&further, &data, &on(2), &mut quiet).unwrap();
    // It begins nearer to where the other one ended than to where that began.
    let begun = second.report.history[0].training;
    let (random, learned) = (first.report.history[0].training, first.report.training);
    assert!(
        begun < (random + learned) / 2.0,
        "{begun} {random} {learned}"
    );
    assert!(second.report.training < first.report.training);

    let narrow = Config {
        hidden: 64,
        start: Some(Start::with(Arc::new(second.network))),
        ..small_config()
    };
    let refused = train(&narrow, &data, &on(1), &mut quiet).err();
    assert!(matches!(refused, Some(TrainError::Settings(_))));
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("standpat-{}-{name}.checkpoint", std::process::id());
        Scratch(std::env::temp_dir().join(name))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn an_interrupted_run_goes_on_as_if_nothing_had_happened() {
    let data = small_data();
    let config = small_config();
    let whole = train(&config, &data, &on(2), &mut quiet).unwrap();
    let scratch = Scratch::new("resume");
    let environment = Environment {
        threads: 2,
        checkpoint: Some(scratch.0.clone()),
        resume: true,
    };
    let mut starts = 0;
    let resumed = loop {
        starts += 1;
        let mut reports = 0;
        let result = train(&config, &data, &environment, &mut |_| {
            reports += 1;
            if reports == 1 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        match result {
            Err(TrainError::Interrupted) => continue,
            other => break other.unwrap(),
        }
    };
    assert!(starts > 3, "{starts}");
    assert!(whole.network == resumed.network);
    assert_eq!(whole.report.history, resumed.report.history);
    assert_eq!(whole.report.validation, resumed.report.validation);
}

#[test]
fn a_checkpoint_of_another_run_or_a_damaged_one_is_refused() {
    let data = small_data();
    let scratch = Scratch::new("refuse");
    let environment = Environment {
        threads: 1,
        checkpoint: Some(scratch.0.clone()),
        resume: true,
    };
    let config = Config {
        epochs: 1,
        ..small_config()
    };
    train(&config, &data, &environment, &mut quiet).unwrap();
    let (state, mut model) = checkpoint::load(&scratch.0).unwrap();
    assert_eq!(state.config, config);

    let refused = |config: &Config, data: &Dataset| {
        train(config, data, &environment, &mut quiet)
            .err()
            .map(|error| error.to_string())
    };
    let other = Config {
        lambda: 0.2,
        ..config.clone()
    };
    assert!(
        refused(&other, &data)
            .unwrap()
            .contains("the settings differ")
    );
    let games = Dataset::of(random_samples(500, 43), Vec::new(), 7);
    assert!(
        refused(&config, &games)
            .unwrap()
            .contains("the games differ")
    );
    // What is finished is simply finished once more.
    assert_eq!(refused(&config, &data), None);

    checkpoint::save(&scratch.0, &state, &mut model).unwrap();
    let bytes = std::fs::read(&scratch.0).unwrap();
    for at in [0, 9, 14, 40, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        std::fs::write(&scratch.0, damaged).unwrap();
        assert!(checkpoint::load(&scratch.0).is_err(), "{at}");
        std::fs::write(&scratch.0, &bytes[..at]).unwrap();
        assert!(checkpoint::load(&scratch.0).is_err(), "cut at {at}");
    }
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let data = small_data();
    let bad = |config: Config| train(&config, &data, &on(1), &mut quiet).err().unwrap();
    for config in [
        Config {
            hidden: 0,
            ..small_config()
        },
        Config {
            hidden: 96,
            ..small_config()
        },
        Config {
            buckets: 2,
            ..small_config()
        },
        Config {
            lambda: 1.5,
            ..small_config()
        },
        Config {
            lambda: f32::NAN,
            ..small_config()
        },
        Config {
            epochs: 0,
            ..small_config()
        },
        Config {
            rate: 0.0,
            ..small_config()
        },
        Config {
            batch: Some(0),
            ..small_config()
        },
    ] {
        assert!(matches!(bad(config), TrainError::Settings(_)));
    }
    let nothing = train(&small_config(), &Dataset::default(), &on(1), &mut quiet);
    assert!(matches!(nothing.err(), Some(TrainError::NoData)));
    assert_eq!(TILE * 2, 64, "a network of 64 is two tiles");
}
