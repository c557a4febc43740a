//! Tests that samples say what was played, from the mover's view and under every symmetry.

use engine::{Rules, Variant};
use search::evaluators::Scripted;
use selfplay::{Phase, SelfPlaySettings, Worker};

use super::*;

fn games(variant: Variant, count: usize) -> Vec<FinishedGame> {
    games_of(variant.rules(5).unwrap(), count)
}

fn games_of(rules: Rules, count: usize) -> Vec<FinishedGame> {
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
    let binds = |turn: usize| game.sample(turn, Symmetry::ALL[0]).targets[Head::RuleBinds].clone();
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
            assert!(sign >= 0.0, "{variant}: {margin}");
        }
        assert!(margins > 0, "{variant}: no game has a margin");
    }
}

/// Where the score decides other games, empty points say nothing about this one.
#[test]
fn a_game_won_by_captures_has_no_margin_where_there_is_a_score() {
    let mut games = games_of(Rules::parse("go,capture_goal=1", 5).unwrap(), 16);
    games.retain(|game| game.end.outcome().unwrap().reason == Reason::CaptureGoal);
    assert!(!games.is_empty());
    assert!(games.iter().all(|game| black_margin(&game.end).is_none()));
}

/// White begins with four prisoners and may hold more than Black has won by.
#[test]
fn prisoners_tell_the_margin_only_where_the_want_of_them_decided() {
    for (text, reason) in [
        ("tile,capture_goal=1,komi=4", Reason::CaptureGoal),
        ("tile,max_moves=12,komi=4", Reason::MoveLimit),
    ] {
        let mut games = games_of(Rules::parse(text, 5).unwrap(), 16);
        games.retain(|game| game.end.outcome().unwrap().reason == reason);
        assert!(!games.is_empty(), "{text}");
        for FinishedGame { end, record, .. } in &games {
            let won = record.result.black_value() * end.empty().count() as f32;
            assert_eq!(black_margin(end), Some(won / end.size().area() as f32), "{text}");
        }
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
                assert!(Symmetry::ALL.iter().all(|&other| game.sample(turn, other) == straight));
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
                    let is_tied_next = game.ties.get(turn + 1) == Some(&true);
                    let close = match (reply(&turned, image), reply(&straight, action)) {
                        (Some(turned), Some(straight)) => (turned - straight).abs() < 1e-6,
                        (None, Some(_)) => is_tied_next && symmetry != Symmetry::IDENTITY,
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
fn ties_are_where_moves_are_starred() {
    let mut found = 0;
    for game in games(Variant::Conquest, 64) {
        for turn in 0..game.record.turns.len() {
            let legal = game.position(turn).legal_moves();
            let starred = legal.iter().any(|it| matches!(it, Move::PlaceStarred(_)));
            assert_eq!(game.ties[turn], starred, "turn {turn}");
            found += u32::from(starred);
        }
    }
    assert!(found > 0, "no tie in any game");
}

#[test]
fn a_reply_in_a_tie_is_learnt_only_as_it_was_played() {
    let mut game = game(Variant::Conquest);
    let is_taught = |turn: &usize| {
        let turns = &game.record.turns[*turn..turn + 2];
        turns.iter().all(|it| !it.target.is_empty()) && !game.ties[*turn]
    };
    let turn = (0..game.record.turns.len() - 1).find(is_taught).expect("a turn and its reply");
    for is_tied in [false, true] {
        game.ties[turn + 1] = is_tied;
        for symmetry in Symmetry::ALL {
            let sample = game.sample(turn, symmetry);
            let is_left_out = is_tied && symmetry != Symmetry::IDENTITY;
            assert_eq!(sample.targets[Head::Reply].is_empty(), is_left_out, "{symmetry:?}");
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
