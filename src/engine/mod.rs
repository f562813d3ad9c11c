//! Floor 4: the engine. It owns the table, the options and the threads, and never prints.
//!
//! A client sets options, starts a search with [`Engine::go`] and receives its events; the last
//! one is [`Event::Finished`](crate::search::Event::Finished), exactly once for each search,
//! whatever happens. `stop` and `ponderhit` may come from any thread by a [`Handle`].
//!
//! | file | its one job |
//! |---|---|
//! | `control` | who may stop a search, when it may answer; the watch over hard limits |
//! | `pool` | the threads and their workers |
//! | [`book`] | moves of an opening book |
//! | `answer` | from what the threads found to one answer |
//! | `study` | a search that is waited for |
//! | [`vote`] | which thread's answer it is |

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod answer;
pub mod book;
mod control;
#[cfg(test)]
mod network_tests;
mod pool;
mod study;
#[cfg(test)]
mod tests;
pub mod vote;

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use crate::base::journal;
use crate::base::options::{Described, Effect, OptionError, Options};
use crate::base::rng::Rng;
use crate::base::text::excerpt;
use crate::board::Game;
use crate::eval::network::{Network, NetworkError};
use crate::roster::Profiles;
use crate::search::table::TableError;
use crate::search::{Clock, Job, Limits, Shared, Sink, Table, Worker};

pub use control::{Busy, Handle};
pub use study::Study;

use answer::Lead;
use book::{Book, BookError, BookMove};
use control::{Control, Run, Watch};
use pool::{Factory, Pool, Searcher};

/// The word for no profile at all, the default of the option `Profile`.
const NO_PROFILE: &str = "None";

/// Why the engine could not do what it was asked.
#[derive(Debug)]
pub enum EngineError {
    /// The option is unknown, or its value not allowed.
    Option(OptionError),
    /// A search is running, and this must wait for its end.
    Busy,
    /// A table of this size cannot be had; the old one stays.
    Table(TableError),
    /// Not so many threads can be had.
    Threads {
        /// How many there are now.
        started: usize,
        /// Why not more.
        reason: io::Error,
    },
    /// The file is no network; the old one stays.
    Network {
        /// Its path.
        path: String,
        /// Why not.
        reason: NetworkFailure,
    },
    /// The file is no opening book, or cannot be read any more.
    Book {
        /// Its path.
        path: String,
        /// Why not.
        reason: BookError,
    },
    /// The log file cannot be opened.
    Log {
        /// Its path.
        path: String,
        /// Why not.
        reason: io::Error,
    },
    /// Some options of a profile could not be set; the others are.
    Profile {
        /// Its name.
        name: String,
        /// What went wrong.
        reasons: Vec<EngineError>,
    },
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Option(error) => error.fmt(f),
            EngineError::Busy => Busy.fmt(f),
            EngineError::Table(error) => write!(f, "{error}; the old table stays"),
            EngineError::Threads { started, reason } => {
                write!(f, "only {started} threads can be had: {reason}")
            }
            EngineError::Network { path, reason } => {
                write!(
                    f,
                    "the network '{}' is not taken: {reason}; the old one stays",
                    excerpt(path)
                )
            }
            EngineError::Book { path, reason } => {
                write!(f, "the book '{}' cannot be used: {reason}", excerpt(path))
            }
            EngineError::Log { path, reason } => {
                write!(
                    f,
                    "the log file '{}' cannot be opened: {reason}",
                    excerpt(path)
                )
            }
            EngineError::Profile { name, reasons } => {
                let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                write!(f, "profile {}: {}", excerpt(name), reasons.join("; "))
            }
        }
    }
}

impl std::error::Error for EngineError {}

/// Why a file could not be taken as a network.
#[derive(Debug)]
pub enum NetworkFailure {
    /// It cannot be read.
    Unreadable(io::Error),
    /// It is no sound network.
    Unsound(NetworkError),
}

impl fmt::Display for NetworkFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkFailure::Unreadable(reason) => reason.fmt(f),
            NetworkFailure::Unsound(reason) => reason.fmt(f),
        }
    }
}

