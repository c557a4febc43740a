//! The results of a replay, as data and in words.

use std::fmt::{self, Display, Formatter};

use engine::{Size, counted};
use serde::Serialize;

/// What the rules made of a recorded game.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The rules it was replayed under.
    pub rules: String,
    /// Width and height of the board.
    pub size: Size,
    /// Komi of these rules.
    pub komi: f32,
    /// Number of turns in the file.
    pub turns_recorded: usize,
    /// Number of turns that could be played.
    pub turns_played: usize,
    /// Where the replay stopped, if it was not at the end.
    pub stopped: Option<Stop>,
    /// The rule set's own bans that forbade some placement on some turn.
    pub bans: Vec<BanCount>,
    /// Stones that were hot right after they were placed.
    pub hot_stones: usize,
    /// The turn that placed the first of them.
    pub first_hot_turn: Option<usize>,
    /// The tiles; `None` where the rules have none.
    pub tiles: Option<Tiles>,
    /// `B`, `W` or `draw`, if the game is over by these rules.
    pub result: Option<String>,
    /// What ended it.
    pub reason: Option<String>,
    /// Black − White − komi in the last position; `None` where the rules have no score.
    pub score: Option<f32>,
    /// The prisoners that Black and White hold.
    pub prisoners: [u16; 2],
    /// The result stated in the file.
    pub result_recorded: Option<String>,
    /// The komi stated in the file.
    pub komi_recorded: Option<f32>,
    /// What was wrong with the file.
    pub defects: Vec<String>,
}

/// The first move that these rules do not allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stop {
    /// The number of the turn, from 1.
    pub turn: usize,
    /// `B` or `W`.
    pub player: String,
    /// The move.
    #[serde(rename = "move")]
    pub played: String,
    /// The rule that forbids it, in words.
    pub reason: String,
    /// The ban, if the rule is one of the rule set's own.
    pub ban: Option<String>,
}

/// How often a ban mattered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BanCount {
    /// A short name of the ban.
    pub ban: String,
    /// Number of turns at which it forbade at least one placement.
    pub turns: usize,
    /// The first of them.
    pub first_turn: usize,
}

/// The tiles on the board at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tiles {
    /// All of them.
    pub placed: usize,
    /// The points that hold them, by height of the stack.
    pub stacks: Vec<Stack>,
}

/// The points with the same number of tiles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stack {
    /// Tiles on each of the points.
    pub height: u8,
    /// The points at the end of the replay.
    pub points: Vec<String>,
    /// The first turn at which a stack reached this height; 0 if one had it from the start.
    pub first_turn: usize,
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} on {:#}, komi {}", self.rules, self.size, self.komi)?;
        self.defects.iter().try_for_each(|defect| writeln!(f, "The file is {defect}"))?;
        writeln!(f, "{} of {} turns played", self.turns_played, self.turns_recorded)?;
        if let Some(stop) = &self.stopped {
            writeln!(
                f,
                "Stopped at turn {}, {} {}: {}",
                stop.turn, stop.player, stop.played, stop.reason
            )?;
        }
        for BanCount { ban, turns, first_turn } in &self.bans {
            writeln!(
                f,
                "Ban ({ban}): met on {}, first on turn {first_turn}",
                counted(*turns, "turn")
            )?;
        }
        if let Some(first) = self.first_hot_turn {
            writeln!(f, "{}, the first on turn {first}", counted(self.hot_stones, "hot stone"))?;
        }
        if let Some(tiles) = &self.tiles {
            write!(f, "{tiles}")?;
        }
        self.write_result(f)
    }
}

impl Report {
    fn write_result(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&self.result, &self.reason) {
            (Some(result), Some(reason)) => writeln!(f, "Result: {result} ({reason})")?,
            (Some(result), None) => writeln!(f, "Result: {result}")?,
            (None, _) => writeln!(f, "Result: none yet, the game continues under these rules")?,
        }
        if let Some(score) = self.score {
            writeln!(f, "Score: {score:+} for Black as it stands, komi included")?;
        }
        if let Some(komi) = self.komi_recorded.filter(|&komi| komi != self.komi) {
            writeln!(f, "The file has komi {komi}, the rules have {}", self.komi)?;
        }
        match &self.result_recorded {
            Some(result) => writeln!(f, "The file's result: {result}"),
            None => Ok(()),
        }
    }
}

impl Display for Tiles {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", counted(self.placed, "tile"))?;
        self.stacks.iter().try_for_each(|stack| {
            let points = counted(stack.points.len(), "point");
            let first = match stack.first_turn {
                0 => "the first from the start".to_owned(),
                turn => format!("the first on turn {turn}"),
            };
            writeln!(
                f,
                "  {points} with {}, {first}: {}",
                counted(stack.height.into(), "tile"),
                stack.points.join(" ")
            )
        })
    }
}
