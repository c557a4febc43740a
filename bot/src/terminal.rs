//! A game against a person at a terminal: `hotstone play`.

mod keyboard;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};

use engine::{Color, GameResult, Move, MoveParseError};
use game::Game;
use search::Evaluator;

use crate::diagram::{diagram, standing};
use crate::files::write_file;
use crate::words::list;
use crate::{Choice, GenerateError, Player, consequences, explain};
pub use keyboard::{Keyboard, standard_input};

/// Number of moves in a hint.
const HINTED_MOVES: usize = 3;

/// Why a session failed.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// The terminal cannot be read or written.
    #[error("the terminal failed: {0}")]
    Terminal(#[from] io::Error),
    /// The program found no move.
    #[error("Hotstone cannot find a move: {0}")]
    Generate(#[from] GenerateError),
}

/// A person's input.
enum Input {
    Move(Move),
    Why(Move),
    Undo,
    Hint,
    Rules,
    Save(String),
    New,
    Resign,
    Help,
    Quit,
}

/// Plays against a person, who has the stones of colour `human`, until the person quits or the
/// input ends.
///
/// # Errors
/// The terminal or the evaluator fails. Invalid input gets an answer.
pub fn play<E: Evaluator>(
    player: &mut Player<E>,
    human: Color,
    keyboard: &mut dyn Keyboard,
    output: impl Write,
) -> Result<(), TerminalError> {
    Session { player, human, output, saved: HashSet::new() }.run(keyboard)
}

struct Session<'a, E, W> {
    player: &'a mut Player<E>,
    human: Color,
    output: W,
    /// The files to which this game has been saved.
    saved: HashSet<String>,
}

impl<E: Evaluator, W: Write> Session<'_, E, W> {
    fn run(&mut self, keyboard: &mut dyn Keyboard) -> Result<(), TerminalError> {
        writeln!(
            self.output,
            "You are {} ({}). Type a point such as D4, or help.\n",
            self.human.name(),
            symbol(self.human)
        )?;
        self.answer_and_draw()?;
        while let Some(line) = keyboard.next_line(&self.prompt(), &mut self.output)? {
            match line.trim() {
                "" => {}
                text => match read(text) {
                    Ok(Input::Quit) => break,
                    Ok(typed) => self.react(typed)?,
                    Err(problem) => writeln!(self.output, "{problem}. Type help for more.")?,
                },
            }
        }
        Ok(writeln!(self.output, "Goodbye.")?)
    }

    /// Executes the input.
    fn react(&mut self, typed: Input) -> Result<(), TerminalError> {
        match typed {
            Input::Move(played) => self.play(played)?,
            Input::Why(played) => self.why(played)?,
            Input::Undo => self.undo()?,
            Input::Hint => self.hint()?,
            Input::Rules => {
                self.output.write_all(explain(self.player.game().rules()).as_bytes())?
            }
            Input::Save(file) => self.save(&file)?,
            Input::New => {
                self.player.new_game();
                self.saved.clear();
                self.answer_and_draw()?;
            }
            Input::Resign => {
                self.player.resign(self.human);
                writeln!(self.output, "{}", standing(self.player.game()))?;
            }
            Input::Help => self.output.write_all(help(self.player.game()).as_bytes())?,
            Input::Quit => {}
        }
        Ok(())
    }

    fn play(&mut self, played: Move) -> Result<(), TerminalError> {
        match self.player.play(played) {
            Ok(()) => self.answer_and_draw(),
            Err(rule) => Ok(writeln!(self.output, "You cannot play {played}: {rule}.")?),
        }
    }

    /// Saves the game to a file, which may exist only as an earlier save of this game.
    fn save(&mut self, file: &str) -> Result<(), TerminalError> {
        let record = self.player.game().record().to_string();
        let is_ours = match self.saved.contains(file) {
            true => Ok(()),
            false => File::create_new(file).map(drop),
        };
        let written = is_ours.and_then(|()| {
            self.saved.insert(file.to_owned());
            write_file(file.as_ref(), &record)
        });
        let message = match written {
            Ok(()) => format!("Saved to {file}."),
            Err(problem) if problem.kind() == io::ErrorKind::AlreadyExists => {
                format!("There is already a file {file}; save under another name.")
            }
            Err(problem) => format!("The game cannot be saved to {file}: {problem}."),
        };
        Ok(writeln!(self.output, "{message}")?)
    }

    /// Lets the program play if it is its turn, and draws the result.
    fn answer_and_draw(&mut self) -> Result<(), TerminalError> {
        let program = self.human.opponent();
        // Some rules have several stones a turn.
        let (mut played, mut last) = (Vec::new(), None);
        while self.player.game().end().is_none() && self.player.position().turn() == program {
            let choice = self.player.generate(program)?;
            played.push(choice.played.to_string());
            last = Some(choice);
        }
        writeln!(self.output, "{}", diagram(self.player.game()))?;
        if let Some(choice) = last {
            let played = list(&played);
            writeln!(self.output, "Hotstone plays {played}: {}", opinion(&choice, program))?;
        }
        Ok(())
    }

    fn prompt(&self) -> String {
        match self.player.game().end() {
            Some(_) => "undo, save FILE, new or quit> ".to_owned(),
            None => format!("{}> ", symbol(self.human)),
        }
    }

    /// Shows what a move would do, or why it is not allowed.
    fn why(&mut self, played: Move) -> Result<(), TerminalError> {
        match consequences(self.player.game(), played) {
            Ok(effects) => writeln!(self.output, "{effects}")?,
            Err(rule) => writeln!(self.output, "{played} is not legal: {rule}.")?,
        }
        Ok(())
    }

    /// Takes back the person's last turn and the program's answer.
    fn undo(&mut self) -> Result<(), TerminalError> {
        let game = self.player.game();
        let resigned = game.resigned().is_some();
        if !resigned && !game.turns().iter().any(|turn| turn.player == self.human) {
            writeln!(self.output, "You have no move to take back.")?;
            return Ok(());
        }
        while !resigned
            && self.player.game().turns().last().is_some_and(|turn| turn.player != self.human)
        {
            self.player.undo();
        }
        self.player.undo();
        self.answer_and_draw()
    }

    fn hint(&mut self) -> Result<(), TerminalError> {
        let choice = match self.player.advise() {
            Ok(choice) => choice,
            Err(problem @ GenerateError::GameOver(_)) => {
                writeln!(self.output, "No hint: {problem}.")?;
                return Ok(());
            }
            Err(problem) => return Err(problem.into()),
        };
        writeln!(
            self.output,
            "Hotstone would play {}: {}",
            choice.played,
            opinion(&choice, self.human)
        )?;
        writeln!(self.output, "It looked at {}", thoughts(&choice, self.human))?;
        Ok(())
    }
}

