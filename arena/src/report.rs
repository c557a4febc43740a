//! The result of a match.

use std::collections::HashSet;
use std::fmt;
use std::ops::RangeInclusive;

use engine::{Color, Move, Rules};
use game::EndReason;

use crate::statistics::{Pentanomial, elo_texts};
use crate::{MatchGame, PLAYERS};

/// Numbers of games by result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Score {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl Score {
    fn add(&mut self, half_points: usize) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// Number of games.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Share of the points, 0 to 1; ½ if no game was played.
    pub fn share(&self) -> f64 {
        if self.games() == 0 {
            return 0.5;
        }
        (f64::from(self.wins) + f64::from(self.draws) / 2.0) / f64::from(self.games())
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} won, {} drawn, {} lost", self.wins, self.draws, self.losses)
    }
}

/// Results of the first player in complete pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// The first player's games by colour, Black's first.
    pub by_color: [Score; 2],
    /// The pairs by the first player's points.
    pub pairs: Pentanomial,
}

impl Tally {
    /// Adds a pair: the first player's half points as Black in one game and as White in the other.
    pub(crate) fn add(&mut self, as_black: usize, as_white: usize) {
        self.by_color[Color::Black.index()].add(as_black);
        self.by_color[Color::White.index()].add(as_white);
        self.pairs.add(as_black + as_white);
    }

    /// All games of the first player.
    pub fn total(&self) -> Score {
        let [black, white] = self.by_color;
        Score {
            wins: black.wins + white.wins,
            draws: black.draws + white.draws,
            losses: black.losses + white.losses,
        }
    }
}

/// The moves of both games of a pair.
pub type PairMoves = [Vec<Move>; PLAYERS];

/// The report of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchReport {
    /// The rules.
    pub rules: Rules,
    /// Names, the first player's first.
    pub players: [String; PLAYERS],
    /// The seed.
    pub seed: u64,
    /// Turns in the shortest and in the longest opening.
    pub opening_plies: RangeInclusive<usize>,
    /// Number of distinct openings; fewer than pairs only if no more exist.
    pub distinct_openings: usize,
    /// The first player's results.
    pub tally: Tally,
    /// How often games ended for each reason, most frequent first.
    pub reasons: Vec<(EndReason, u32)>,
    /// Number of different games.
    pub distinct_games: usize,
    /// Number of pairs whose two games repeat those of an earlier pair.
    pub repeated_pairs: usize,
    /// The games pair by pair; in each pair, first the one with the first player as Black.
    pub games: Vec<MatchGame>,
}

impl MatchReport {
    /// Computes the statistics of `self.games`, which must be complete pairs.
    pub(crate) fn count(mut self) -> MatchReport {
        self.tally = Tally::default();
        for pair in self.games.chunks_exact(PLAYERS) {
            self.tally.add(pair[0].half_points(Color::Black), pair[1].half_points(Color::White));
        }
        let mut reasons: Vec<(EndReason, u32)> = Vec::new();
        for game in &self.games {
            let reason = game.end.reason;
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, count)) => *count += 1,
                None => reasons.push((reason, 1)),
            }
        }
        reasons.sort_by_key(|&(reason, count)| (std::cmp::Reverse(count), reason.to_string()));
        self.reasons = reasons;
        self.distinct_games =
            self.games.iter().map(|game| &game.moves).collect::<HashSet<_>>().len();
        let pairs = self.games.chunks_exact(PLAYERS).map(|pair| [&pair[0].moves, &pair[1].moves]);
        let played = pairs.len();
        self.repeated_pairs = played - pairs.collect::<HashSet<_>>().len();
        self
    }

    /// Keeps only pairs whose games are not in `known`, and adds these to it.
    pub fn without_known_pairs(mut self, known: &mut HashSet<PairMoves>) -> MatchReport {
        let moves = |pair: &[MatchGame]| [pair[0].moves.clone(), pair[1].moves.clone()];
        let pairs = self.games.chunks_exact(PLAYERS);
        self.games = pairs.filter(|pair| known.insert(moves(pair))).flatten().cloned().collect();
        self.count()
    }

    /// The first player's half points in each pair, as Black and as White.
    pub(crate) fn pair_results(&self) -> Vec<[u8; PLAYERS]> {
        let half = |game: &MatchGame, color| game.half_points(color) as u8;
        self.games
            .chunks_exact(PLAYERS)
            .map(|pair| [half(&pair[0], Color::Black), half(&pair[1], Color::White)])
            .collect()
    }

    /// Mean number of turns in a game.
    pub fn mean_turns(&self) -> f64 {
        let turns: usize = self.games.iter().map(|game| game.moves.len()).sum();
        turns as f64 / self.games.len().max(1) as f64
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.players;
        let Tally { by_color: [black, white], pairs } = &self.tally;
        let total = self.tally.total();
        let interval = pairs.score_interval();
        writeln!(f, "{first} against {second}")?;
        writeln!(f, "rules     {}, size {}", self.rules, self.rules.size)?;
        writeln!(f, "games     {}: {total}", total.games())?;
        writeln!(f, "as Black  {black}\nas White  {white}")?;
        writeln!(
            f,
            "score     {:.1} %, 95 % interval {:.1} to {:.1} %",
            100.0 * pairs.score(),
            100.0 * interval.start(),
            100.0 * interval.end(),
        )?;
        let [low, elo, high] = elo_texts(pairs.elo());
        writeln!(
            f,
            "Elo       {elo}, 95 % interval {low} to {high}; stronger with probability {:.3}",
            pairs.likelihood_of_superiority(),
        )?;
        writeln!(f, "pairs     {:?} with 0, 1/2, 1, 3/2, 2 points", pairs.0)?;
        writeln!(
            f,
            "openings  {} different of {} plies for {} pairs; {} of {} games are different",
            self.distinct_openings,
            range_text(&self.opening_plies),
            pairs.pairs(),
            self.distinct_games,
            self.games.len(),
        )?;
        if self.repeated_pairs > 0 {
            let repeated = self.repeated_pairs;
            writeln!(f, "repeats   {repeated} pairs, which the intervals take for new evidence")?;
        }
        let reasons: Vec<String> =
            self.reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        writeln!(
            f,
            "length    {:.1} turns on average; ended by {}",
            self.mean_turns(),
            reasons.join(", ")
        )
    }
}

