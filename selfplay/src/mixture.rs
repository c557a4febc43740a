//! The rules of new games: one rule set, several, or random combinations, on boards of one size.

use std::collections::HashMap;

use engine::{Rules, Size, Variant};
use rand::{Rng, RngExt};

use crate::SelfPlaySettings;

/// Attempts to draw a combination that is not held out.
const ATTEMPTS: u32 = 64;

/// Standard deviation of a wide komi, as a fraction of the board's area. KataGo: at least 12 points
/// on 361.
const WIDE_DEVIATION: f32 = 0.15;

/// Fraction of games whose drawn komi is moved to a half point, so that few end in draws.
const HALF_SHARE: f32 = 0.5;

/// A rule set, or random rule sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Component {
    /// This rule set.
    Named(Rules),
    /// A new random combination for each game.
    Combined,
}

/// An identifier for the kind of a rule set: games of one kind have about the same fair
/// compensation. A kind is a named variant, or all other rule sets that differ only in what does
/// not affect the balance.
pub fn kind_of(rules: &Rules) -> u64 {
    let bare = rules.without_compensation();
    if bare.variant().is_some() {
        bare.kind_hash()
    } else {
        bare.plainest_of_similar_balance().kind_hash()
    }
}

/// The variant of these rules, ignoring compensation.
pub fn variant_of(rules: &Rules) -> Option<Variant> {
    rules.without_compensation().variant()
}

/// Rule sets on boards of one size, each with its share of the games.
#[derive(Debug, Clone)]
pub struct Mixture {
    size: Size,
    components: Vec<(Component, f32)>,
    /// One in this many combinations is held out, chosen by its identity; 0 holds none out.
    held_out: u64,
    /// The fair compensation, by [`kind_of`].
    fair: HashMap<u64, f32>,
    /// The fraction of the settings' variation of compensation currently in force, 0 to 1.
    variation: f32,
}

impl Mixture {
    /// A mixture of one rule set.
    pub fn of(rules: Rules) -> Mixture {
        Mixture::new(rules.size, vec![(Component::Named(rules), 1.0)], 0)
    }

    /// A mixture of several components with their shares of the games.
    pub fn new(size: Size, components: Vec<(Component, f32)>, held_out: u64) -> Mixture {
        Mixture { size, components, held_out, fair: HashMap::new(), variation: 1.0 }
    }

    /// The board size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The components with their shares.
    pub fn components(&self) -> &[(Component, f32)] {
        &self.components
    }

    /// Whether the mixture can draw these rules, ignoring compensation.
    pub fn plays(&self, rules: &Rules) -> bool {
        let is_among = |component: &Component| match component {
            Component::Named(named) => named.without_compensation() == rules.without_compensation(),
            Component::Combined => rules.is_combination() && !is_held_out(rules, self.held_out),
        };
        rules.size == self.size && self.components.iter().any(|(component, _)| is_among(component))
    }

    /// The same mixture with other shares of the games, in the order of [`Mixture::components`].
    #[must_use]
    pub fn with_shares(mut self, shares: &[f32]) -> Mixture {
        self.components.iter_mut().zip(shares).for_each(|((_, share), &given)| *share = given);
        self
    }

    /// The same mixture with the known fair compensations, by [`kind_of`], and with this fraction
    /// (0 to 1) of the settings' variation.
    #[must_use]
    pub fn with_fair_compensation(self, fair: HashMap<u64, f32>, variation: f32) -> Mixture {
        Mixture { fair, variation, ..self }
    }

    /// The compensation around which games of this kind are varied.
    pub fn fair_compensation(&self, rules: &Rules) -> f32 {
        self.fair.get(&kind_of(rules)).copied().unwrap_or(rules.compensation_amount())
    }

    /// Draws the rules of a game.
    pub(crate) fn draw(&self, settings: &SelfPlaySettings, random: &mut impl Rng) -> Rules {
        let shares: Vec<f32> = self.components.iter().map(|&(_, share)| share).collect();
        let drawn = search::draw(&shares, random.random());
        let rules = match drawn.map(|index| &self.components[index].0) {
            Some(Component::Named(rules)) => *rules,
            Some(Component::Combined) | None => self.combine(random),
        };
        self.compensate(rules, settings, random)
    }

    fn combine(&self, random: &mut impl Rng) -> Rules {
        let mut draw = || Rules::combined(self.size, |count| random.random_range(0..count));
        let mut rules = draw();
        for _ in 0..ATTEMPTS {
            if !is_held_out(&rules, self.held_out) {
                break;
            }
            rules = draw();
        }
        rules
    }

    /// In a share of games, varies the compensation around the fair one.
    fn compensate(
        &self,
        rules: Rules,
        settings: &SelfPlaySettings,
        random: &mut impl Rng,
    ) -> Rules {
        if random.random::<f32>() >= settings.komi_share * self.variation {
            return rules;
        }
        let fair = self.fair_compensation(&rules);
        let is_wide = random.random::<f32>() < settings.wide_komi_share;
        let deviation = if is_wide {
            WIDE_DEVIATION * self.size.area() as f32
        } else {
            settings.komi_deviation
        };
        let mut amount = fair + deviation * normal(random);
        if rules.has_score() && random.random::<f32>() < HALF_SHARE {
            amount = amount.floor() + 0.5;
        }
        rules.with_compensation(amount).unwrap_or(rules)
    }
}

