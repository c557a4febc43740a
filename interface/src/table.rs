//! One game with its players: what is saved, and what is shown.

use engine::{Color, Move, Position};
use game::{Extras, Game};
use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;
use crate::secret::Secret;
use bot::Level;

/// Who plays one colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seat {
    /// A person with the token.
    Person {
        /// The token that the holder of the seat sends.
        token: Secret,
    },
    /// A model, by name, because a server may have other models after a restart.
    Program {
        /// The model's name.
        model: String,
        /// Its strength.
        level: Level,
    },
}

impl Seat {
    /// The name of the model and its strength, if a program plays.
    pub fn program(&self) -> Option<(&str, Level)> {
        match self {
            Seat::Person { .. } => None,
            Seat::Program { model, level } => Some((model, *level)),
        }
    }
}

/// A game and its players.
pub struct Table {
    /// The game.
    pub game: Game,
    /// Black's seat, then White's.
    pub seats: [Seat; 2],
    /// Black's expected result, from −1 to 1, after each number of turns, where it has been
    /// evaluated.
    pub values: Vec<Option<f32>>,
}

/// The stored form of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredGame {
    /// The game, readable by any SGF program.
    pub sgf: String,
    /// The players, as JSON.
    pub seats: String,
    /// The values of positions, as JSON.
    pub values: String,
}

/// The stored form of a seat.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum StoredSeat {
    Person { token: String },
    Program { model: String, level: u8 },
}

impl Table {
    /// A game that has not been analysed yet.
    pub fn new(game: Game, seats: [Seat; 2]) -> Table {
        Table { game, seats, values: Vec::new() }
    }

    /// Who plays `color`.
    pub fn seat(&self, color: Color) -> &Seat {
        &self.seats[color.index()]
    }

    /// The colours that a token gives the right to play.
    fn seats_of(&self, token: Option<Secret>) -> Vec<Color> {
        let sits = |color: &Color| match self.seat(*color) {
            Seat::Person { token: own } => Some(*own) == token,
            Seat::Program { .. } => false,
        };
        Color::BOTH.into_iter().filter(sits).collect()
    }

    /// The program to move in a running game, if any.
    pub fn program_to_move(&self) -> Option<(&str, Level)> {
        let to_move = self.game.end().is_none().then(|| self.game.position().turn())?;
        self.seat(to_move).program()
    }

    /// Takes a turn for the holder of a token.
    ///
    /// # Errors
    /// It is not the holder's turn, or the move is illegal; the table is then unchanged.
    pub fn play(&mut self, token: Option<Secret>, played: Move) -> Result<(), Refusal> {
        let seats = self.seats_of(token);
        if seats.is_empty() {
            return Err(Refusal::NoSeat);
        }
        if self.game.end().is_some() {
            return Err(Refusal::GameOver);
        }
        if !seats.contains(&self.game.position().turn()) {
            return Err(Refusal::NotYourTurn);
        }
        self.game.play(played).map_err(Refusal::Illegal)
    }

    /// The players who can take something back now. Against a program this takes back the person's
    /// last turn and the program's answer; between people, the last turn.
    pub fn can_undo(&self) -> Vec<Color> {
        Color::BOTH.into_iter().filter(|&color| self.turns_to_undo(color).is_some()).collect()
    }

    /// How many turns to take back for `color`.
    fn turns_to_undo(&self, color: Color) -> Option<usize> {
        let is_person = |color| self.seat(color).program().is_none();
        if !is_person(color) {
            return None;
        }
        if let Some(resigned) = self.game.resigned() {
            return (resigned == color).then_some(1);
        }
        // An implied pass is taken back together with the move after it.
        let chosen = || self.game.turns().iter().rev().filter(|turn| !turn.implied);
        let own = chosen().position(|turn| turn.player == color)?;
        chosen().take(own).all(|turn| !is_person(turn.player)).then_some(own + 1)
    }

