//! The loss curve as a picture.

use std::fmt::Write;

use super::checkpoint::Point;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 450.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// About so many lines of the grid.
const LINES: f64 = 6.0;

/// Where numbers stand in the picture.
struct Frame {
    positions: f64,
    low: f64,
    high: f64,
}

impl Frame {
    fn x(&self, positions: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * positions / self.positions
    }

    fn y(&self, loss: f64) -> f64 {
        let share = (loss.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
    }
}

/// Draws the loss over the positions trained on.
pub fn draw(history: &[Point], title: &str) -> String {
    let frame = frame(history);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
        escape(title)
    );
    grid(&mut svg, &frame);
    let training = history
        .iter()
        .map(|point| (point.positions, point.training));
    let validation = history
        .iter()
        .filter_map(|point| Some((point.positions, point.validation?)));
    line(&mut svg, &frame, "#4878a8", training);
    line(&mut svg, &frame, "#c04040", validation);
    for (i, (name, color)) in [("training", "#4878a8"), ("held back", "#c04040")]
        .into_iter()
        .enumerate()
    {
        let y = TOP + 16.0 * i as f64 + 10.0;
        let x = WIDTH - RIGHT - 10.0;
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\" fill=\"{color}\">{name}</text>"
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// From the least loss to a high one: the first steps' losses would dwarf the rest.
fn frame(history: &[Point]) -> Frame {
    let losses = || {
        history
            .iter()
            .flat_map(|point| [Some(point.training), point.validation])
    };
    let mut sorted: Vec<f64> = losses().flatten().filter(|loss| loss.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (share * sorted.len().saturating_sub(1) as f64) as usize;
        sorted.get(place).copied().unwrap_or_default()
    };
    let (low, high) = (at(0.0), at(0.97));
    let margin = (0.05 * (high - low)).max(1e-9);
    Frame {
        positions: history
            .last()
            .map_or(1.0, |point| point.positions.max(1) as f64),
        low: low - margin,
        high: high + margin,
    }
}

fn grid(svg: &mut String, frame: &Frame) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let step = round_step((frame.high - frame.low) / LINES);
    let mut loss = (frame.low / step).ceil() * step;
    while loss <= frame.high {
        let y = frame.y(loss);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#ddd\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{loss:.5}</text>",
            LEFT - 6.0,
            y + 4.0
        );
        loss += step;
    }
    let step = round_step(frame.positions / LINES);
    let mut positions = 0.0;
    while positions <= frame.positions {
        let x = frame.x(positions);
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
            bottom + 18.0,
            count(positions)
        );
        positions += step;
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">positions trained on</text>",
        (LEFT + right) / 2.0,
        HEIGHT - 12.0
    );
}

/// 1, 2 or 5 times a power of ten, not below `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.max(1e-12).log10().floor());
    let factor = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|factor| factor * power >= step);
    factor.unwrap_or(10.0) * power
}

/// A number of positions with a unit.
fn count(positions: f64) -> String {
    if positions >= 1e6 {
        format!("{} M", positions / 1e6)
    } else if positions >= 1e3 {
        format!("{} k", positions / 1e3)
    } else {
        format!("{positions}")
    }
}

fn line(svg: &mut String, frame: &Frame, color: &str, points: impl Iterator<Item = (u64, f64)>) {
    let mut path = String::new();
    for (positions, loss) in points.filter(|(_, loss)| loss.is_finite()) {
        let command = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(
            path,
            "{command}{:.1} {:.1}",
            frame.x(positions as f64),
            frame.y(loss)
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"/>"
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_drawn_inside_its_frame() {
        let point = |i: u64| Point {
            positions: i * 100_000,
            training: 0.02 + 0.1 / i as f64,
            validation: i.is_multiple_of(10).then(|| 0.021 + 0.1 / i as f64),
        };
        let history: Vec<_> = (1..=50).map(point).collect();
        let svg = draw(&history, "H = 256 & <more>");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("H = 256 &amp; &lt;more&gt;"));
        assert!(svg.contains(">1 M</text>") && svg.contains(">5 M</text>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn nothing_at_all_is_drawn_without_complaint() {
        assert!(!draw(&[], "nothing").contains("NaN"));
    }

    #[test]
    fn steps_of_the_grid_are_round() {
        for (step, expected) in [(0.9, 1.0), (1.0, 1.0), (1.3, 2.0), (3.0, 5.0), (7.0, 10.0)] {
            assert!((round_step(step) - expected).abs() < 1e-9);
        }
    }
}
