//! `hotstone show`

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use engine::{Move, Position, PositionError, Rules, join_with_spaces};
use game::Game;

use crate::output::print;
use crate::record::{given_or_own_rules, read_record};

/// Print a position as text, with what is legal in it.
///
/// The text can be read back by this command and by loadposition over GTP, and put into bug reports: it has everything
/// that the rules depend on. Reads an SGF file or such a text.
#[derive(Args)]
pub struct ShowArguments {
    /// An SGF file, or a position as this command prints it; - reads the standard input.
    file: PathBuf,
    /// The rules: a variant's name, and changes to it. Those of the file if left out.
    #[arg(long)]
    rules: Option<String>,
    /// Of a game, the position after this many turns; the last one if left out.
    #[arg(long)]
    turn: Option<usize>,
    /// Moves to play from there, such as --moves "C3 D4 pass".
    #[arg(long, value_delimiter = ' ')]
    moves: Vec<Move>,
}

impl ShowArguments {
    /// Reads the position and prints it.
    pub fn execute(&self) -> Result<()> {
        let name = self.file.display();
        let bytes = read(&self.file).with_context(|| format!("cannot read {name}"))?;
        let text = String::from_utf8_lossy(&bytes);
        let mut position =
            if text.trim_start_matches(['\u{feff}', ' ', '\n', '\r']).starts_with('(') {
                self.of_game(&bytes).with_context(|| format!("cannot show {name}"))?
            } else {
                self.of_text(&text).with_context(|| {
                    format!("cannot show {name}, which does not begin like SGF, as a position")
                })?
            };
        for &chosen in &self.moves {
            position.play(chosen).with_context(|| format!("cannot play {chosen}"))?;
        }
        print(format_args!("{position}{}", remarks(&position)))
    }

    fn of_text(&self, text: &str) -> Result<Position> {
        if self.turn.is_some() {
            bail!("--turn is for games: this is one position");
        }
        let Some(rules) = &self.rules else { return Ok(Position::parse(text)?) };
        let size = text.lines().find_map(|line| line.trim().strip_prefix("size "));
        let size: engine::Size = size.context("a line 'size' is missing")?.trim().parse()?;
        let rules = Rules::parse(rules, size)?;
        match Position::parse(text) {
            Err(PositionError::Missing(_) | PositionError::Rules { .. }) => {
                Ok(Position::parse_under(text, rules)?)
            }
            // The text says what its own rules look at.
            own => Ok(own?.under(rules)?),
        }
    }

    fn of_game(&self, bytes: &[u8]) -> Result<Position> {
        let name = self.file.display();
        let mut record = read_record(&name, bytes)?;
        let rules = given_or_own_rules(self.rules.as_deref(), &name, &record)?;
        let wanted = self.turn.unwrap_or(record.turns.len());
        if wanted > record.turns.len() {
            bail!("the game has only {} turns, not {wanted}", record.turns.len());
        }
        record.truncate(wanted);
        let (game, left_out) = Game::of_record_until_end(&record, rules)?;
        match left_out {
            // A turn that was asked for is either shown or refused.
            Some(first) if self.turn.is_some() => return Err(first.into()),
            Some(first) => eprintln!(
                "warning: {name} goes on after the end of the game, which is shown: {first}"
            ),
            None => {}
        }
        Ok(game.position().clone())
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if path == Path::new("-") {
        game::read_input(std::io::stdin().lock())
    } else {
        game::read_file(path)
    }
}

/// What is legal and what is forbidden, as comment lines in the position's format.
fn remarks(position: &Position) -> String {
    if position.outcome().is_some() {
        return String::new();
    }
    let mut text = format!("# legal: {}\n", join_with_spaces(position.legal_moves()));
    for point in position.empty().without(&position.legal_points()).iter() {
        if let Err(rule) = position.check_move(Move::Place(point)) {
            text.push_str(&format!("# not {point}: {rule}\n"));
        }
    }
    text
}
