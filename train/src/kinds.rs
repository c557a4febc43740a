//! Statistics of each kind of game in a run: length and fair compensation.

use engine::{Rules, Size};
use selfplay::{Component, Mixture, SelfPlaySettings, TrainingRecord, kind_of};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Number of games over which the mean length is averaged, exponentially weighted.
const MEMORY: f32 = 50.0;

/// Points by which the winner of a game is assumed to have been ahead: all that the result says
/// about what is fair. The games of a phase are all played around the estimate from before it
/// began, so this is also the most by which a phase moves the estimate, however many games it has.
const SHOWN: f32 = 2.0;

/// One kind of game on one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kind {
    /// Its identity, [`kind_of`].
    #[serde(serialize_with = "write_kind", deserialize_with = "read_kind")]
    pub kind: u64,
    /// The board size.
    pub size: Size,
    /// Games recorded.
    pub games: u64,
    /// Positions recorded.
    pub rows: u64,
    /// How many of them had been recorded when the run was forked from another one; only written
    /// where there are any, so that other runs' files stay readable by earlier versions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub before: u64,
    /// Mean number of positions in a game, with the newest games weighted most.
    pub length: f32,
    /// The estimated compensation, in points, at which both players win equally often.
    pub fair: f32,
}

/// All kinds of games that a run has played.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kinds {
    #[serde(default)]
    kinds: Vec<Kind>,
}

impl Kinds {
    /// All kinds, in the order in which they were first seen.
    pub fn all(&self) -> &[Kind] {
        &self.kinds
    }

    /// Adds a finished game. If it was played near the fair compensation, the estimate moves
    /// towards what would have made the game even, by `step` points if it was played exactly at the
    /// estimate. For a kind not played yet, the estimate starts at `usual`.
    pub(crate) fn add_game(&mut self, game: &TrainingRecord, rules: &Rules, usual: f32, step: f32) {
        let (key, size) = (kind_of(rules), rules.size);
        let known = self.kinds.iter().position(|kind| kind.size == size && kind.kind == key);
        let place = known.unwrap_or_else(|| {
            let (games, rows, before, length) = (0, 0, 0, 0.0);
            self.kinds.push(Kind { kind: key, size, games, rows, before, length, fair: usual });
            self.kinds.len() - 1
        });
        let kind = &mut self.kinds[place];
        let rows = game.rows() as f32;
        kind.games += 1;
        kind.rows += game.rows() as u64;
        let weight = (kind.games as f32).min(MEMORY);
        kind.length += (rows - kind.length) / weight;
        // A compensation too far from fair says who wins there, not what is fair.
        let given = rules.compensation_amount();
        if (given - kind.fair).abs() <= SHOWN {
            let even = given + SHOWN * game.result.black_value();
            // If no compensation makes a game even, the estimate would grow without bound.
            let most = size.area() as f32;
            kind.fair = (kind.fair + step / SHOWN * (even - kind.fair)).clamp(-most, most);
        }
    }

    /// Forgets how many positions were recorded, but keeps fair compensations and lengths, for a
    /// run that starts from another run's weights.
    pub(crate) fn forget_rows(&mut self) {
        for kind in &mut self.kinds {
            (kind.rows, kind.before) = (0, 0);
        }
    }

    /// Notes that all positions so far are another run's, for its fork: they count as recorded, but
    /// say nothing about which board size the fork, with shares of its own, has to play next.
    pub(crate) fn fork(&mut self) {
        for kind in &mut self.kinds {
            kind.before = kind.rows;
        }
    }

