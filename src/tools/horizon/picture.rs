//! A picture of the horizon effect: the value of the three searches over their depth, as SVG.

use crate::base::chart::{Chart, Scale, Series};
use crate::base::score::{Score, is_decisive};

use super::Mode;
use super::depths::Comparison;

/// Values beyond so many pawns, mates too, are drawn at the edge.
const LARGEST: f64 = 15.0;

/// The lines of value over depth, in pawns from the view of the side to move.
pub fn draw(comparison: &Comparison) -> String {
    let series = Mode::ALL.map(|mode| Series {
        name: mode.name(),
        points: comparison
            .rows
            .iter()
            .map(|row| (f64::from(row.depth), drawn(row.found[mode as usize].value)))
            .collect(),
    });
    Chart {
        title: &format!("Value over depth: {}", comparison.game.fen()),
        x: "depth in plies",
        y: "pawns",
        scale: Scale::Linear,
        series: &series,
    }
    .draw()
}

/// Pawns, cut at the edge of the picture.
fn drawn(score: Score) -> f64 {
    if is_decisive(score) {
        LARGEST.copysign(f64::from(score))
    } else {
        (f64::from(score) / 100.0).clamp(-LARGEST, LARGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::super::chain::POSITION;
    use super::super::depths::compare;
    use super::super::reference::Material;
    use super::*;
    use crate::board::Game;

    fn picture(fen: &str, depth: u32) -> String {
        let game = Game::from_fen(fen).unwrap();
        draw(&compare(&game, depth, &|| Box::new(Material)))
    }

    #[test]
    fn each_search_has_a_line_with_a_point_at_each_depth() {
        let svg = picture(POSITION, 4);
        assert_eq!(svg.matches("<circle").count(), 3 * 4);
        for mode in Mode::ALL {
            assert!(svg.contains(&format!(">{}<", mode.name())), "{svg}");
        }
        assert!(svg.contains(POSITION));
    }

    #[test]
    fn a_mate_is_drawn_at_the_edge() {
        assert_eq!(drawn(crate::base::score::mated_in(4)), -LARGEST);
        assert_eq!(drawn(-120), -1.2);
        let mate = picture("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", 1);
        assert_eq!(mate.matches("<circle").count(), 3);
    }
}
