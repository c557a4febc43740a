//! Games in progress that are parked, and go on elsewhere.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::io::Read;

use engine::{Rules, Variant};
use search::evaluators::Scripted;
use selfplay::format::{self, LIMITS};
use selfplay::{
    Component, Mixture, ParkedGame, Phase, SelfPlay, SelfPlaySettings, TrainingRecord, UnparkError,
};

const PHASE: Phase = Phase { simulations: 8, model: 5 };
const LATER: Phase = Phase { simulations: 6, model: 9 };

fn settings() -> SelfPlaySettings {
    SelfPlaySettings { games: 6, decided_chance: 0.1, ..SelfPlaySettings::default() }
}

fn self_play(mixtures: &[Mixture], seed: u64) -> SelfPlay {
    SelfPlay::new(mixtures, &settings(), PHASE, 1, seed)
}

/// Plays this many batches or a few more, and returns the games that end meanwhile, each with what
/// it has cost, and the total cost.
fn play(
    games: &mut SelfPlay,
    mixture: &Mixture,
    phase: Phase,
    batches: u64,
) -> (Vec<(TrainingRecord, u64)>, u64) {
    let mut finished = Vec::new();
    let mut counted = 0;
    let take = |game: Option<TrainingRecord>, report: &selfplay::PhaseReport| {
        finished.extend(game.map(|game| (game, report.game_evaluations - counted)));
        counted = report.game_evaluations;
        report.batches < batches
    };
    let report = games.play(mixture, phase, || Scripted { seed: 2 }, take).unwrap();
    (finished, report.evaluations)
}

/// The games as another process reads them.
fn carried(games: &[ParkedGame]) -> Vec<ParkedGame> {
    format::decode(format::encode(games).as_slice(), LIMITS).unwrap()
}

/// Some games in progress.
fn parked(mixture: &Mixture, seed: u64) -> Vec<ParkedGame> {
    let mut games = self_play(std::slice::from_ref(mixture), seed);
    play(&mut games, mixture, PHASE, 60);
    games.parked()
}

#[test]
fn games_go_on_as_if_nobody_had_asked_for_them() {
    let mixture = Mixture::of(Variant::Incursion.rules(4).unwrap());
    let mut games = [0, 1].map(|_| self_play(std::slice::from_ref(&mixture), 3));
    let mut finished = [Vec::new(), Vec::new()];
    for _ in 0..20 {
        for (is_asked, (games, finished)) in
            [false, true].into_iter().zip(games.iter_mut().zip(&mut finished))
        {
            finished.extend(play(games, &mixture, PHASE, 20).0);
            assert!(!is_asked || games.parked().len() == 6);
        }
    }
    let [one, two] = finished;
    let both = one.len().min(two.len());
    assert!(both > 12, "{both}");
    assert_eq!(one[..both], two[..both]);
}

#[test]
fn parked_games_go_on_elsewhere_and_end_with_all_that_was_recorded() {
    for variant in Variant::ALL {
        let mixtures = [4, 5].map(|size| Mixture::of(variant.rules(size).unwrap()));
        let mut first = self_play(&mixtures, 7);
        mixtures.iter().for_each(|mixture| drop(play(&mut first, mixture, PHASE, 40)));
        let games = first.parked();
        assert_eq!((games.len(), &carried(&games)), (12, &games));
        let second = || {
            let mut second = self_play(&mixtures, 8);
            let unfit = second.unpark(carried(&games), LATER);
            assert!(unfit.is_empty(), "{variant}: {unfit:?}");
            assert_eq!(second.parked().len(), 12, "{variant}");
            let mut ended = HashMap::new();
            for mixture in &mixtures {
                let known = |seed: &u64| games.iter().any(|game| game.seed() == *seed);
                let of_size = ended.len();
                while ended.keys().filter(|seed| known(seed)).count() < of_size.min(6) + 6 {
                    let (finished, _) = play(&mut second, mixture, LATER, 20);
                    ended.extend(
                        finished
                            .into_iter()
                            .filter(|(game, _)| known(&game.seed))
                            .map(|(game, evaluations)| (game.seed, (game, evaluations))),
                    );
                }
            }
            ended
        };
        let ended = second();
        for game in &games {
            let (record, evaluations) = &ended[&game.seed()];
            let before = game.record();
            assert_eq!(record.turns[..before.turns.len()], before.turns, "{variant}");
            assert_eq!((&record.rules, record.model), (&before.rules, before.model));
            assert_eq!(record.replay().unwrap().outcome().unwrap().result, record.result);
            assert!(*evaluations > game.evaluations(), "{variant}");
            let last = record.turns.last().unwrap();
            assert!(last.simulations <= 100 && record.turns.len() > before.turns.len());
        }
        assert_eq!(ended, second(), "{variant}: what goes on does so in one way");
    }
}

