//! The figures of each rule set over all games.

use std::collections::BTreeMap;

use arena::Estimate;
use engine::{Rules, Size};
use game::{Comparison, Difference, ReplaySummary};

use super::gathered::Corpus;

/// The figures of one rule set.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleFigures {
    /// The rule set.
    pub rules: String,
    /// Games that were replayed.
    pub games: usize,
    /// Number of games in which every turn could be played.
    pub complete: usize,
    /// Why the others could not be played to the end, with their numbers, most frequent first.
    pub stops: Vec<(String, usize)>,
    /// How often its legal placements differ from the yardstick's; `None` for the yardstick itself.
    pub differing: Option<DifferenceFrequency>,
    /// Its own bans, most frequent first.
    pub bans: Vec<BanFigure>,
    /// Tiles on the board at the end of a game, where the rules have any; those that lay there from
    /// the start count as well.
    pub tiles: Option<CorpusEvents>,
    /// Points with more than one tile, in all games.
    pub stacks: usize,
    /// Hot stones per game, where the rules have any.
    pub hot_stones: Option<CorpusEvents>,
}

/// How often two rule sets allow different placements.
#[derive(Debug, Clone, PartialEq)]
pub struct DifferenceFrequency {
    /// Number of games in which they do on some turn.
    pub games: usize,
    /// Number of games with a turn at which both rule sets were still playing.
    pub compared_games: usize,
    /// Number of turns at which they do.
    pub turns: usize,
    /// Number of turns at which both rule sets were still playing.
    pub compared_turns: usize,
    /// Mean over the games of the fraction of such turns. Turns of one game are not independent,
    /// but games are.
    pub share_of_turns: Option<Estimate>,
    /// The first example: the file, the index of the game in it, and the turn.
    pub example: Option<(String, usize, usize)>,
}

/// How often a ban forbade a placement that Go's capture and suicide rules allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BanFigure {
    /// The ban.
    pub name: String,
    /// Games in which it did on some turn.
    pub games: usize,
    /// Turns at which it did.
    pub turns: usize,
}

/// Something that may happen several times in a game.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusEvents {
    /// Total number over all games.
    pub total: usize,
    /// Number in each game, in order.
    pub counts: Vec<usize>,
    /// Mean number in a game.
    pub mean: Option<Estimate>,
    /// Median number in a game.
    pub median: Option<Estimate>,
    /// Median of the turn at which it first happens, over games in which it does.
    pub first_turn: Option<Estimate>,
}

impl DifferenceFrequency {
    /// The fraction of games in which it happens.
    pub fn share_of_games(&self) -> Option<Estimate> {
        Estimate::share(self.games, self.compared_games)
    }
}

impl CorpusEvents {
    /// Number of games in which it happened at least this often.
    pub fn at_least(&self, times: usize) -> usize {
        self.counts.iter().filter(|&&count| count >= times).count()
    }

    /// `largest` is the largest board: there are seldom more of these events than points.
    fn of(mut counts: Vec<usize>, first: Vec<f64>, largest: Size) -> CorpusEvents {
        counts.sort_unstable();
        let numbers: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
        let most = counts.last().copied().unwrap_or_default();
        let range = [0.0, most.max(largest.area()) as f64];
        let turns = [1.0, f64::from(Rules::default_max_moves(largest))];
        CorpusEvents {
            total: counts.iter().sum(),
            mean: Estimate::mean(&numbers, range),
            median: Estimate::quantile(&numbers, 0.5, range),
            first_turn: Estimate::quantile(&first, 0.5, turns),
            counts,
        }
    }
}

impl Corpus {
    /// The figures of each rule set, the yardstick first.
    pub fn figures(&self) -> Vec<RuleFigures> {
        (0..self.rule_sets.texts.len()).map(|place| self.figures_of(place)).collect()
    }

    /// The differences between every two rule sets, by index.
    pub fn differences(&self) -> Vec<((usize, usize), DifferenceFrequency)> {
        Comparison::pairs(self.rule_sets.texts.len())
            .enumerate()
            .map(|(index, pair)| (pair, self.differing(index)))
            .collect()
    }