impl From<OptionError> for EngineError {
    fn from(error: OptionError) -> EngineError {
        EngineError::Option(error)
    }
}

impl From<Busy> for EngineError {
    fn from(_: Busy) -> EngineError {
        EngineError::Busy
    }
}

impl From<TableError> for EngineError {
    fn from(error: TableError) -> EngineError {
        EngineError::Table(error)
    }
}

/// The engine. Dropping it stops the search that runs and waits for its threads.
pub struct Engine {
    options: Options,
    shared: Arc<Shared>,
    pool: Pool,
    network: Arc<Network>,
    control: Arc<Control>,
    book: Option<Book>,
    profiles: Profiles,
    /// Chooses among the moves of the book; seeded by the time of day.
    dice: Rng,
    /// Nothing was searched since the table was last emptied.
    table_is_clean: bool,
    /// Dropped after the pool, so that a search that still runs keeps its limits.
    _watch: Option<Watch>,
}

impl Engine {
    /// An engine with these options.
    ///
    /// # Errors
    ///
    /// When the table or the first thread cannot be had.
    pub fn new(options: Options) -> Result<Engine, EngineError> {
        Engine::with_searchers(options, workers(&Network::shipped()))
    }

    fn with_searchers(mut options: Options, factory: Factory) -> Result<Engine, EngineError> {
        let threads = options.threads as usize;
        let mut pool = Pool::new(factory);
        if let Err(reason) = pool.resize(threads)
            && pool.len() == 0
        {
            return Err(EngineError::Threads { started: 0, reason });
        }
        options.threads = pool.len() as u32;
        let shared = Arc::new(Shared::new(options.hash as usize, pool.len())?);
        let control = Arc::new(Control::default());
        let watch = Watch::start(&control)
            .inspect_err(|error| log::warn!("no thread to watch the clock: {error}"));
        Ok(Engine {
            options,
            shared,
            pool,
            network: Network::shipped(),
            control,
            book: None,
            profiles: Profiles::new(),
            dice: Rng::new(time_of_day()),
            table_is_clean: true,
            _watch: watch.ok(),
        })
    }

    /// What it judges positions by.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The options as they are now.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The profiles that the option `Profile` chooses among, beside `None`.
    pub fn profiles(&self) -> &Profiles {
        &self.profiles
    }

    /// Gives the option `Profile` something to choose among.
    pub fn set_profiles(&mut self, profiles: Profiles) {
        self.profiles = profiles;
    }

    /// Sets an option and does what follows from it. What was there stays after an error.
    /// May give a remark for the user.
    ///
    /// # Errors
    ///
    /// When the option is unknown, its value not allowed, or what follows cannot be done.
    pub fn set_option(
        &mut self,
        name: &str,
        value: Option<&str>,
    ) -> Result<Option<String>, EngineError> {
        let row = Options::row(name)?;
        if row.effect.needs_idle() && self.is_searching() {
            return Err(EngineError::Busy);
        }
        let network_before = self.options.eval_file.clone();
        let book_before = self.options.book_file.clone();
        let profile_before = self.options.profile.clone();
        let effect = self.options.set(name, value)?;
        match effect {
            Effect::None => {}
            Effect::ResizeTable => self.resize_table()?,
            Effect::ClearTable => self.clear_table(),
            Effect::ResizePool => self.resize_pool()?,
            Effect::OpenTables if self.options.syzygy_path.is_empty() => {}
            Effect::OpenTables => {
                let remark = "endgame tables are not read yet: 0 found";
                return Ok(Some(remark.to_owned()));
            }
            Effect::LoadNetwork => self.load_network(network_before)?,
            Effect::OpenBook => self.open_book(book_before)?,
            Effect::OpenLog => self.open_log()?,
            Effect::ApplyProfile => return self.apply_profile(profile_before),
        }
        Ok(None)
    }