#[test]
fn a_game_costs_what_it_has_cost_everybody() {
    let mixture = Mixture::of(Rules::parse("nogo", 5).unwrap());
    let (mut all, mut finished, mut games) = (0, Vec::new(), Vec::new());
    for process in 0..40 {
        let mut next = self_play(std::slice::from_ref(&mixture), process);
        assert!(next.unpark(carried(&games), PHASE).is_empty());
        let (ended, evaluations) = play(&mut next, &mixture, PHASE, 25);
        finished.extend(ended);
        all += evaluations;
        games = next.parked();
    }
    let spent: u64 = finished.iter().map(|(_, evaluations)| evaluations).sum();
    let open: u64 = games.iter().map(ParkedGame::evaluations).sum();
    assert!(finished.len() > 6, "{}", finished.len());
    assert_eq!(spent + open, all);
}

#[test]
fn games_are_taken_up_one_after_another_if_there_are_too_many() {
    let mixture = Mixture::of(Rules::parse("nogo", 4).unwrap());
    let games = [parked(&mixture, 1), parked(&mixture, 2), parked(&mixture, 3)].concat();
    let mut next = self_play(std::slice::from_ref(&mixture), 4);
    assert!(next.unpark(games.clone(), PHASE).is_empty());
    let mut ended = 0;
    while ended < 18 {
        let (finished, _) = play(&mut next, &mixture, PHASE, 10);
        ended += finished
            .iter()
            .filter(|(game, _)| games.iter().any(|it| it.seed() == game.seed))
            .count();
        assert!(ended == 18 || next.parked().len() >= 18 - ended);
    }
    assert_eq!(next.parked().len(), 6);
}

#[test]
fn what_cannot_go_on_is_left_out_with_a_reason() {
    let go = Mixture::of(Rules::parse("go", 4).unwrap());
    let sound = parked(&go, 1);
    let mut next = self_play(std::slice::from_ref(&go), 2);
    let foreign: Vec<ParkedGame> = [("go", 5), ("tile", 4), ("go,suicide=false", 4)]
        .into_iter()
        .zip(3..)
        .flat_map(|((rules, size), seed)| {
            parked(&Mixture::of(Rules::parse(rules, size).unwrap()), seed)
        })
        .collect();
    let all = [foreign, sound.clone(), sound.clone()].concat();
    let unfit = next.unpark(all, PHASE);
    let count =
        |is_so: fn(&UnparkError) -> bool| unfit.iter().filter(|(_, why)| is_so(why)).count();
    assert_eq!(count(|why| matches!(why, UnparkError::Foreign { .. })), 18);
    assert_eq!(count(|why| matches!(why, UnparkError::Duplicate)), 6);
    assert_eq!(unfit.len(), 24);
    assert!(next.parked().iter().map(ParkedGame::record).eq(sound.iter().map(ParkedGame::record)));
    assert!(unfit[0].1.to_string().ends_with("on 5×5 is not played here"), "{}", unfit[0].1);
}

/// Whatever bytes a checksum covers, nothing but a game that can be played goes on.
#[test]
fn games_from_damaged_bytes_are_left_out_or_can_be_played() {
    let rules = Rules::parse("go", 4).unwrap();
    let components = vec![(Component::Named(rules), 1.0), (Component::Combined, 1.0)];
    let mixture = Mixture::new(rules.size, components, 0);
    let (mut read, mut unfit) = (0, HashMap::<String, usize>::new());
    for game in parked(&mixture, 5) {
        let mut file = Vec::new();
        let packed = format::encode(std::slice::from_ref(&game));
        zstd::stream::read::Decoder::new(packed.as_slice())
            .unwrap()
            .read_to_end(&mut file)
            .unwrap();
        let (start, bytes) = file.split_at(16);
        for place in 0..bytes.len() {
            for flip in [0x01, 0x7f, 0x80, 0xff] {
                let mut bytes = bytes.to_vec();
                bytes[place] ^= flip;
                let checksum = crc32c::crc32c(&bytes).to_le_bytes();
                let file = [&start[..12], &checksum, &bytes].concat();
                let file = zstd::encode_all(file.as_slice(), 1).unwrap();
                let Ok(games) = format::decode::<ParkedGame>(file.as_slice(), LIMITS) else {
                    continue;
                };
                read += 1;
                let mut next = self_play(std::slice::from_ref(&mixture), 1);
                let why = next.unpark(games, PHASE);
                for (_, why) in &why {
                    let kind =
                        format!("{why:?}").chars().take_while(|c| c.is_alphabetic()).collect();
                    *unfit.entry(kind).or_default() += 1;
                }
                if why.is_empty() && place % 7 == 0 {
                    play(&mut next, &mixture, PHASE, 12);
                }
            }
        }
    }
    assert!(read > 1000, "{read}");
    for kind in ["Foreign", "Unsound", "InconsistentCounts"] {
        assert!(unfit.contains_key(kind), "{unfit:?}");
    }
}
