//! The engine plays itself: games for the trainer, as many as wanted, on all cores.
//!
//! Game `i` is a pure function of the seed, `i`, the network and the settings: its random numbers
//! come from a stream of its own, and its player has forgotten every game before it. Threads take
//! the next number from a counter; games are written in the order of their numbers, whichever
//! thread finished first. So the file is the same for any number of threads, and an interrupted
//! run goes on with the first game that is not on disk.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};
use serde::{Deserialize, Serialize};

use crate::base::rng::Rng;
use crate::base::score::Score;
use crate::board::{Game, Move};
use crate::eval::network::Network;
use crate::search::{Limits, Worker};

use super::failure::LearnError;
use super::game_file::Totals;
use super::games::{GameRecord, GameWriter};
use super::origin::Origin;
use super::packed::PackError;
use super::player::Player;
use super::referee::{Adjudication, Openings, Referee};

/// How games are played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The seed of all games.
    pub seed: u64,
    /// Nodes after which a search starts no new iteration.
    pub nodes: u64,
    /// Nodes at which a search stops at once, as a multiple of `nodes`.
    pub hard_factor: u64,
    /// Plies after which a game is called a draw, the opening not counted.
    pub longest: u32,
    /// How games begin.
    pub openings: Openings,
    /// When scores end a game; never, if absent.
    pub adjudication: Option<Adjudication>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            seed: 1,
            nodes: 100,
            hard_factor: 8,
            longest: 300,
            openings: Openings {
                random_plies: 8,
                limit: 400,
                chess960_share: 0.0,
            },
            adjudication: Some(Adjudication::default()),
        }
    }
}

/// When there are enough games: at the first of these that is reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct Target {
    /// Games in the file.
    pub games: Option<u64>,
    /// Kept positions in the file.
    pub positions: Option<u64>,
    /// A point in time. The file then depends on the machine's speed; each of its games does not.
    pub until: Option<Instant>,
    /// Time does not end play before there are so many kept positions.
    pub least: u64,
}

