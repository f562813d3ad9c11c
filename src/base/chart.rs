//! Line charts as SVG: for whatever a tool would rather show than tell.

use std::fmt::Write;

use super::text::between_tags;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 450.0;
const LEFT: f64 = 84.0;
/// The names of the lines stand here.
const RIGHT: f64 = 210.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 56.0;

/// Told apart by people who see fewer colours, too.
const COLOURS: [&str; 8] = [
    "#0072b2", "#56b4e9", "#d55e00", "#e69f00", "#b8860b", "#009e73", "#117733", "#777777",
];

/// How heights stand for numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances for equal differences.
    Linear,
    /// Equal distances for equal ratios; what is not above zero is left out.
    Logarithmic,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series<'a> {
    /// What it shows.
    pub name: &'a str,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart<'a> {
    /// Stands above it.
    pub title: &'a str,
    /// What the horizontal axis counts.
    pub x: &'a str,
    /// What the vertical axis counts.
    pub y: &'a str,
    /// Of the vertical axis.
    pub scale: Scale,
    /// The lines.
    pub series: &'a [Series<'a>],
}

impl Chart<'_> {
    /// The chart as an SVG file.
    pub fn draw(&self) -> String {
        let frame = Frame::around(self);
        let (title, x, y) = (
            between_tags(self.title),
            between_tags(self.x),
            between_tags(self.y),
        );
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"26\" font-size=\"15\">{title}</text>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{x}</text>\n\
             <text x=\"{LEFT}\" y=\"{}\" text-anchor=\"end\">{y}</text>\n",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 14.0,
            TOP - 8.0,
        );
        frame.grid(&mut svg);
        for (series, colour) in self.series.iter().zip(COLOURS.into_iter().cycle()) {
            frame.line(&mut svg, series, colour);
        }
        self.legend(&frame, &mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    /// The names, each at the end of its line or as near to it as the others allow.
    fn legend(&self, frame: &Frame, svg: &mut String) {
        let mut places: Vec<(f64, &str, &str)> = self
            .series
            .iter()
            .zip(COLOURS.into_iter().cycle())
            .filter_map(|(series, colour)| {
                let &(_, last) = series.points.iter().rfind(|point| frame.shows(point.1))?;
                Some((frame.y(last), series.name, colour))
            })
            .collect();
        places.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut lowest = TOP;
        for (y, name, colour) in places {
            let y = y.max(lowest);
            lowest = y + 17.0;
            // Writing to a string cannot fail.
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{:.1}\" fill=\"{colour}\">{}</text>",
                WIDTH - RIGHT + 14.0,
                y + 4.0,
                between_tags(name),
            );
        }
    }
}

/// Where numbers lie in the picture.
struct Frame {
    x: (f64, f64),
    /// On the scale: logarithms where it is logarithmic.
    y: (f64, f64),
    scale: Scale,
}

impl Frame {
    fn around(chart: &Chart<'_>) -> Frame {
        let mut frame = Frame {
            x: (0.0, 1.0),
            y: (0.0, 1.0),
            scale: chart.scale,
        };
        let points = chart.series.iter().flat_map(|series| &series.points);
        let shown: Vec<(f64, f64)> = points.copied().filter(|p| frame.shows(p.1)).collect();
        let around = |values: &mut dyn Iterator<Item = f64>| {
            let ends = (f64::INFINITY, f64::NEG_INFINITY);
            let (low, high) = values.fold(ends, |(low, high), v| (low.min(v), high.max(v)));
            if high > low {
                (low, high)
            } else if high == low {
                (low - 0.5, high + 0.5)
            } else {
                // There are no points.
                (0.0, 1.0)
            }
        };
        frame.x = around(&mut shown.iter().map(|point| point.0));
        let (low, high) = around(&mut shown.iter().map(|point| frame.scaled(point.1)));
        let step = frame.step(high - low);
        frame.y = ((low / step).floor() * step, (high / step).ceil() * step);
        frame
    }

    fn shows(&self, y: f64) -> bool {
        y.is_finite() && (self.scale == Scale::Linear || y > 0.0)
    }

    fn scaled(&self, y: f64) -> f64 {
        match self.scale {
            Scale::Linear => y,
            Scale::Logarithmic => y.log10(),
        }
    }

    /// A round distance between the lines of the grid that makes some four to ten of them.
    fn step(&self, range: f64) -> f64 {
        if self.scale == Scale::Logarithmic {
            return (range / 8.0).ceil().max(1.0);
        }
        let power = 10f64.powf((range / 8.0).log10().floor());
        let fits = |step: &f64| range / (step * power) <= 8.0;
        [1.0, 2.0, 5.0].into_iter().find(fits).unwrap_or(10.0) * power
    }

