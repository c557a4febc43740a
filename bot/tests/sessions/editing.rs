//! The terminal with line editing and history: a pseudo-terminal stands in for the person's, and
//! the `stand_in` example plays on it.

#![cfg(unix)]

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

const UP: &str = "\x1b[A";
const LEFT: &str = "\x1b[D";
const END_OF_INPUT: &str = "\x04";

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Builds the example, which `cargo test --test sessions` alone does not, and returns its path.
fn example() -> PathBuf {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--package", "bot", "--example", "stand_in"]);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    assert!(build.status().unwrap().success());
    let tests = std::env::current_exe().unwrap();
    tests.ancestors().nth(2).unwrap().join("examples/stand_in")
}

/// A person's side of a terminal.
struct Person {
    keys: File,
    screen: Receiver<Vec<u8>>,
    /// What the screen has shown since the last check.
    shown: String,
    program: Child,
}

impl Person {
    fn sit_down() -> Person {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let slave = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let end = || Stdio::from(slave.try_clone().unwrap());
        let program = Command::new(example())
            .args(["play", "go", "4", "8"])
            .env("TERM", "xterm")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        let keys = File::from(master);
        let mut output = keys.try_clone().unwrap();
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading fails once the other side is closed.
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Person { keys, screen, shown: String::new(), program }
    }

    /// Waits until `text` has been shown, and returns all that was until then.
    fn see(&mut self, text: &str) -> String {
        loop {
            if let Some(start) = self.shown.find(text) {
                let rest = self.shown.split_off(start + text.len());
                return std::mem::replace(&mut self.shown, rest);
            }
            let more = self.screen.recv_timeout(PATIENCE);
            let more = more.unwrap_or_else(|_| panic!("no {text:?} in {:?}", self.shown));
            self.shown.push_str(&String::from_utf8_lossy(&more));
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }
}

#[test]
fn lines_are_edited_and_called_back() {
    let mut person = Person::sit_down();
    person.see("X> ");
    person.press("why B2\r");
    person.see("B2 is legal, and does no more than put a stone there.");
    person.see("X> ");
    person.press(&format!("{UP}\r"));
    person.see("B2 is legal, and does no more than put a stone there.");
    person.see("X> ");
    // The missing letters of "hint" are put in where they belong.
    person.press(&format!("ht{LEFT}in\r"));
    person.see("Hotstone would play");
    person.see("X> ");
    person.press(END_OF_INPUT);
    person.see("Goodbye.");
    assert!(person.program.wait().unwrap().success());
}

#[test]
fn ctrl_c_leaves_in_peace() {
    let mut person = Person::sit_down();
    person.see("X> ");
    person.press("\x03");
    person.see("Goodbye.");
    assert!(person.program.wait().unwrap().success());
}
