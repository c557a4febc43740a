//! The training targets of a finished game's positions.

use engine::{
    Bitboard, Color, Encoding, GameResult, Move, Position, Size, Symmetry, actions, plane,
};
use models::{FUTURES, HORIZONS, Head, PLIES_CLASSES, PerHead, TrainingSample};
use search::winrate;
use selfplay::{RecordError, TrainingRecord};

/// Horizons of the short-term values, as fractions of the area: a value is weighted 1/e after 1 +
/// area · fraction turns. These are KataGo's.
const HORIZON_SHARES: [f32; HORIZONS] = [0.176, 0.056, 0.016];

/// How many turns ahead the stones are predicted.
const FUTURE_PLIES: [usize; FUTURES] = [8, 32];

/// Horizon in turns within which the variant's own rules are predicted to matter.
const RULE_PLIES: usize = 8;

/// The planes that are empty where the variant's own rules do not matter.
const RULE_PLANES: [usize; 8] = [
    plane::BANNED,
    plane::WINNING,
    plane::NEEDS_TILE,
    plane::OWN_HOT,
    plane::OPPONENT_HOT,
    plane::OWN_OWNED,
    plane::OPPONENT_OWNED,
    plane::LOSING,
];

/// Whether a game is held out from learning; determined by its seed.
pub(crate) fn is_held_out(record: &TrainingRecord, share: f32) -> bool {
    ((record.seed >> 32) as f64) < f64::from(share) * 2f64.powi(32)
}

/// Turns between the stored positions of a game. Replaying it from the first move would take half
/// of the work for a sample, and nine tenths under the hot-stone rule; storing these makes a window
/// take 1.5 times the memory.
const KEPT: usize = 8;

/// A finished game with random access: every position is at most a few turns after a stored one.
pub struct FinishedGame {
    pub(crate) record: TrainingRecord,
    /// Every [`KEPT`]th position, beginning with the first.
    kept: Vec<Position>,
    pub(crate) end: Position,
    /// Whether the variant's own rules mattered in each turn.
    binds: Vec<bool>,
}

impl FinishedGame {
    /// Replays the record, checking every rule and every target.
    ///
    /// # Errors
    /// It is not a game of its rules, or its search data or result is impossible.
    pub fn new(record: TrainingRecord) -> Result<FinishedGame, RecordError> {
        let (mut kept, mut binds) = (Vec::new(), Vec::with_capacity(record.turns.len()));
        let end = record.replay_with(|turn, position| {
            let encoding = Encoding::of(position);
            if binds.len().is_multiple_of(KEPT) {
                kept.push(position.clone());
            }
            binds.push(RULE_PLANES.iter().any(|&plane| !encoding.planes[plane].is_empty()));
            turn.check(&encoding.legal_moves(), record.size)
        })?;
        record.check_end(&end)?;
        Ok(FinishedGame { record, kept, end, binds })
    }

    /// The position before a turn, or the last position.
    fn position(&self, turn: usize) -> Position {
        if turn >= self.record.turns.len() {
            return self.end.clone();
        }
        let mut position = self.kept[turn / KEPT].clone();
        for earlier in turn - turn % KEPT..turn {
            if let Ok(played) = self.record.played(earlier) {
                // The game was checked move by move when it was taken in.
                position.play_unchecked(played);
            }
        }
        position
    }

    /// The training sample for a turn, from the perspective of the player to move.
    pub fn sample(&self, turn: usize, symmetry: Symmetry) -> TrainingSample {
        let position = self.position(turn);
        let size = position.size();
        let mut legal = vec![false; actions(size)];
        let possible = position.legal_moves();
        // In a tie between regions, which one is settled first by a plain move depends on the
        // board's orientation.
        let is_tied = possible.iter().any(|possible| matches!(possible, Move::PlaceStarred(_)));
        let symmetry = if is_tied { Symmetry::IDENTITY } else { symmetry };
        for possible in possible {
            legal[symmetry.map_move(possible, size).action(size)] = true;
        }
        let targets = PerHead::new(|head| self.target(head, turn, &position, symmetry));
        TrainingSample {
            encoding: Encoding::of(&position).transformed(symmetry, size),
            policy: self.policy(turn, symmetry),
            legal,
            targets,
        }
    }