    /// Takes back whatever the holder of a token can take back.
    ///
    /// # Errors
    /// There is nothing that the holder can take back.
    pub fn undo(&mut self, token: Option<Secret>) -> Result<(), Refusal> {
        let seats = self.seats_of(token);
        if seats.is_empty() {
            return Err(Refusal::NoSeat);
        }
        let count = seats.into_iter().filter_map(|color| self.turns_to_undo(color)).min();
        let count = count.ok_or(Refusal::NothingToUndo)?;
        let undone = (0..count).all(|_| self.game.undo());
        self.values.truncate(self.game.turns().len() + 1);
        if undone { Ok(()) } else { Err(Refusal::NothingToUndo) }
    }

    /// Resigns for the holder of a token; with both seats, for the player to move.
    ///
    /// # Errors
    /// The token belongs to neither player, or the game is over.
    pub fn resign(&mut self, token: Option<Secret>) -> Result<(), Refusal> {
        let seats = self.seats_of(token);
        if self.game.end().is_some() && !seats.is_empty() {
            return Err(Refusal::GameOver);
        }
        let to_move = self.game.position().turn();
        let player = if seats.contains(&to_move) { Some(&to_move) } else { seats.first() };
        self.game.resign(*player.ok_or(Refusal::NoSeat)?);
        Ok(())
    }

    /// Stores the value of the position after `turns` turns.
    pub fn remember(&mut self, turns: usize, value: f32) {
        if self.values.len() <= turns {
            self.values.resize(turns + 1, None);
        }
        self.values[turns] = Some(value);
    }

    fn is_valued(&self, turn: usize) -> bool {
        self.values.get(turn).copied().flatten().is_some()
    }

    /// How many positions of the game have no known value.
    pub fn count_unvalued(&self) -> usize {
        (0..=self.game.turns().len()).filter(|&turn| !self.is_valued(turn)).count()
    }

    /// The positions of the game without a known value, each with its number of turns.
    pub fn unvalued(&self) -> Vec<(usize, Position)> {
        let positions = self.game.positions().enumerate();
        let unvalued = positions.filter(|(turn, _)| !self.is_valued(*turn));
        unvalued.map(|(turn, position)| (turn, position.clone())).collect()
    }

    /// The game as SGF, with the players' names.
    pub fn record(&self) -> game::SgfRecord {
        let mut record = self.game.record();
        record.players = self.seats.each_ref().map(|seat| {
            let (model, level) = seat.program()?;
            Some(format!("{model}, level {level}"))
        });
        record
    }

    /// The record as a file (its name and its text), with tiles, hot stones and conquered points
    /// marked for viewers that do not know the rules.
    ///
    /// # Errors
    /// Only if the game cannot be written, which is a bug of ours.
    pub fn file(&self, id: Secret) -> Result<(String, String), Refusal> {
        let record = self.record();
        let extras = Extras { markup: true, materialize: false };
        let text = record.write(extras).map_err(|_| Refusal::Internal)?;
        let variant = record.own_rules().ok().and_then(|rules| rules.variant());
        let name = variant.map_or("game", |variant| variant.name());
        Ok((format!("hotstone-{name}-{}.sgf", &id.to_string()[..6]), text))
    }

    /// Converts to the stored form.
    pub fn save(&self) -> StoredGame {
        let seats = self.seats.each_ref().map(|seat| match seat {
            Seat::Person { token } => StoredSeat::Person { token: token.to_string() },
            Seat::Program { model, level } => {
                StoredSeat::Program { model: model.clone(), level: level.number() }
            }
        });
        // Strings and finite numbers can always be serialised.
        StoredGame {
            sgf: self.game.chosen_record().to_string(),
            seats: serde_json::to_string(&seats).unwrap_or_default(),
            values: serde_json::to_string(&self.values).unwrap_or_default(),
        }
    }

    /// Reads the stored form; `None` if [`Table::save`] did not write it.
    pub fn restore(saved: &StoredGame) -> Option<Table> {
        let record = game::SgfRecord::read_text(&saved.sgf).ok()?;
        let game = Game::of_record(&record, record.own_rules().ok()?).ok()?;
        let seats: [StoredSeat; 2] = serde_json::from_str(&saved.seats).ok()?;
        let [black, white] = seats.map(|seat| {
            Some(match seat {
                StoredSeat::Person { token } => Seat::Person { token: token.parse().ok()? },
                StoredSeat::Program { model, level } => {
                    Seat::Program { model, level: Level::new(level)? }
                }
            })
        });
        let values = serde_json::from_str(&saved.values).ok()?;
        Some(Table { game, seats: [black?, white?], values })
    }
}

