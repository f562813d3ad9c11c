//! A search that is waited for: what a tool needs that has one position and wants one answer.

use std::time::Instant;

use crossbeam_channel::unbounded;

use super::{Busy, Engine};
use crate::base::score::Bound;
use crate::board::{Game, Move};
use crate::search::report::{Event, Line, Progress};
use crate::search::{Limits, Sink};

/// What a search has come to.
#[derive(Clone, Debug, Default)]
pub struct Study {
    /// The move to play; `None` when the game is over.
    pub best: Option<Move>,
    /// The lines of the last completed iteration, the best first. The score is the side to move's.
    pub lines: Vec<Line>,
    /// How far the search had come at its last line.
    pub progress: Progress,
}

impl Study {
    fn take(&mut self, event: Event) {
        match event {
            Event::Line(line, progress) if line.bound == Bound::Exact => {
                if line.multipv == 1 {
                    self.lines.clear();
                }
                self.lines.push(line);
                self.progress = progress;
            }
            Event::Finished { best, .. } => self.best = best,
            Event::Line(..) | Event::CurrentMove { .. } | Event::Note(_) => {}
        }
    }
}

impl Engine {
    /// Searches and waits for the end. `watch` sees each event as it comes.
    ///
    /// # Errors
    ///
    /// When a search is running.
    pub fn study(
        &mut self,
        game: Game,
        limits: Limits,
        watch: &mut dyn Sink,
    ) -> Result<Study, Busy> {
        let (sender, events) = unbounded();
        let sink = move |event| sender.send(event).unwrap_or_default();
        self.go(game, limits, Instant::now(), Box::new(sink))?;
        let mut study = Study::default();
        for event in events {
            let is_last = matches!(event, Event::Finished { .. });
            watch.event(event.clone());
            study.take(event);
            if is_last {
                break;
            }
        }
        self.wait();
        Ok(study)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::options::Options;
    use crate::base::score::mate_in;
    use crate::search::report::Silent;

    fn engine(multi_pv: u32) -> Engine {
        let options = Options {
            hash: 1,
            multi_pv,
            ..Options::default()
        };
        Engine::new(options).expect("an engine")
    }

    #[test]
    fn a_mate_in_one_is_found() {
        let game = Game::from_fen("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1").expect("legal");
        let study = engine(1)
            .study(game, Limits::depth(4), &mut Silent)
            .expect("idle");
        let best = study.best.expect("a move");
        assert_eq!(best.uci(false).to_string(), "a1a8");
        assert_eq!(study.lines[0].score, mate_in(1));
        assert_eq!(study.lines[0].pv, [best]);
    }

    #[test]
    fn as_many_lines_come_as_were_asked_for_and_the_watcher_sees_all() {
        let mut seen = 0;
        let mut watch = |_: Event| seen += 1;
        let study = engine(3)
            .study(Game::start(), Limits::depth(5), &mut watch)
            .expect("idle");
        let numbers: Vec<usize> = study.lines.iter().map(|line| line.multipv).collect();
        assert_eq!(numbers, [1, 2, 3]);
        assert!(study.lines.iter().all(|line| line.depth == 5));
        assert!(study.lines.is_sorted_by(|a, b| a.score >= b.score));
        assert!(seen > 15);
    }

    #[test]
    fn a_finished_game_has_no_move_and_a_line_without_one() {
        let game = Game::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").expect("legal");
        let study = engine(1)
            .study(game, Limits::depth(3), &mut Silent)
            .expect("idle");
        assert_eq!((study.best, study.lines.len()), (None, 1));
        assert!(study.lines[0].pv.is_empty());
    }
}