/// The letter that stands for a stone of `color` on the board.
const fn symbol(color: Color) -> char {
    match color {
        Color::Black => 'X',
        Color::White => 'O',
    }
}

/// The winning probability of `color` after the choice.
fn opinion(choice: &Choice, color: Color) -> String {
    match choice.proven {
        Some(GameResult::Won(winner)) => format!("{} wins, whatever happens", winner.name()),
        Some(GameResult::Draw) => "a draw with best play".to_owned(),
        None => format!("{} wins {:.0} %", color.name(), 100.0 * choice.winrate(color)),
    }
}

/// The most visited moves of `color`, who is to move, with their values.
fn thoughts(choice: &Choice, color: Color) -> String {
    let words: Vec<String> = choice
        .ranked_moves(color)
        .iter()
        .filter_map(|stats| Some((stats.played, stats.value?)))
        .take(HINTED_MOVES)
        .map(|(played, value)| format!("{played} {:.0} %", 100.0 * search::winrate(value, color)))
        .collect();
    words.join(", ")
}

fn read(text: &str) -> Result<Input, String> {
    let (command, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let to_move =
        |text: &str| text.trim().parse().map_err(|error: MoveParseError| error.to_string());
    Ok(match (command.to_ascii_lowercase().as_str(), argument) {
        ("undo" | "u", "") => Input::Undo,
        ("hint" | "h", "") => Input::Hint,
        ("rules", "") => Input::Rules,
        ("why", "") => return Err("why what? Write a point behind it: why D4".to_owned()),
        ("why", _) => Input::Why(to_move(argument)?),
        ("save", "") => return Err("save where? Write a file behind it: save game.sgf".to_owned()),
        ("save", file) => Input::Save(file.trim().to_owned()),
        ("new", "") => Input::New,
        ("resign", "") => Input::Resign,
        ("help" | "?", "") => Input::Help,
        ("quit" | "exit" | "q", "") => Input::Quit,
        _ => Input::Move(to_move(text)?),
    })
}

fn help(game: &Game) -> String {
    let rules = game.rules();
    let pass = match (rules.returns_prisoners(), rules.has_pass()) {
        (true, _) => "  pass     return a prisoner instead of placing a stone\n",
        (false, true) => "  pass     pass your turn\n",
        (false, false) => "",
    };
    let starred = if rules.has_starred_moves() {
        "  E9*      place a stone and settle equally large regions the other way\n"
    } else {
        ""
    };
    format!(
        "  D4       place a stone (columns A to T without I, row 1 at the bottom)\n{starred}{pass}  \
         undo     take back your last turn\n  \
         hint     what Hotstone would play at full strength\n  \
         why D4   what a stone there would do, or why it may not be played\n  \
         rules    the rules of this game\n  \
         save F   write the game to the file F as SGF, for hotstone review F\n  \
         resign   resign the game\n  \
         new      start over\n  \
         quit     leave\n"
    )
}