impl Target {
    fn reached(&self, totals: &Totals) -> bool {
        self.games.is_some_and(|games| totals.games >= games)
            || self.positions.is_some_and(|kept| totals.kept >= kept)
            || totals.kept >= self.least && self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// What the file will hold when the pending block is written, earlier runs included.
    pub totals: Totals,
    /// What this run has added.
    pub added: Totals,
    /// The time this run has taken.
    pub elapsed: Duration,
}

impl Report {
    /// Kept positions a second, of this run.
    pub fn kept_per_second(&self) -> f64 {
        self.added.kept as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// A hash table of this size serves a few thousand nodes.
const HASH_MIB: usize = 1;

/// So many games make a block of the file: what an interruption can lose.
const BLOCK_GAMES: u64 = if cfg!(test) { 16 } else { 256 };

/// How long the writer waits for a game before it looks at the clock again.
const PATIENCE: Duration = Duration::from_millis(50);

/// Plays games into a file until the target is reached; goes on with a file that an earlier run of
/// the same settings and network left behind. `progress` is called after each game.
pub fn generate(
    network: &Arc<Network>,
    settings: &Settings,
    target: &Target,
    threads: usize,
    path: &Path,
    progress: &mut dyn FnMut(&Report),
) -> Result<Report, LearnError> {
    let mut writer = GameWriter::open(path).map_err(LearnError::games(path))?;
    if let Some(note) = writer.note() {
        log::warn!("{}: {note}", path.display());
    }
    let fresh = writer.totals().games == 0;
    Origin::new(settings, network).claim(path, fresh)?;
    let counter = AtomicU64::new(writer.totals().games);
    let stop = AtomicBool::new(false);
    let mut players = Vec::new();
    for _ in 0..threads.max(1) {
        players.push(Player::new(network, HASH_MIB)?);
    }
    thread::scope(|scope| {
        let (sender, receiver) = crossbeam_channel::bounded(4 * players.len());
        // However this ends, the players must learn of it.
        let _guard = StopOnDrop(&stop);
        for player in players {
            let sender = sender.clone();
            let (counter, stop) = (&counter, &stop);
            thread::Builder::new()
                .stack_size(Worker::STACK_BYTES)
                .spawn_scoped(scope, move || {
                    play_games(player, settings, counter, stop, &sender);
                })
                .map_err(LearnError::Thread)?;
        }
        drop(sender);
        collect(&mut writer, target, &receiver, progress)
    })
}

/// Tells all players to stop when whoever holds it is gone, by a panic too: nobody then waits for
/// a game that never comes.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One thread: plays the next game that nobody has begun, until told to stop.
fn play_games(
    mut player: Player,
    settings: &Settings,
    counter: &AtomicU64,
    stop: &AtomicBool,
    sender: &Sender<(u64, Result<GameRecord, PackError>)>,
) {
    let _guard = StopOnDrop(stop);
    while !stop.load(Ordering::Relaxed) {
        let index = counter.fetch_add(1, Ordering::Relaxed);
        let game = play_game(&mut player, settings, index);
        if sender.send((index, game)).is_err() {
            return;
        }
    }
}

/// Writes games in the order of their numbers until there are enough.
fn collect(
    writer: &mut GameWriter,
    target: &Target,
    receiver: &Receiver<(u64, Result<GameRecord, PackError>)>,
    progress: &mut dyn FnMut(&Report),
) -> Result<Report, LearnError> {
    let path = writer.path().to_owned();
    let start = Instant::now();
    let mut report = Report {
        totals: writer.totals(),
        added: Totals::default(),
        elapsed: Duration::ZERO,
    };
    let mut early = BTreeMap::new();
    'games: while !target.reached(&report.totals) {
        match receiver.recv_timeout(PATIENCE) {
            Ok((index, game)) => early.insert(index, game),
            Err(error) if error.is_timeout() => continue,
            Err(_) => return Err(LearnError::Player),
        };
        while let Some(game) = early.remove(&report.totals.games) {
            let game = game.map_err(|error| LearnError::games(&path)(error.into()))?;
            let kept = writer.write(&game).map_err(LearnError::games(&path))?;
            let more = Totals {
                games: 1,
                plies: game.plies.len() as u64,
                kept: kept as u64,
            };
            report.totals += more;
            report.added += more;
            report.elapsed = start.elapsed();
            if report.totals.games.is_multiple_of(BLOCK_GAMES) {
                writer.flush().map_err(LearnError::games(&path))?;
            }
            progress(&report);
            if target.reached(&report.totals) {
                break 'games;
            }
        }
    }
    writer.flush().map_err(LearnError::games(&path))?;
    report.elapsed = start.elapsed();
    Ok(report)
}

/// Plays game number `index` of the settings' seed.
pub fn play_game(
    player: &mut Player,
    settings: &Settings,
    index: u64,
) -> Result<GameRecord, PackError> {
    let mut rng = Rng::stream(settings.seed, index);
    let (mut game, mut chosen) = open(player, settings, &mut rng);
    let mut record = GameRecord::new(&game)?;
    let mut referee = Referee::new(settings.adjudication, settings.longest);
    loop {
        if let Some(result) = referee.before_move(&game) {
            record.result = result;
            return Ok(record);
        }
        let best = match chosen.take() {
            Some(best) => Some(best),
            None => player.think(&game, limits(settings)),
        };
        let Some((mv, score)) = best else {
            // The referee has seen that there is a legal move.
            log::error!("no move was found in {}", game.fen());
            return Ok(record);
        };
        let score = game.position().turn().fold_wb(score, -score);
        record.push(mv, score);
        game.play(mv);
        if let Some(result) = referee.after_move(score) {
            record.result = result;
            return Ok(record);
        }
    }
}

/// Draws openings until the first search finds one level enough; the game, and what that search
/// chose.
fn open(player: &mut Player, settings: &Settings, rng: &mut Rng) -> (Game, Option<(Move, Score)>) {
    let openings = &settings.openings;
    player.level_opening(openings.limit, &limits(settings), || openings.draw(rng))
}

fn limits(settings: &Settings) -> Limits {
    Limits {
        soft_nodes: Some(settings.nodes),
        nodes: Some(settings.nodes.saturating_mul(settings.hard_factor.max(1))),
        ..Limits::default()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    fn settings() -> Settings {
        let mut settings = Settings {
            seed: 11,
            nodes: 20,
            ..Settings::default()
        };
        settings.openings.chess960_share = 0.3;
        settings
    }

    fn network() -> Arc<Network> {
        Arc::new(Network::random(64, 1, 1))
    }

    /// A folder of its own for each test, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let name = format!("standpat-selfplay-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn run(path: &Path, games: u64, threads: usize) -> Result<Report, LearnError> {
        let target = Target {
            games: Some(games),
            ..Target::default()
        };
        generate(&network(), &settings(), &target, threads, path, &mut |_| ())
    }

    fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        thread::scope(|scope| {
            thread::Builder::new()
                .stack_size(Worker::STACK_BYTES)
                .spawn_scoped(scope, work)
                .unwrap()
                .join()
                .unwrap()
        })
    }

