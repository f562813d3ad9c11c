//! What a campaign shows: a table of generations, a report, and a picture of the ascent.

use std::fmt::Write;

use super::super::elo::EloText;
use super::plan::Budget;
use super::state::{Generation, State};

/// The heads of the table's columns.
const HEADS: [&str; 11] = [
    "gen",
    "positions",
    "pooled",
    "nodes",
    "net",
    "λ",
    "passes",
    "val. loss",
    "Elo against the one before",
    "kept",
    "time",
];

fn cells(generation: &Generation) -> [String; 11] {
    let plan = &generation.plan;
    let (elo, error) = generation.gate().elo();
    [
        generation.number.to_string(),
        short_count(generation.data.positions),
        short_count(generation.data.pooled),
        plan.nodes.to_string(),
        format!("{}×2→{}", plan.hidden, plan.buckets),
        format!("{:.2}", plan.lambda),
        plan.passes.to_string(),
        format!("{:.5}", generation.training.validation),
        EloText(elo, error).to_string(),
        if generation.promoted { "yes" } else { "no" }.to_string(),
        duration(generation.total_seconds()),
    ]
}

/// The heads of the table, in columns as wide as [`row`]'s.
pub fn head() -> String {
    line(&HEADS.map(String::from))
}

/// One generation as a line of the table.
pub fn row(generation: &Generation) -> String {
    line(&cells(generation))
}

fn line(cells: &[String; 11]) -> String {
    let mut text = String::new();
    for (cell, head) in cells.iter().zip(HEADS) {
        let width = head.chars().count().max(7);
        // Writing to a string cannot fail.
        let _ = write!(text, "{cell:>width$}  ");
    }
    text.trim_end().to_string()
}

/// The report of a campaign, in Markdown.
pub fn markdown(state: &State) -> String {
    let mut text = String::from("# From random weights, by its own games\n\n");
    let budget = match state.budget {
        Budget::Seconds(seconds) => format!("{} of running", duration(seconds)),
        Budget::Generations { count, scale } => {
            format!("{count} generations with {scale} × the usual positions")
        }
    };
    let positions: u64 = state.generations.iter().map(|g| g.data.positions).sum();
    let games: u64 = state.generations.iter().map(|g| g.data.games).sum();
    let _ = writeln!(
        text,
        "Seed {}; budget: {budget}; so far {}, {} games, {} positions. The network of generation \
         {} is the strongest.\n\n![The ascent](ascent.svg)\n",
        state.seed,
        duration(state.elapsed),
        short_count(games),
        short_count(positions),
        state.champion,
    );
    let _ = writeln!(text, "| {} |", HEADS.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(HEADS.len()));
    for generation in &state.generations {
        let _ = writeln!(text, "| {} |", cells(generation).join(" | "));
    }
    text.push_str(
        "\n*positions*: kept positions that the generation added; *pooled*: those it learnt from, \
         with games of earlier generations. *nodes*: of a move in self-play. *Elo*: of the gate \
         match, with the 95 % interval.\n\n",
    );
    for generation in &state.generations {
        let [play, training, gate] = generation.seconds.map(duration);
        let _ = writeln!(
            text,
            "- Generation {}, taught by {}: play {play}, training {training} ({} samples/s), gate \
             {gate} at {} nodes a move: {}. Quantisation error {:.1} cp.",
            generation.number,
            generation.teacher,
            short_count(generation.training.rate as u64),
            generation.plan.gate_nodes,
            generation.gate(),
            generation.training.quantisation,
        );
    }
    text
}

/// 1234567 as `1.2 M`.
pub fn short_count(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{:.0} k", n as f64 / 1e3),
        1_000_000..100_000_000 => format!("{:.1} M", n as f64 / 1e6),
        _ => format!("{:.0} M", n as f64 / 1e6),
    }
}

/// Seconds as `45 s`, `12:34` or `3:02:01`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    match whole {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// One point of the ascent.
struct Point {
    number: u32,
    elo: f64,
    error: f64,
    promoted: bool,
}

/// A match that nobody lost has no Elo figure; the picture shows it as this step.
const LARGEST_STEP: f64 = 1_000.0;

/// Strength by generation, as the gates' sum: the random network stands at zero.
fn points(state: &State) -> Vec<Point> {
    let mut strength = vec![(0, 0.0)];
    let mut points = Vec::new();
    for generation in &state.generations {
        let teacher = strength
            .iter()
            .find(|(number, _)| *number == generation.teacher);
        let base = teacher.map_or(0.0, |&(_, elo)| elo);
        let (step, error) = generation.gate().elo();
        let elo = base + step.clamp(-LARGEST_STEP, LARGEST_STEP);
        strength.push((generation.number, elo));
        points.push(Point {
            number: generation.number,
            elo,
            error: if error.is_finite() { error } else { 0.0 },
            promoted: generation.promoted,
        });
    }
    points
}

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 50.0;

