//! A child process that answers commands line by line.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use game::Fault;

/// Capacity of the queue of lines; an engine that floods us blocks on its own pipe.
const WAITING_LINES: usize = 64;

/// Maximum number of bytes of a line that are read at once; below, maximum number of lines in an
/// answer.
const MAX_LINE_BYTES: u64 = 4096;
const MAX_LINES: usize = 256;

/// How many bytes of standard error are kept: its end shows why a program died.
const STDERR_TAIL_BYTES: usize = 8192;

/// How long a process may take to exit after `quit`.
const EXIT_GRACE: Duration = Duration::from_millis(300);

/// A running engine.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    errors: Option<JoinHandle<String>>,
}

/// The answer to a command.
pub(super) struct RawAnswer {
    /// The raw text, for the transcript.
    pub(super) text: String,
    /// The answer, the text of a refusal, or a fault.
    pub(super) answer: Result<Result<String, String>, Fault>,
}

impl Process {
    pub(super) fn start(words: &[String]) -> std::io::Result<Process> {
        let [program, arguments @ ..] = words else {
            return Err(std::io::ErrorKind::InvalidInput.into());
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (sender, output) = sync_channel(WAITING_LINES);
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || forward_lines(stdout, &sender));
        }
        let errors = child.stderr.take().map(|stderr| thread::spawn(move || read_tail(stderr)));
        Ok(Process { input: child.stdin.take(), child, output, errors })
    }

    /// Sends a command and waits for its answer.
    pub(super) fn ask(&mut self, command: &str, patience: Duration) -> RawAnswer {
        let mut text = String::new();
        let sent = self.input.as_mut().map(|input| writeln!(input, "{command}"));
        // A closed pipe is noticed when reading, which also gets what the engine wrote before it
        // died.
        let answer = match sent {
            Some(_) => self.read_answer(Instant::now() + patience, &mut text),
            None => Err(Fault::Crashed),
        };
        RawAnswer { text, answer }
    }

    /// Reads `= text` or `? text` up to the empty line.
    fn read_answer(
        &mut self,
        deadline: Instant,
        text: &mut String,
    ) -> Result<Result<String, String>, Fault> {
        let mut answer: Option<Result<String, String>> = None;
        for _ in 0..MAX_LINES {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.output.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => Fault::Silent,
                RecvTimeoutError::Disconnected => Fault::Crashed,
            })?;
            text.push_str(&line);
            text.push('\n');
            let line = line.trim();
            answer = match answer {
                // Empty lines before an answer belong to the previous one.
                None if line.is_empty() => None,
                None => Some(first_line(line)?),
                Some(answer) if line.is_empty() => return Ok(answer),
                // Further lines are ignored.
                Some(answer) => Some(answer),
            };
        }
        Err(Fault::Garbage)
    }

    /// Stops the process, and returns the end of its standard error.
    pub(super) fn end(mut self) -> String {
        if let Some(mut input) = self.input.take() {
            // It may have exited already.
            let _ = writeln!(input, "quit");
        }
        let deadline = Instant::now() + EXIT_GRACE;
        let mut wait_while = |busy: &mut dyn FnMut(&mut Process) -> bool| {
            while busy(&mut self) && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(2));
            }
        };
        wait_while(&mut |process| matches!(process.child.try_wait(), Ok(None)));
        wait_while(&mut |process| process.errors.as_ref().is_some_and(|all| !all.is_finished()));
        self.kill();
        // A grandchild may hold the pipe open forever, so later output is not awaited.
        match self.errors.take() {
            Some(errors) if errors.is_finished() => errors.join().unwrap_or_default(),
            Some(_) | None => String::new(),
        }
    }

    fn kill(&mut self) {
        // An error means that it has exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn first_line(line: &str) -> Result<Result<String, String>, Fault> {
    let rest = |marker: char| {
        line.strip_prefix(marker)
            .map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).trim())
    };
    match (rest('='), rest('?')) {
        (Some(text), _) => Ok(Ok(text.to_owned())),
        (None, Some(text)) => Ok(Err(text.to_owned())),
        (None, None) => Err(Fault::Garbage),
    }
}

fn forward_lines(stdout: impl Read, sender: &SyncSender<String>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
                if sender.send(text).is_err() {
                    return;
                }
            }
        }
    }
}

fn read_tail(mut stderr: impl Read) -> String {
    let mut kept: Vec<u8> = Vec::new();
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = stderr.read(&mut buffer) {
        kept.extend(&buffer[..count]);
        if kept.len() > 2 * STDERR_TAIL_BYTES {
            kept.drain(..kept.len() - STDERR_TAIL_BYTES);
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}
