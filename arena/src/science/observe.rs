//! What games show, turn by turn.

use engine::{Color, Family, IllegalMove, Move, Position, Repetition, Rules, TileRule};
use search::{Evaluation, Evaluator};

use crate::{End, GameRecord, MatchError, MatchReport, PLAYERS, Random};

/// A value beyond this is a decided game.
const DECIDED: f32 = 0.9;

/// A winner who stood worse than this came back.
const BEHIND: f32 = -0.5;

const RESAMPLINGS: usize = 400;

/// A mean over games with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistic {
    /// What it is.
    pub name: &'static str,
    /// Lower end, mean, upper end.
    pub values: [f64; 3],
}

/// What the games of an agent against itself show.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Observations {
    /// Games.
    pub games: usize,
    /// Games that differ from all others.
    pub unique_games: usize,
    /// Means over games.
    pub statistics: Vec<Statistic>,
    /// Turns at the 5th, 50th and 95th percentile.
    pub lengths: [usize; 3],
    /// Share of games by what ended them.
    pub ends: Vec<(String, f64)>,
    /// Share of turns in which a rule beyond capture and suicide forbids at least one point, by rule.
    pub bans: Vec<(String, f64)>,
    /// Mean number of legal moves by turn.
    pub breadth: Vec<(f64, f64)>,
}

/// The statistics of a game, in this order.
const NAMES: [&str; 14] = [
    "Black's share of the points",
    "draws",
    "games ended by the move limit",
    "turns",
    "stones captured",
    "legal moves",
    "effective moves (e to the entropy of the policy)",
    "log10 of the product of legal moves",
    "turn from which the game is decided",
    "changes of the lead",
    "drama (mean change of the value a turn)",
    "games won from behind",
    "turns with a special ban",
    "turns in which it bans the move wanted most",
];

/// Looks at every position of the games.
pub(super) fn observe<E: Evaluator>(
    report: &MatchReport,
    evaluator: &mut E,
    random: &mut Random,
) -> Result<Observations, MatchError> {
    let mut gathered = Gathered::default();
    let mut pairs: Vec<[f64; NAMES.len()]> = Vec::new();
    for pair in report.games.chunks_exact(PLAYERS) {
        let mut sum = [0.0; NAMES.len()];
        for game in pair {
            let seen = gathered
                .look_at(game, evaluator)
                .map_err(|source| MatchError::Evaluator { player: "agent".to_owned(), source })?;
            sum.iter_mut().zip(seen).for_each(|(sum, value)| *sum += value / PLAYERS as f64);
        }
        pairs.push(sum);
    }
    let games = report.games.len();
    let mut lengths: Vec<usize> = report.games.iter().map(|game| game.moves.len()).collect();
    lengths.sort_unstable();
    let at = |share: f64| {
        let index = (share * (lengths.len().max(1) - 1) as f64).round() as usize;
        lengths.get(index).copied().unwrap_or_default()
    };
    let share = |count: u32| f64::from(count) / games.max(1) as f64;
    Ok(Observations {
        games,
        unique_games: report.unique_games,
        statistics: with_intervals(&pairs, random),
        lengths: [at(0.05), at(0.5), at(0.95)],
        ends: report.reasons.iter().map(|(end, count)| (end.to_string(), share(*count))).collect(),
        bans: gathered.ban_shares(),
        breadth: gathered.mean_breadth(),
    })
}

fn with_intervals(pairs: &[[f64; NAMES.len()]], random: &mut Random) -> Vec<Statistic> {
    let mean = |drawn: &[&[f64; NAMES.len()]], index: usize| {
        drawn.iter().map(|pair| pair[index]).sum::<f64>() / drawn.len().max(1) as f64
    };
    let all: Vec<&[f64; NAMES.len()]> = pairs.iter().collect();
    let resampled: Vec<Vec<&[f64; NAMES.len()]>> = (0..RESAMPLINGS)
        .map(|_| (0..all.len()).filter_map(|_| random.choose(&all)).collect())
        .collect();
    NAMES
        .into_iter()
        .enumerate()
        .map(|(index, name)| {
            let mut means: Vec<f64> = resampled.iter().map(|drawn| mean(drawn, index)).collect();
            means.sort_by(f64::total_cmp);
            let at = |share: f64| means[(share * (means.len() - 1) as f64).round() as usize];
            Statistic { name, values: [at(0.025), mean(&all, index), at(0.975)] }
        })
        .collect()
}

