//! Games at a terminal, as the person sees them: what is typed stands behind the prompt.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::rc::Rc;

use bot::{Player, Settings, SupportedRules};
use engine::{Color, Position};
use search::evaluators::Uniform;
use search::{Evaluation, Evaluator, EvaluatorError};

use crate::script::{self, Script};

const SESSIONS: [&str; 7] = ["alter-igo", "conquest", "go", "level", "own-rules", "tile", "white"];

/// The prompts, the last of them for writing a new session by hand.
const PROMPTS: [&str; 4] = ["X> ", "O> ", "undo, save FILE, new or quit> ", "> "];

/// A screen: what is printed, and what is typed as it is read.
#[derive(Clone, Default)]
struct Screen(Rc<RefCell<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A keyboard whose keys show on the screen.
struct Keyboard {
    typed: VecDeque<u8>,
    screen: Screen,
}

impl Read for Keyboard {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.typed.read(buffer)
    }
}

impl BufRead for Keyboard {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.typed.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        let echo: Vec<u8> = self.typed.drain(..count).collect();
        self.screen.0.borrow_mut().extend(echo);
    }
}

fn played(text: &str) -> String {
    let script = Script::read(text);
    let is_header = |line: &&str| line.starts_with('#') || line.starts_with('%');
    let header: String =
        text.lines().take_while(is_header).map(|line| format!("{line}\n")).collect();
    let mut typed: Vec<&str> = text
        .lines()
        .filter_map(|line| PROMPTS.iter().find_map(|prompt| line.strip_prefix(prompt)))
        .collect();
    // Nothing behind the last prompt is the end of the input.
    typed.pop_if(|last| last.is_empty());
    let typed: String = typed.iter().map(|line| format!("{line}\n")).collect();
    let screen = Screen::default();
    let mut keyboard = Keyboard { typed: typed.into_bytes().into(), screen: screen.clone() };
    bot::terminal::play(&mut script.player(), script.human, &mut keyboard, screen.clone()).unwrap();
    let shown = String::from_utf8(screen.0.take()).unwrap();
    format!("{header}{shown}")
}

#[test]
fn games_at_the_terminal_go_as_written() {
    script::check("terminal", "txt", &SESSIONS, played);
}

#[test]
fn a_game_can_be_saved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my game.sgf");
    let name = file.display();
    let typed = format!(
        "save {name}\nC3\nsave\nsave {name}\nsave {}/none/game.sgf\nnew\nsave {name}\n",
        folder.path().display()
    );
    let script = Script::read("% rules go\n% sizes 5\n");
    let screen = Screen::default();
    let mut keyboard = Keyboard { typed: typed.into_bytes().into(), screen: screen.clone() };
    bot::terminal::play(&mut script.player(), script.human, &mut keyboard, screen.clone()).unwrap();
    let shown = String::from_utf8(screen.0.take()).unwrap();
    assert!(shown.contains("save where?") && shown.contains("Saved to "), "{shown}");
    assert!(shown.contains("The game cannot be saved to "), "{shown}");
    // What has been saved of one game is not lost to the next.
    assert_eq!(shown.matches("Saved to ").count(), 2, "{shown}");
    assert_eq!(shown.matches("save under another name").count(), 1, "{shown}");
    let record = game::SgfRecord::read(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(record.turns[0].played.to_string(), "C3");
    assert_eq!(record.turns.len(), 2);
}

/// Prefers the first legal move.
struct First;

impl Evaluator for First {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut evaluations = Uniform.evaluate(batch)?;
        for Evaluation { policy, .. } in &mut evaluations {
            policy.iter_mut().for_each(|(_, prior)| *prior /= 2.0);
            policy[0].1 += 0.5;
        }
        Ok(evaluations)
    }
}

#[test]
fn every_stone_of_the_program_is_named() {
    let mut settings = Settings::default();
    settings.search.simulations = 0;
    let supported = SupportedRules::new("go,stones_per_turn=2", &[5]).unwrap();
    let mut player = Player::new(supported, First, settings);
    let mut shown = Vec::new();
    bot::terminal::play(&mut player, Color::Black, &mut &b"C3\n"[..], &mut shown).unwrap();
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains("Hotstone plays A1 and B1: White wins 50 %\n"), "{shown}");
}