/// The numbers from the first to the last.
fn range_text(range: &RangeInclusive<usize>) -> String {
    let (first, last) = (range.start(), range.end());
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

#[cfg(test)]
mod tests {
    use game::Game;

    use super::*;
    use crate::Estimate;
    use crate::ladder::Ladder;
    use crate::{Match, Player, PlayerSetup, ReferencePlayer};

    /// The report on games with these winners, pair by pair; `None` is a draw.
    fn report(winners: &[[Option<&str>; PLAYERS]]) -> MatchReport {
        let rules = Rules::parse("go,komi=0", 2).expect("rules");
        let player = |name| PlayerSetup::new(name, Player::Reference(ReferencePlayer::Random));
        let plan =
            Match { pairs: winners.len(), ..Match::new(rules, ["strong", "weak"].map(player)) };
        let mut table = plan.table();
        for (index, winner) in winners.iter().flatten().enumerate() {
            let mut game = Game::new(rules);
            // Black's name comes first.
            let names = plan.names(index);
            match winner {
                Some(winner) if names[0] == *winner => game.resign(Color::White),
                Some(_) => game.resign(Color::Black),
                None => (0..2).for_each(|_| game.play(Move::Pass).expect("a pass")),
            }
            let end = game.end().expect("a finished game");
            table.enter(index, MatchGame::new(&game, end, 0, names)).expect("a game of the match");
        }
        let last = winners.len() * PLAYERS - 1;
        let running = table.progress(last).expect("a game").tally;
        let report = plan.report(table).expect("openings");
        assert_eq!(running, report.tally, "the score during the match is that after it");
        report
    }

    const STRONG: Option<&str> = Some("strong");
    const WEAK: Option<&str> = Some("weak");

    #[test]
    fn results_are_those_of_the_first_player() {
        let report = report(&[
            [STRONG, STRONG],
            [STRONG, WEAK],
            [None, STRONG],
            [STRONG, None],
            [WEAK, WEAK],
        ]);
        assert_eq!(report.pair_results(), [[2, 2], [2, 0], [1, 2], [2, 1], [0, 0]]);
        let Tally { by_color: [black, white], pairs } = report.tally;
        assert_eq!(black, Score { wins: 3, draws: 1, losses: 1 });
        assert_eq!(white, Score { wins: 2, draws: 1, losses: 2 });
        assert_eq!(pairs, Pentanomial([1, 0, 1, 2, 1]));
        assert_eq!(report.tally.total().share(), 0.6);
    }

    #[test]
    fn who_wins_most_games_is_first_on_the_ladder() {
        let mut winners = vec![[STRONG, STRONG]; 8];
        winners.extend([[STRONG, WEAK], [WEAK, STRONG]]);
        let report = report(&winners);
        for (strong, weak) in [(0, 1), (1, 0)] {
            let mut names = ["strong", "weak"].map(String::from);
            names.rotate_left(strong);
            let mut ladder = Ladder::new(names.into());
            ladder.enter(strong, weak, &report);
            let table = ladder.standings(1).table;
            assert_eq!([table[0].player, table[1].player], [strong, weak]);
            assert_eq!((table[0].games, table[0].points, table[1].points), (20, 18.0, 2.0));
            assert!(table[0].elo.low > 0.0 && table[1].elo.high < 0.0, "{table:?}");
        }
        let text = report.to_string();
        assert!(text.starts_with("strong against weak"), "{text}");
        assert!(text.contains("as Black  9 won, 0 drawn, 1 lost"), "{text}");
        assert!(text.contains("stronger with probability 1.000"), "{text}");
    }

    #[test]
    fn moving_first_is_worth_what_black_won() {
        // Equal players, and Black wins nearly always.
        let mut winners = vec![[STRONG, WEAK]; 9];
        winners.push([WEAK, STRONG]);
        let mut ladder = Ladder::new(["strong", "weak"].map(String::from).into());
        ladder.enter(0, 1, &report(&winners));
        let standings = ladder.standings(1);
        // A share of nine in ten is worth 382 Elo.
        let Estimate { low, value: advantage, .. } = standings.first_player;
        assert!(low > 0.0 && (330.0..430.0).contains(&advantage), "{standings}");
        assert!(standings.table[0].elo.value.abs() < 1.0, "{standings}");
    }
}
