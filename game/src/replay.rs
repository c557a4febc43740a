//! Replays of a record under any rules.

use engine::{Color, IllegalMove, Move, Position, PositionError, Rules};

use crate::GameEnd;
use crate::report::{BanCount, Report, Stack, Stop, Tiles};
use crate::sgf::{SgfRecord, SgfTurn};

/// The result of a replay.
#[derive(Debug, Clone)]
pub struct Replay {
    /// What happened.
    pub report: Report,
    /// The last position reached.
    pub position: Position,
}

impl Replay {
    /// The part of `record` that was played, as a game under this replay's rules.
    pub fn as_record(&self, record: &SgfRecord) -> SgfRecord {
        let rules = self.position.rules();
        let by_rules = self
            .position
            .outcome()
            .map(|outcome| GameEnd::from(outcome).to_sgf(self.position.score()));
        // A resignation counts only under the game's own rules, and at the end of the record.
        let is_own_end =
            self.report.stopped.is_none() && record.own_rules().is_ok_and(|own| own == *rules);
        let recorded = is_own_end.then(|| record.result.clone());
        let mut played = SgfRecord {
            result: by_rules.or(recorded.flatten()),
            rules: Some(rules.to_string()),
            komi: Some(rules.komi.value()),
            ..record.clone()
        };
        // A start that is more than stones is written as these rules see it.
        if record.position.is_some()
            && let Ok(start) = record.start(*rules)
        {
            played.begin_from(&start);
        }
        played.truncate(self.report.turns_played);
        played
    }
}

/// Plays the record's moves under `rules` until they are exhausted or one of them is illegal.
/// Passes after the end, which some programs write, change nothing.
///
/// ```
/// use engine::{Color, Rules};
/// use game::{SgfRecord, replay};
///
/// let mut record = SgfRecord::new(&Rules::parse("go", 2)?);
/// for (player, played) in [(Color::Black, "A1"), (Color::White, "B1"), (Color::Black, "B2")] {
///     record.push(player, played.parse()?);
/// }
/// let capturing = replay(&record, Rules::parse("go", 2)?)?;
/// assert_eq!(capturing.report.turns_played, 3);
/// let stopped = replay(&record, Rules::parse("nogo", 2)?)?.report.stopped;
/// assert_eq!(stopped.map(|stop| stop.turn), Some(3), "NoGo has no captures");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The start is impossible under these rules.
pub fn replay(record: &SgfRecord, rules: Rules) -> Result<Replay, PositionError> {
    let mut replaying = Replaying::begin(record, rules)?;
    for turn in &record.turns {
        let is_over = replaying.position.outcome().is_some();
        if is_over && turn.played == Move::Pass {
            replaying.turns += 1;
        } else if !replaying.play(turn) {
            break;
        }
    }
    let Replaying { position, observations, stopped, turns } = replaying;
    let stopped = stopped.map(Stop::from);
    let played = turns - usize::from(stopped.is_some());
    let report = report(record, &position, observations, played, stopped);
    Ok(Replay { report, position })
}

/// A replay in progress.
pub(crate) struct Replaying {
    pub(crate) position: Position,
    pub(crate) observations: Observations,
    /// The first move that these rules do not allow, if reached.
    pub(crate) stopped: Option<RefusedTurn>,
    turns: usize,
}

/// Where and why a replay stopped.
pub(crate) struct RefusedTurn {
    pub(crate) turn: usize,
    played: SgfTurn,
    pub(crate) why: Refusal,
}

/// Why a turn of a record cannot be played.
pub(crate) enum Refusal {
    /// The other player is to move.
    OutOfTurn(Color),
    /// A rule forbids the move.
    Forbidden(IllegalMove),
}

impl Refusal {
    /// The reason in a few words that are the same on every point.
    pub(crate) fn short_reason(&self) -> &'static str {
        match self {
            Refusal::OutOfTurn(_) => "out of turn",
            Refusal::Forbidden(rule) => rule.short_reason(),
        }
    }
}

impl From<RefusedTurn> for Stop {
    fn from(stopped: RefusedTurn) -> Stop {
        let (reason, ban) = match stopped.why {
            Refusal::OutOfTurn(to_move) => (format!("it is {}'s turn", to_move.name()), None),
            Refusal::Forbidden(rule) => (rule.to_string(), rule.ban()),
        };
        Stop {
            turn: stopped.turn,
            player: stopped.played.player.to_string(),
            played: stopped.played.played.to_string(),
            reason,
            ban: ban.map(str::to_owned),
        }
    }
}