    /// Positions recorded.
    pub(crate) fn rows(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.rows).sum()
    }

    /// Positions recorded on boards of a size.
    pub(crate) fn rows_on(&self, size: Size) -> u64 {
        self.on(size).map(|kind| kind.rows).sum()
    }

    /// Positions that the run itself has recorded on boards of a size, without those of the run
    /// that it was forked from.
    pub(crate) fn own_rows_on(&self, size: Size) -> u64 {
        self.on(size).map(|kind| kind.rows.saturating_sub(kind.before)).sum()
    }

    /// About how many of the newest `positions` positions are on boards of each of these sizes: the
    /// run's own ones, and as many of those from before it was forked as there is room for.
    pub(crate) fn newest_on(&self, sizes: &[Size], positions: u64) -> Vec<f64> {
        let own = |size: Size| self.own_rows_on(size) as f64;
        let before = |size: Size| self.rows_on(size) as f64 - own(size);
        let sum = |of: &dyn Fn(Size) -> f64| sizes.iter().map(|&size| of(size)).sum::<f64>();
        let room = (positions as f64 - sum(&own)).max(0.0);
        let part = room / sum(&before).max(1.0);
        sizes.iter().map(|&size| own(size) + part * before(size)).collect()
    }

    fn on(&self, size: Size) -> impl Iterator<Item = &Kind> {
        self.kinds.iter().filter(move |kind| kind.size == size)
    }

    /// The mixture, with its shares of games set to produce the wanted shares of positions, and
    /// with the known fair compensations if the run looks for them.
    pub(crate) fn refine(
        &self,
        mixture: Mixture,
        settings: &SelfPlaySettings,
        positions: u64,
    ) -> Mixture {
        let size = mixture.size();
        let on_size = || self.on(size);
        let mean = |of: &dyn Fn(&Kind) -> bool| {
            let lengths: Vec<f32> =
                on_size().filter(|kind| of(kind)).map(|kind| kind.length).collect();
            let mean = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
            if mean > 0.0 { mean } else { size.area() as f32 }
        };
        let shares: Vec<f32> = mixture
            .components()
            .iter()
            .map(|(component, share)| match component {
                Component::Named(rules) => {
                    let key = kind_of(rules);
                    share / mean(&|kind: &Kind| kind.kind == key)
                }
                Component::Combined => share / mean(&|_: &Kind| true),
            })
            .collect();
        let is_sought = settings.komi_step > 0.0;
        let fair = on_size().filter(|_| is_sought).map(|kind| (kind.kind, kind.fair));
        let variation = settings.variation_at(positions);
        mixture.with_shares(&shares).with_fair_compensation(fair.collect(), variation)
    }

    /// The fair compensation under these rules, if games of their kind have been played.
    #[cfg(test)]
    pub(crate) fn fair(&self, rules: &Rules) -> Option<f32> {
        let key = kind_of(rules);
        let of_kind = |kind: &&Kind| kind.size == rules.size && kind.kind == key;
        self.kinds.iter().find(of_kind).map(|kind| kind.fair)
    }
}

fn is_zero(rows: &u64) -> bool {
    *rows == 0
}

/// Writes hexadecimal text: TOML has no unsigned 64-bit integers.
fn write_kind<S: Serializer>(kind: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{kind:016x}"))
}

fn read_kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    u64::from_str_radix(&text, 16).map_err(|_| {
        de::Error::custom(format_args!("kind '{text}': expected a hexadecimal number"))
    })
}

#[cfg(test)]
mod tests {
    use engine::{Color, GameResult, Variant};
    use selfplay::TurnRecord;

    use super::*;

    fn game(rules: &Rules, result: GameResult) -> TrainingRecord {
        let unfinished = TrainingRecord::begun(rules.to_string(), rules.size, 0, 0, Vec::new());
        TrainingRecord { result, ..unfinished }
    }

    /// A drawn game of this many turns, all of which are learnt from.
    fn game_of(rules: &Rules, turns: usize) -> TrainingRecord {
        let turn = || TurnRecord {
            action: 0,
            root_value: 0.0,
            proven: None,
            surprise: 0.0,
            simulations: 8,
            target: vec![(0, u16::MAX)],
        };
        let turns = std::iter::repeat_with(turn).take(turns).collect();
        TrainingRecord { turns, ..game(rules, GameResult::Draw) }
    }