#[cfg(test)]
mod tests {
    use engine::Variant;

    use super::*;

    fn person(bits: u128) -> (Seat, Option<Secret>) {
        let token = Secret::new(bits);
        (Seat::Person { token }, Some(token))
    }

    fn program() -> Seat {
        Seat::Program { model: "m".to_owned(), level: Level::WEAKEST }
    }

    fn text(table: &Table) -> String {
        let turns = table.game.turns().iter().map(|turn| turn.played.to_string());
        turns.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_variant_is_restored_as_it_was() {
        for variant in Variant::ALL {
            let mut table =
                Table::new(Game::new(variant.rules(5).unwrap()), [person(1).0, program()]);
            let mut choice = 1;
            while table.game.turns().len() < 40 && table.game.end().is_none() {
                let legal = table.game.position().legal_moves();
                choice = choice * 31 % 1009;
                table.game.play(legal[choice % legal.len()]).unwrap();
            }
            table.remember(3, 0.25);
            let restored = Table::restore(&table.save()).unwrap();
            assert_eq!(text(&restored), text(&table), "{variant}");
            assert_eq!(restored.game.position().hash(), table.game.position().hash(), "{variant}");
            assert_eq!(restored.seats, table.seats);
            assert_eq!(restored.values, [None, None, None, Some(0.25)]);
        }
    }

    #[test]
    fn people_take_back_their_own_last_turn_only() {
        let ((black, first), (white, second)) = (person(1), person(2));
        let mut table = Table::new(Game::new(Variant::Go.rules(5).unwrap()), [black, white]);
        assert!(matches!(table.undo(first), Err(Refusal::NothingToUndo)));
        table.play(first, "C3".parse().unwrap()).unwrap();
        assert!(matches!(table.play(first, "D3".parse().unwrap()), Err(Refusal::NotYourTurn)));
        assert!(matches!(table.play(None, "D3".parse().unwrap()), Err(Refusal::NoSeat)));
        assert!(matches!(table.play(second, "C3".parse().unwrap()), Err(Refusal::Illegal(_))));
        assert_eq!(table.can_undo(), [Color::Black]);
        table.play(second, "D3".parse().unwrap()).unwrap();
        assert!(matches!(table.undo(first), Err(Refusal::NothingToUndo)));
        table.resign(first).unwrap();
        assert!(matches!(table.undo(second), Err(Refusal::NothingToUndo)));
        table.undo(first).unwrap();
        table.undo(second).unwrap();
        assert_eq!(text(&table), "C3");
    }

    /// A file may contain two moves of one colour in a row, with an implied pass by the other in
    /// between.
    #[test]
    fn nobody_takes_back_an_implied_pass() {
        let record = game::SgfRecord::read(b"(;SZ[5]RU[go];B[aa];B[bb])").unwrap();
        let game = Game::of_record(&record, record.own_rules().unwrap()).unwrap();
        let (white, token) = person(1);
        let mut table = Table::new(game, [program(), white]);
        assert!(table.can_undo().is_empty());
        table.play(token, "D3".parse().unwrap()).unwrap();
        table.undo(token).unwrap();
        assert_eq!(text(&table), "A5 pass B4");
        let restored = Table::restore(&table.save()).unwrap();
        assert_eq!(text(&restored), "A5 pass B4");
        assert!(restored.can_undo().is_empty(), "it is implied in the stored game, too");
    }

    #[test]
    fn a_person_takes_back_the_programs_answer_as_well() {
        let (white, token) = person(1);
        let mut table = Table::new(Game::new(Variant::Go.rules(5).unwrap()), [program(), white]);
        table.game.play("C3".parse().unwrap()).unwrap();
        assert!(table.can_undo().is_empty());
        table.play(token, "D3".parse().unwrap()).unwrap();
        assert_eq!(table.program_to_move(), Some(("m", Level::WEAKEST)));
        table.game.play("D4".parse().unwrap()).unwrap();
        table.undo(token).unwrap();
        assert_eq!(text(&table), "C3");
        table.play(token, "D3".parse().unwrap()).unwrap();
        table.undo(token).unwrap();
        assert_eq!(text(&table), "C3");
    }
}
