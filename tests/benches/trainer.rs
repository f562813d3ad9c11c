//! Speed of the trainer: positions per second by the size of the hidden layer, and the shares of
//! its phases.
//!
//! Runs are short so that on a busy machine the best of many meets no disturbance.
//!
//! `cargo bench --bench trainer [-- THREADS]`

use std::time::{Duration, Instant};

use standpat::base::rng::Rng;
use standpat::board::Game;
use standpat::learning::games::GameResult;
use standpat::learning::trainer::Loss;
use standpat::learning::trainer::data::Epoch;
use standpat::learning::trainer::group::{Group, Target};
use standpat::learning::trainer::kernels::{self, Grid, Judge, Level, Row, Step, Sums};
use standpat::learning::trainer::model::{Model, boxed};
use standpat::learning::trainer::sample::Sample;
use standpat::learning::trainer::steps::{Rules, train_batches};

/// Positions of games in which captures are preferred: with about as many men as real ones.
fn samples(count: usize) -> Vec<Sample> {
    let mut rng = Rng::new(1);
    let mut samples = Vec::with_capacity(count);
    while samples.len() < count {
        let mut game = Game::chess960_start(rng.below(960) as u32);
        for ply in 0..160 {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            let pick = |rng: &mut Rng| moves[rng.below(moves.len())];
            let mut mv = pick(&mut rng);
            for _ in 0..2 {
                if !game.position().is_capture(mv) {
                    mv = pick(&mut rng);
                }
            }
            game.play(mv);
            if ply >= 16 {
                let score = rng.below(800) as i16 - 400;
                samples.extend(Sample::of(game.position(), score, GameResult::Draw));
            }
        }
    }
    samples.truncate(count);
    rng.shuffle(&mut samples);
    samples
}

fn best_of(runs: usize, mut run: impl FnMut()) -> Duration {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..runs).map(|_| time(&mut run)).min().unwrap_or_default()
}

/// Nanoseconds a position of each kernel, for one tile of 32 columns.
fn kernels_alone(group: &Group, level: Level) {
    let count = group.len();
    let mut model = Model::random(64, 8, 1);
    let tile = &mut model.tiles[0];
    let mut sums = [vec![Sums::ZERO; count], vec![Sums::ZERO; count]];
    let mut outputs = vec![0.0; count];
    let mut losses = vec![0.0; count];
    let mut rows = boxed(Row::ZERO);
    let report = |name: &str, run: &mut dyn FnMut()| {
        let time = best_of(400, run);
        println!(
            "  {name:17} {:6.2} ns",
            time.as_nanos() as f64 / count as f64
        );
    };
    report("sum_rows", &mut || {
        for (half, sums) in sums.iter_mut().enumerate() {
            let (weights, bias) = (&tile.rounded[half], &tile.rounded_bias[half]);
            kernels::sum_rows(level, weights, bias, group, sums);
        }
    });
    let [low, high] = &sums;
    report("outputs", &mut || {
        let weights = &tile.rounded_outputs;
        kernels::outputs(level, low, high, weights, &group.buckets, &mut outputs);
    });
    let judge = Judge {
        slope: 1.0,
        loss: Loss::Square,
        share: 1.0,
    };
    report("judge_outputs", &mut || {
        kernels::judge_outputs(level, judge, &group.targets, &mut outputs, &mut losses);
    });
    report("output_gradients", &mut || {
        kernels::output_gradients(
            level,
            low,
            high,
            &tile.rounded_outputs,
            &group.buckets,
            &outputs,
            &mut rows,
            &mut tile.output_gradients,
            &mut tile.bias_gradient,
        );
    });
    report("add_columns", &mut || {
        kernels::add_columns(level, group, &rows, &mut tile.feature_gradients);
    });
    let step = Step {
        rate: 1e-3,
        correction: 1.0,
        keep: 1.0,
        limit: 1.98,
        grid: Grid::Fine,
    };
    let time = best_of(400, || tile.step(level, step));
    println!(
        "  step, whole tile  {:6.2} us",
        time.as_nanos() as f64 / 1e3
    );
}

fn main() {
    // Cargo adds `--bench`.
    let threads = std::env::args()
        .skip(1)
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(2);
    let samples = samples(1 << 18);
    let men: usize = samples.iter().map(Sample::men).sum();
    println!(
        "{threads} threads, {:.1} men on average",
        men as f64 / samples.len() as f64
    );
    let target = Target {
        lambda: 0.1,
        scale: 400.0,
    };

    let mut group = Group::default();
    for level in Level::all() {
        println!("{level:?}, a tile of 32 columns");
        let mut chunks = samples.chunks(256).cycle();
        let time = best_of(400, || {
            if let Some(chunk) = chunks.next() {
                kernels::fill(level, &mut group, &[chunk], target, 8);
            }
        });
        println!(
            "  fill              {:6.2} ns",
            time.as_nanos() as f64 / 256.0
        );
        let time = best_of(400, || kernels::index_columns(level, &mut group));
        println!(
            "  index_columns     {:6.2} ns",
            time.as_nanos() as f64 / 256.0
        );
        kernels_alone(&group, level);
    }
    if threads == 0 {
        return;
    }

    let rules = Rules {
        target,
        loss: Loss::Square,
        centipawns: 400.0,
        level: Level::best(),
    };
    let step = |_| Step {
        rate: 1e-3,
        correction: 1.0,
        keep: 1.0,
        limit: 1.98,
        grid: Grid::Fine,
    };
    for hidden in [64, 128, 256, 512, 1024] {
        let mut model = Model::random(hidden, 8, 1);
        let mut speed = |groups: usize| {
            let epoch = Epoch::new(&samples, 1, 0, groups);
            let batches = 128 / groups;
            let mut next = 0;
            let time = best_of(if hidden > 256 { 20 } else { 60 }, || {
                let range = next..next + batches;
                next = (next + batches) % (samples.len() / 256 / groups - batches);
                let _ = train_batches(&mut model, &epoch, range, rules, threads, &step);
            });
            (batches * groups * 256) as f64 / time.as_secs_f64() / 1e6
        };
        let (small, large) = (speed(16), speed(64));
        println!("H {hidden:4}: {small:.2} M positions/s in batches of 4096, {large:.2} of 16384");
    }
}
