//! What a match says about strength: Elo, its error, likelihood of superiority, and the sequential
//! test, all from pairs of games.
//!
//! The two games of a pair start from one opening with colours reversed, so their results depend on
//! each other; the pair is the unit that is counted (the *pentanomial* model).

use std::fmt;
use std::ops::AddAssign;

/// One game's result from the view of the player under test, in half points: 0, 1 or 2.
pub type HalfPoints = u8;

/// How many pairs gave the player under test 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Pairs by half points, 0 to 4.
    pub counts: [u64; 5],
    /// Single games by half points: lost, drawn, won. For the reader; no figure is drawn from it.
    pub games: [u64; 3],
}

/// A normal distribution's 97.5 % point: errors are given at 95 % confidence.
const Z95: f64 = 1.959_963_985;

impl Pairs {
    /// Counts one pair of games; each result must be at most 2.
    pub fn add(&mut self, first: HalfPoints, second: HalfPoints) {
        let (first, second) = (first.min(2), second.min(2));
        self.counts[usize::from(first + second)] += 1;
        self.games[usize::from(first)] += 1;
        self.games[usize::from(second)] += 1;
    }

    /// The number of pairs.
    pub fn len(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Has no pair been played?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The mean score of a game, from 0 to 1, and the standard error of that mean. One half, and
    /// an infinite error, before the first pair.
    pub fn score(&self) -> (f64, f64) {
        let n = self.len() as f64;
        if n == 0.0 {
            return (0.5, f64::INFINITY);
        }
        let points = |i: usize| i as f64 / 4.0;
        let share = |i: usize| self.counts[i] as f64 / n;
        let mean: f64 = (0..5).map(|i| points(i) * share(i)).sum();
        let variance: f64 = (0..5).map(|i| (points(i) - mean).powi(2) * share(i)).sum();
        (mean, (variance / n).sqrt())
    }

    /// The difference in Elo and half the width of its 95 % interval. Infinite when one side has
    /// every point.
    pub fn elo(&self) -> (f64, f64) {
        let (mean, error) = self.score();
        let low = elo_of_score(mean - Z95 * error);
        let high = elo_of_score(mean + Z95 * error);
        (elo_of_score(mean), (high - low) / 2.0)
    }

    /// The likelihood that the player under test is the stronger one, from 0 to 1.
    pub fn superiority(&self) -> f64 {
        let (mean, error) = self.score();
        if error == 0.0 {
            return if mean > 0.5 {
                1.0
            } else if mean < 0.5 {
                0.0
            } else {
                0.5
            };
        }
        normal_cdf((mean - 0.5) / error)
    }

    /// The log-likelihood ratio of "stronger by `elo1`" against "stronger by `elo0`" (the
    /// generalised sequential probability ratio test in its normal approximation).
    pub fn log_likelihood_ratio(&self, elo0: f64, elo1: f64) -> f64 {
        let (mean, error) = self.score();
        if error == 0.0 || !error.is_finite() {
            return 0.0;
        }
        let (s0, s1) = (score_of_elo(elo0), score_of_elo(elo1));
        (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * error * error)
    }
}

impl AddAssign for Pairs {
    fn add_assign(&mut self, other: Pairs) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        for (count, more) in self.games.iter_mut().zip(other.games) {
            *count += more;
        }
    }
}

impl fmt::Display for Pairs {
    /// `+38 ± 24 Elo, LOS 99.9 %, 120 won, 160 drawn, 98 lost, pairs 3 20 50 30 6`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elo, error) = self.elo();
        let [lost, drawn, won] = self.games;
        let [a, b, c, d, e] = self.counts;
        write!(
            f,
            "{}, LOS {:.1} %, {won} won, {drawn} drawn, {lost} lost, pairs {a} {b} {c} {d} {e}",
            EloText(elo, error),
            100.0 * self.superiority(),
        )
    }
}

/// Displays an Elo difference with its error: `+38 ± 24 Elo`, or `above +1000 Elo` when one side
/// took (nearly) every point and no figure can be given.
#[derive(Clone, Copy, Debug)]
pub struct EloText(pub f64, pub f64);

/// Beyond this a match's score is so one-sided that its Elo figure means nothing.
const ELO_SHOWN: f64 = 1000.0;

impl fmt::Display for EloText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &EloText(elo, error) = self;
        if elo > ELO_SHOWN {
            write!(f, "above +{ELO_SHOWN:.0} Elo")
        } else if elo < -ELO_SHOWN {
            write!(f, "below -{ELO_SHOWN:.0} Elo")
        } else if error > ELO_SHOWN {
            write!(f, "{elo:+.0} Elo")
        } else {
            write!(f, "{elo:+.0} ± {error:.0} Elo")
        }
    }
}

/// The Elo difference that makes this mean score; infinite at 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    -400.0 * (1.0 / score - 1.0).log10()
}

/// The mean score that this Elo difference makes.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The standard normal distribution function, by Abramowitz and Stegun 26.2.17: exact to 1e-7.
fn normal_cdf(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = [
        1.330_274_429,
        -1.821_255_978,
        1.781_477_937,
        -0.356_563_782,
        0.319_381_530,
    ];
    let polynomial = series.iter().fold(0.0, |sum, c| (sum + c) * t);
    let tail = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial;
    if x >= 0.0 { 1.0 - tail } else { tail }
}

