//! From the network in training to the one that plays: whole numbers, and what that costs.

use super::evaluate::visit;
use super::model::Model;
use super::sample::{FEATURES, Sample};
use super::steps::Rules;
use crate::base::score::Score;
use crate::eval::kernels::{Chunk, QA};
use crate::eval::network::{Network, NetworkError, Parts, QB};

/// Samples that the error is measured on.
const MEASURED: usize = 1 << 15;

/// What rounding to whole numbers costs, by comparison with what was trained.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quantisation {
    /// Mean error, in centipawns.
    pub mean: f64,
    /// Largest error, in centipawns.
    pub worst: f64,
    /// The loss of the network in training on the same samples.
    pub exact_loss: f64,
    /// The loss of the rounded network on them.
    pub rounded_loss: f64,
}

/// The network's numbers, rounded.
pub fn parts(model: &Model, scale: u16) -> Parts {
    let (hidden, buckets) = (model.hidden(), model.buckets());
    let weight = |value: f32, unit: i32| (value * unit as f32).round_ties_even() as i16;
    let mut parts = Parts {
        hidden,
        buckets,
        scale,
        ..Parts::default()
    };
    for feature in 0..FEATURES {
        let rows = model
            .tiles
            .iter()
            .flat_map(|tile| tile.features.values[feature].0);
        parts
            .feature_weights
            .extend(rows.map(|value| weight(value, QA)));
    }
    let bias = model.tiles.iter().flat_map(|tile| tile.bias.values[0].0);
    parts
        .feature_bias
        .extend(bias.map(|value| weight(value, QA)));
    for row in 0..2 * buckets {
        let row = model
            .tiles
            .iter()
            .flat_map(|tile| tile.outputs.values[row].0);
        parts
            .output_weights
            .extend(row.map(|value| weight(value, QB)));
    }
    let bias = (0..buckets).map(|bucket| model.output_bias.value(bucket));
    parts
        .output_bias
        .extend(bias.map(|value| (value * (QA * QB) as f32).round() as i32));
    parts
}

/// Rounds a network, and measures what that costs on some of the samples.
pub fn quantise(
    model: &Model,
    samples: &[Sample],
    rules: Rules,
    threads: usize,
) -> Result<(Network, Quantisation), NetworkError> {
    let network = Network::from_parts(&parts(model, rules.centipawns as u16))?;
    let samples = &samples[..samples.len().min(MEASURED)];
    let judge = rules.judge(1);
    let answers = visit(model, samples, rules, threads, &|group, outputs| {
        let mut cost = Quantisation::default();
        let targets = group.targets.iter().zip(group.samples());
        for (&output, (&target, sample)) in outputs.iter().zip(targets) {
            let rounded = evaluate(&network, sample);
            let error = f64::from(output * rules.centipawns - rounded as f32).abs();
            cost.mean += error;
            cost.worst = cost.worst.max(error);
            cost.exact_loss += f64::from(judge.judge(output, target).0);
            let rounded = rounded as f32 / rules.centipawns;
            cost.rounded_loss += f64::from(judge.judge(rounded, target).0);
        }
        cost
    });
    let mut sum = Quantisation::default();
    for cost in answers {
        sum.mean += cost.mean;
        sum.worst = sum.worst.max(cost.worst);
        sum.exact_loss += cost.exact_loss;
        sum.rounded_loss += cost.rounded_loss;
    }
    let count = samples.len().max(1) as f64;
    sum.mean /= count;
    sum.exact_loss /= count;
    sum.rounded_loss /= count;
    Ok((network, sum))
}

/// What the finished network says of a sample, in centipawns: as the engine computes it, but slowly.
fn evaluate(network: &Network, sample: &Sample) -> Score {
    let add = |sums: &mut [i32], row: &[Chunk]| {
        let row = row.iter().flat_map(|chunk| chunk.0);
        sums.iter_mut()
            .zip(row)
            .for_each(|(sum, weight)| *sum += i32::from(weight));
    };
    let mut sums = [vec![0; network.hidden()], vec![0; network.hidden()]];
    sums.iter_mut()
        .for_each(|sums| add(sums, network.feature_bias()));
    for [mover, other] in sample.features() {
        add(&mut sums[0], network.row(mover));
        add(&mut sums[1], network.row(other));
    }
    let bucket = network.bucket(sample.men());
    let active = sums
        .iter()
        .flatten()
        .map(|&sum| i64::from(sum.clamp(0, QA)));
    let weights = network
        .output_weights(bucket)
        .iter()
        .flat_map(|chunk| chunk.0);
    let sum = active
        .zip(weights)
        .map(|(x, weight)| x * x * i64::from(weight))
        .sum();
    network.score(sum, bucket)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::data::tests::random_samples;
    use super::super::group::bucket;
    use super::super::tests::rules;
    use super::*;
    use crate::eval::evaluator::Evaluator;
    use crate::learning::games::tests::random_game;

    #[test]
    fn a_bucket_is_the_same_here_and_there() {
        for buckets in [1, 8] {
            let network = Network::random(64, buckets, 1);
            assert!((0..=32).all(|men| bucket(men, buckets) == network.bucket(men)));
        }
    }

    #[test]
    fn rounding_costs_little_and_its_cost_is_measured() {
        let model = Model::random(128, 8, 11);
        let samples = random_samples(2000, 12);
        let (network, cost) = quantise(&model, &samples, rules(), 2).unwrap();
        assert_eq!((network.hidden(), network.buckets()), (128, 8));
        assert!(cost.mean > 0.0 && cost.mean < cost.worst, "{cost:?}");
        assert!(cost.worst < 20.0, "{cost:?}");
        assert!(
            (cost.exact_loss - cost.rounded_loss).abs() < 1e-3,
            "{cost:?}"
        );
    }

    #[test]
    fn the_finished_network_says_the_same_in_the_engine() {
        let network = Network::random(64, 8, 3);
        let mut evaluator = Evaluator::new(Arc::new(network.clone()));
        for seed in 0..10 {
            for played in random_game(seed, 100).positions().unwrap() {
                let played = played.unwrap();
                let sample = Sample::new(&played).unwrap();
                evaluator.reset(&played.position);
                assert_eq!(
                    evaluator.evaluate(&played.position),
                    evaluate(&network, &sample)
                );
            }
        }
    }
}