    /// The target of a head for the position before a turn; empty if unknown.
    fn target(&self, head: Head, turn: usize, position: &Position, symmetry: Symmetry) -> Vec<f32> {
        let (mover, size) = (position.turn(), position.size());
        match head {
            Head::Value => match self.record.result_of(turn) {
                GameResult::Won(winner) if winner == mover => vec![1.0, 0.0, 0.0],
                GameResult::Draw => vec![0.0, 1.0, 0.0],
                GameResult::Won(_) => vec![0.0, 0.0, 1.0],
            },
            Head::Occupancy => {
                let classes = classes(self.end.ownership(), mover, symmetry, size);
                classes.into_iter().map(f32::from).collect()
            }
            // Derived from the policy target.
            Head::SoftPolicy => Vec::new(),
            Head::Reply => match self.record.turns.get(turn + 1) {
                Some(next) if !next.target.is_empty() => self.policy(turn + 1, symmetry),
                Some(_) | None => Vec::new(),
            },
            Head::ShortTerm => self.short_term(turn).map(|value| winrate(value, mover)).to_vec(),
            Head::Margin => {
                black_margin(&self.end).map(|margin| mover.sign() * margin).into_iter().collect()
            }
            Head::Plies => one_hot([plies_class(self.record.turns.len() - turn)], PLIES_CLASSES),
            Head::Future => {
                let futures = FUTURE_PLIES.map(|plies| {
                    let later = self.position(turn + plies);
                    let stones = Color::BOTH.map(|color| *later.stones(color));
                    classes(stones, mover, symmetry, size)
                });
                let of_point = |point| futures.each_ref().map(|classes| classes[point]);
                one_hot((0..size.area()).flat_map(of_point), 3)
            }
            Head::RuleBinds => {
                let binds = self.binds[turn..].iter().take(RULE_PLIES).any(|&binds| binds);
                vec![f32::from(u8::from(binds))]
            }
        }
    }

    /// The recorded policy target of a turn, over all actions.
    fn policy(&self, turn: usize, symmetry: Symmetry) -> Vec<f32> {
        let size = self.record.size;
        let mut policy = vec![0.0; actions(size)];
        for &(action, weight) in &self.record.turns[turn].target {
            if let Some(target) = Move::from_action(action.into(), size) {
                policy[symmetry.map_move(target, size).action(size)] = f32::from(weight) / 65535.0;
            }
        }
        let total: f32 = policy.iter().sum();
        policy.iter_mut().for_each(|weight| *weight /= total);
        policy
    }

    /// Black's expected results over three horizons: exponentially weighted means of the searched
    /// values from this turn on, ending with the game's result (KataGo's "td-values").
    fn short_term(&self, turn: usize) -> [f32; HORIZONS] {
        let area = self.record.size.area() as f32;
        let result = self.record.result.black_value();
        HORIZON_SHARES.map(|share| {
            let now = 1.0 / (1.0 + area * share);
            let later = self.record.turns[turn..].iter().rev();
            later.fold(result, |value, turn| value + now * (turn.root_value - value))
        })
    }
}

/// One row per entry, with all probability on its class.
fn one_hot(rows: impl IntoIterator<Item = u8>, classes: usize) -> Vec<f32> {
    let mut numbers = Vec::new();
    for class in rows {
        numbers.resize(numbers.len() + classes, 0.0);
        let row = numbers.len() - classes;
        numbers[row + usize::from(class)] = 1.0;
    }
    numbers
}

/// The class of a number of turns to the end.
fn plies_class(plies: usize) -> u8 {
    (plies.max(1).ilog2() as u8).min(PLIES_CLASSES as u8 - 1)
}

/// The class of each point for the player to move, given each colour's points.
fn classes(of_colors: [Bitboard; 2], mover: Color, symmetry: Symmetry, size: Size) -> Vec<u8> {
    let mut classes = vec![TrainingSample::NEITHER; size.area()];
    for (set, owner) in of_colors.into_iter().zip(Color::BOTH) {
        let class = if owner == mover { TrainingSample::MINE } else { TrainingSample::THEIRS };
        for point in symmetry.map_board(&set, size).iter() {
            classes[point.index(size)] = class;
        }
    }
    classes
}

