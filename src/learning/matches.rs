//! Two networks play each other, in one process: which one is stronger?
//!
//! Games come in pairs from one random opening, colours reversed. With budgets in nodes, pair `i`
//! is a pure function of the seed, `i`, both networks and the settings, so a match can be
//! interrupted and taken up again, and repeated.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shakmaty::{ByColor, Color};

use crate::base::rng::Rng;
use crate::base::score::Score;
use crate::board::{Game, Move};
use crate::eval::network::Network;
use crate::search::limits::SideClock;
use crate::search::{Limits, Worker};

use super::elo::{HalfPoints, Pairs};
use super::failure::LearnError;
use super::games::GameResult;
use super::player::Player;
use super::referee::{Adjudication, Openings, Referee};

/// What each side may spend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    /// Exactly so many nodes a move.
    Nodes(u64),
    /// No new iteration after so many nodes of a move; at most eight times as many.
    SoftNodes(u64),
    /// A clock for the game. Nobody loses on time: a clock that fell stands at zero.
    Clock {
        /// Milliseconds at the start.
        base: u64,
        /// Milliseconds added after each move.
        increment: u64,
    },
}

/// How a match is played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchSettings {
    /// The seed of the openings.
    pub seed: u64,
    /// How many pairs of games, at most.
    pub pairs: u64,
    /// What a move may cost.
    pub budget: Budget,
    /// How games begin.
    pub openings: Openings,
    /// When scores end a game; never, if absent.
    pub adjudication: Option<Adjudication>,
    /// Plies after which a game is called a draw, the opening not counted.
    pub longest: u32,
    /// Each player's table, in MiB.
    pub hash_mib: usize,
}

impl MatchSettings {
    /// A match of so many pairs with these nodes a move.
    pub fn nodes(seed: u64, pairs: u64, nodes: u64) -> MatchSettings {
        MatchSettings {
            seed,
            pairs,
            budget: Budget::Nodes(nodes),
            openings: Openings {
                random_plies: 8,
                limit: 300,
                chess960_share: 0.0,
            },
            adjudication: Some(Adjudication::default()),
            longest: 300,
            hash_mib: 4,
        }
    }
}

/// One pair of games, from the challenger's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairResult {
    /// Which pair.
    pub index: u64,
    /// The game with the challenger as White.
    pub white: HalfPoints,
    /// The game with the challenger as Black.
    pub black: HalfPoints,
}

/// What happens after a pair, given that pair and the sum so far: the match goes on, or is broken
/// off.
pub type AfterPair<'a> = dyn FnMut(PairResult, &Pairs) -> Result<ControlFlow<()>, LearnError> + 'a;

/// Plays the pairs that are not in `done`, on `threads` threads, until all are played or `each`
/// breaks off: it is called after each pair, with that pair and the sum so far. The figures are
/// the `challenger`'s.
pub fn play_match(
    challenger: &Arc<Network>,
    defender: &Arc<Network>,
    settings: &MatchSettings,
    threads: usize,
    done: &[PairResult],
    each: &mut AfterPair<'_>,
) -> Result<Pairs, LearnError> {
    let mut sum = Pairs::default();
    done.iter().for_each(|pair| sum.add(pair.white, pair.black));
    let open: Vec<u64> = (0..settings.pairs)
        .filter(|&index| done.iter().all(|pair| pair.index != index))
        .collect();
    if open.is_empty() {
        return Ok(sum);
    }
    let mut sides = Vec::new();
    for _ in 0..threads.clamp(1, open.len()) {
        let hash = settings.hash_mib;
        sides.push([Player::new(challenger, hash)?, Player::new(defender, hash)?]);
    }
    let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        let (sender, receiver) = crossbeam_channel::unbounded();
        for mut players in sides {
            let sender = sender.clone();
            let (next, stop, open) = (&next, &stop, &open);
            let play = move || {
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed) as usize;
                    let Some(&index) = open.get(number) else {
                        return;
                    };
                    if sender
                        .send(play_pair(&mut players, settings, index))
                        .is_err()
                    {
                        return;
                    }
                }
            };
            thread::Builder::new()
                .stack_size(Worker::STACK_BYTES)
                .spawn_scoped(scope, play)
                .map_err(LearnError::Thread)?;
        }
        drop(sender);
        for pair in receiver {
            sum.add(pair.white, pair.black);
            let told = each(pair, &sum);
            if !matches!(told, Ok(ControlFlow::Continue(()))) {
                stop.store(true, Ordering::Relaxed);
                return told.map(|_| sum);
            }
        }
        Ok(sum)
    })
}

/// Plays pair number `index`; `players` are the challenger and the defender.
pub fn play_pair(players: &mut [Player; 2], settings: &MatchSettings, index: u64) -> PairResult {
    let mut rng = Rng::stream(settings.seed, index);
    let opening = open(&mut players[0], settings, &mut rng);
    let white = play_game(players, settings, &opening, Color::White);
    let black = play_game(players, settings, &opening, Color::Black);
    PairResult {
        index,
        white: white as HalfPoints,
        black: black.flipped() as HalfPoints,
    }
}

