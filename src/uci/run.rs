//! The loop: commands in, events out.

use std::io::{self, BufRead, Write};
use std::thread;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, select, unbounded};

use crate::base::options::{Described, Effect, Options};
use crate::base::text::excerpt;
use crate::board::{Game, Move};
use crate::engine::Engine;
use crate::search::{Event, Limits};

use super::command::{Command, Root};
use super::inspect;
use super::print::{self, Style};
use super::wire::{Backlog, Line, Output, Reader};

/// Runs the benchmark for the command `bench` with the numbers that followed it: depth, threads
/// and hash size in MiB. It belongs to the tools, which this folder does not know.
pub type Bench<'a> = &'a mut dyn FnMut(&[u64], &mut dyn Write) -> io::Result<()>;

/// Speaks UCI until `quit` or the end of input. `trouble` is told as an error in each answer to
/// `uci`: what went wrong before anybody could listen.
///
/// # Errors
///
/// When nothing can be written any more. A closed pipe is the user interface's way to leave.
pub fn run(
    engine: Engine,
    trouble: Option<String>,
    input: impl BufRead + Send + 'static,
    output: Box<dyn Write + Send>,
    bench: Bench<'_>,
) -> io::Result<()> {
    let output = Output::new(output);
    let (lines, read) = unbounded();
    let backlog = Backlog::default();
    let reader = Reader {
        lines,
        backlog: backlog.clone(),
        handle: engine.handle(),
        output: output.clone(),
    };
    // Nobody waits for this thread: it may sleep in a read that never ends.
    thread::Builder::new()
        .name("standpat-reader".to_owned())
        .spawn(move || reader.run(input))?;
    Loop::new(engine, trouble, output, bench).run(&read, &backlog)
}

/// What the loop knows of the search that runs.
struct Running {
    style: Style,
    /// It ends by itself: `ponderhit` must have come, and there is a limit.
    limited: bool,
    pondering: bool,
}

/// A command that waits for the end of the search.
enum Deferred {
    SetOption { name: String, value: Option<String> },
    NewGame,
}

struct Loop<'a> {
    engine: Engine,
    game: Game,
    output: Output,
    /// Remarks for the user interface that are not written yet.
    text: String,
    sender: Sender<Event>,
    events: Receiver<Event>,
    /// Set until the answer of the search has been written.
    running: Option<Running>,
    deferred: Vec<Deferred>,
    trouble: Option<String>,
    debug: bool,
    bench: Bench<'a>,
}