    #[test]
    fn a_game_depends_on_its_number_alone() {
        with_stack(|| {
            let mut one = Player::new(&network(), HASH_MIB).unwrap();
            let mut other = Player::new(&network(), HASH_MIB).unwrap();
            let forth: Vec<_> = (0..6)
                .map(|i| play_game(&mut one, &settings(), i))
                .collect();
            for i in (0..6).rev() {
                let game = play_game(&mut other, &settings(), i).unwrap();
                assert_eq!(&game, forth[i as usize].as_ref().unwrap());
                assert!(game.kept().is_ok(), "all its moves are legal");
            }
            assert_ne!(forth[0].as_ref().unwrap(), forth[1].as_ref().unwrap());
        });
    }

    #[test]
    fn the_file_is_the_same_for_any_number_of_threads_and_interruptions() {
        let folder = Folder::new("resume");
        let whole = folder.0.join("whole.games");
        run(&whole, 100, 2).unwrap();
        let bytes = fs::read(&whole).unwrap();
        let other = folder.0.join("other.games");
        run(&other, 100, 1).unwrap();
        assert_eq!(fs::read(&other).unwrap(), bytes, "by one thread");
        let note = fs::read(folder.0.join("whole.games.toml")).unwrap();
        let mut rng = Rng::new(3);
        for round in 0..6 {
            // As if the run had been killed at any moment: the file ends anywhere.
            let cut = rng.below(bytes.len());
            fs::write(&other, &bytes[..cut]).unwrap();
            fs::write(folder.0.join("other.games.toml"), &note).unwrap();
            let report = run(&other, 100, 1 + round % 2).unwrap();
            assert_eq!(fs::read(&other).unwrap(), bytes, "cut at {cut}");
            let whole_blocks = 100 - report.added.games;
            assert_eq!(whole_blocks % BLOCK_GAMES, 0, "only whole blocks are kept");
        }
    }

    #[test]
    fn other_settings_or_another_network_are_refused() {
        let folder = Folder::new("other");
        let path = folder.0.join("a.games");
        run(&path, 3, 1).unwrap();
        let target = Target {
            games: Some(6),
            ..Target::default()
        };
        let mut other = settings();
        other.nodes += 1;
        let refused = generate(&network(), &other, &target, 1, &path, &mut |_| ());
        assert!(matches!(refused, Err(LearnError::Content(..))));
        let stranger = Arc::new(Network::random(64, 1, 2));
        let refused = generate(&stranger, &settings(), &target, 1, &path, &mut |_| ());
        assert!(matches!(refused, Err(LearnError::Content(..))));
        let report = run(&path, 6, 1).unwrap();
        assert_eq!((report.totals.games, report.added.games), (6, 3));
        let report = run(&path, 6, 1).unwrap();
        assert_eq!(report.added.games, 0, "there is nothing left to do");
    }

    #[test]
    fn play_stops_at_the_position_that_was_asked_for_or_in_time() {
        let folder = Folder::new("target");
        let target = Target {
            positions: Some(300),
            ..Target::default()
        };
        let path = folder.0.join("positions.games");
        let report = generate(&network(), &settings(), &target, 2, &path, &mut |_| ()).unwrap();
        assert!((300..700).contains(&report.totals.kept), "{report:?}");
        let target = Target {
            until: Some(Instant::now()),
            least: 100,
            ..Target::default()
        };
        let path = folder.0.join("time.games");
        let report = generate(&network(), &settings(), &target, 2, &path, &mut |_| ()).unwrap();
        assert!((100..500).contains(&report.totals.kept), "{report:?}");
    }
}