    /// Sets the options of the profile that the option names, each as if by itself.
    fn apply_profile(&mut self, before: String) -> Result<Option<String>, EngineError> {
        let chosen = std::mem::replace(&mut self.options.profile, before);
        if chosen.eq_ignore_ascii_case(NO_PROFILE) {
            NO_PROFILE.clone_into(&mut self.options.profile);
            return Ok(None);
        }
        let found = self
            .profiles
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(&chosen));
        let Some((name, options)) = found.map(|(name, options)| (name.clone(), options.clone()))
        else {
            let mut choices = vec![NO_PROFILE.to_owned()];
            choices.extend(self.profiles.keys().cloned());
            return Err(EngineError::Option(OptionError::NotAChoice {
                name: "Profile",
                value: chosen,
                choices,
            }));
        };
        self.options.profile.clone_from(&name);
        let (mut remarks, mut reasons) = (Vec::new(), Vec::new());
        for (option, value) in &options {
            match self.set_option(option, Some(&value.to_string())) {
                Ok(remark) => remarks.extend(remark),
                Err(reason) => reasons.push(reason),
            }
        }
        if !reasons.is_empty() {
            return Err(EngineError::Profile { name, reasons });
        }
        Ok((!remarks.is_empty()).then(|| remarks.join("; ")))
    }

    fn resize_table(&mut self) -> Result<(), EngineError> {
        let old = self.shared.table.mib();
        if self.options.hash as usize == old {
            return Ok(());
        }
        match Shared::new(self.options.hash as usize, self.pool.len()) {
            Ok(shared) => {
                shared.table.populate(self.wipers());
                self.shared = Arc::new(shared);
                self.table_is_clean = true;
                // The old table's memory is given back before this returns.
                self.pool.settle();
                Ok(())
            }
            Err(error) => {
                self.options.hash = old as u32;
                Err(error.into())
            }
        }
    }

    fn clear_table(&mut self) {
        if !self.table_is_clean {
            // Helpers may write for a moment after the answer.
            self.pool.settle();
            self.shared.table.clear(self.wipers());
            self.table_is_clean = true;
        }
    }

    /// With how many threads a whole table is gone through.
    fn wipers(&self) -> usize {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        self.pool.len().max(processors)
    }

    fn resize_pool(&mut self) -> Result<(), EngineError> {
        let result = self.pool.resize(self.options.threads as usize);
        let started = self.pool.len();
        self.options.threads = started as u32;
        if self.shared.nodes.len() != started {
            self.recount()?;
        }
        result.map_err(|reason| EngineError::Threads { started, reason })
    }

    /// Gives each thread a counter of nodes, around the same table.
    fn recount(&mut self) -> Result<(), EngineError> {
        // While the table changes hands, the smallest one stands in for it.
        let stand_in = Arc::new(Shared::new(1, 1)?);
        self.pool.settle();
        let shared = std::mem::replace(&mut self.shared, stand_in);
        self.shared = Arc::new(match Arc::try_unwrap(shared) {
            Ok(Shared { table, .. }) => with_counters(table, self.pool.len()),
            // Nobody can hold on to it, but if so a fresh one is as good.
            Err(shared) => {
                self.table_is_clean = true;
                Shared::new(shared.table.mib(), self.pool.len())?
            }
        });
        Ok(())
    }

    /// Reads the network that the option names, and makes all threads judge by it. The table is
    /// emptied: its static evaluations are the old network's.
    fn load_network(&mut self, before: String) -> Result<(), EngineError> {
        let network = if self.options.eval_file.is_empty() {
            Network::shipped()
        } else {
            let network = read_network(&self.options.eval_file).map_err(|reason| {
                let path = std::mem::replace(&mut self.options.eval_file, before);
                EngineError::Network { path, reason }
            })?;
            Arc::new(network)
        };
        if network == self.network {
            return Ok(());
        }
        self.clear_table();
        let result = self.pool.rebuild(workers(&network));
        self.network = network;
        let started = self.pool.len();
        self.options.threads = started as u32;
        result.map_err(|reason| EngineError::Threads { started, reason })
    }

    /// Opens the book that the option names, or closes the one that is open.
    fn open_book(&mut self, before: String) -> Result<(), EngineError> {
        if self.options.book_file.is_empty() {
            self.book = None;
            return Ok(());
        }
        let book = Book::open(Path::new(&self.options.book_file)).map_err(|reason| {
            let path = std::mem::replace(&mut self.options.book_file, before);
            EngineError::Book { path, reason }
        })?;
        self.book = Some(book);
        Ok(())
    }

    /// A move of the opening book, if the option `OwnBook` is on and the book has one; chosen at
    /// random, each as often as its weight says.
    ///
    /// # Errors
    ///
    /// When the file cannot be read any more.
    pub fn book_move(&mut self, game: &Game) -> Result<Option<BookMove>, EngineError> {
        let Some(book) = self.book.as_mut().filter(|_| self.options.own_book) else {
            return Ok(None);
        };
        let moves = book.moves(game).map_err(|error| EngineError::Book {
            path: self.options.book_file.clone(),
            reason: error.into(),
        })?;
        Ok(book::choose(&moves, &mut self.dice))
    }

    fn open_log(&mut self) -> Result<(), EngineError> {
        let path = &self.options.debug_log_file;
        journal::write_to(path).map_err(|reason| {
            let path = std::mem::take(&mut self.options.debug_log_file);
            EngineError::Log { path, reason }
        })
    }

    /// Forgets the last game: the table and what the threads have learned.
    ///
    /// # Errors
    ///
    /// When a search is running.
    pub fn new_game(&mut self) -> Result<(), Busy> {
        if self.is_searching() {
            return Err(Busy);
        }
        self.clear_table();
        self.pool.clear();
        Ok(())
    }

    /// Starts a search of this position whose `go` arrived at `arrived`. The events come from
    /// another thread; `sink` must not block and must not call the engine.
    ///
    /// # Errors
    ///
    /// When a search is running.
    pub fn go(
        &mut self,
        game: Game,
        limits: Limits,
        arrived: Instant,
        sink: Box<dyn Sink + Send>,
    ) -> Result<(), Busy> {
        let overhead = Duration::from_millis(self.options.move_overhead.into());
        let (turn, number) = (game.position().turn(), game.fullmoves());
        let clock = Clock::new(&limits, turn, number, arrived, overhead);
        let job = Job {
            game,
            limits,
            multi_pv: self.options.multi_pv as usize,
        };
        let run = Arc::new(Run {
            job,
            clock,
            shared: Arc::clone(&self.shared),
        });
        self.control.begin(&run)?;
        self.table_is_clean = false;
        let control = Arc::clone(&self.control);
        self.pool
            .search(|helpers| Lead::new(run, control, sink, helpers));
        Ok(())
    }

    /// Ends the search that runs; its answer follows. Without one it does nothing.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// The opponent played the move that the search ponders on: from now on its limits hold.
    pub fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// Waits until the search that runs has answered.
    pub fn wait(&self) {
        self.control.wait();
    }

    /// Is a search running, that is, does it owe an answer?
    pub fn is_searching(&self) -> bool {
        self.control.is_running()
    }

    /// Is a search running that has been told to stop?
    pub fn is_stopping(&self) -> bool {
        self.control.is_stopping()
    }

    /// Stops the search from another thread.
    pub fn handle(&self) -> Handle {
        Handle::new(&self.control)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Something else each time.
fn time_of_day() -> u64 {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    since.as_nanos() as u64
}

/// Makes workers that judge by this network.
fn workers(network: &Arc<Network>) -> Factory {
    let network = Arc::clone(network);
    Arc::new(move |id| Worker::new(id, &network) as Box<dyn Searcher>)
}

fn read_network(path: &str) -> Result<Network, NetworkFailure> {
    let bytes = std::fs::read(path).map_err(NetworkFailure::Unreadable)?;
    Network::read(&bytes).map_err(NetworkFailure::Unsound)
}

fn with_counters(table: Table, threads: usize) -> Shared {
    let nodes = (0..threads).map(|_| Default::default()).collect();
    Shared {
        table,
        stop: AtomicBool::new(false),
        nodes,
    }
}