/// Counts over all games.
#[derive(Default)]
struct Gathered {
    turns: usize,
    bans: Vec<(String, usize)>,
    /// Sum of legal moves and games, by turn.
    breadth: Vec<(f64, f64)>,
}

impl Gathered {
    fn look_at<E: Evaluator>(
        &mut self,
        game: &GameRecord,
        evaluator: &mut E,
    ) -> Result<[f64; NAMES.len()], search::EvaluatorError> {
        let mut positions = vec![Position::new(game.rules)];
        let mut captured = 0;
        for &played in &game.moves {
            let last = &positions[positions.len() - 1];
            let mut next = last.clone();
            next.play_unchecked(played);
            let opponent = last.turn().opponent();
            captured += last.stones(opponent).count().saturating_sub(next.stones(opponent).count());
            positions.push(next);
        }
        positions.retain(|position| position.outcome().is_none());
        let batch: Vec<&Position> = positions.iter().collect();
        let said = evaluator.evaluate(&batch)?;
        let mut special = 0;
        let mut wanted = 0;
        let free: Vec<Option<Position>> = positions.iter().map(without_special_rules).collect();
        let unrestricted = evaluate_some(&free, evaluator)?;
        for (position, opinion) in positions.iter().zip(&unrestricted) {
            let banned = self.count_bans(position);
            special += usize::from(!banned.is_empty());
            wanted += usize::from(opinion.is_some_and(|favourite| banned.contains(&favourite)));
        }
        let legal: Vec<f64> =
            said.iter().map(|evaluation| evaluation.priors.len() as f64).collect();
        for (turn, moves) in legal.iter().enumerate() {
            if self.breadth.len() <= turn {
                self.breadth.push((0.0, 0.0));
            }
            self.breadth[turn].0 += moves;
            self.breadth[turn].1 += 1.0;
        }
        self.turns += positions.len();
        let turns = positions.len().max(1) as f64;
        let story = Story::of(game, &said);
        let result = game.half_points(Color::Black);
        let limit = game.outcome.reason == End::Rules(engine::Reason::MoveLimit);
        Ok([
            result as f64 / 2.0,
            f64::from(u8::from(result == 1)),
            f64::from(u8::from(limit)),
            game.moves.len() as f64,
            captured as f64,
            legal.iter().sum::<f64>() / turns,
            said.iter().map(effective_moves).sum::<f64>() / turns,
            legal.iter().map(|moves| moves.log10()).sum(),
            story.decided as f64,
            story.lead_changes as f64,
            story.drama,
            f64::from(u8::from(story.comeback)),
            special as f64 / turns,
            wanted as f64 / turns,
        ])
    }

    /// The placements that a rule beyond capture and suicide forbids.
    fn count_bans(&mut self, position: &Position) -> Vec<Move> {
        let mut banned = Vec::new();
        let mut rules: Vec<String> = Vec::new();
        for point in position.empty().iter() {
            let candidate = Move::Place(point);
            if let Err(rule) = position.is_legal(candidate)
                && let Some(name) = special(rule)
            {
                banned.push(candidate);
                if !rules.iter().any(|known| known == name) {
                    rules.push(name.to_owned());
                }
            }
        }
        for rule in rules {
            match self.bans.iter_mut().find(|(known, _)| *known == rule) {
                Some((_, count)) => *count += 1,
                None => self.bans.push((rule, 1)),
            }
        }
        banned
    }

