//! One game record.

use std::borrow::Cow;

use engine::{Bitboard, Color, Komi, Move, Position, PositionError, Rules, RulesError, Size};
use serde_json::{Map, Value};

use crate::go_names::GoName;

/// The main line of a game, and what a file says about it.
#[derive(Debug, Clone, PartialEq)]
pub struct SgfRecord {
    /// Width and height of the board.
    pub size: Size,
    /// The rules named in the file; in our own files, a text that [`Rules::parse`] reads.
    pub rules: Option<String>,
    /// The komi stated in the file.
    pub komi: Option<f32>,
    /// Black's and White's stones at the start.
    pub stones: [Bitboard; 2],
    /// The start as text, if it is more than stones and a player to move.
    pub position: Option<String>,
    /// Who moves first, if the file says so (`PL`).
    pub to_move: Option<Color>,
    /// The turns, oldest first.
    pub turns: Vec<SgfTurn>,
    /// Names of Black and White.
    pub players: [Option<String>; 2],
    /// The game's name.
    pub name: Option<String>,
    /// The result in SGF: `B+3.5`, `W+R`, `0`.
    pub result: Option<String>,
    /// The comment on the game as a whole.
    pub comment: Option<String>,
    /// All other properties of the root, as SGF text.
    pub other_properties: Vec<String>,
    /// What was wrong with the file from which it was read.
    pub defects: Vec<String>,
}

/// One turn of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SgfTurn {
    /// Who took it.
    pub player: Color,
    /// The move. A prisoner return is represented as the pass that it replaces.
    pub played: Move,
    /// All other properties of the node, as SGF text.
    pub other_properties: Vec<String>,
    /// The nodes without a turn that follow it, each as SGF text.
    pub later_nodes: Vec<String>,
}

/// Why a record's own rules are unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordRulesError {
    /// No `RU`.
    #[error("the file does not name its rules")]
    Missing,
    /// An `RU` of another program.
    #[error("the file's rules, '{given}', are unknown")]
    Unknown {
        /// The text of the file.
        given: String,
        /// What is wrong with it.
        source: RulesError,
    },
}

impl SgfRecord {
    /// An empty record of a game by `rules`.
    pub fn new(rules: &Rules) -> SgfRecord {
        SgfRecord {
            size: rules.size,
            rules: Some(rules.to_string()),
            komi: Some(rules.komi.value()),
            ..SgfRecord::of_size(rules.size)
        }
    }

    /// A record with only the size.
    pub(crate) fn of_size(size: Size) -> SgfRecord {
        SgfRecord {
            size,
            rules: None,
            komi: None,
            stones: [Bitboard::EMPTY; 2],
            position: None,
            to_move: None,
            turns: Vec::new(),
            players: [None, None],
            name: None,
            result: None,
            comment: None,
            other_properties: Vec::new(),
            defects: Vec::new(),
        }
    }

    /// The record of a game of these moves, each of which must be legal.
    pub fn of_moves(rules: &Rules, moves: &[Move]) -> SgfRecord {
        let (mut record, mut position) = (SgfRecord::new(rules), Position::new(*rules));
        for &played in moves {
            record.push(position.turn(), played);
            position.play_unchecked(played);
        }
        record
    }

    /// Adds a turn.
    pub fn push(&mut self, player: Color, played: Move) {
        self.turns.push(SgfTurn {
            player,
            played,
            other_properties: Vec::new(),
            later_nodes: Vec::new(),
        });
    }

    /// Leaves out all turns but the first `turns`. Who moves first stays as it was, even if only a
    /// turn that is left out said so.
    pub fn truncate(&mut self, turns: usize) {
        if turns < self.turns.len() {
            self.to_move = Some(self.first_player());
            self.turns.truncate(turns);
        }
    }

    /// The rules that the file names, with its komi, which SGF stores separately. Files written by
    /// hand may have capital letters (`RU[Tile]`), and files for KataGo's clients an object
    /// (`RU[{"variant":"tile"}]`).
    ///
    /// # Errors
    /// The file names no rules, or unknown ones.
    pub fn own_rules(&self) -> Result<Rules, RecordRulesError> {
        let given = self.rules.as_deref().ok_or(RecordRulesError::Missing)?;
        let name = rules_name(given);
        let parse = |text: &str| Rules::parse(text, self.size);
        // All words of our rules are in lower case. An error quotes them as they are in the file.
        match parse(&name).or_else(|source| parse(&name.to_ascii_lowercase()).map_err(|_| source)) {
            Ok(rules) => Ok(self.with_own_komi(rules)),
            Err(source) => Err(RecordRulesError::Unknown { given: given.to_owned(), source }),
        }
    }