impl<'a> Loop<'a> {
    fn new(engine: Engine, trouble: Option<String>, output: Output, bench: Bench<'a>) -> Loop<'a> {
        let (sender, events) = unbounded();
        Loop {
            engine,
            game: Game::start(),
            output,
            text: String::new(),
            sender,
            events,
            running: None,
            deferred: Vec::new(),
            trouble,
            debug: false,
            bench,
        }
    }

    fn run(mut self, lines: &Receiver<Line>, backlog: &Backlog) -> io::Result<()> {
        let events = self.events.clone();
        loop {
            select! {
                recv(events) -> event => if let Ok(event) = event {
                    self.tell(&event)?;
                },
                recv(lines) -> line => {
                    let Ok(line) = line else { return self.end_of_input() };
                    let is_last = line.command == Ok(Some(Command::Quit));
                    self.obey(line)?;
                    backlog.done();
                    if is_last {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Writes what has been said since the last time.
    fn flush(&mut self) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let result = self.output.lines(&self.text);
        self.text.clear();
        result
    }

    fn note(&mut self, text: &str) {
        print::note(&mut self.text, text);
    }

    fn error(&mut self, reason: impl std::fmt::Display) {
        print::error(&mut self.text, &reason);
    }

    /// Writes an event of the search; after its answer, does what had to wait for it.
    fn tell(&mut self, event: &Event) -> io::Result<()> {
        let style = self
            .running
            .as_ref()
            .map(|running| running.style)
            .unwrap_or_default();
        print::event(&mut self.text, event, style);
        self.flush()?;
        if matches!(event, Event::Finished { .. }) {
            self.running = None;
            for command in std::mem::take(&mut self.deferred) {
                match command {
                    Deferred::SetOption { name, value } => self.set_option(&name, value.as_deref()),
                    Deferred::NewGame => self.new_game(),
                }
            }
            self.flush()?;
        }
        Ok(())
    }

    /// Writes events until the search that runs has been answered.
    fn drain(&mut self) -> io::Result<()> {
        while self.running.is_some()
            && let Ok(event) = self.events.recv()
        {
            self.tell(&event)?;
        }
        Ok(())
    }

    /// A search that ends by itself is waited for, as scripts want it; any other is stopped.
    fn end_of_input(&mut self) -> io::Result<()> {
        if !self
            .running
            .as_ref()
            .is_some_and(|running| running.limited && !running.pondering)
        {
            self.engine.stop();
        }
        self.deferred.clear();
        self.drain()
    }

    fn obey(&mut self, line: Line) -> io::Result<()> {
        match line.command {
            Ok(Some(command)) => self.command(command, line.arrived)?,
            Ok(None) => {}
            Err(error) => self.error(error),
        }
        self.flush()
    }

    fn command(&mut self, command: Command, arrived: Instant) -> io::Result<()> {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.text.push_str("readyok\n"),
            Command::NewGame if self.running.is_some() => {
                self.note("ucinewgame waits for the end of the search");
                self.deferred.push(Deferred::NewGame);
            }
            Command::NewGame => self.new_game(),
            Command::Position { root, moves } => self.set_position(&root, &moves),
            Command::Go {
                limits,
                search_moves,
            } => self.go(*limits, &search_moves, arrived)?,
            Command::Perft(depth) => {
                let output = &self.output;
                let chess960 = self.engine.options().uci_chess960;
                inspect::divide(&self.game, depth, chess960, |line| output.lines(line))?;
            }
            Command::Stop => self.engine.stop(),
            Command::PonderHit => {
                self.engine.ponder_hit();
                if let Some(running) = &mut self.running {
                    running.pondering = false;
                }
            }
            Command::SetOption { name, value } => self.set_or_defer(name, value),
            Command::Debug(on) => self.debug = on,
            Command::Quit => {
                self.engine.stop();
                self.deferred.clear();
                self.drain()?;
            }
            Command::Display => self
                .text
                .push_str(&inspect::Diagram(&self.game).to_string()),
            Command::Evaluate => self
                .text
                .push_str(&inspect::evaluation(&self.game, self.engine.network())),
            Command::Bench(_) if self.running.is_some() => self.error("a search is running"),
            Command::Bench(numbers) => (self.bench)(&numbers, &mut self.output)?,
            Command::Flip => match Game::from_fen(&inspect::flipped(&self.game.fen())) {
                Ok(game) => self.game = game,
                Err(reason) => self.error(reason),
            },
            Command::Compiler => self.text.push_str(&inspect::compiler()),
            Command::Help => self.text.push_str(inspect::HELP),
            Command::License => self.text.push_str(inspect::LICENSE),
            Command::Register => {}
            #[cfg(feature = "tune")]
            Command::Tunables => self.text.push_str(&super::tune::list()),
        }
        Ok(())
    }

    /// The answer to `uci`.
    fn introduce(&mut self) {
        let text = &mut self.text;
        text.push_str(concat!(
            "id name Standpat ",
            env!("CARGO_PKG_VERSION"),
            "\n"
        ));
        text.push_str("id author the Standpat authors\n");
        for row in Options::ROWS {
            text.push_str(&row.to_string());
            if row.effect == Effect::ApplyProfile {
                for name in self.engine.profiles().keys() {
                    text.push_str(&format!(" var {name}"));
                }
            }
            text.push('\n');
        }
        if let Some(trouble) = &self.trouble {
            print::error(text, trouble);
        }
        #[cfg(feature = "tune")]
        super::tune::options(text);
        text.push_str("uciok\n");
    }

    fn new_game(&mut self) {
        if let Err(reason) = self.engine.new_game() {
            self.error(reason);
        }
    }

    /// Options that the running search stands on wait for its end.
    fn set_or_defer(&mut self, name: String, value: Option<String>) {
        let waits = Options::row(&name).is_ok_and(|row| row.effect.needs_idle());
        if waits && self.running.is_some() {
            self.note(&format!("{name} waits for the end of the search"));
            self.deferred.push(Deferred::SetOption { name, value });
        } else {
            self.set_option(&name, value.as_deref());
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        #[cfg(feature = "tune")]
        match super::tune::set(name, value) {
            Some(true) => return,
            Some(false) => return self.error(format!("{name}: not a value within its range")),
            None => {}
        }
        match self.engine.set_option(name, value) {
            Ok(None) => {}
            Ok(Some(remark)) => self.note(&remark),
            Err(reason) => self.error(reason),
        }
    }

    /// A root that cannot be read leaves the position as it was. A move that is not legal ends
    /// the list: those before it are played.
    fn set_position(&mut self, root: &Root, moves: &[String]) {
        let mut game = match root {
            Root::Start => Game::start(),
            Root::Fen(fen) => match Game::from_fen(fen) {
                Ok(game) => game,
                Err(reason) => return self.error(reason),
            },
        };
        for text in moves {
            let Some(mv) = game.parse_uci(text) else {
                let text = excerpt(text);
                self.error(format!(
                    "illegal move '{text}'; the position is the one before it"
                ));
                break;
            };
            game.play(mv);
        }
        self.game = game;
    }

    fn go(
        &mut self,
        mut limits: Limits,
        search_moves: &[String],
        arrived: Instant,
    ) -> io::Result<()> {
        if self.running.is_some() {
            if self.engine.is_searching() && !self.engine.is_stopping() {
                self.error("go is ignored, a search is running");
                return Ok(());
            }
            // It owes its answer for some microseconds more.
            self.drain()?;
        }
        limits.search_moves = self.resolve(search_moves);
        let options = self.engine.options();
        let style = Style {
            chess960: options.uci_chess960,
            wdl: options.uci_show_wdl,
        };
        if let Some(best) = self.book_move(&limits) {
            let (best, ponder) = (Some(best), None);
            print::event(&mut self.text, &Event::Finished { best, ponder }, style);
            return self.flush();
        }
        let running = Running {
            style,
            limited: is_limited(&limits, &self.game),
            pondering: limits.ponder,
        };
        if self.debug {
            let micros = arrived.elapsed().as_micros();
            self.note(&format!(
                "debug: the search begins {micros} µs after go was read"
            ));
        }
        self.flush()?;
        let sender = self.sender.clone();
        // It fails when the loop that would listen has ended.
        let sink = move |event| sender.send(event).unwrap_or_default();
        match self
            .engine
            .go(self.game.clone(), limits, arrived, Box::new(sink))
        {
            Ok(()) => self.running = Some(running),
            Err(reason) => self.error(reason),
        }
        Ok(())
    }

    /// A move of the opening book, for a `go` that asks for a move of a game.
    fn book_move(&mut self, limits: &Limits) -> Option<Move> {
        let is_analysis = self.engine.options().uci_analyse_mode
            || limits.ponder
            || limits.mate.is_some()
            || !limits.search_moves.is_empty()
            || !is_limited(limits, &self.game);
        if is_analysis {
            return None;
        }
        match self.engine.book_move(&self.game) {
            Ok(found) => found.map(|found| {
                self.note("a move of the book");
                found.mv
            }),
            Err(reason) => {
                self.error(reason);
                None
            }
        }
    }

    /// The moves that a search is confined to. Those that are not legal are left out; when none
    /// remains, all moves are searched, since no answer would lose a game.
    fn resolve(&mut self, search_moves: &[String]) -> Vec<Move> {
        let mut resolved = Vec::new();
        for text in search_moves {
            match self.game.parse_uci(text) {
                Some(mv) if !resolved.contains(&mv) => resolved.push(mv),
                Some(_) => {}
                None => self.error(format!("searchmoves: illegal move '{}'", excerpt(text))),
            }
        }
        if resolved.is_empty() && !search_moves.is_empty() {
            self.note("searchmoves names no legal move: all moves are searched");
        }
        resolved
    }
}

/// Does a search with these limits end by itself, once it does not ponder?
fn is_limited(limits: &Limits, game: &Game) -> bool {
    let own_clock = limits.clocks.get(game.position().turn()).remaining;
    !limits.infinite
        && (own_clock.is_some()
            || limits.move_time.is_some()
            || limits.depth.is_some()
            || limits.nodes.is_some()
            || limits.mate.is_some())
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
