//! Whole matches.

use std::collections::HashSet;
use std::ops::ControlFlow;

use arena::ladder::Ladder;
use arena::{
    Journal, Match, MatchError, MatchReport, Openings, PLAYERS, Player, PlayerSetup, Progress,
    ReferencePlayer, Sprt, UNIT_GAMES, Verdict,
};
use engine::{Color, GameResult, Position, Rules, Variant};
use search::evaluators::{Nan, Scripted, Uniform};
use search::{Evaluation, Evaluator, EvaluatorError};

const RANDOM: Player = Player::Reference(ReferencePlayer::Random);
const GREEDY: Player = Player::Reference(ReferencePlayer::Greedy);

fn contest(rules: &str, size: u8, players: [Player; PLAYERS], pairs: usize) -> Match {
    let rules = Rules::parse(rules, size).expect("rules");
    let [first, second] = players;
    let players = [PlayerSetup::new("first", first), PlayerSetup::new("second", second)];
    Match { pairs, seed: 7, ..Match::new(rules, players) }
}

fn on_with_it(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn played(plan: &Match) -> MatchReport {
    plan.play(&mut [Uniform], &mut on_with_it).expect("a match")
}

#[test]
fn random_players_are_equal() {
    let report = played(&contest("go", 5, [RANDOM; 2], 300));
    assert!(report.tally.pairs.score_interval().contains(&0.5), "{report}");
    assert_eq!(report.tally.total().games(), 600);
    let reasons: u32 = report.reasons.iter().map(|(_, count)| count).sum();
    assert_eq!(reasons, 600);
}

#[test]
fn greedy_beats_random() {
    let report = played(&contest("incursion", 7, [GREEDY, RANDOM], 50));
    assert!(report.tally.pairs.elo().low > 0.0, "{report}");
}

#[test]
fn who_is_stronger_is_so_as_the_second_player_too() {
    let report = played(&contest("incursion", 5, [RANDOM, GREEDY], 40));
    assert!(report.tally.pairs.elo().high < 0.0, "{report}");
    assert!(report.tally.pairs.likelihood_of_superiority() < 0.01, "{report}");
    let mut ladder = Ladder::new(["random", "greedy"].map(String::from).into());
    ladder.enter(0, 1, &report);
    let standings = ladder.standings(1);
    assert_eq!(standings.players[standings.table[0].player], "greedy", "{standings}");
}

#[test]
fn playouts_beat_random_moves() {
    for player in [ReferencePlayer::Uct { playouts: 200 }, ReferencePlayer::Flat { playouts: 200 }]
    {
        let report = played(&contest("incursion,komi=7", 5, [player.into(), RANDOM], 10));
        assert!(report.tally.pairs.elo().low > 100.0, "{report}");
    }
}

#[test]
fn every_variant_can_be_played() {
    for variant in Variant::ALL {
        let players = [RANDOM, Player::searching(0, 4)];
        let report = played(&contest(variant.name(), 5, players, 3));
        assert_eq!(report.games.len(), 6, "{variant}");
        for game in &report.games {
            let mut position = Position::new(game.rules);
            game.moves.iter().for_each(|&chosen| position.play(chosen).expect("a legal game"));
            assert_eq!(position.outcome().map(Into::into), Some(game.end), "{variant}");
            assert!(game.sgf().to_string().contains(&format!("RU[{}]", game.rules)), "{variant}");
        }
    }
}

#[test]
fn a_pair_is_one_opening_with_colours_swapped() {
    let plan = Match { opening_plies: Some(3), ..contest("incursion", 7, [RANDOM, GREEDY], 20) };
    let report = played(&plan);
    assert_eq!((report.opening_plies, report.distinct_openings), (3..=3, 20));
    let mut openings = Vec::new();
    for pair in report.games.chunks_exact(2) {
        assert_eq!(pair[0].moves[..3], pair[1].moves[..3]);
        assert_eq!(pair[0].players, ["first", "second"]);
        assert_eq!(pair[1].players, ["second", "first"]);
        openings.push(&pair[0].moves[..3]);
    }
    openings.sort();
    openings.dedup();
    assert_eq!(openings.len(), 20);
}

#[test]
fn the_tally_counts_the_games() {
    let report = played(&contest("go", 5, [GREEDY, RANDOM], 30));
    let [mut black, mut white] = [0, 0];
    for pair in report.games.chunks_exact(2) {
        black += u32::from(pair[0].end.result == GameResult::Won(Color::Black));
        white += u32::from(pair[1].end.result == GameResult::Won(Color::White));
    }
    let tally = report.tally;
    assert_eq!([tally.by_color[0].wins, tally.by_color[1].wins], [black, white]);
    assert!((tally.total().share() - tally.pairs.score()).abs() < 1e-12);
}

/// As long as searches are too short for several leaves in flight.
#[test]
fn the_seed_decides_and_company_does_not() {
    let players = [ReferencePlayer::Uct { playouts: 20 }.into(), Player::searching(0, 8)];
    let plan = contest("incursion", 5, players, 6);
    let with =
        |plan: &Match| plan.play(&mut [Scripted { seed: 3 }], &mut on_with_it).expect("a match");
    let report = with(&plan);
    assert_eq!(report, with(&plan));
    assert_eq!(report, with(&Match { games_at_once: 3, ..plan.clone() }));
    assert_ne!(report.games, with(&Match { seed: 8, ..plan }).games);
}

#[test]
fn pairs_that_repeat_others_are_counted() {
    let mut plan = contest("incursion", 5, [Player::policy(0), Player::searching(0, 4)], 6);
    plan.openings = Some(Openings::draw(plan.rules, 2, 4, 1));
    let report = plan.play(&mut [Scripted { seed: 3 }], &mut on_with_it).expect("a match");
    assert_eq!(report.repeated_pairs, 2);
    let mut known = HashSet::new();
    let new = report.clone().without_known_pairs(&mut known);
    assert_eq!((new.games.len() + 4, new.repeated_pairs), (report.games.len(), 0));
    let again = report.clone().without_known_pairs(&mut known);
    assert_eq!((again.games.len(), again.tally.total().games()), (0, 0));
    assert!(report.to_string().contains("repeats   2 pairs"), "{report}");
}

#[test]
fn one_player_twice_plays_every_game_twice() {
    let plan = contest("incursion", 5, [Player::policy(0); 2], 10);
    let report = plan.play(&mut [Scripted { seed: 3 }], &mut on_with_it).expect("a match");
    assert_eq!(report.tally.pairs.0, [0, 0, 10, 0, 0]);
    assert_eq!(report.distinct_games, 10);
}

/// Remembers the largest batch.
struct Widest(usize);

impl Evaluator for Widest {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.0 = self.0.max(batch.len());
        Uniform.evaluate(batch)
    }
}