/// Black's margin of victory as a fraction of the board's area, −1 to 1.
///
/// Where the rules have a score, it is the score. Otherwise it is what the winner has left to play:
/// prisoners where they decide, and empty points elsewhere. A game that was not decided by its
/// score has no margin.
fn black_margin(end: &Position) -> Option<f32> {
    let outcome = end.outcome()?;
    let area = end.size().area() as f32;
    let points = if let Some(score) = end.score() {
        Some(score).filter(|_| outcome.reason.is_by_score())?
    } else if end.rules().returns_prisoners() {
        f32::from(end.prisoners(Color::Black)) - f32::from(end.prisoners(Color::White))
    } else {
        outcome.result.black_value() * end.empty().count() as f32
    };
    Some((points / area).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use engine::Variant;
    use search::evaluators::Scripted;
    use selfplay::{Phase, SelfPlaySettings, Worker};

    use super::*;

    fn games(variant: Variant, count: usize) -> Vec<FinishedGame> {
        let rules = variant.rules(5).unwrap();
        let phase = Phase { simulations: 8, model: 0 };
        let mut worker = Worker::new(rules, SelfPlaySettings::default(), phase, 4, 5);
        let mut games = Vec::new();
        while games.len() < count {
            let finished = worker.step(&mut Scripted { seed: 1 }).unwrap().1;
            games.extend(finished.into_iter().map(|record| FinishedGame::new(record).unwrap()));
        }
        games
    }

    fn game(variant: Variant) -> FinishedGame {
        games(variant, 1).remove(0)
    }

    /// The position before a turn, replayed from the first move.
    fn replayed(game: &FinishedGame, turn: usize) -> Position {
        let turns = game.record.turns[..turn].to_vec();
        TrainingRecord { turns, ..game.record.clone() }.replay().unwrap()
    }

    #[test]
    fn every_position_is_the_one_that_was_played() {
        for variant in Variant::ALL {
            let game = game(variant);
            for turn in 0..=game.record.turns.len() {
                let (found, expected) = (game.position(turn), replayed(&game, turn));
                assert_eq!(found.hash(), expected.hash(), "{variant}, turn {turn}");
                assert_eq!(Encoding::of(&found), Encoding::of(&expected), "{variant}, turn {turn}");
            }
        }
    }

    #[test]
    fn every_variant_gives_targets_from_the_movers_view() {
        for variant in Variant::ALL {
            let game = game(variant);
            let turns = game.record.turns.len();
            for turn in (0..turns).filter(|&turn| !game.record.turns[turn].target.is_empty()) {
                let sample = game.sample(turn, Symmetry::ALL[turn % 8]);
                assert!((sample.policy.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{variant}");
                let targets = &sample.targets;
                assert_eq!(targets[Head::Plies][usize::from(plies_class(turns - turn))], 1.0);
                assert_eq!(targets[Head::Plies].iter().sum::<f32>(), 1.0);
                let mut values = targets[Head::ShortTerm].iter().map(|chance| 2.0 * chance - 1.0);
                assert_eq!(values.len(), HORIZONS);
                assert!(values.all(|value| value.abs() <= 1.0 + 1e-5));
                let reply: f32 = targets[Head::Reply].iter().sum();
                assert!(targets[Head::Reply].is_empty() || (reply - 1.0).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn plies_fall_into_classes_that_double() {
        let classes = [1, 2, 3, 4, 7, 8, 127, 128, 5000].map(plies_class);
        assert_eq!(classes, [0, 1, 1, 2, 2, 3, 6, 7, 7]);
    }

    #[test]
    fn the_future_is_what_is_played_and_ends_with_the_game() {
        for variant in Variant::ALL {
            let game = game(variant);
            let turns = game.record.turns.len();
            let stones = |turn: usize, mover: Color| {
                let position = replayed(&game, turn.min(turns));
                let stones = Color::BOTH.map(|color| *position.stones(color));
                classes(stones, mover, Symmetry::ALL[0], position.size())
            };
            for turn in [0, turns / 2, turns - 1] {
                let sample = game.sample(turn, Symmetry::ALL[0]);
                let mover = replayed(&game, turn).turn();
                for (index, plies) in FUTURE_PLIES.into_iter().enumerate() {
                    let rows = sample.targets[Head::Future].chunks_exact(3);
                    let found = rows.skip(index).step_by(FUTURES).map(|row| {
                        (0..3).find(|&class| row[class] == 1.0 && row.iter().sum::<f32>() == 1.0)
                    });
                    let expected = stones(turn + plies, mover).into_iter();
                    assert!(
                        found.eq(expected.map(|class| Some(usize::from(class)))),
                        "{variant}, turn {turn}, {plies} later"
                    );
                }
            }
        }
    }

    #[test]
    fn rules_bind_where_the_variant_has_its_own() {
        for variant in Variant::ALL {
            let games = games(variant, 16);
            assert!(games.iter().any(|game| game.binds.contains(&true)), "{variant}");
        }
        let mut game = game(Variant::Go);
        game.binds.fill(false);
        let last = game.binds.len() - 1;
        game.binds[last] = true;
        let binds =
            |turn: usize| game.sample(turn, Symmetry::ALL[0]).targets[Head::RuleBinds].clone();
        assert_eq!(binds(last), [1.0]);
        assert_eq!(binds(last + 1 - RULE_PLIES), [1.0]);
        assert_eq!(binds(last - RULE_PLIES), [0.0]);
    }

    /// The error for a changed record.
    fn refusal(change: impl FnOnce(&mut TrainingRecord)) -> String {
        let mut record = game(Variant::Go).record;
        change(&mut record);
        FinishedGame::new(record).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn what_cannot_have_been_played_or_searched_is_refused_with_a_reason() {
        assert_eq!(refusal(|_| ()), "");
        let other = |result| match result {
            GameResult::Won(winner) => GameResult::Won(winner.opponent()),
            GameResult::Draw => GameResult::Won(Color::Black),
        };
        assert!(refusal(|game| game.result = other(game.result)).contains("result"));
        assert!(refusal(|game| game.result = GameResult::Draw).contains("draw"));
        assert!(refusal(|game| drop(game.turns.pop())).contains("ends before"));
        assert!(refusal(|game| game.turns.push(game.turns[0].clone())).contains("of the record"));
        for value in [f32::NAN, f32::INFINITY, -1.1] {
            assert!(refusal(|game| game.turns[1].root_value = value).contains("turn 2"), "{value}");
        }
        for surprise in [f32::NAN, f32::INFINITY, -0.1] {
            assert!(refusal(|game| game.turns[1].surprise = surprise).contains("surprise"));
        }
        // An occupied point, a repeated one, and an action off the board.
        let twice = |game: &mut TrainingRecord| vec![(game.turns[4].action, 9); 2];
        let taken = |game: &mut TrainingRecord| vec![(game.turns[3].action, 9)];
        assert!(refusal(|game| game.turns[4].target = twice(game)).contains("repeated"));
        let board = |game: &TrainingRecord| usize::from(game.turns[3].action) < game.size.area();
        assert!(board(&game(Variant::Go).record), "a placement");
        assert!(refusal(|game| game.turns[4].target = taken(game)).contains("illegal"));
        let beyond = vec![(u16::MAX, 9)];
        assert!(refusal(|game| game.turns[4].target = beyond).contains("65535"));
        let weightless = |game: &mut TrainingRecord| vec![(game.turns[4].action, 0)];
        assert!(refusal(|game| game.turns[4].target = weightless(game)).contains("no weight"));
    }

    /// What decides the game, counted anew: the score, the prisoners, or what the winner has left
    /// to play.
    #[test]
    fn the_margin_is_what_decided_the_game_in_shares_of_the_board() {
        for variant in Variant::ALL {
            let games = games(variant, 8);
            let mut margins = 0;
            for game in &games {
                let Some(margin) = black_margin(&game.end) else { continue };
                margins += 1;
                let (rules, area) = (game.end.rules(), game.end.size().area() as f32);
                if rules.has_score() {
                    assert_eq!(margin, (game.end.score().unwrap() / area).clamp(-1.0, 1.0));
                }
                let sign = margin * game.record.result.black_value();
                assert!(rules.returns_prisoners() || sign >= 0.0, "{variant}: {margin}");
            }
            assert!(margins > 0, "{variant}: no game has a margin");
        }
    }

    /// Whoever is to move, a win is the first class, and a lead is positive.
    #[test]
    fn results_are_told_from_the_movers_view() {
        for variant in Variant::ALL {
            let mut movers = [0; 2];
            for game in games(variant, 4) {
                let rows = (0..game.record.turns.len())
                    .filter(|&turn| !game.record.turns[turn].target.is_empty());
                for turn in rows {
                    let mover = replayed(&game, turn).turn();
                    let targets = game.sample(turn, Symmetry::ALL[0]).targets;
                    let value = targets[Head::Value][0] - targets[Head::Value][2];
                    let result = game.record.result_of(turn).black_value();
                    assert_eq!(value, mover.sign() * result, "{variant}, turn {turn}");
                    let short = targets[Head::ShortTerm].iter().map(|chance| 2.0 * chance - 1.0);
                    for (told, black) in short.zip(game.short_term(turn)) {
                        assert!((told - mover.sign() * black).abs() < 1e-5, "{variant}");
                    }
                    let margin = black_margin(&game.end).map(|margin| mover.sign() * margin);
                    assert_eq!(targets[Head::Margin].first(), margin.as_ref(), "{variant}");
                    movers[mover.index()] += 1;
                }
            }
            assert!(movers.iter().all(|&count| count > 0), "{variant}: {movers:?}");
        }
    }

    /// Transforming a board transforms everything that is learnt from it in the same way, except
    /// under ties, which do not transform.
    #[test]
    fn a_turned_sample_is_the_sample_turned() {
        for variant in Variant::ALL {
            let game = game(variant);
            let size = game.record.size;
            let turns = 0..game.record.turns.len();
            for turn in turns.filter(|&turn| !game.record.turns[turn].target.is_empty()).take(12) {
                let straight = game.sample(turn, Symmetry::IDENTITY);
                if straight.legal[size.area() + 1..].contains(&true) {
                    assert!(
                        Symmetry::ALL.iter().all(|&other| game.sample(turn, other) == straight)
                    );
                    continue;
                }
                for symmetry in Symmetry::ALL {
                    let turned = game.sample(turn, symmetry);
                    assert!(turned.encoding == straight.encoding.transformed(symmetry, size));
                    for action in 0..actions(size) {
                        let played = Move::from_action(action, size).unwrap();
                        let image = symmetry.map_move(played, size).action(size);
                        let context = format!("{variant}, turn {turn}, {symmetry:?}, {played}");
                        let chances = turned.policy[image] - straight.policy[action];
                        assert!(chances.abs() < 1e-6, "{context}");
                        assert_eq!(turned.legal[image], straight.legal[action], "{context}");
                        assert!(turned.legal[image] || turned.policy[image] == 0.0, "{context}");
                        let reply = |sample: &TrainingSample, action: usize| {
                            sample.targets[Head::Reply].get(action).copied()
                        };
                        let close = match (reply(&turned, image), reply(&straight, action)) {
                            (Some(turned), Some(straight)) => (turned - straight).abs() < 1e-6,
                            (turned, straight) => turned == straight,
                        };
                        assert!(close, "{context}");
                        let Move::Place(_) = played else { continue };
                        for (head, classes) in [(Head::Occupancy, 1), (Head::Future, 3 * FUTURES)] {
                            let of = |sample: &TrainingSample, point: usize| {
                                let row = classes * point..classes * (point + 1);
                                sample.targets[head][row].to_vec()
                            };
                            assert_eq!(of(&turned, image), of(&straight, action), "{context}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn short_horizons_look_at_the_near_future_and_the_last_turn_at_the_result() {
        let mut game = game(Variant::Go);
        game.record.turns.iter_mut().for_each(|turn| turn.root_value = 0.0);
        game.record.result = GameResult::Won(Color::Black);
        let [far, middle, near] = game.short_term(0);
        assert!(far > middle && middle > near && near >= 0.0);
        let last = game.record.turns.len() - 1;
        // One searched value of 0 and then the result: 1 − 1/(1 + 25·share).
        let expected = HORIZON_SHARES.map(|share| 1.0 - 1.0 / (1.0 + 25.0 * share));
        assert_eq!(game.short_term(last), expected);
    }
}