    fn x(&self, x: f64) -> f64 {
        LEFT + (WIDTH - RIGHT - LEFT) * (x - self.x.0) / (self.x.1 - self.x.0)
    }

    fn y(&self, y: f64) -> f64 {
        self.height(self.scaled(y))
    }

    fn height(&self, scaled: f64) -> f64 {
        TOP + (HEIGHT - TOP - BOTTOM) * (self.y.1 - scaled) / (self.y.1 - self.y.0)
    }

    fn grid(&self, svg: &mut String) {
        let step = self.step(self.y.1 - self.y.0);
        let lines = ((self.y.1 - self.y.0) / step).round() as i32;
        for line in 0..=lines {
            let scaled = self.y.0 + f64::from(line) * step;
            let y = self.height(scaled);
            let number = match self.scale {
                Scale::Linear => rounded(scaled, step),
                Scale::Logarithmic => rounded(10f64.powf(scaled), 10f64.powf(scaled)),
            };
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#ddd\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{number}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                y + 4.0,
            );
        }
        let step = Frame {
            scale: Scale::Linear,
            ..*self
        }
        .step(self.x.1 - self.x.0)
        .max(1.0);
        let mut x = (self.x.0 / step).ceil() * step;
        while x <= self.x.1 {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                self.x(x),
                HEIGHT - BOTTOM + 20.0,
                rounded(x, step),
            );
            x += step;
        }
    }

    fn line(&self, svg: &mut String, series: &Series<'_>, colour: &str) {
        let shown = || series.points.iter().filter(|point| self.shows(point.1));
        let path: Vec<String> = shown()
            .map(|&(x, y)| format!("{:.1} {:.1}", self.x(x), self.y(y)))
            .collect();
        if path.is_empty() {
            return;
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join("L"),
        );
        for &(x, y) in shown().filter(|_| path.len() <= 40) {
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                self.x(x),
                self.y(y),
            );
        }
    }
}

/// A number of the grid: thousands and millions by their letters, fractions with as many digits as
/// the step needs.
fn rounded(number: f64, step: f64) -> String {
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " k")];
    let large = |&(unit, _): &(f64, &str)| number.abs() >= unit && step >= unit / 1e3;
    let (unit, letter) = units.into_iter().find(large).unwrap_or((1.0, ""));
    let digits = (-((step / unit).log10() + 1e-9).floor()).max(0.0) as usize;
    let number = number / unit;
    format!("{number:.digits$}{letter}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(scale: Scale, points: &[(f64, f64)]) -> String {
        let series = [
            Series {
                name: "one & <two>",
                points: points.to_vec(),
            },
            Series {
                name: "empty",
                points: Vec::new(),
            },
        ];
        Chart {
            title: "a chart",
            x: "depth",
            y: "nodes",
            scale,
            series: &series,
        }
        .draw()
    }

    #[test]
    fn heights_follow_the_scale() {
        let height = |svg: &str, circle: usize| -> f64 {
            let part = svg.split("<circle").nth(circle + 1).unwrap();
            let y = part.split("cy=\"").nth(1).unwrap();
            y.split('"').next().unwrap().parse().unwrap()
        };
        let points = [(1.0, 1.0), (2.0, 10.0), (3.0, 100.0)];
        let svg = chart(Scale::Logarithmic, &points);
        let (low, middle, high) = (height(&svg, 0), height(&svg, 1), height(&svg, 2));
        assert!((low - middle - (middle - high)).abs() < 0.2, "{svg}");
        let svg = chart(Scale::Linear, &points);
        let (low, middle, high) = (height(&svg, 0), height(&svg, 1), height(&svg, 2));
        assert!(((low - high) / (low - middle) - 11.0).abs() < 0.2, "{svg}");
        assert!(svg.contains("one &amp; &lt;two&gt;") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn numbers_are_written_as_people_read_them() {
        let written = |number, step| rounded(number, step);
        assert_eq!(written(0.25, 0.05), "0.25");
        assert_eq!(written(500.0, 100.0), "500");
        assert_eq!(written(1_500.0, 500.0), "1.5 k");
        assert_eq!(written(20_000_000.0, 5_000_000.0), "20 M");
        assert_eq!(written(1_000.0, 1_000.0), "1 k");
        assert_eq!(written(0.0, 1e6), "0");
        assert_eq!(written(-2_000.0, 1_000.0), "-2 k");
    }

    #[test]
    fn anything_can_be_drawn() {
        let cases: [&[(f64, f64)]; 5] = [
            &[],
            &[(1.0, 5.0)],
            &[(1.0, 0.0), (2.0, -3.0)],
            &[(1.0, f64::NAN), (2.0, f64::INFINITY)],
            &[(1.0, 1e-9), (1000.0, 1e12)],
        ];
        for points in cases {
            for scale in [Scale::Linear, Scale::Logarithmic] {
                let svg = chart(scale, points);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }
}
