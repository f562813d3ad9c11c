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
use standpat::learning::trainer::kernels::{Level, Step};
use standpat::learning::trainer::model::Model;
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
    let mut chunks = samples.chunks(256).cycle();
    let time = best_of(300, || {
        if let Some(chunk) = chunks.next() {
            group.fill(&[chunk], target, 8);
        }
    });
    println!(
        "taking apart  {:6.1} ns a position",
        time.as_nanos() as f64 / 256.0
    );
    let time = best_of(300, || group.index_columns());
    println!(
        "lists         {:6.1} ns a position",
        time.as_nanos() as f64 / 256.0
    );

    for hidden in [64, 128, 256, 512, 1024] {
        let mut model = Model::random(hidden, 8, 1);
        for level in Level::all() {
            let rules = Rules {
                target,
                loss: Loss::Square,
                centipawns: 400.0,
                level,
            };
            let mut speeds = Vec::new();
            for groups in [16, 64] {
                let epoch = Epoch::new(&samples, 1, 0, groups);
                let step = |_| Step {
                    rate: 1e-3,
                    correction: 1.0,
                    keep: 1.0,
                    limit: 1.98,
                };
                let batches = 64 / groups * 2;
                let mut next = 0;
                let time = best_of(if level == Level::best() { 30 } else { 5 }, || {
                    let range = next..next + batches;
                    next = (next + batches) % (samples.len() / 256 / groups - batches);
                    let _ = train_batches(&mut model, &epoch, range, rules, threads, &step);
                });
                speeds.push((batches * groups * 256) as f64 / time.as_secs_f64() / 1e6);
            }
            println!(
                "H {hidden:4} {level:?}: batch 4096 {:.2}, batch 16384 {:.2} M positions/s",
                speeds[0], speeds[1]
            );
        }
    }
}
