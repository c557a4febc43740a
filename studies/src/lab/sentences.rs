//! What the results mean, in a few plain sentences.

use arena::Estimate;
use engine::{Compensation, Rules};

use crate::balance::{FairPoint, TestedCompensation};
use crate::figures::{ANY_BAN, BANNED_PREFERENCE};
use crate::statistic::Statistic;
use crate::summary::Observations;

use super::difference::Difference;
use super::fair::FairPoints;
use super::known::judged;
use super::results::{Results, RuleSetResults};

/// Maximum number of differences listed in a sentence.
const MAX_LISTED: usize = 4;

impl Results {
    /// The results in order of importance. The first sentence exists even before any game is
    /// played.
    pub fn sentences(&self) -> Vec<String> {
        let Some(results) = self.rule_sets.first() else { return Vec::new() };
        let mut all = vec![balance(results)];
        all.extend(fair(results, self.networks));
        all.extend(course(results));
        all.extend(special_rules(results));
        for (other, differences) in self.rule_sets.iter().skip(1).zip(&self.differences) {
            all.extend(different(results, other, differences));
        }
        all.extend(self.rule_sets.iter().filter_map(judged));
        all.extend(self.rule_sets.iter().filter_map(exhausted));
        all
    }
}

/// A figure's value for people: a percentage or a number.
pub(crate) fn number(value: f64, range: [f64; 2]) -> String {
    match range {
        [_, 1.0] => format!("{} %", digits(100.0 * value)),
        _ => digits(value),
    }
}

/// An interval, with the unit only after its upper end.
pub(crate) fn interval(estimate: &Estimate, range: [f64; 2]) -> String {
    let scale = if range[1] == 1.0 { 100.0 } else { 1.0 };
    format!("{} to {}", digits(scale * estimate.low), number(estimate.high, range))
}

/// A value with its interval in brackets.
pub(crate) fn with_interval(estimate: &Estimate, range: [f64; 2]) -> String {
    format!("{} ({})", number(estimate.value, range), interval(estimate, range))
}

/// At most three digits; no decimals for large numbers.
fn digits(value: f64) -> String {
    let places = match value.abs() {
        size if size >= 10.0 => 0,
        size if size >= 1.0 => 1,
        _ => 2,
    };
    let text = format!("{value:.places$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    match text {
        "-0" => "0".to_owned(),
        text => text.replace('-', "−"),
    }
}

/// A compensation to the half point, which can decide games however large it is.
fn halves(value: f64) -> String {
    // Zero has no sign, including what only rounds to it.
    ((2.0 * value).round() / 2.0 + 0.0).to_string().replace('-', "−")
}

/// "at komi 9", or nothing where the rules have no compensation.
fn at(rules: &Rules) -> String {
    match rules.compensation() {
        Compensation::None => String::new(),
        kind @ (Compensation::Komi | Compensation::Prisoners | Compensation::Passes) => {
            format!(" {}", with(kind, &halves(rules.compensation_amount().into())))
        }
    }
}

/// "at komi 9", "with 2 passes of White".
fn with(kind: Compensation, value: &str) -> String {
    match kind {
        Compensation::Komi => format!("at komi {value}"),
        Compensation::Prisoners if value == "1" => "with 1 prisoner at the start".to_owned(),
        Compensation::Passes if value == "1" => "with 1 pass of White".to_owned(),
        Compensation::Prisoners | Compensation::Passes | Compensation::None => {
            format!("with {value} {}", kind.name())
        }
    }
}

fn balance(results: &RuleSetResults) -> String {
    let at = at(&results.rules);
    let Some(share) = results.black else {
        let chances: Vec<String> =
            results.empty_board.iter().map(|search| number(search.black, [0.0, 1.0])).collect();
        return format!(
            "Before any game: on the empty board{at} the search gives Black {}.",
            chances.join(" and ")
        );
    };
    let (value, interval) = (number(share.value, [0.0, 1.0]), interval(&share, [0.0, 1.0]));
    let wins = format!("Black wins {value} from the empty board ({interval})");
    match share {
        Estimate { low, .. } if low > 0.5 => format!("Black is ahead{at}: {wins}."),
        Estimate { high, .. } if high < 0.5 => format!("White is ahead{at}: {wins}."),
        _ => format!("Nobody is clearly ahead{at}: {wins}."),
    }
}

