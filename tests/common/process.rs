//! An engine process with its pipes: lines out are stamped with their time of arrival.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// One line of the engine's standard output.
#[derive(Clone, Debug)]
pub struct Line {
    /// When it arrived here.
    pub at: Instant,
    /// Without its line end.
    pub text: String,
}

/// Why no line came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The time is up.
    Timeout,
    /// The engine closed its standard output.
    Closed,
}

/// A moment from which to measure how long an engine waits for a processor.
#[derive(Debug)]
pub struct Waiting(HashMap<String, Duration>);

/// A running engine. Killed when dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Line>,
    errors: Arc<Mutex<String>>,
    deaf: Arc<AtomicBool>,
}

impl Process {
    /// Starts a program with arguments; `directory` is its working directory.
    pub fn start<S: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        arguments: &[S],
        directory: Option<&Path>,
    ) -> std::io::Result<Process> {
        let mut command = Command::new(program);
        command.args(arguments).env_remove("RUST_LOG");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        let (sender, lines) = channel();
        let deaf = Arc::new(AtomicBool::new(false));
        let errors = Arc::new(Mutex::new(String::new()));
        if let Some(out) = child.stdout.take() {
            let deaf = Arc::clone(&deaf);
            thread::spawn(move || listen(out, &sender, &deaf));
        }
        if let Some(err) = child.stderr.take() {
            let errors = Arc::clone(&errors);
            thread::spawn(move || collect(err, &errors));
        }
        Ok(Process {
            child,
            stdin,
            lines,
            errors,
            deaf,
        })
    }

    /// Writes bytes as they are, in one piece. Answers with the time just before the write. A
    /// broken pipe is no error here: the tests see the silence that follows.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Instant {
        let at = Instant::now();
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
        at
    }

    /// The next line, if one comes before the deadline.
    pub fn line_before(&self, deadline: Instant) -> Result<Line, Silence> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::Timeout,
            RecvTimeoutError::Disconnected => Silence::Closed,
        })
    }

    /// Closes the engine's standard input: it reads the end of file.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Closes our end of the engine's standard output once its next line has come.
    pub fn stop_listening(&self) {
        self.deaf.store(true, Ordering::Relaxed);
    }

    /// Waits for the process to end by itself.
    pub fn exit_before(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// What came on standard error so far.
    pub fn errors(&self) -> String {
        self.errors
            .lock()
            .map(|text| text.clone())
            .unwrap_or_default()
    }

    /// The system's number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How long each of the engine's threads has waited for a processor so far, by thread. Empty
    /// where the system does not tell.
    fn waits(&self) -> HashMap<String, Duration> {
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{}/task", self.id())) else {
            return HashMap::new();
        };
        tasks
            .flatten()
            .filter_map(|task| {
                let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
                let nanos = text.split_whitespace().nth(1)?.parse().ok()?;
                let name = task.file_name().to_string_lossy().into_owned();
                Some((name, Duration::from_nanos(nanos)))
            })
            .collect()
    }

    /// Starts to measure what a busy machine costs the engine.
    pub fn watch(&self) -> Waiting {
        Waiting(self.waits())
    }

    /// How long the thread that waited longest stood in the queue for a processor since then.
    pub fn waited_since(&self, before: &Waiting) -> Duration {
        let since = |(name, now): (String, Duration)| {
            now.saturating_sub(before.0.get(&name).copied().unwrap_or_default())
        };
        self.waits()
            .into_iter()
            .map(since)
            .max()
            .unwrap_or_default()
    }

    /// Resident memory in MiB; `None` where the system does not tell.
    pub fn resident_mib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kib / 1024)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(out: ChildStdout, sender: &Sender<Line>, deaf: &AtomicBool) {
    let mut reader = BufReader::new(out);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match reader.read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at = Instant::now();
        let text = String::from_utf8_lossy(&bytes)
            .trim_end_matches(['\n', '\r'])
            .to_owned();
        if sender.send(Line { at, text }).is_err() || deaf.load(Ordering::Relaxed) {
            return;
        }
    }
}

fn collect(mut err: ChildStderr, errors: &Mutex<String>) {
    let mut bytes = [0; 1024];
    while let Ok(count @ 1..) = err.read(&mut bytes) {
        if let Ok(mut text) = errors.lock() {
            text.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    }
}
