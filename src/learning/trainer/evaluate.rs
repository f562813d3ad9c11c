//! What the network says of samples, without learning from them.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::group::{GROUP, Group};
use super::kernels::{self, Sums};
use super::model::Model;
use super::sample::Sample;
use super::steps::{Rules, Tally};

/// Visits samples in groups, with the network's output for each, on several threads. The answers
/// come in the order of the groups.
pub fn visit<T: Send>(
    model: &Model,
    samples: &[Sample],
    rules: Rules,
    threads: usize,
    visitor: &(dyn Fn(&Group, &[f32]) -> T + Sync),
) -> Vec<T> {
    let chunks: Vec<_> = samples.chunks(GROUP).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut seer = Seer::new();
        let mut answers = Vec::new();
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(chunk) = chunks.get(number)
        {
            seer.see(model, chunk, rules);
            answers.push((number, visitor(&seer.group, &seer.outputs)));
        }
        answers
    };
    let mut answers: Vec<(usize, T)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .filter_map(|worker| worker.join().ok())
            .flatten()
            .collect()
    });
    answers.sort_by_key(|&(number, _)| number);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// The loss over samples.
pub fn loss(model: &Model, samples: &[Sample], rules: Rules, threads: usize) -> Tally {
    let judge = rules.judge(1);
    let of_group = |group: &Group, outputs: &[f32]| {
        let pairs = outputs.iter().zip(&group.targets);
        let loss = pairs
            .map(|(&output, &target)| f64::from(judge.judge(output, target).0))
            .sum();
        Tally {
            loss,
            positions: group.len() as u64,
        }
    };
    let mut sum = Tally::default();
    for tally in visit(model, samples, rules, threads, &of_group) {
        sum.add(tally);
    }
    sum
}

struct Seer {
    group: Group,
    sums: [Vec<Sums>; 2],
    shares: Vec<f32>,
    outputs: Vec<f32>,
}

impl Seer {
    fn new() -> Seer {
        let sums = || vec![Sums::ZERO; GROUP];
        Seer {
            group: Group::default(),
            sums: [sums(), sums()],
            shares: vec![0.0; GROUP],
            outputs: Vec::new(),
        }
    }

    fn see(&mut self, model: &Model, samples: &[Sample], rules: Rules) {
        let Seer {
            group,
            sums: [low, high],
            shares,
            outputs,
        } = self;
        let level = rules.level;
        kernels::fill(level, group, &[samples], rules.target, model.buckets());
        outputs.clear();
        let biases = &model.output_bias;
        outputs.extend(
            group
                .buckets
                .iter()
                .map(|&bucket| biases.value(usize::from(bucket))),
        );
        let length = group.len();
        for tile in &model.tiles {
            for (half, sums) in [&mut *low, &mut *high].into_iter().enumerate() {
                let (weights, bias) = (&tile.rounded[half], &tile.rounded_bias[half]);
                kernels::sum_rows(level, weights, bias, group, &mut sums[..length]);
            }
            let (low, high) = (&low[..length], &high[..length]);
            let weights = &tile.rounded_outputs;
            kernels::outputs(
                level,
                low,
                high,
                weights,
                &group.buckets,
                &mut shares[..length],
            );
            outputs
                .iter_mut()
                .zip(&*shares)
                .for_each(|(output, share)| *output += share);
        }
    }
}