/// Whether a rule set is held out of random combinations: one in `one_in` unnamed rule sets is,
/// whatever their compensation.
pub fn is_held_out(rules: &Rules, one_in: u64) -> bool {
    one_in > 0
        && variant_of(rules).is_none()
        && rules.without_compensation().kind_hash().is_multiple_of(one_in)
}

/// A normally distributed number, by the Box–Muller method.
fn normal(random: &mut impl Rng) -> f32 {
    let (a, b): (f32, f32) = (random.random(), random.random());
    (-2.0 * (1.0 - a).ln()).sqrt() * (std::f32::consts::TAU * b).cos()
}

#[cfg(test)]
mod tests {
    use engine::Variant;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn drawn(mixture: &Mixture, settings: &SelfPlaySettings, count: usize) -> Vec<Rules> {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        (0..count).map(|_| mixture.draw(settings, &mut random)).collect()
    }

    #[test]
    fn rule_sets_come_by_their_shares_and_held_out_ones_never() {
        let rules = Variant::Go.rules(5).expect("a size");
        let components = vec![(Component::Named(rules), 1.0), (Component::Combined, 3.0)];
        let mixture = Mixture::new(rules.size, components, 7);
        let settings = SelfPlaySettings { komi_share: 0.0, ..SelfPlaySettings::default() };
        let games = drawn(&mixture, &settings, 4000);
        let named = games.iter().filter(|&&one| one == rules).count();
        assert!((900..1300).contains(&named), "{named}");
        assert!(games.iter().all(|rules| mixture.plays(rules) && !is_held_out(rules, 7)));
        let all = Mixture::new(rules.size, mixture.components().to_vec(), 0);
        let others = drawn(&all, &settings, 4000);
        assert!(others.iter().all(|one| all.plays(one)));
        assert!(others.iter().all(|one| mixture.plays(one) != is_held_out(one, 7)));
        let left_out = others.iter().filter(|one| is_held_out(one, 7)).count();
        assert!((200..700).contains(&left_out), "{left_out}");
    }

    /// Otherwise some games of a combination that is a named variant would be refused as foreign.
    #[test]
    fn compensation_holds_no_named_variant_out() {
        for variant in Variant::ALL {
            let rules = variant.rules(5).expect("a size");
            let all = Mixture::new(rules.size, vec![(Component::Combined, 1.0)], 1);
            for amount in [0.0, 3.0, 8.0] {
                let given = rules.with_compensation(amount).expect("a number");
                assert!(!is_held_out(&given, 1) && all.plays(&given), "{given}");
            }
        }
        let unnamed = Rules::parse("go,stones_per_turn=2,suicide=false", 5).expect("a rule set");
        assert!(is_held_out(&unnamed, 1), "{unnamed}");
    }

    #[test]
    fn games_come_by_the_shares_that_were_given_last() {
        let kinds = [Variant::Go, Variant::NoGo].map(|variant| variant.rules(5).expect("a size"));
        let [short, long] = kinds;
        let components = kinds.map(|rules| (Component::Named(rules), 1.0)).to_vec();
        // Equally many positions of either kind, although games of one have 10 and of the other 40.
        let mixture =
            Mixture::new(short.size, components, 0).with_shares(&[1.0 / 10.0, 1.0 / 40.0]);
        let settings = SelfPlaySettings { komi_share: 0.0, ..SelfPlaySettings::default() };
        let games = drawn(&mixture, &settings, 4000);
        let of = |kind| games.iter().filter(|&&rules| rules == kind).count();
        let ratio = of(short) as f32 / of(long) as f32;
        assert!((3.6..4.4).contains(&ratio), "{ratio}");
    }

    #[test]
    fn what_is_given_lies_around_what_is_fair() {
        let settings = SelfPlaySettings {
            komi_share: 1.0,
            wide_komi_share: 0.0,
            ..SelfPlaySettings::default()
        };
        for variant in Variant::ALL {
            let rules = variant.rules(5).expect("a size");
            let fair = HashMap::from([(kind_of(&rules), 6.0)]);
            let mixture = Mixture::of(rules).with_fair_compensation(fair, 1.0);
            let games = drawn(&mixture, &settings, 400);
            assert!(games.iter().all(|rules| mixture.plays(rules)), "{variant}");
            let given: Vec<f32> = games.iter().map(Rules::compensation_amount).collect();
            let mean = given.iter().sum::<f32>() / given.len() as f32;
            let has_any = rules.with_compensation(1.0) != rules.with_compensation(2.0);
            assert!((mean - if has_any { 6.0 } else { 0.0 }).abs() < 0.3, "{variant}: {mean}");
            let untouched = Mixture::of(rules).with_fair_compensation(HashMap::new(), 0.0);
            assert!(drawn(&untouched, &settings, 50).iter().all(|&one| one == rules), "{variant}");
        }
    }

    #[test]
    fn only_its_own_rules_are_played_by_a_mixture() {
        let rules = |text: &str, size| Rules::parse(text, size).expect("a rule set");
        let one = Mixture::of(rules("go", 5));
        assert!(one.plays(&rules("go,komi=3", 5)));
        for (text, size) in [("go", 7), ("tile", 5), ("go,suicide=false", 5), ("go,max_moves=9", 5)]
        {
            assert!(!one.plays(&rules(text, size)), "{text} on {size}");
        }
        let passes = Mixture::of(rules("alter-igo", 5));
        assert!(passes.plays(&rules("alter-igo,white_passes=3", 5)));
    }
}
