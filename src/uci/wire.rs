//! The two ends of the wire: the thread that reads lines, and the output that both it and the
//! loop write to.

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crossbeam_channel::Sender;

use crate::base::journal::WIRE;
use crate::engine::Handle;

use super::command::{Command, CommandError};

/// Bytes of a line that are kept; a game of a thousand moves takes ten thousand.
const LONGEST_LINE: usize = 1 << 22;

/// Standard output, or what stands for it; whole lines at a time.
#[derive(Clone)]
pub(super) struct Output {
    writer: Arc<Mutex<Box<dyn Write + Send>>>,
}

impl Output {
    pub fn new(writer: Box<dyn Write + Send>) -> Output {
        Output {
            writer: Arc::new(Mutex::new(writer)),
        }
    }

    /// Writes whole lines at once.
    pub fn lines(&self, text: &str) -> io::Result<()> {
        for line in text.lines() {
            log::trace!(target: WIRE, "<< {line}");
        }
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.write_all(text.as_bytes())?;
        writer.flush()
    }
}

/// Anything else that writes lines, as the benchmark does.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .flush()
    }
}

/// A line that was read.
pub(super) struct Line {
    pub command: Result<Option<Command>, CommandError>,
    /// When its last byte was read.
    pub arrived: Instant,
}

/// How many lines were read that the loop has not dealt with yet.
#[derive(Clone, Default)]
pub(super) struct Backlog(Arc<AtomicUsize>);

impl Backlog {
    fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// The loop has dealt with a line.
    pub fn done(&self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }

    fn is_empty(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 0
    }
}

/// The reading end.
///
/// While the loop has dealt with all that was read before, the reader answers `isready` itself and
/// passes `stop`, `quit` and `ponderhit` to the search itself, so that they take effect at once
/// whatever the loop is writing. Otherwise they wait for their turn: a `stop` must not overtake
/// the `go` that it belongs to, and `readyok` promises that all before it is done.
pub(super) struct Reader {
    pub lines: Sender<Line>,
    pub backlog: Backlog,
    pub handle: Handle,
    pub output: Output,
}

impl Reader {
    /// Reads until the input ends or nobody listens; dropping `lines` tells the loop.
    pub fn run(&self, mut input: impl BufRead) {
        let mut bytes = Vec::new();
        while next_line(&mut input, &mut bytes) {
            let arrived = Instant::now();
            let text = String::from_utf8_lossy(&bytes);
            log::trace!(target: WIRE, ">> {text}");
            let command = Command::parse(&text);
            if command == Ok(None) {
                continue;
            }
            if self.backlog.is_empty() {
                match command {
                    Ok(Some(Command::IsReady)) => match self.output.lines("readyok\n") {
                        Ok(()) => continue,
                        Err(_) => return,
                    },
                    Ok(Some(Command::Stop | Command::Quit)) => self.handle.stop(),
                    Ok(Some(Command::PonderHit)) => self.handle.ponder_hit(),
                    _ => {}
                }
            }
            self.backlog.add();
            if self.lines.send(Line { command, arrived }).is_err() {
                return;
            }
        }
    }
}

/// Reads a line, ended by a line feed, a carriage return or the end of input, without its end.
/// What exceeds [`LONGEST_LINE`] is dropped. False when there is none.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> bool {
    line.clear();
    loop {
        let chunk = match input.fill_buf() {
            Ok([]) => return !line.is_empty(),
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                log::warn!("reading failed: {error}");
                return !line.is_empty();
            }
        };
        let end = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let (text, used) = match end {
            Some(end) => (chunk.get(..end).unwrap_or_default(), end + 1),
            None => (chunk, chunk.len()),
        };
        let room = LONGEST_LINE.saturating_sub(line.len());
        line.extend_from_slice(text.get(..room).unwrap_or(text));
        input.consume(used);
        if end.is_some() {
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn lines(bytes: &[u8]) -> Vec<String> {
        // A small buffer: lines come in pieces.
        let mut input = BufReader::with_capacity(3, bytes);
        let mut line = Vec::new();
        let mut lines = Vec::new();
        while next_line(&mut input, &mut line) {
            lines.push(String::from_utf8_lossy(&line).into_owned());
        }
        lines
    }

    #[test]
    fn lines_end_in_any_way() {
        assert_eq!(lines(b"uci\nisready\n"), ["uci", "isready"]);
        assert_eq!(lines(b"uci\r\nisready"), ["uci", "", "isready"]);
        assert_eq!(lines(b"uci\risready\r"), ["uci", "isready"]);
        assert_eq!(lines(b"\x00\xff\xfe\nquit"), ["\0\u{fffd}\u{fffd}", "quit"]);
        assert_eq!(lines(b""), [""; 0]);
    }

    #[test]
    fn an_endless_line_is_cut() {
        let mut input = io::repeat(b'a').take(3 * LONGEST_LINE as u64);
        let mut line = Vec::new();
        let mut buffered = BufReader::new(&mut input);
        assert!(next_line(&mut buffered, &mut line));
        assert_eq!(line.len(), LONGEST_LINE);
        assert!(!next_line(&mut buffered, &mut line));
    }

    use std::io::Read;
}