    #[test]
    fn what_is_fair_follows_the_results() {
        let rules = Variant::Go.rules(7).unwrap();
        let usual = rules.compensation_amount();
        let mut kinds = Kinds::default();
        assert_eq!(kinds.fair(&rules), None);
        kinds.add_game(&game(&rules, GameResult::Won(Color::Black)), &rules, usual, 0.25);
        assert_eq!(kinds.fair(&rules), Some(usual + 0.25), "from where rules have it");
        kinds.add_game(&game(&rules, GameResult::Draw), &rules, usual, 1.0);
        assert_eq!(kinds.fair(&rules), Some(usual + 0.125), "a draw is even");
        let far = rules.with_compensation(usual + 20.0).unwrap();
        kinds.add_game(&game(&far, GameResult::Won(Color::White)), &far, usual, 0.25);
        assert_eq!(kinds.fair(&far), Some(usual + 0.125), "it tells nothing");
        for _ in 0..1_000 {
            kinds.add_game(&game(&rules, GameResult::Won(Color::Black)), &rules, usual, 0.25);
        }
        let fair = kinds.fair(&rules).unwrap();
        assert!(
            (fair - usual - SHOWN).abs() < 1e-3,
            "{fair}: as far as the games go that were played"
        );
    }

    #[test]
    fn what_is_fair_stays_on_the_board() {
        let rules = Variant::AlterIgo.rules(3).unwrap();
        let mut kinds = Kinds::default();
        for _ in 0..40 {
            let fair = kinds.fair(&rules).unwrap_or_default();
            let given = rules.with_compensation(fair).unwrap();
            kinds.add_game(&game(&given, GameResult::Won(Color::Black)), &given, 0.0, SHOWN);
        }
        assert_eq!(kinds.fair(&rules), Some(9.0));
    }

    /// Games of a phase are played around the estimate from before it, however many there are.
    #[test]
    fn what_is_fair_is_found_by_few_and_by_many_games_at_once() {
        let rules = Variant::Conquest.rules(7).unwrap();
        let truth = 5.0;
        for (games, step, slope) in [
            (4, 0.25, 0.1),
            (570, 0.05, 0.1),
            (570, 0.25, 1.0),
            (5_000, 0.05, 4.0),
            (570, 0.05, 0.3),
        ] {
            let mut random = search::Random::new(games);
            let mut kinds = Kinds::default();
            let mut late = Vec::new();
            for phase in 0..400 {
                let fair = kinds.fair(&rules).unwrap_or_default();
                for _ in 0..games {
                    let deviation = (0..12).map(|_| random.uniform()).sum::<f32>() - 6.0;
                    let given = rules.with_compensation(fair + deviation).unwrap();
                    let chance =
                        1.0 / (1.0 + (slope * (given.compensation_amount() - truth)).exp());
                    let winner =
                        if random.uniform() < chance { Color::Black } else { Color::White };
                    kinds.add_game(&game(&given, GameResult::Won(winner)), &given, 0.0, step);
                }
                late.extend((phase >= 200).then_some(fair));
            }
            let mean = late.iter().sum::<f32>() / late.len() as f32;
            assert!((mean - truth).abs() < 1.0, "{games} games, {step}: {mean}");
            let square =
                late.iter().map(|fair| (fair - truth).powi(2)).sum::<f32>() / late.len() as f32;
            assert!(square.sqrt() < 1.5, "{games} games, {step}: {} away", square.sqrt());
        }
    }

    #[test]
    fn they_are_the_same_after_a_checkpoint() {
        let mut kinds = Kinds::default();
        let rules = Variant::ALL.map(|variant| variant.rules(5).unwrap());
        rules
            .iter()
            .for_each(|rules| kinds.add_game(&game(rules, GameResult::Draw), rules, 0.0, 0.25));
        let mut again: Kinds = toml::from_str(&toml::to_string(&kinds).unwrap()).unwrap();
        rules
            .iter()
            .for_each(|rules| again.add_game(&game(rules, GameResult::Draw), rules, 0.0, 0.25));
        assert_eq!(again.kinds.len(), kinds.kinds.len());
        assert!(again.kinds.iter().all(|kind| kind.games == 2));
    }