    fn figures_of(&self, place: usize) -> RuleFigures {
        let summaries: Vec<&ReplaySummary> = self
            .games
            .iter()
            .filter_map(|(_, _, comparison)| comparison.summaries[place].as_ref().ok())
            .collect();
        // Positions that cannot be set up count as games that stop before they begin.
        let impossible = self.games.len() - summaries.len();
        let mut stops: BTreeMap<&str, usize> = BTreeMap::new();
        if impossible > 0 {
            stops.insert("impossible start", impossible);
        }
        summaries.iter().filter_map(|summary| summary.stopped).for_each(|why| {
            *stops.entry(why).or_default() += 1;
        });
        let tiles: Vec<(usize, Option<usize>)> =
            summaries.iter().filter_map(|summary| tiles(summary)).collect();
        let hot: Vec<(usize, Option<usize>)> =
            summaries.iter().map(|summary| (summary.hot_stones, summary.first_hot_turn)).collect();
        // The rules were parsed before any game was read.
        let has_hot_stones = Rules::parse(&self.rule_sets.texts[place], Size::LARGEST)
            .is_ok_and(|rules| rules.has_hot_stones());
        let largest = self.largest.unwrap_or(Size::LARGEST);
        RuleFigures {
            rules: self.rule_sets.texts[place].clone(),
            games: self.games.len(),
            complete: summaries.iter().filter(|summary| summary.stopped.is_none()).count(),
            stops: most_frequent_first(stops),
            differing: (place > 0).then(|| self.differing(place - 1)),
            bans: bans(&summaries),
            stacks: summaries.iter().map(|summary| stacks(summary)).sum(),
            tiles: (!tiles.is_empty()).then(|| events(&tiles, largest)),
            hot_stones: has_hot_stones.then(|| events(&hot, largest)),
        }
    }

    fn differing(&self, index: usize) -> DifferenceFrequency {
        let each = || self.games.iter().map(|game| (game, &game.2.differences[index]));
        let shares: Vec<f64> = each()
            .filter(|(_, difference)| difference.compared > 0)
            .map(|(_, Difference { compared, differing, .. })| *differing as f64 / *compared as f64)
            .collect();
        DifferenceFrequency {
            games: each().filter(|(_, difference)| difference.differing > 0).count(),
            compared_games: shares.len(),
            turns: each().map(|(_, difference)| difference.differing).sum(),
            compared_turns: each().map(|(_, difference)| difference.compared).sum(),
            share_of_turns: Estimate::mean(&shares, [0.0, 1.0]),
            example: each().find_map(|((file, number, _), difference)| {
                Some((file.clone(), *number, difference.first_turn?))
            }),
        }
    }
}

fn most_frequent_first(counts: BTreeMap<&str, usize>) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> =
        counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts
}

fn bans(summaries: &[&ReplaySummary]) -> Vec<BanFigure> {
    let mut found: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for ban in summaries.iter().flat_map(|summary| &summary.bans) {
        let (games, turns) = found.entry(&ban.ban).or_default();
        *games += 1;
        *turns += ban.turns;
    }
    let mut bans: Vec<BanFigure> = found
        .into_iter()
        .map(|(name, (games, turns))| BanFigure { name: name.to_owned(), games, turns })
        .collect();
    bans.sort_by_key(|ban| std::cmp::Reverse(ban.games));
    bans
}

/// The number of tiles and the turn of the first one.
fn tiles(summary: &ReplaySummary) -> Option<(usize, Option<usize>)> {
    let tiles = summary.tiles.as_ref()?;
    // Those that lay there from the start have no turn.
    let turns = tiles.stacks.iter().map(|stack| stack.first_turn).filter(|&turn| turn > 0);
    Some((tiles.placed, turns.min()))
}

fn stacks(summary: &ReplaySummary) -> usize {
    let stacks = summary.tiles.iter().flat_map(|tiles| &tiles.stacks);
    stacks.filter(|stack| stack.height > 1).map(|stack| stack.points.len()).sum()
}

fn events(games: &[(usize, Option<usize>)], largest: Size) -> CorpusEvents {
    let first = games.iter().filter_map(|(_, first)| first.map(|turn| turn as f64)).collect();
    CorpusEvents::of(games.iter().map(|(count, _)| *count).collect(), first, largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::RuleSets;

    /// On nine points there is no room for the hundreds of tiles of a large board.
    #[test]
    fn intervals_are_those_of_the_boards_that_are_there() {
        let rule_sets = RuleSets::new("go", ["tile".to_owned()]).expect("rules");
        let mut corpus = Corpus::new(&rule_sets);
        for first in ["aa", "bb", "cc"] {
            let file = format!("(;SZ[3];B[{first}];W[ab];B[ca])");
            corpus.add("games.sgf", rule_sets.read(file.as_bytes()));
        }
        assert_eq!(corpus.games(), 3);
        let tiles = corpus.figures()[1].tiles.clone().expect("rules with tiles");
        let [mean, median] = [tiles.mean, tiles.median].map(|one| one.expect("games"));
        assert!(mean.high <= 9.0 && median.high <= 9.0, "{mean:?}, {median:?}");
    }
}