impl Replaying {
    pub(crate) fn begin(record: &SgfRecord, rules: Rules) -> Result<Replaying, PositionError> {
        let position = record.start(rules)?;
        let observations = Observations::of_start(&position);
        Ok(Replaying { position, observations, stopped: None, turns: 0 })
    }

    /// Whether the game is still running and it is the turn of `turn`'s player.
    pub(crate) fn is_turn_of(&self, turn: &SgfTurn) -> bool {
        let is_running = self.stopped.is_none() && self.position.outcome().is_none();
        is_running && self.position.turn() == turn.player
    }

    /// Plays the next turn of the record; `false` if the rules do not allow it.
    pub(crate) fn play(&mut self, turn: &SgfTurn) -> bool {
        self.turns += 1;
        self.observations.before_turn(self.turns, &self.position);
        let to_move = self.position.turn();
        let refusal = if self.position.outcome().is_none() && turn.player != to_move {
            Some(Refusal::OutOfTurn(to_move))
        } else {
            self.position.play(turn.played).err().map(Refusal::Forbidden)
        };
        match refusal {
            None => self.observations.after_turn(self.turns, turn.played, &self.position),
            Some(why) => {
                self.stopped = Some(RefusedTurn { turn: self.turns, played: turn.clone(), why });
            }
        }
        self.stopped.is_none()
    }
}

/// Observations so far.
#[derive(Default)]
pub(crate) struct Observations {
    pub(crate) bans: Vec<BanCount>,
    stacks: Vec<Stack>,
    pub(crate) hot_stones: usize,
    pub(crate) first_hot: Option<usize>,
}

impl Observations {
    /// A game may begin on a board with tiles.
    fn of_start(position: &Position) -> Observations {
        let mut observations = Observations::default();
        position.size().points().for_each(|point| observations.add_stack(0, position.tiles(point)));
        observations
    }

    /// Records the first stack of this height.
    fn add_stack(&mut self, number: usize, height: u8) {
        if height > 0 && !self.stacks.iter().any(|stack| stack.height == height) {
            self.stacks.push(Stack { height, points: Vec::new(), first_turn: number });
        }
    }

    /// Records which bans the player to move runs into: each at most once per turn.
    fn before_turn(&mut self, number: usize, position: &Position) {
        if position.outcome().is_some() {
            return;
        }
        let mut met: Vec<&'static str> = position
            .banned_points()
            .iter()
            .filter_map(|point| position.check_move(Move::Place(point)).err()?.ban())
            .collect();
        met.sort_unstable();
        met.dedup();
        for name in met {
            match self.bans.iter_mut().find(|ban| ban.ban == name) {
                Some(ban) => ban.turns += 1,
                None => {
                    self.bans.push(BanCount { ban: name.to_owned(), turns: 1, first_turn: number })
                }
            }
        }
    }

    fn after_turn(&mut self, number: usize, played: Move, position: &Position) {
        let Some(point) = played.point() else { return };
        self.add_stack(number, position.tiles(point));
        if position.hot_stones().contains(point) {
            self.hot_stones += 1;
            self.first_hot.get_or_insert(number);
        }
    }

    /// The tiles on the board at the end, by height.
    pub(crate) fn tiles(mut self, position: &Position) -> Tiles {
        for point in position.size().points() {
            let height = position.tiles(point);
            if let Some(stack) = self.stacks.iter_mut().find(|stack| stack.height == height) {
                stack.points.push(point.to_string());
            }
        }
        let placed = self.stacks.iter().map(|stack| usize::from(stack.height) * stack.points.len());
        Tiles { placed: placed.sum(), stacks: self.stacks }
    }
}

fn report(
    record: &SgfRecord,
    position: &Position,
    observations: Observations,
    turns_played: usize,
    stopped: Option<Stop>,
) -> Report {
    let rules = position.rules();
    let outcome = position.outcome();
    Report {
        rules: rules.to_string(),
        size: rules.size,
        komi: rules.komi.value(),
        turns_recorded: record.turns.len(),
        turns_played,
        stopped,
        bans: observations.bans.clone(),
        hot_stones: observations.hot_stones,
        first_hot_turn: observations.first_hot,
        tiles: rules.has_tiles().then(|| observations.tiles(position)),
        result: outcome.map(|outcome| outcome.result.to_string()),
        reason: outcome.map(|outcome| outcome.reason.to_string()),
        score: position.score(),
        prisoners: Color::BOTH.map(|color| position.prisoners(color)),
        result_recorded: record.result.clone(),
        komi_recorded: record.komi,
        defects: record.defects.clone(),
    }
}