fn fair(results: &RuleSetResults, networks: usize) -> Option<String> {
    let kind = results.rules.compensation();
    let FairPoints { together, networks: each } = &results.fair;
    if each.is_empty() || kind == Compensation::None {
        return None;
    }
    let Some(all) = together else {
        return Some(format!(
            "White does no better with more {} in these games: the networks do not know what that is worth, so nothing \
             is said of a fair amount.",
            kind.name()
        ));
    };
    let end = |tested: TestedCompensation| match tested {
        TestedCompensation::Below(value) => format!("below {}", halves(value)),
        TestedCompensation::At(value) => halves(value),
        TestedCompensation::Above(value) => format!("above {}", halves(value)),
    };
    let value = with(kind, &end(all.value));
    let agree = match networks {
        0 | 1 => String::new(),
        _ => agreement(each, networks),
    };
    Some(format!("Even {value} ({} to {}).{agree}", end(all.low), end(all.high)))
}

/// Whether the networks' fair points lie in each other's intervals. Intervals that have no end say
/// nothing, and those that only overlap leave it open.
fn agreement(each: &[Option<FairPoint>], networks: usize) -> String {
    let found: Vec<&FairPoint> = each.iter().flatten().collect();
    let is_bounded =
        |fair: &FairPoint| fair.low.position().is_finite() || fair.high.position().is_finite();
    let contains = |fair: &FairPoint, value: f64| {
        (fair.low.position()..=fair.high.position()).contains(&value)
    };
    let pairs = || found.iter().flat_map(|one| found.iter().map(move |other| (*one, *other)));
    let agree =
        pairs().all(|(one, other)| is_bounded(one) && contains(one, other.value.position()));
    let disjoint = pairs().any(|(one, other)| one.low.position() > other.high.position());
    let number = match networks {
        2 => "Two".to_owned(),
        3 => "Three".to_owned(),
        more => more.to_string(),
    };
    match () {
        () if found.len() < each.len() || disjoint => format!(" {number} networks do not agree."),
        () if agree => format!(" {number} networks agree."),
        () => format!(" Whether the {} networks agree cannot be told yet.", number.to_lowercase()),
    }
}

fn find<'c>(observed: &'c Observations, key: &str) -> Option<(&'c Statistic, Estimate)> {
    let found = observed.figure(key)?;
    Some((found, found.estimate?))
}

fn course(results: &RuleSetResults) -> Option<String> {
    let observed = &results.observations;
    let (turns, length) = find(observed, "turns")?;
    let (draws, drawn) = find(observed, "draws")?;
    let draws = match drawn.value {
        0.0 => format!("none was drawn, so draws are below {}", number(drawn.high, draws.range)),
        _ => format!(
            "{} are drawn ({})",
            number(drawn.value, draws.range),
            interval(&drawn, draws.range)
        ),
    };
    let spread = match (find(observed, "turns-low"), find(observed, "turns-high")) {
        (Some((_, low)), Some((_, high))) => format!(
            ", one in twenty at most {}, one in twenty at least {}",
            digits(low.value),
            digits(high.value)
        ),
        _ => String::new(),
    };
    Some(format!(
        "A game has {} turns on average ({}){spread}; {draws}.",
        number(length.value, turns.range),
        interval(&length, turns.range)
    ))
}

/// What the rule set has that Go does not, as it occurred in the games.
fn special_rules(results: &RuleSetResults) -> Vec<String> {
    let observed = &results.observations;
    let of =
        |key: &str| find(observed, key).map(|(figure, found)| with_interval(&found, figure.range));
    let mut sentences = Vec::new();
    let any = of(ANY_BAN.0).or_else(|| observed.bans.first().and_then(|ban| of(&ban.key)));
    if let Some(any) = any {
        let wanted = match of(BANNED_PREFERENCE.0) {
            Some(wanted) if results.is_believed() => {
                format!(", and the move that would be preferred in {wanted}")
            }
            Some(_) | None => String::new(),
        };
        sentences.push(format!("Bans forbid some point in {any} of the turns{wanted}."));
    }
    if let (Some(tiles), Some(games)) = (of("tiles"), of("tile-bans")) {
        let example = match &results.tile_example {
            Some((file, turn)) => format!(" Example: {file}, turn {turn}."),
            None => String::new(),
        };
        sentences.push(format!(
            "Tiles: {tiles} a game; in {games} of the games a tile forbids a move.{example}"
        ));
    }
    if let Some(stones) = of("hot-stones") {
        sentences.push(format!("Hot stones: {stones} a game."));
    }
    if let (Some(conquests), Some(points)) = (of("conquests"), of("largest-conquest")) {
        sentences.push(format!("Conquests: {conquests} a game, the largest of {points} points."));
    }
    if let Some(fights) = of("ko-fight-games") {
        sentences.push(format!("Ko fights: in {fights} of the games."));
    }
    sentences
}

