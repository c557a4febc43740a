//! A game against a person at a terminal: `hotstone play`.

use std::io::{self, BufRead, Write};

use engine::{Color, Ending, Family, Move};
use search::Evaluator;

use crate::diagram::{diagram, standing};
use crate::game::Game;
use crate::lines::read_line;
use crate::{Choice, GenerateError, Player};

/// Moves that a hint names.
const HINTED_MOVES: usize = 3;

/// Why a session ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// The terminal cannot be read or written.
    #[error("the terminal failed: {0}")]
    Terminal(#[from] io::Error),
    /// There is no move for the program.
    #[error("Hotstone cannot find a move: {0}")]
    Generate(#[from] GenerateError),
}

/// What a person can type.
enum Input {
    Move(Move),
    Undo,
    Hint,
    New,
    Resign,
    Help,
    Quit,
}

/// Plays with a person, who has `human`'s stones, until that person quits or the input ends.
///
/// # Errors
/// The terminal fails, or the evaluator. Nothing that is typed is an error: it gets an answer.
pub fn play<E: Evaluator>(
    player: &mut Player<E>,
    human: Color,
    input: impl BufRead,
    output: impl Write,
) -> Result<(), TerminalError> {
    Session { player, human, output }.run(input)
}

struct Session<'a, E, W> {
    player: &'a mut Player<E>,
    human: Color,
    output: W,
}

impl<E: Evaluator, W: Write> Session<'_, E, W> {
    fn run(&mut self, mut input: impl BufRead) -> Result<(), TerminalError> {
        writeln!(
            self.output,
            "You are {} ({}). Type a point such as D4, or help.\n",
            self.human.name(),
            symbol(self.human)
        )?;
        self.answer_and_draw()?;
        self.prompt()?;
        while let Some(line) = read_line(&mut input)? {
            match String::from_utf8_lossy(&line).trim() {
                "" => {}
                text => match read(text) {
                    Ok(Input::Quit) => return Ok(writeln!(self.output, "Goodbye.")?),
                    Ok(typed) => self.react(typed)?,
                    Err(problem) => writeln!(self.output, "{problem}. Type help for more.")?,
                },
            }
            self.prompt()?;
        }
        // The input has ended behind a prompt.
        Ok(writeln!(self.output, "\nGoodbye.")?)
    }

    /// Does what was typed.
    fn react(&mut self, typed: Input) -> Result<(), TerminalError> {
        match typed {
            Input::Move(played) => self.play(played)?,
            Input::Undo => self.undo()?,
            Input::Hint => self.hint()?,
            Input::New => {
                self.player.new_game();
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

    /// Lets the program play where it is its turn, and shows what came of it.
    fn answer_and_draw(&mut self) -> Result<(), TerminalError> {
        let program = self.human.opponent();
        let mut said = None;
        while self.player.game().result().is_none() && self.player.position().turn() == program {
            let choice = self.player.generate(program)?;
            said = Some(format!("Hotstone plays {}: {}", choice.played, opinion(&choice, program)));
        }
        writeln!(self.output, "{}", diagram(self.player.game()))?;
        if let Some(said) = said {
            writeln!(self.output, "{said}")?;
        }
        Ok(())
    }

    fn prompt(&mut self) -> io::Result<()> {
        if self.player.game().result().is_some() {
            write!(self.output, "undo, new or quit> ")?;
        } else {
            write!(self.output, "{}> ", symbol(self.human))?;
        }
        self.output.flush()
    }

    /// Takes back the person's last turn, and what the program answered.
    fn undo(&mut self) -> Result<(), TerminalError> {
        let game = self.player.game();
        let resigned = game.resigned().is_some();
        if !resigned && !game.turns().iter().any(|turn| turn.player == self.human) {
            writeln!(self.output, "There is no move of yours to take back.")?;
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
        let choice = match self.player.think() {
            Ok(choice) => choice,
            Err(problem @ GenerateError::GameOver(_)) => {
                writeln!(self.output, "There is no hint: {problem}.")?;
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

/// How `color` stands after the choice.
fn opinion(choice: &Choice, color: Color) -> String {
    match choice.proven {
        Some(Some(winner)) => format!("{} wins, whatever happens", winner.name()),
        Some(None) => "a draw with best play".to_owned(),
        None => format!("{} wins {:.0} %", color.name(), 100.0 * choice.winrate(color)),
    }
}

/// The moves that the search looked at most, and how good it finds them.
fn thoughts(choice: &Choice, color: Color) -> String {
    let mut candidates = choice.candidates.clone();
    candidates.sort_by(|one, other| {
        other.visits.cmp(&one.visits).then(other.share.total_cmp(&one.share))
    });
    let words: Vec<String> = candidates
        .iter()
        .filter_map(|candidate| Some((candidate.played, candidate.value?)))
        .take(HINTED_MOVES)
        .map(|(played, value)| format!("{played} {:.0} %", 50.0 * (1.0 + color.sign() * value)))
        .collect();
    words.join(", ")
}

fn read(text: &str) -> Result<Input, String> {
    Ok(match text.to_ascii_lowercase().as_str() {
        "undo" | "u" => Input::Undo,
        "hint" | "h" => Input::Hint,
        "new" => Input::New,
        "resign" => Input::Resign,
        "help" | "?" => Input::Help,
        "quit" | "exit" | "q" => Input::Quit,
        _ => Input::Move(text.parse().map_err(|error: engine::MoveParseError| error.to_string())?),
    })
}

fn help(game: &Game) -> String {
    let rules = game.rules();
    let pass = match rules.end {
        Ending::PrisonerReturn => "  pass     return a prisoner instead of placing a stone\n",
        Ending::Area if rules.has_pass() => "  pass     give your turn away\n",
        Ending::Area => "",
    };
    let starred = match rules.family {
        Family::Conquest => {
            "  E9*      place a stone and settle equally large regions the other way\n"
        }
        Family::Go | Family::AlterIgo => "",
    };
    format!(
        "  D4       place a stone (columns A to T without I, row 1 at the bottom)\n{starred}{pass}  \
         undo     take back your last turn\n  \
         hint     what Hotstone would play\n  \
         resign   give up\n  \
         new      start over\n  \
         quit     leave\n"
    )
}