    /// If the run does not look for fair compensations, it plays around the komi of its rules,
    /// whatever is usual.
    #[test]
    fn komi_stays_where_the_rules_have_it_unless_the_run_looks_for_what_is_fair() {
        let rules = Rules::parse("go,komi=3", 5).unwrap();
        let mut kinds = Kinds::default();
        kinds.add_game(&game(&rules, GameResult::Draw), &rules, rules.compensation_amount(), 0.0);
        let far = rules.with_compensation(25.0).unwrap();
        kinds.add_game(&game(&far, GameResult::Draw), &far, 25.0, 0.0);
        let around = |kinds: &Kinds, komi_step| {
            let settings = SelfPlaySettings { komi_step, ..SelfPlaySettings::default() };
            kinds.refine(Mixture::of(rules), &settings, 0).fair_compensation(&rules)
        };
        assert_eq!(around(&kinds, 0.0), 3.0);
        kinds.add_game(&game(&rules, GameResult::Won(Color::Black)), &rules, 3.0, 0.5);
        assert_eq!([around(&kinds, 0.0), around(&kinds, 0.5)], [3.0, 3.5]);
    }

    #[test]
    fn shares_of_games_give_the_wanted_shares_of_positions() {
        let rules = ["go", "tile"].map(|text| Rules::parse(text, 5).unwrap());
        let mut kinds = Kinds::default();
        for (rules, turns) in rules.iter().zip([10, 40]) {
            kinds.add_game(&game_of(rules, turns), rules, 0.0, 0.0);
        }
        let components = rules.map(|rules| (Component::Named(rules), 1.0)).to_vec();
        let mixture = Mixture::new(rules[0].size, components, 0);
        let refined = kinds.refine(mixture, &SelfPlaySettings::default(), 0);
        let [(_, short), (_, long)] = refined.components() else { panic!("two rule sets") };
        assert_eq!(short / long, 4.0);
    }

    #[test]
    fn a_fork_counts_its_own_positions_and_its_windows_hold_the_newest() {
        let [small, large] = [5, 7].map(|size| Rules::parse("go", size).unwrap());
        let sizes = [small.size, large.size];
        let add = |kinds: &mut Kinds, rules: &Rules, games: usize| {
            (0..games).for_each(|_| kinds.add_game(&game_of(rules, 10), rules, 0.0, 0.0));
        };
        let own = |kinds: &Kinds| sizes.map(|size| kinds.own_rows_on(size));
        let mut kinds = Kinds::default();
        add(&mut kinds, &small, 8);
        add(&mut kinds, &large, 2);
        assert_eq!(own(&kinds), [80, 20]);
        assert!(!toml::to_string(&kinds).unwrap().contains("before"));
        kinds.fork();
        assert_eq!(own(&kinds), [0, 0]);
        assert_eq!(kinds.newest_on(&sizes, 50), [40.0, 10.0], "in the shares of the other run");
        add(&mut kinds, &large, 3);
        assert_eq!((own(&kinds), kinds.rows()), ([0, 30], 130));
        assert_eq!(kinds.newest_on(&sizes, 50), [16.0, 34.0], "room for 20 of the other run");
        add(&mut kinds, &large, 3);
        assert_eq!(kinds.newest_on(&sizes, 50), [0.0, 60.0], "its own fill the window");
        let again: Kinds = toml::from_str(&toml::to_string(&kinds).unwrap()).unwrap();
        assert_eq!(again, kinds);
        kinds.forget_rows();
        assert_eq!(own(&kinds), [0, 0]);
    }
}
