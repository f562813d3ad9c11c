//! How many centipawns are worth odds of e to 1: fitted to what a file's scores led to, and made
//! the same for all files. So each generation's network speaks the same centipawns, whatever those
//! of its teachers were, and games of several teachers can be mixed.

use super::sample::Sample;

/// Centipawns worth odds of e to 1 in a network's own judgement: also one unit of its output.
pub const SCALE: f32 = crate::eval::network::SCALE as f32;

/// A fit outside this range says that the scores mean nothing yet, or nearly everything.
const RANGE: (f64, f64) = (100.0, 1500.0);

/// Scores beyond this say nothing more about the scale.
const LIMIT: i16 = 2000;

/// More samples than this make the fit no better.
const ENOUGH: usize = 1 << 22;

/// The scale `s` for which `1 / (1 + exp(-score / s))` predicts the results best (logistic
/// regression, by Newton's method on `1 / s`); kept within sane bounds.
pub fn fit_scale(samples: &[Sample]) -> f32 {
    let size = usize::from(LIMIT.unsigned_abs());
    // For each |score|: how often it was met, and the points it led to for the side it favoured.
    let mut counts = vec![(0.0f64, 0.0f64); size + 1];
    for sample in samples.iter().step_by(samples.len() / ENOUGH + 1) {
        if let Some((count, points)) = counts.get_mut(usize::from(sample.score.unsigned_abs())) {
            *count += 1.0;
            let mine = f64::from(sample.points());
            *points += if sample.score < 0 { 1.0 - mine } else { mine };
        }
    }
    let mut k = 1.0 / f64::from(SCALE);
    for _ in 0..50 {
        let (mut slope, mut curvature) = (0.0, 0.0);
        for (score, &(count, points)) in counts.iter().enumerate() {
            let score = score as f64;
            let p = 1.0 / (1.0 + (-k * score).exp());
            slope += score * (points - count * p);
            curvature += count * score * score * p * (1.0 - p);
        }
        if curvature <= 0.0 {
            return SCALE;
        }
        let step = slope / curvature;
        // Newton's step can overshoot where the curve is flat.
        k = (k + step)
            .clamp(0.5 * k, 2.0 * k)
            .clamp(1.0 / RANGE.1, 1.0 / RANGE.0);
        if step.abs() < 1e-9 {
            break;
        }
    }
    (1.0 / k) as f32
}

/// Makes scores of which `scale` centipawns are worth odds of e to 1 into such of which [`SCALE`]
/// are.
pub fn normalise(samples: &mut [Sample], scale: f32) {
    for sample in samples {
        // A cast of a number that is too large gives the largest.
        sample.score = (f32::from(sample.score) * (SCALE / scale)).round() as i16;
    }
}

#[cfg(test)]
mod tests {
    use super::super::data::tests::random_samples;
    use super::*;
    use crate::base::rng::Rng;
    use crate::board::Game;
    use crate::learning::games::GameResult;

    #[test]
    fn a_known_scale_is_found_again() {
        let game = Game::start();
        let mut rng = Rng::new(2);
        for scale in [180.0, 400.0, 900.0] {
            let mut sample = || {
                let score = (rng.unit() * 1600.0 - 800.0) as i16;
                let p = 1.0 / (1.0 + (-f64::from(score) / scale).exp());
                let draw = rng.unit() < 0.3 * (1.0 - (2.0 * p - 1.0).abs());
                // Draws take from both sides alike.
                let half = 0.15 * (1.0 - (2.0 * p - 1.0).abs());
                let won = rng.unit() < (p - half) / (1.0 - 2.0 * half);
                let result = match (draw, won) {
                    (true, _) => GameResult::Draw,
                    (_, true) => GameResult::White,
                    _ => GameResult::Black,
                };
                Sample::of(game.position(), score, result).unwrap()
            };
            let samples: Vec<_> = (0..200_000).map(|_| sample()).collect();
            let found = f64::from(fit_scale(&samples));
            assert!((found / scale - 1.0).abs() < 0.05, "{scale}: {found}");
        }
    }

    #[test]
    fn normalised_scores_have_the_usual_scale() {
        let mut samples = random_samples(5, 1);
        for (sample, score) in samples.iter_mut().zip([127, -127, 32_000, -32_768, 0]) {
            sample.score = score;
        }
        normalise(&mut samples, 127.0);
        let scores: Vec<_> = samples.iter().map(|sample| sample.score).collect();
        assert_eq!(scores, [400, -400, i16::MAX, i16::MIN, 0]);
    }

    #[test]
    fn scores_that_mean_nothing_give_a_bounded_scale() {
        assert_eq!(fit_scale(&[]), SCALE);
        let found = fit_scale(&random_samples(2000, 8));
        assert!((100.0..=1500.1).contains(&found), "{found}");
    }
}
