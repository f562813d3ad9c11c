//! The loss curve as a picture.

use super::checkpoint::Point;
use crate::base::chart::{Chart, Scale, Series};

/// Losses beyond this share of all are drawn at the edge: the first steps' would dwarf the rest.
const SHOWN: f64 = 0.97;

/// Draws the loss over the positions trained on.
pub fn draw(history: &[Point], title: &str) -> String {
    let highest = highest(history);
    let line = |name, loss: fn(&Point) -> Option<f64>| Series {
        name,
        points: history
            .iter()
            .filter_map(|point| Some((point.positions as f64, loss(point)?.min(highest))))
            .collect(),
    };
    Chart {
        title,
        x: "positions trained on",
        y: "loss",
        scale: Scale::Linear,
        series: &[
            line("training", |point| Some(point.training)),
            line("held back", |point| point.validation),
        ],
    }
    .draw()
}

fn highest(history: &[Point]) -> f64 {
    let losses = history
        .iter()
        .flat_map(|point| [Some(point.training), point.validation]);
    let mut sorted: Vec<f64> = losses.flatten().filter(|loss| loss.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let place = (SHOWN * sorted.len().saturating_sub(1) as f64) as usize;
    sorted.get(place).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_losses_are_drawn_and_the_first_does_not_dwarf_the_rest() {
        let point = |i: u64| Point {
            positions: i * 100_000,
            training: if i == 1 { 90.0 } else { 0.02 + 0.1 / i as f64 },
            validation: i.is_multiple_of(10).then(|| 0.021 + 0.1 / i as f64),
        };
        let history: Vec<_> = (1..=50).map(point).collect();
        let svg = draw(&history, "H = 256 & <more>");
        assert!(svg.contains("H = 256 &amp; &lt;more&gt;"));
        assert!(svg.contains(">training</text>") && svg.contains(">held back</text>"));
        assert!(
            svg.contains(">0.040</text>") && !svg.contains(">90</text>"),
            "{svg}"
        );
        assert!(svg.contains(">5 M</text>"));
    }

    #[test]
    fn nothing_at_all_is_drawn_without_complaint() {
        assert!(!draw(&[], "nothing").contains("NaN"));
    }
}