fn different(
    results: &RuleSetResults,
    other: &RuleSetResults,
    differences: &[Difference],
) -> Vec<String> {
    let believed = results.is_believed() && other.is_believed();
    let shown = |difference: &&Difference| believed || !difference.evaluated;
    let (certain, open): (Vec<&Difference>, Vec<&Difference>) =
        differences.iter().filter(shown).partition(|difference| difference.certain);
    let name = name_beside(&results.rules, &other.rules);
    let mut sentences = Vec::new();
    if !certain.is_empty() {
        let text = list(results, &certain, &|_| String::new());
        sentences.push(format!("Different from {name} in: {text}."));
    }
    if !open.is_empty() {
        let most = results.most_times.min(other.most_times);
        sentences.push(undecided(results, &name, &open, most));
    }
    sentences
}

/// Why there are fewer games than were asked for.
fn exhausted(results: &RuleSetResults) -> Option<String> {
    let rules = &results.rules;
    Some(match results.only_openings? {
        0 => format!("{rules}: there are fewer openings than networks, so no games are played."),
        1 => format!("{rules}: there is only 1 opening of each network, and it has been played."),
        more => format!(
            "{rules}: there are only {more} openings of each network, and all have been played."
        ),
    })
}

/// The name of a rule set that others are compared with, including its compensation if it differs
/// from theirs: that may be the only difference.
fn name_beside(rules: &Rules, other: &Rules) -> String {
    let (here, there) = (at(rules), at(other));
    if there.is_empty() || there == here {
        return other.to_string();
    }
    match here.as_str() {
        "" => format!("{other}{there} (here without {})", other.compensation().name()),
        here => format!("{other}{there} (here{here})"),
    }
}

/// The figures by which the games cannot tell a rule set from the one with this name, and how many
/// games would. There can be at most `most` times as many.
fn undecided(results: &RuleSetResults, name: &str, open: &[&Difference], most: f64) -> String {
    // Fewer than twice as many would be these games again, which did not suffice.
    let times = |difference: &Difference| difference.times_the_games.ceil().max(2.0);
    let more = |difference: &Difference| match times(difference) {
        times if times <= most => format!(", {times} times the games would probably tell"),
        _ => String::new(),
    };
    let listed = list(results, open, &more);
    let rest = match open.iter().take(MAX_LISTED).any(|difference| times(difference) > most) {
        true => {
            " Where no number is given, there are not enough openings for so many games, or the networks contradict each \
             other."
        }
        false => "",
    };
    format!("Cannot be told from {name} in: {listed}.{rest}")
}

/// The first few differences, each followed by a note, and how many more there are.
fn list(
    results: &RuleSetResults,
    all: &[&Difference],
    note: &dyn Fn(&Difference) -> String,
) -> String {
    let part = |difference: &Difference| {
        let range = find(&results.observations, &difference.key)
            .map_or([0.0, 0.0], |(figure, _)| figure.range);
        let value = number(difference.estimate.value, range);
        // Zero has no sign, including what only rounds to it.
        let is_positive = difference.estimate.value > 0.0 && !matches!(value.as_str(), "0" | "0 %");
        let sign = if is_positive { "+" } else { "" };
        format!("{} ({sign}{value}, {})", difference.name, interval(&difference.estimate, range))
    };
    let parts: Vec<String> = all
        .iter()
        .take(MAX_LISTED)
        .map(|difference| format!("{}{}", part(difference), note(difference)))
        .collect();
    let more = match all.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    parts.join("; ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_sets_are_named_with_a_compensation_that_differs() {
        let named = |rules: &str, other: &str| {
            let [rules, other] = [rules, other].map(|text| Rules::parse(text, 3).expect("rules"));
            name_beside(&rules, &other)
        };
        assert_eq!(named("nogo", "go"), "go at komi 9 (here without komi)");
        assert_eq!(named("go,komi=5.5", "go"), "go at komi 9 (here at komi 5.5)");
        assert_eq!(named("go", "go,suicide=false"), "go,suicide=false");
        assert_eq!(named("go", "nogo"), "nogo");
        let none = "here with 0 prisoners at the start";
        assert_eq!(
            named("tile", "tile,komi=1"),
            format!("tile,komi=1 with 1 prisoner at the start ({none})")
        );
        let alter_igo = "alter-igo,white_passes=1";
        assert_eq!(
            named("nogo", alter_igo),
            format!("{alter_igo} with 1 pass of White (here without passes of White)")
        );
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (61.4, "61"),
            (9.96, "10"),
            (9.5, "9.5"),
            (0.5, "0.5"),
            (-0.25, "−0.25"),
            (-0.001, "0"),
            (7.0, "7"),
            (100.0, "100"),
        ] {
            assert_eq!(digits(value), text);
        }
        for (value, text) in [(24.5, "24.5"), (25.1, "25"), (-0.7, "−0.5"), (-0.2, "0"), (9.0, "9")]
        {
            assert_eq!(halves(value), text);
        }
        let estimate = Estimate { low: 0.0, value: 0.1, high: 0.371 };
        assert_eq!(interval(&estimate, [0.0, 1.0]), "0 to 37 %");
    }
}
