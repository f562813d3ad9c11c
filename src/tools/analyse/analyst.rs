//! The engine at work on one position after another, until somebody presses Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::options::Options;
use crate::board::Game;
use crate::engine::{Engine, Handle};
use crate::search::limits::Limits;
use crate::search::report::Silent;
use crate::tools::Failure;

use super::judge::View;

/// The exit code of a program that Ctrl-C has ended, as shells have it.
const KILLED: i32 = 130;

/// An engine with its limits.
pub struct Analyst {
    engine: Engine,
    limits: Limits,
    interrupted: Arc<AtomicBool>,
}

impl Analyst {
    /// Starts the engine, and from now on takes Ctrl-C as the wish to end soon and in order; a
    /// second one ends the program at once.
    ///
    /// # Errors
    ///
    /// When the table or the threads cannot be had.
    pub fn new(options: Options, limits: Limits) -> Result<Analyst, Failure> {
        let engine = Engine::new(options).map_err(|error| Failure::Failed(error.to_string()))?;
        let interrupted = Arc::new(AtomicBool::new(false));
        listen(Arc::clone(&interrupted), engine.handle());
        Ok(Analyst {
            engine,
            limits,
            interrupted,
        })
    }

    /// Looks at all positions of a game, the last one first: what is found later in a game helps
    /// to judge what came before. `None` when interrupted.
    ///
    /// # Errors
    ///
    /// When the engine cannot search.
    pub fn game(
        &mut self,
        positions: &[Game],
        step: &dyn Fn(usize),
    ) -> Result<Option<Vec<View>>, Failure> {
        self.forget()?;
        let mut views = Vec::with_capacity(positions.len());
        for (done, game) in positions.iter().rev().enumerate() {
            let Some(view) = self.look(game)? else {
                return Ok(None);
            };
            views.push(view);
            step(done + 1);
        }
        views.reverse();
        Ok(Some(views))
    }

    /// Looks at one position that has nothing to do with the last one. `None` when interrupted.
    ///
    /// # Errors
    ///
    /// When the engine cannot search.
    pub fn position(&mut self, game: &Game) -> Result<Option<View>, Failure> {
        self.forget()?;
        self.look(game)
    }

    /// Each game is judged as if it were the only one, so that its values do not depend on where an
    /// interrupted run has been taken up.
    fn forget(&mut self) -> Result<(), Failure> {
        let result = self.engine.new_game();
        result.map_err(|error| Failure::Failed(error.to_string()))
    }

    fn look(&mut self, game: &Game) -> Result<Option<View>, Failure> {
        if self.is_interrupted() {
            return Ok(None);
        }
        let study = self
            .engine
            .study(game.clone(), self.limits.clone(), &mut Silent)
            .map_err(|error| Failure::Failed(error.to_string()))?;
        let view = View {
            lines: study.lines,
            progress: study.progress,
        };
        Ok((!self.is_interrupted()).then_some(view))
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }
}

/// Takes over Ctrl-C.
fn listen(interrupted: Arc<AtomicBool>, handle: Handle) {
    let result = ctrlc::set_handler(move || {
        if interrupted.swap(true, Ordering::AcqRel) {
            std::process::exit(KILLED);
        }
        handle.stop();
    });
    if let Err(error) = result {
        // Ctrl-C then ends the program at once; what is written stays whole.
        log::info!("Ctrl-C cannot be taken over: {error}");
    }
}