#[test]
fn games_share_batches() {
    let plan = contest("go,max_moves=20", 5, [Player::searching(0, 4), Player::policy(1)], 20);
    let mut evaluators = [Widest(0), Widest(0)];
    plan.play(&mut evaluators, &mut on_with_it).expect("a match");
    assert!(evaluators.iter().all(|evaluator| evaluator.0 >= 30));
}

#[test]
fn a_match_can_be_stopped() {
    let plan = contest("go", 5, [RANDOM; 2], 50);
    let mut seen = 0;
    let report = plan
        .play(&mut [Uniform], &mut |progress: &Progress| {
            seen = progress.tally.pairs.pairs();
            assert_eq!(progress.of, 100);
            if seen >= 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .expect("a match");
    assert_eq!(seen, 10);
    assert_eq!(report.tally.pairs.pairs(), 10);
    assert_eq!(report.games.len(), 20);
}

#[test]
fn what_goes_wrong_is_said() {
    let players = [RANDOM, Player::searching(1, 4)];
    let plan = contest("go", 5, players, 2);
    let error = plan.play(&mut [Uniform], &mut on_with_it).expect_err("no such evaluator");
    assert_eq!(error.to_string(), "second needs evaluator number 1, but there are 1");

    let plan = contest("go", 5, [RANDOM, Player::searching(0, 4)], 2);
    let error = plan.play(&mut [Nan], &mut on_with_it).expect_err("not a number");
    assert!(error.to_string().starts_with("second failed: the prior"), "{error}");

    let none = Match { pairs: 0, ..plan.clone() };
    assert!(matches!(none.play(&mut [Uniform], &mut on_with_it), Err(MatchError::Empty)));

    let long = Match { opening_plies: Some(200), ..plan };
    let error = long.play(&mut [Uniform], &mut on_with_it).expect_err("no such opening");
    assert!(matches!(error, MatchError::NoOpening { plies: 200 }), "{error}");
}

#[test]
fn an_interrupted_match_is_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = contest("incursion", 5, [GREEDY, ReferencePlayer::Uct { playouts: 10 }.into()], 10);
    let whole = played(&plan);

    let (mut journal, finished) = Journal::open(folder.path(), &plan).expect("a new record");
    assert!(finished.is_empty());
    let interrupted = plan.resume(finished, &mut [Uniform], &mut |progress| {
        let (index, game) = progress.last;
        journal.append(index, game).expect("written");
        if progress.games == 7 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(interrupted.expect("a match").games.len() < 20);
    drop(journal);

    // The power fails in the middle of a line.
    let games = folder.path().join("games.jsonl");
    let mut text = std::fs::read(&games).expect("games");
    assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 7);
    text.extend(b"{\"game\": 3, \"bl\xc3");
    std::fs::write(&games, text).expect("written");

    let (mut journal, finished) = Journal::open(folder.path(), &plan).expect("a record");
    assert_eq!(finished.len(), 7);
    let mut new = 0;
    let resumed = plan.resume(finished, &mut [Uniform], &mut |progress| {
        journal.append(progress.last.0, progress.last.1).expect("written");
        new += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(resumed.expect("a match"), whole);
    assert_eq!(new, 1 + 13);

    let held = Journal::open(folder.path(), &plan).expect_err("still open").to_string();
    assert!(held.contains("in use by another process"), "{held}");
    drop(journal);
    let (_, finished) = Journal::open(folder.path(), &plan).expect("a record");
    assert_eq!(finished.len(), 20);
    assert_eq!(plan.resume(finished, &mut [Uniform], &mut on_with_it).expect("a match"), whole);

    let other = Match { networks: vec!["5f3a".to_owned()], ..plan.clone() };
    let message = Journal::open(folder.path(), &other).expect_err("other players").to_string();
    assert!(message.contains("other networks"), "{message}");
    let other = Match { seed: 8, ..plan };
    let message = Journal::open(folder.path(), &other).expect_err("another match").to_string();
    assert!(message.contains("other seed (7 there, 8 here)"), "{message}");
}

#[test]
fn the_solver_plays_a_match() {
    // Openings may be lost already; the empty board is a draw under these rules.
    let players = [ReferencePlayer::Solver.into(), RANDOM];
    let plan = Match { opening_plies: Some(0), ..contest("go", 2, players, 4) };
    let report = played(&plan);
    assert_eq!(report.tally.total().losses, 0, "{report}");
}

/// A test that ends before the match does, with some games of later pairs finished before.
fn tested() -> Match {
    let players = [GREEDY, RANDOM];
    Match { test: Some(Sprt::new(0.0, 100.0)), ..contest("incursion", 5, players, 200) }
}

#[test]
fn a_test_ends_a_match_after_the_same_pair_however_many_are_played_at_once() {
    let plan = tested();
    let report = played(&plan);
    let pairs = report.tally.pairs;
    let test = plan.test.expect("a test");
    assert!((10..150).contains(&pairs.pairs()), "{report}");
    assert_ne!(test.verdict(&pairs), Verdict::Undecided);
    for games_at_once in [2, 7, 64, 400] {
        assert_eq!(played(&Match { games_at_once, ..plan.clone() }), report);
    }
    // It is the first pair with a verdict.
    let before = contest("incursion", 5, [GREEDY, RANDOM], 200);
    let last = pairs.pairs() as usize - 1;
    let mut table = Match { test: Some(test), ..before.clone() }.table();
    for (index, game) in played(&before).games.into_iter().enumerate().take(2 * last) {
        table.enter(index, game).expect("a game of the match");
    }
    assert!(!table.is_decided());
}

#[test]
fn units_make_the_match() {
    let plan = tested();
    let whole = played(&plan);
    let explicit = Match { openings: Some(plan.openings().expect("openings")), ..plan.clone() };
    let mut table = plan.table();
    assert_eq!(plan.units(), 13);
    let on = &mut || true;
    // The last first: the order makes no difference.
    for unit in (0..plan.units()).rev() {
        let text = explicit.play_unit(unit, &mut [Uniform], on).expect("a unit").expect("whole");
        assert_eq!(plan.play_unit(unit, &mut [Uniform], on).expect("a unit"), Some(text.clone()));
        let games = explicit.read_unit(unit, text.as_bytes()).expect("readable");
        assert_eq!(games.len(), if unit == 12 { 400 - 12 * UNIT_GAMES } else { UNIT_GAMES });
        for (index, game) in games {
            table.enter(index, game).expect("a game of the match");
        }
    }
    assert_eq!(plan.report(table).expect("a report"), whole);
    assert_eq!(plan.play_unit(0, &mut [Uniform], &mut || false).expect("a unit"), None);
}

#[test]
fn what_is_no_unit_of_the_match_is_refused() {
    let plan = contest("incursion,komi=0.5", 5, [GREEDY, RANDOM], 20);
    let on = &mut || true;
    let text = plan.play_unit(0, &mut [Uniform], on).expect("a unit").expect("whole");
    let refusal = |plan: &Match, text: &str| plan.read_unit(0, text.as_bytes()).expect_err(text);
    let first = text.lines().next().expect("a game");
    let changed = |from: &str, to: &str| {
        assert!(first.contains(from), "{first}");
        refusal(&plan, &text.replacen(from, to, 1))
    };
    let less: String = text.lines().skip(1).map(|line| format!("{line}\n")).collect();
    assert_eq!(refusal(&plan, &less), "it has 31 games: expected 32");
    assert_eq!(changed("\"game\":0", "\"game\":1"), "game 0: game 1 is in its place");
    assert_eq!(changed("\"black\":\"first\"", "\"black\":\"x\""), "game 0: the players are others");
    assert_eq!(
        changed("\"opening_plies\":2", "\"opening_plies\":1"),
        "game 0: the opening is another"
    );
    let is_black = first.contains("\"winner\":\"B\"");
    let (winner, other) = if is_black { ("B", "W") } else { ("W", "B") };
    let winners = [winner, other].map(|color| format!("\"winner\":\"{color}\""));
    let swapped = changed(&winners[0], &winners[1]);
    assert!(swapped.contains("with another winner"), "{swapped}");
    let reason = first.split("\"reason\":\"").nth(1).and_then(|it| it.split('"').next());
    let reason = format!("\"reason\":\"{}\"", reason.expect("a reason"));
    let resigned = changed(&reason, "\"reason\":\"resignation\"");
    assert_eq!(resigned, "game 0: it does not end by the rules");
    let illegal = changed("\"moves\":\"", "\"moves\":\"A1 A1 ");
    assert!(illegal.starts_with("game 0: A1: "), "{illegal}");
    let seed = Match { seed: 8, ..plan.clone() };
    assert_eq!(refusal(&seed, &text), "game 0: the opening is another");
    assert!(plan.read_unit(1, text.as_bytes()).expect_err("the last").contains("expected 8"));
}