/// The picture of the ascent, as SVG: Elo above the random network by generation.
pub fn ascent(state: &State) -> String {
    let points = points(state);
    let last = points.last().map_or(1, |point| point.number).max(1);
    let highest = points.iter().map(|p| p.elo + p.error).fold(100.0, f64::max);
    let lowest = points.iter().map(|p| p.elo - p.error).fold(0.0, f64::min);
    let step = tick_step(highest - lowest);
    let (low, high) = (
        (lowest / step).floor() * step,
        (highest / step).ceil() * step,
    );
    let x = |number: u32| LEFT + (WIDTH - LEFT - RIGHT) * f64::from(number) / f64::from(last);
    let y = |elo: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - elo) / (high - low);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"26\" font-size=\"17\">Elo above random weights, by generation \
         (sum of the gate matches)</text>\n"
    );
    let mut elo = low;
    while elo <= high + step / 2.0 {
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {0:.1}H{1}\" stroke=\"#ddd\"/><text x=\"{2}\" y=\"{3:.1}\" \
             text-anchor=\"end\">{elo:.0}</text>",
            y(elo),
            WIDTH - RIGHT,
            LEFT - 8.0,
            y(elo) + 4.0,
        );
        elo += step;
    }
    for number in (0..=last).filter(|n| last <= 24 || n % 5 == 0) {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{number}</text>",
            x(number),
            HEIGHT - BOTTOM + 22.0,
        );
    }
    curve(&mut svg, &points, &x, &y);
    svg.push_str("</svg>\n");
    svg
}

fn curve(svg: &mut String, points: &[Point], x: &dyn Fn(u32) -> f64, y: &dyn Fn(f64) -> f64) {
    let mut path = format!("M{:.1} {:.1}", x(0), y(0.0));
    for point in points.iter().filter(|point| point.promoted) {
        let _ = write!(path, "L{:.1} {:.1}", x(point.number), y(point.elo));
    }
    let _ = writeln!(
        svg,
        "<path d=\"{path}\" fill=\"none\" stroke=\"#1668a8\" stroke-width=\"2\"/>"
    );
    for point in points {
        let (px, fill) = (
            x(point.number),
            if point.promoted { "#1668a8" } else { "white" },
        );
        let _ = writeln!(
            svg,
            "<path d=\"M{px:.1} {:.1}V{:.1}\" stroke=\"#1668a8\"/><circle cx=\"{px:.1}\" \
             cy=\"{:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"#1668a8\"/>",
            y(point.elo - point.error),
            y(point.elo + point.error),
            y(point.elo),
        );
    }
}

/// A round distance between lines that gives some five to ten of them.
fn tick_step(range: f64) -> f64 {
    let raw = range.max(1.0) / 8.0;
    let power = 10f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|factor| factor * power >= raw)
        .unwrap_or(10.0);
    factor * power
}

#[cfg(test)]
mod tests {
    use super::super::plan::Plan;
    use super::super::state::{Data, Training};
    use super::*;

    fn state() -> State {
        let budget = Budget::Seconds(300.0);
        let mut state = State::new(1, budget);
        for number in 1..=3 {
            state.generations.push(Generation {
                number,
                teacher: number - 1,
                promoted: number < 3,
                seconds: [20.0, 10.0, 5.0],
                plan: Plan::usual(number, 0, &budget),
                data: Data {
                    games: 2_000,
                    positions: 150_000,
                    pooled: 300_000,
                },
                training: Training {
                    validation: 0.0123,
                    rate: 1e6,
                    ..Training::default()
                },
                pairs: if number == 1 {
                    [0, 0, 0, 0, 50]
                } else {
                    [5, 10, 20, 10, 5]
                },
                games: [10, 20, 70],
            });
        }
        state
    }

    #[test]
    fn the_report_names_every_generation() {
        let text = markdown(&state());
        assert!(text.contains("| 2 | 150 k | 300 k | 100 |"), "{text}");
        assert!(text.contains("above +1000 Elo"), "{text}");
        assert_eq!(
            head().chars().count(),
            row(&state().generations[1]).chars().count()
        );
    }

    #[test]
    fn the_picture_has_a_point_for_each_generation() {
        let svg = ascent(&state());
        assert_eq!(svg.matches("<circle").count(), 3);
        assert_eq!(svg.matches("fill=\"white\" stroke").count(), 1);
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"));
        let empty = ascent(&State::new(1, Budget::Seconds(60.0)));
        assert!(!empty.contains("NaN"), "{empty}");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short_count(9_999), "9999");
        assert_eq!(short_count(150_400), "150 k");
        assert_eq!(short_count(2_340_000), "2.3 M");
        assert_eq!(short_count(123_400_000), "123 M");
        assert_eq!(duration(59.4), "59 s");
        assert_eq!(duration(754.0), "12:34");
        assert_eq!(duration(10_921.0), "3:02:01");
    }
}
