//! One side of a game: a search of its own with a small table, one thread, no clock but the one
//! its limits name.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::base::score::Score;
use crate::board::{Game, Move};
use crate::eval::Network;
use crate::search::report::Silent;
use crate::search::table::TableError;
use crate::search::{Clock, Job, Limits, Shared, Worker};

/// So many openings are tried before the limit on the first score is waived: a bad network may
/// find every position one-sided, and a game must start all the same.
const OPENING_TRIES: usize = 50;

/// A player with its own table and histories. Given the same network and limits in nodes, it
/// always plays the same game from the same position.
pub struct Player {
    worker: Box<Worker>,
    shared: Shared,
    /// Search constants of its own, by name, for a tuner.
    #[cfg(feature = "tune")]
    constants: Vec<(&'static str, i32)>,
}

impl Player {
    /// A player that judges by `network`, with a table of `hash_mib` MiB.
    pub fn new(network: &Arc<Network>, hash_mib: usize) -> Result<Player, TableError> {
        Ok(Player {
            worker: Worker::new(0, network),
            shared: Shared::new(hash_mib, 1)?,
            #[cfg(feature = "tune")]
            constants: Vec::new(),
        })
    }

    /// Gives it search constants of its own. They are the process's while it thinks, so no other
    /// thread of the process may search then.
    #[cfg(feature = "tune")]
    pub fn set_constants(&mut self, constants: Vec<(&'static str, i32)>) {
        self.constants = constants;
    }

    /// Forgets everything, as before a new game.
    pub fn new_game(&mut self) {
        self.worker.clear();
        self.shared.table.clear(1);
    }

    /// Draws openings until its own search, within `look`, finds one no further from level than
    /// `limit` centipawns; that opening, and what the search chose in it.
    pub fn level_opening(
        &mut self,
        limit: Score,
        look: &Limits,
        mut draw: impl FnMut() -> Game,
    ) -> (Game, Option<(Move, Score)>) {
        let mut tries = 0;
        loop {
            let game = draw();
            self.new_game();
            let found = self.think(&game, look.clone());
            tries += 1;
            if found.is_some_and(|(_, score)| score.abs() <= limit) || tries >= OPENING_TRIES {
                return (game, found);
            }
        }
    }

    /// The move it chooses, and its score from the side to move's view. `None` only if there is
    /// no legal move.
    pub fn think(&mut self, game: &Game, limits: Limits) -> Option<(Move, Score)> {
        #[cfg(feature = "tune")]
        for &(name, value) in &self.constants {
            crate::base::params::set(name, value);
        }
        self.shared.start();
        let (turn, number) = (game.position().turn(), game.fullmoves());
        let clock = Clock::new(&limits, turn, number, Instant::now(), Duration::ZERO);
        let job = Job {
            game: game.clone(),
            limits,
            multi_pv: 1,
        };
        let found = self
            .worker
            .search(&job, &clock, &self.shared, &mut Silent)?;
        let line = found.lines.first()?;
        Some((*line.pv.first()?, line.score))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_limits_hold_though_nobody_listens() {
        let thread = std::thread::Builder::new().stack_size(Worker::STACK_BYTES);
        let played = thread.spawn(|| {
            let network = Arc::new(Network::random(64, 1, 1));
            let mut player = Player::new(&network, 1).unwrap();
            let limits = Limits {
                soft_nodes: Some(100),
                nodes: Some(100_000),
                ..Limits::default()
            };
            player.think(&Game::start(), limits).unwrap();
            player.shared.total_nodes()
        });
        let nodes = played.unwrap().join().unwrap();
        assert!((100..2_000).contains(&nodes), "{nodes}");
    }
}