/// The sequential test's question: which of two hypotheses do the games support?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The Elo of the hypothesis to be rejected.
    pub elo0: f64,
    /// The Elo of the hypothesis to be accepted.
    pub elo1: f64,
    /// The accepted chance of accepting wrongly.
    pub alpha: f64,
    /// The accepted chance of rejecting wrongly.
    pub beta: f64,
}

impl Sprt {
    /// The verdict after these pairs: `Some(true)` accepts `elo1`, `Some(false)` accepts `elo0`,
    /// `None` asks for more games.
    pub fn verdict(&self, pairs: &Pairs) -> Option<bool> {
        let ratio = pairs.log_likelihood_ratio(self.elo0, self.elo1);
        if ratio >= ((1.0 - self.beta) / self.alpha).ln() {
            Some(true)
        } else if ratio <= (self.beta / (1.0 - self.alpha)).ln() {
            Some(false)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(counts: [u64; 5]) -> Pairs {
        Pairs {
            counts,
            ..Pairs::default()
        }
    }

    fn near(value: f64, wanted: f64, tolerance: f64) {
        assert!(
            (value - wanted).abs() <= tolerance,
            "{value} is not {wanted}"
        );
    }

    #[test]
    fn elo_and_error_agree_with_hand_computed_values() {
        // Mean (0·10 + ¼·20 + ½·40 + ¾·20 + 1·10) / 100 = ½; variance
        // (¼·20 + 1/16·40) / 100 = 0.075; error of the mean √0.00075 = 0.0273861.
        let even = pairs([10, 20, 40, 20, 10]);
        let (mean, error) = even.score();
        near(mean, 0.5, 1e-12);
        near(error, 0.027_386_128, 1e-8);
        // Bounds 0.5 ± 0.0536758: 400·log10(0.5536758/0.4463242) = 37.44.
        let (elo, width) = even.elo();
        near(elo, 0.0, 1e-9);
        near(width, 37.44, 0.01);
        near(even.superiority(), 0.5, 1e-6);

        // Mean (¼·10 + ½·40 + ¾·30 + 1·20) / 100 = 0.65; variance
        // (0.16·10 + 0.0225·40 + 0.01·30 + 0.1225·20) / 100 = 0.0525; error 0.0229129.
        let better = pairs([0, 10, 40, 30, 20]);
        let (mean, error) = better.score();
        near(mean, 0.65, 1e-12);
        near(error, 0.022_912_878, 1e-8);
        let (elo, width) = better.elo();
        near(elo, 107.54, 0.01);
        // Bounds 0.6949082 and 0.6050918: +142.99 and +74.08.
        near(width, 34.46, 0.03);
        assert!(better.superiority() > 0.999_999);
    }

    #[test]
    fn one_sided_matches_have_no_figure_but_a_verdict() {
        let all = pairs([0, 0, 0, 0, 20]);
        assert_eq!(all.elo().0, f64::INFINITY);
        assert_eq!(all.superiority(), 1.0);
        assert_eq!(
            EloText(all.elo().0, all.elo().1).to_string(),
            "above +1000 Elo"
        );
        assert_eq!(pairs([0; 5]).score().0, 0.5);
        assert_eq!(EloText(38.2, 24.4).to_string(), "+38 ± 24 Elo");
    }

    #[test]
    fn the_normal_distribution_is_right_where_it_is_known() {
        near(normal_cdf(0.0), 0.5, 1e-7);
        near(normal_cdf(Z95), 0.975, 1e-7);
        near(normal_cdf(-1.0), 0.158_655_254, 1e-7);
    }

    #[test]
    fn the_sequential_test_decides_only_when_the_games_do() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 10.0,
            alpha: 0.05,
            beta: 0.05,
        };
        assert_eq!(sprt.verdict(&pairs([0; 5])), None);
        assert_eq!(sprt.verdict(&pairs([1, 2, 4, 2, 1])), None);
        assert_eq!(sprt.verdict(&pairs([50, 200, 400, 300, 80])), Some(true));
        assert_eq!(sprt.verdict(&pairs([80, 300, 400, 200, 50])), Some(false));
        // By hand: s1 = 0.5143871, mean 0.65, error² 0.000525:
        // 0.0143871·(1.3 − 1.0143871)/(2·0.000525) = 3.9134.
        let ratio = pairs([0, 10, 40, 30, 20]).log_likelihood_ratio(0.0, 10.0);
        near(ratio, 3.9134, 0.001);
    }

    #[test]
    fn pairs_are_counted_by_their_points() {
        let mut counted = Pairs::default();
        counted.add(2, 1);
        counted.add(0, 2);
        counted.add(0, 0);
        assert_eq!(counted.counts, [1, 0, 1, 1, 0]);
        assert_eq!(counted.games, [3, 1, 2]);
        let mut sum = counted;
        sum += counted;
        assert_eq!(sum.len(), 6);
    }
}