/// A quick look is enough to drop an opening that is lost already.
const LOOK_NODES: u64 = 500;

fn open(judge: &mut Player, settings: &MatchSettings, rng: &mut Rng) -> Game {
    let (openings, look) = (&settings.openings, Limits::nodes(LOOK_NODES));
    let (game, _) = judge.level_opening(openings.limit, &look, || openings.draw(rng));
    game
}

/// One game; the first player has this colour.
fn play_game(
    players: &mut [Player; 2],
    settings: &MatchSettings,
    opening: &Game,
    first: Color,
) -> GameResult {
    let mut game = opening.clone();
    let mut referee = Referee::new(settings.adjudication, settings.longest);
    let mut clocks = Clocks::new(settings.budget);
    players.iter_mut().for_each(Player::new_game);
    loop {
        if let Some(result) = referee.before_move(&game) {
            return result;
        }
        let turn = game.position().turn();
        let player = &mut players[usize::from(turn != first)];
        let Some((mv, score)) = clocks.think(player, &game, turn) else {
            // The referee has seen that there is a legal move.
            log::error!("no move was found in {}", game.fen());
            return GameResult::Draw;
        };
        game.play(mv);
        if let Some(result) = referee.after_move(turn.fold_wb(score, -score)) {
            return result;
        }
    }
}

/// Hands out the budget, and keeps the clocks if there are any.
struct Clocks {
    budget: Budget,
    left: ByColor<Duration>,
}

impl Clocks {
    fn new(budget: Budget) -> Clocks {
        let base = match budget {
            Budget::Clock { base, .. } => Duration::from_millis(base),
            _ => Duration::ZERO,
        };
        Clocks {
            budget,
            left: ByColor::new_with(|_| base),
        }
    }

    fn think(&mut self, player: &mut Player, game: &Game, turn: Color) -> Option<(Move, Score)> {
        let limits = match self.budget {
            Budget::Nodes(nodes) => Limits::nodes(nodes),
            Budget::SoftNodes(nodes) => Limits {
                soft_nodes: Some(nodes),
                nodes: Some(nodes.saturating_mul(8)),
                ..Limits::default()
            },
            Budget::Clock { increment, .. } => Limits {
                clocks: self.left.map(|left| SideClock {
                    remaining: Some(left),
                    increment: Duration::from_millis(increment),
                }),
                ..Limits::default()
            },
        };
        let start = Instant::now();
        let found = player.think(game, limits);
        if let Budget::Clock { increment, .. } = self.budget {
            let left = self.left.get_mut(turn);
            *left = left.saturating_sub(start.elapsed()) + Duration::from_millis(increment);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks() -> (Arc<Network>, Arc<Network>) {
        let network = |seed| Arc::new(Network::random(64, 1, seed));
        (network(1), network(2))
    }

    fn go_on(_: PairResult, _: &Pairs) -> Result<ControlFlow<()>, LearnError> {
        Ok(ControlFlow::Continue(()))
    }

    fn settings() -> MatchSettings {
        let mut settings = MatchSettings::nodes(5, 8, 60);
        settings.hash_mib = 1;
        settings
    }

    fn run(threads: usize, done: &[PairResult]) -> (Pairs, Vec<PairResult>) {
        let (a, b) = networks();
        let mut played = Vec::new();
        let sum = play_match(&a, &b, &settings(), threads, done, &mut |pair, _| {
            played.push(pair);
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
        played.sort_by_key(|pair| pair.index);
        (sum, played)
    }

    #[test]
    fn a_match_is_repeated_exactly_and_taken_up_where_it_was() {
        let (sum, played) = run(1, &[]);
        assert_eq!(sum.len(), 8);
        assert_eq!(run(2, &[]), (sum, played.clone()));
        let done = [played[1], played[4], played[5]];
        let (again, rest) = run(2, &done);
        assert_eq!(again, sum);
        assert_eq!(rest.len(), 5);
        assert_eq!(run(1, &played), (sum, Vec::new()));
    }

    #[test]
    fn a_network_is_as_strong_as_itself() {
        let (a, _) = networks();
        let sum = play_match(&a, &a, &settings(), 1, &[], &mut go_on).unwrap();
        // The second game of a pair repeats the first with the names exchanged.
        assert_eq!(sum.counts, [0, 0, 8, 0, 0]);
    }

    #[test]
    fn a_match_can_be_broken_off() {
        let (a, b) = networks();
        let mut settings = settings();
        settings.pairs = 1_000;
        let sum = play_match(&a, &b, &settings, 2, &[], &mut |_, sum| {
            Ok(if sum.len() < 3 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        });
        assert_eq!(sum.unwrap().len(), 3);
    }

    #[test]
    fn a_game_on_clocks_comes_to_an_end() {
        let (a, b) = networks();
        let mut settings = settings();
        settings.pairs = 1;
        settings.longest = 20;
        settings.budget = Budget::Clock {
            base: 50,
            increment: 2,
        };
        let sum = play_match(&a, &b, &settings, 2, &[], &mut go_on).unwrap();
        assert_eq!(sum.len(), 1);
    }
}