    /// Like [`SgfRecord::own_rules`], but if the file names rules of Go such as `Japanese`, returns
    /// the nearest rules with area scoring and a remark on how they differ.
    ///
    /// ```
    /// use game::SgfRecord;
    ///
    /// let record = SgfRecord::read(b"(;SZ[9]KM[6.5]RU[Japanese];B[ee])")?;
    /// let (rules, remark) = record.nearest_rules()?;
    /// assert_eq!(rules.to_string(), "go,repetition=simple,suicide=false,komi=6.5");
    /// assert!(remark.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`SgfRecord::own_rules`].
    pub fn nearest_rules(&self) -> Result<(Rules, Option<String>), RecordRulesError> {
        match self.own_rules() {
            Ok(rules) => Ok((rules, None)),
            Err(unknown) => {
                let given = self.rules.as_deref().map(rules_name);
                let name = given.and_then(|name| GoName::find(&name)).ok_or(unknown)?;
                Ok((self.with_own_komi(name.rules(self.size)), name.remark()))
            }
        }
    }

    /// The rules given by `text` for this game, with the file's komi unless the text sets one.
    ///
    /// ```
    /// use game::SgfRecord;
    ///
    /// let record = SgfRecord::read(b"(;SZ[9]KM[6.5]RU[Chinese];B[ee])")?;
    /// assert_eq!(record.rules_named("go,suicide=false")?.komi.value(), 6.5);
    /// assert_eq!(record.rules_named("go,suicide=false,komi=7")?.komi.value(), 7.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The text is not a rule set.
    pub fn rules_named(&self, text: &str) -> Result<Rules, RulesError> {
        let rules = Rules::parse(text, self.size)?;
        Ok(if Rules::names(text, "komi") { rules } else { self.with_own_komi(rules) })
    }

    /// Whether the file says what komi is, by itself or in its rules.
    pub fn names_komi(&self) -> bool {
        let in_rules = |given: &str| Rules::names(&rules_name(given).to_ascii_lowercase(), "komi");
        self.komi.is_some() || self.rules.as_deref().is_some_and(in_rules)
    }

    /// The rules with the komi nearest to the file's, if it has one and the rules use komi.
    fn with_own_komi(&self, rules: Rules) -> Rules {
        let komi = self.komi.filter(|_| rules.has_komi()).and_then(Komi::nearest);
        komi.map_or(rules, |komi| rules.with_komi(komi))
    }

    /// Who moves first: according to the file, otherwise the player of the first turn, otherwise
    /// White after handicap stones.
    pub fn first_player(&self) -> Color {
        let handicap = !self.stones[0].is_empty() && self.stones[1].is_empty();
        let usual = if handicap { Color::White } else { Color::Black };
        self.to_move.or_else(|| self.turns.first().map(|turn| turn.player)).unwrap_or(usual)
    }

    /// The position before the first turn, under `rules`.
    ///
    /// # Errors
    /// The start is impossible under these rules.
    pub fn start(&self, rules: Rules) -> Result<Position, PositionError> {
        if let Some(text) = &self.position {
            // The text says what the file's own rules look at.
            return match self.own_rules() {
                Ok(own) => Position::parse_under(text, own)?.under(rules),
                Err(_) => Position::parse_under(text, rules),
            };
        }
        let [black, white] = self.stones;
        match self.first_player() {
            Color::Black if (black | white).is_empty() => Ok(Position::new(rules)),
            first => Ok(Position::with_stones(rules, black, white, first)?),
        }
    }

    /// Sets the position from which the game begins.
    pub fn begin_from(&mut self, start: &Position) {
        self.to_move = Some(start.turn());
        self.stones = Color::BOTH.map(|color| *start.stones(color));
        self.position = (!start.is_start()).then(|| start.to_string());
    }
}

/// The name in the text of an `RU` property: the text itself or, of an object as KataGo's clients
/// write it, its `rules` or its `variant`. KataGo's other keys are not read here. They repeat what
/// `rules` says, but beside `variant` alone they may change it, and then there is no name.
fn rules_name(given: &str) -> Cow<'_, str> {
    let Ok(mut keys) = serde_json::from_str::<Map<String, Value>>(given) else {
        return Cow::Borrowed(given);
    };
    let name = match (keys.remove("rules"), keys.remove("variant")) {
        (Some(name), _) => Some(name),
        (None, variant) => variant.filter(|_| keys.is_empty()),
    };
    match name {
        Some(Value::String(name)) => Cow::Owned(name),
        _ => Cow::Borrowed(given),
    }
}
