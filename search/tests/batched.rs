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
            assert_eq!(alone.findings().to_string(), together.findings().to_string());
        }
    }
}

#[test]
fn a_short_search_is_as_if_alone_beside_a_wide_one() {
    let mut alone = searches(1, 16);
    run(&mut alone, &mut Scripted::default()).unwrap();
    let mut company = searches(1, 16);
    company.extend(searches(2, 400));
    run_batched(&mut company, &mut Scripted::default(), 64).unwrap();
    assert_eq!(alone[0].findings().to_string(), company[0].findings().to_string());
    company[1..].iter().for_each(|search| assert_eq!(visits(search), 400));
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
    let mut cached = Cached::new(Counted::new(Scripted::default()), 10_000);
    for _ in 0..2 {
        let (mut plain, mut remembered) = (searches(3, 64), searches(3, 64));
        run(&mut plain, &mut Scripted::default()).unwrap();
        run(&mut remembered, &mut cached).unwrap();
        for (plain, remembered) in plain.iter().zip(&remembered) {
            assert_eq!(plain.findings().to_string(), remembered.findings().to_string());
        }
    }
    let stats = cached.stats();
    assert!(stats.hits > stats.misses, "{stats:?}");
    assert_eq!(cached.len() as u64, stats.misses);
}

#[test]
fn a_cache_tells_rules_apart() {
    let empty_boards: Vec<Position> = ["go,komi=24.5", "go,komi=25.5", "stoical", "incursion"]
        .into_iter()
        .flat_map(|rules| [5, 6].map(|size| Position::new(Rules::parse(rules, size).unwrap())))
        .collect();
    let mut cached = Cached::new(Scripted::default(), 100);
    for position in &empty_boards {
        let evaluation = cached.evaluate(&[position]).unwrap().remove(0);
        evaluation.check(position).unwrap();
    }
    assert_eq!(cached.stats().misses, empty_boards.len() as u64);
}

#[test]
fn a_cache_keeps_to_its_size_and_knows_mirror_images() {
    let rules = Variant::ALL[0].rules(5).unwrap();
    let start = Position::new(rules);
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
    let mut cached = Cached::new(Scripted::default(), 8).counting_symmetries();
    for part in batch.chunks(4) {
        cached.evaluate(part).unwrap();
        assert!(cached.len() <= 8);
    }
    // Cleared now and then: it undercounts rather than taking more memory.
    assert!(cached.stats().symmetric > 0);
    let mut large = Cached::new(Scripted::default(), 100).counting_symmetries();
    large.evaluate(&batch).unwrap();
    // 25 points are 6 up to symmetry, and a pass.
    assert_eq!(large.stats().symmetric, 25 - 6);
    assert_eq!(large.evaluate(&batch).unwrap(), Scripted::default().evaluate(&batch).unwrap());
    assert_eq!(large.stats().hits, batch.len() as u64);
}