    fn ban_shares(&self) -> Vec<(String, f64)> {
        let turns = self.turns.max(1) as f64;
        self.bans.iter().map(|(rule, count)| (rule.clone(), *count as f64 / turns)).collect()
    }

    /// As long as at least a tenth of the games last.
    fn mean_breadth(&self) -> Vec<(f64, f64)> {
        let games = self.breadth.first().map_or(0.0, |first| first.1);
        self.breadth
            .iter()
            .enumerate()
            .take_while(|(_, (_, count))| 10.0 * count >= games)
            .map(|(turn, (sum, count))| (turn as f64, sum / count))
            .collect()
    }
}

/// The name of a ban that plain Go does not have; `None` for the others.
fn special(rule: IllegalMove) -> Option<&'static str> {
    match rule {
        IllegalMove::Ko => Some("ko"),
        IllegalMove::PositionalSuperko | IllegalMove::SituationalSuperko => Some("superko"),
        IllegalMove::Incursion => Some("incursion"),
        IllegalMove::MinimalIncursion => Some("minimal incursion"),
        IllegalMove::StoicalCapture => Some("capture after a capture"),
        IllegalMove::HotStone => Some("hot stone"),
        IllegalMove::OddCycle => Some("odd cycle"),
        IllegalMove::TileLimit(_) => Some("no room for a tile"),
        _ => None,
    }
}

/// The same stones without the rule that makes the variant; `None` where there is no such rule.
fn without_special_rules(position: &Position) -> Option<Position> {
    let rules = position.rules();
    match rules.family {
        Family::Go => {}
        Family::AlterIgo | Family::Conquest => return None,
    }
    let free = Rules { repetition: Repetition::None, tiles: TileRule::None, ..*rules };
    let [black, white] = Color::BOTH.map(|color| *position.stones(color));
    let free = Position::with_stones(free, black, white, position.turn()).ok()?;
    free.outcome().is_none().then_some(free)
}

/// The favourite move in each position that there is.
fn evaluate_some<E: Evaluator>(
    positions: &[Option<Position>],
    evaluator: &mut E,
) -> Result<Vec<Option<Move>>, search::EvaluatorError> {
    let batch: Vec<&Position> = positions.iter().flatten().collect();
    let said = if batch.is_empty() { Vec::new() } else { evaluator.evaluate(&batch)? };
    let mut said = said.into_iter();
    Ok(positions
        .iter()
        .map(|position| {
            let moves = position.as_ref()?.legal_moves();
            let priors = said.next()?.priors;
            let best = priors.iter().zip(&moves).max_by(|a, b| a.0.total_cmp(b.0));
            best.map(|(_, &played)| played)
        })
        .collect())
}

fn effective_moves(evaluation: &Evaluation) -> f64 {
    let entropy: f64 = evaluation
        .priors
        .iter()
        .map(|&prior| f64::from(prior))
        .filter(|&prior| prior > 0.0)
        .map(|prior| -prior * prior.ln())
        .sum();
    entropy.exp()
}

/// How the agent's opinion of a game went.
struct Story {
    decided: usize,
    lead_changes: usize,
    drama: f64,
    comeback: bool,
}

impl Story {
    fn of(game: &GameRecord, said: &[Evaluation]) -> Story {
        let values: Vec<f32> = said.iter().map(|evaluation| evaluation.value).collect();
        let undecided = values.iter().rposition(|value| value.abs() <= DECIDED);
        let leads: Vec<f32> = values.iter().copied().filter(|value| value.abs() > 0.1).collect();
        let changes = values.windows(2).map(|pair| f64::from((pair[1] - pair[0]).abs()));
        Story {
            decided: undecided.map_or(0, |turn| turn + 1),
            lead_changes: leads.windows(2).filter(|pair| pair[0] * pair[1] < 0.0).count(),
            drama: changes.sum::<f64>() / values.len().saturating_sub(1).max(1) as f64,
            comeback: game
                .outcome
                .winner
                .is_some_and(|winner| values.iter().any(|value| value * winner.sign() < BEHIND)),
        }
    }
}
