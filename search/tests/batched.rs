//! Several leaves in flight, and the caching evaluator.
#![allow(clippy::unwrap_used)]

use engine::{Position, Rules, Variant};
use search::evaluators::{Nan, Scripted};
use search::{Cached, Counted, Evaluator, Search, Settings, run, run_batched};

fn searches(count: u64, simulations: u32) -> Vec<Search> {
    let settings = Settings { simulations, ..Settings::default() };
    let rules = Variant::ALL[0].rules(5).unwrap();
    (0..count).map(|seed| Search::new(Position::new(rules), settings, seed)).collect()
}

fn visits(search: &Search) -> u32 {
    search.result().moves.iter().map(|stats| stats.visits).sum()
}

#[test]
fn a_wide_search_makes_all_its_simulations_in_fewer_batches() {
    let mut narrow = Counted::new(Scripted::default());
    let mut wide = Counted::new(Scripted::default());
    run(&mut searches(1, 800), &mut narrow).unwrap();
    let mut list = searches(1, 800);
    run_batched(&mut list, &mut wide, 32).unwrap();
    assert_eq!(visits(&list[0]), 800);
    assert!(wide.batches * 8 < narrow.batches, "{} {}", wide.batches, narrow.batches);
    assert!(wide.positions <= 801);
}

#[test]
fn many_or_short_searches_are_as_if_alone() {
    for (count, simulations) in [(8, 16), (40, 100)] {
        let mut alone = searches(count, simulations);
        run(&mut alone, &mut Scripted::default()).unwrap();
        let mut together = searches(count, simulations);
        run_batched(&mut together, &mut Scripted::default(), 32).unwrap();
        for (alone, together) in alone.iter().zip(&together) {
            assert_eq!(alone.state().to_string(), together.state().to_string());
        }
    }
}

#[test]
fn a_short_search_is_as_if_alone_beside_a_wide_one() {
    let mut alone = searches(1, 16);
    run(&mut alone, &mut Scripted::default()).unwrap();
    let mut together = searches(1, 16);
    together.extend(searches(2, 400));
    run_batched(&mut together, &mut Scripted::default(), 64).unwrap();
    assert_eq!(alone[0].state().to_string(), together[0].state().to_string());
    together[1..].iter().for_each(|search| assert_eq!(visits(search), 400));
}

#[test]
fn a_wide_search_goes_on_after_an_error() {
    let mut list = searches(2, 200);
    assert!(run_batched(&mut list, &mut Nan, 16).is_err());
    run_batched(&mut list, &mut Scripted::default(), 16).unwrap();
    list.iter().for_each(|search| assert_eq!(visits(search), 200));
}

#[test]
fn a_cache_changes_nothing_but_the_number_of_questions() {
    let mut uncached = Counted::new(Scripted::default());
    let mut passed_on = Counted::new(Scripted::default());
    let mut cached = Cached::new(&mut passed_on, 10_000);
    for _ in 0..2 {
        let (mut plain, mut with_cache) = (searches(3, 64), searches(3, 64));
        run(&mut plain, &mut uncached).unwrap();
        run(&mut with_cache, &mut cached).unwrap();
        for (plain, with_cache) in plain.iter().zip(&with_cache) {
            assert_eq!(plain.state().to_string(), with_cache.state().to_string());
        }
    }
    drop(cached);
    let (uncached, passed_on) = (uncached.positions, passed_on.positions);
    assert!(
        2 * passed_on <= uncached,
        "the second time, none is passed on: {passed_on} of {uncached}"
    );
}

#[test]
fn a_cache_tells_rules_apart() {
    let empty_boards: Vec<Position> = ["go,komi=24.5", "go,komi=25.5", "stoical", "incursion"]
        .into_iter()
        .flat_map(|rules| [5, 6].map(|size| Position::new(Rules::parse(rules, size).unwrap())))
        .collect();
    let mut passed_on = Counted::new(Scripted::default());
    let mut cached = Cached::new(&mut passed_on, 100);
    for position in &empty_boards {
        let evaluation = cached.evaluate(&[position]).unwrap().remove(0);
        evaluation.check(position).unwrap();
    }
    drop(cached);
    assert_eq!(passed_on.positions, empty_boards.len() as u64);
}

#[test]
fn a_cache_answers_as_the_evaluator_does_and_keeps_to_its_size() {
    let start = Position::new(Variant::ALL[0].rules(5).unwrap());
    let first_moves: Vec<Position> = start
        .legal_moves()
        .iter()
        .map(|&played| {
            let mut next = start.clone();
            next.play_unchecked(played);
            next
        })
        .collect();
    let batch: Vec<&Position> = first_moves.iter().collect();
    let expected = Scripted::default().evaluate(&batch).unwrap();
    let asked_twice = |capacity| {
        let mut passed_on = Counted::new(Scripted::default());
        let mut cached = Cached::new(&mut passed_on, capacity);
        for _ in 0..2 {
            assert_eq!(cached.evaluate(&batch).unwrap(), expected);
        }
        drop(cached);
        passed_on.positions as usize
    };
    assert_eq!(asked_twice(100), batch.len());
    for most_known in [8, 9] {
        let again = asked_twice(most_known) - batch.len();
        assert!(again < batch.len() && again >= batch.len() - most_known, "{again} asked again");
    }
    assert_eq!(asked_twice(1), 2 * batch.len());
}
