//! `hotstone ladder`

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use arena::ladder::Ladder;
use arena::{Match, MatchReport, Openings, PLAYERS, PairMoves, PlayerSpec, Progress, Strength};
use clap::Args;
use engine::Rules;
use game::EndReason;
use indicatif::ProgressBar;
use models::{CHECKPOINTS, checkpoint_folder, checkpoint_steps};

use crate::arguments::{at_least, simulations};
use crate::contest::{ContestArguments, check_games, play_recorded, progress_bar};
#[cfg(feature = "train")]
use crate::fleet::matches::{Follower, MatchTerms, Plan, PlannedPlayer, StoreHandle, judge, open};
use crate::model::stored;
use crate::openings::distinct_pairs;
use crate::output::{print_after, try_file, write_file};
use crate::players::play_without_chance;

/// Default number of checkpoints of a run.
const USUAL_CHECKPOINTS: usize = 6;

/// Default number of their simulations.
const USUAL_SIMULATIONS: u32 = 64;

/// Put many players, or the checkpoints of a run, on one scale of strength.
#[derive(Args)]
pub struct LadderArguments {
    /// Players as for match, including levels such as model:PATH@level1, and run folders, which stand for their checkpoints.
    #[arg(required = true)]
    players: Vec<String>,
    /// Maximum number of checkpoints of each run, each with about twice the training of the one before. [default: 6]
    #[arg(long, value_parser = at_least(1))]
    checkpoints: Option<usize>,
    /// Simulations per move for checkpoints of runs. [default: 64]
    #[arg(long, value_parser = simulations(1))]
    simulations: Option<u32>,
    /// Total number of games.
    #[arg(long, default_value_t = 1000)]
    games: usize,
    /// Games per meeting of two players.
    #[arg(long, default_value_t = 20)]
    meeting: usize,
    /// Pair the players whose games are most informative, instead of a round robin.
    #[arg(long)]
    #[cfg_attr(feature = "train", arg(conflicts_with = "store"))]
    adaptive: bool,
    /// Write the picture here.
    #[arg(long)]
    svg: Option<PathBuf>,
    #[command(flatten)]
    contest: ContestArguments,
}

/// The games played so far. Deterministic players play the same games again when they meet from the
/// same opening, and these add no information.
struct Played {
    ladder: Ladder,
    known: HashMap<(usize, usize), KnownGames>,
    repeated: usize,
    /// Number of openings that all meetings share; `None` if each draws its own.
    openings: Option<usize>,
    /// How often games ended because of a fault of an engine.
    faults: BTreeMap<String, u32>,
}

/// The games between two players who play without chance.
#[derive(Default)]
struct KnownGames {
    pairs: HashSet<PairMoves>,
    /// Number of pairs that repeated these since the last new one.
    repeated: usize,
}

impl KnownGames {
    /// Whether no new game is left: every opening has been played, or where their number is not
    /// known, as many in a row have repeated others as there are.
    fn are_all(&self, openings: Option<usize>) -> bool {
        openings.map_or(self.repeated >= self.pairs.len(), |openings| self.pairs.len() >= openings)
    }
}

impl Played {
    fn new(specs: &[PlayerSpec], openings: Option<&Openings>) -> Played {
        Played {
            ladder: Ladder::new(specs.iter().map(ToString::to_string).collect()),
            known: HashMap::new(),
            repeated: 0,
            openings: openings.map(|openings| openings.lines.len()),
            faults: BTreeMap::new(),
        }
    }

    /// The players whose games would be most informative, if any have new ones to play.
    fn next_encounter(&self) -> Option<(usize, usize)> {
        let is_over = |known: &KnownGames| known.are_all(self.openings);
        self.ladder.next_encounter(|pair| !self.known.get(&pair).is_some_and(is_over))
    }

    /// Number of games that count.
    fn games(&self) -> usize {
        self.ladder.encounters.iter().map(|encounter| PLAYERS * encounter.pairs.len()).sum()
    }

    fn enter(&mut self, specs: &[PlayerSpec], who: (usize, usize), report: MatchReport) {
        let (first, second) = who;
        let new = if play_without_chance([&specs[first], &specs[second]], &report.rules) {
            let games = report.games.len();
            let known = self.known.entry(who).or_default();
            let new = report.without_known_pairs(&mut known.pairs);
            let repeated = games - new.games.len();
            self.repeated += repeated;
            known.repeated =
                if new.games.is_empty() { known.repeated + repeated / PLAYERS } else { 0 };
            new
        } else {
            report
        };
        for (reason, games) in &new.reasons {
            if let EndReason::Fault(_) = reason {
                *self.faults.entry(reason.to_string()).or_default() += games;
            }
        }
        self.ladder.enter(first, second, &new);
    }

    /// The ladder, after reporting how many games do not count.
    fn into_ladder(self, bar: &ProgressBar) -> Ladder {
        for (reason, games) in &self.faults {
            bar.suspend(|| {
                eprintln!("warning: {games} games ended by a fault: {reason}; they count as lost")
            });
        }
        if self.repeated > 0 {
            let repeated = self.repeated;
            bar.suspend(|| {
                eprintln!(
                    "{repeated} games repeat others and do not count: ask for fewer games, or for players that draw \
                     their moves, as universal@16~0.5"
                );
            });
        }
        self.ladder
    }
}

impl LadderArguments {
    /// Plays the games and prints the table.
    pub fn execute(&self) -> Result<()> {
        check_games("--meeting", self.meeting)?;
        check_games("--games", self.games)?;
        self.contest.check()?;
        let specs = self.specs()?;
        ensure!(specs.len() >= 2, "a ladder needs at least two players");
        let meetings = round_robin(specs.len()).len();
        if self.games < meetings * self.meeting && !self.adaptive {
            eprintln!(
                "warning: {} games are not enough for each of the {meetings} pairs of players to meet in {} games: give --games {}, or a \
                 smaller --meeting",
                self.games,
                self.meeting,
                meetings * self.meeting
            );
        }
        self.svg.as_deref().map_or(Ok(()), try_file)?;
        let bar = progress_bar(self.games as u64);
        let ladder = self.play(&specs, &bar)?;
        bar.finish_and_clear();
        let standings = ladder.standings(self.contest.seed);
        let picture = |path: &PathBuf| write_file(path, &standings.picture());
        let written = self.svg.as_ref().map_or(Ok(()), picture);
        if self.contest.json {
            print_after(written, format!("{}\n", standings.json()))
        } else {
            print_after(written, standings)
        }
    }

    fn play(&self, specs: &[PlayerSpec], bar: &ProgressBar) -> Result<Ladder> {
        #[cfg(feature = "train")]
        if let Some(url) = &self.contest.store {
            return self.play_in_store(url, specs, bar);
        }
        let rules = self.contest.rules(specs, &stored)?;
        let players = self.contest.players(specs, &rules)?;
        let openings = self.contest.openings(rules, self.games / 2)?;
        let mut evaluators = players.evaluators();
        let mut played = Played::new(specs, openings.as_ref());
        let everybody = round_robin(specs.len());
        for number in 0..self.games.div_ceil(self.meeting) {
            let next = match self.adaptive {
                true => played.next_encounter(),
                false => Some(everybody[number % everybody.len()]),
            };
            let Some((first, second)) = next else {
                bar.suspend(|| {
                    eprintln!(
                        "the ladder ends after {} games: all players play without chance, and have played every opening against \
                         each other. Players that draw their moves, as universal@16~0.5, have more games.",
                        played.games()
                    );
                });
                break;
            };
            let players_of = [&specs[first], &specs[second]];
            let encounter = self.plan_meeting(number, players_of, rules, &openings);
            let PlannedMeeting { pairs, openings, seed, record } = encounter;
            let game = Match { pairs, openings, seed, ..players.contest(rules, first, second) };
            bar.set_message(format!("{} against {}", specs[first], specs[second]));
            let go_on = &mut |_: &Progress| ControlFlow::Continue(());
            let report = play_recorded(&game, record.as_deref(), &mut evaluators, go_on)?;
            played.enter(specs, (first, second), report);
            bar.inc(self.meeting as u64);
        }
        Ok(played.into_ladder(bar))
    }

    /// The same played by the workers of a store, which may play all meetings at the same time.
    #[cfg(feature = "train")]
    fn play_in_store(&self, url: &str, specs: &[PlayerSpec], bar: &ProgressBar) -> Result<Ladder> {
        let handle = StoreHandle::open(url)?;
        let find = |path: &Path| handle.model(path);
        let rules = self.contest.rules(specs, &find)?;
        let openings = self.contest.openings(rules, self.games / 2)?;
        let players: Vec<PlannedPlayer> = specs
            .iter()
            .map(|spec| PlannedPlayer::new(&handle, spec, &rules))
            .collect::<Result<_>>()?;
        let everybody = round_robin(specs.len());
        let mut meetings = Vec::new();
        for number in 0..self.games.div_ceil(self.meeting) {
            let (first, second) = everybody[number % everybody.len()];
            let players_of = [&specs[first], &specs[second]];
            let encounter = self.plan_meeting(number, players_of, rules, &openings);
            let PlannedMeeting { pairs, openings, seed, record } = encounter;
            let terms = MatchTerms { rules, pairs, seed, test: None, openings };
            let plan = Plan::new([players[first].clone(), players[second].clone()], &terms)?;
            open(&handle, &plan)?;
            meetings.push((first, second, plan, terms.openings, record));
        }
        let mut played = Played::new(specs, openings.as_ref());
        for (first, second, plan, openings, record) in meetings {
            bar.set_message(format!("{} against {}", specs[first], specs[second]));
            let (watch, say) =
                (&mut |_: &Progress| {}, &|text: &str| bar.suspend(|| eprintln!("{text}")));
            let follower = Follower { record: record.as_deref(), openings, watch, say };
            played.enter(specs, (first, second), judge(&handle, &plan, follower)?);
            bar.inc(self.meeting as u64);
        }
        Ok(played.into_ladder(bar))
    }

    fn plan_meeting(
        &self,
        number: usize,
        players: [&PlayerSpec; PLAYERS],
        rules: Rules,
        openings: &Option<Openings>,
    ) -> PlannedMeeting {
        let before = number * self.meeting;
        let (wanted, seed) = (
            self.meeting.min(self.games - before) / 2,
            self.contest.seed.wrapping_add(number as u64),
        );
        let pairs = distinct_pairs(players, rules, openings.as_ref(), wanted, seed);
        PlannedMeeting {
            pairs,
            openings: openings.as_ref().map(|all| all.cyclic_range(before / 2, pairs)),
            seed,
            record: self.contest.record.as_ref().map(|folder| folder.join(format!("{number:05}"))),
        }
    }

    fn specs(&self) -> Result<Vec<PlayerSpec>> {
        let is_run = |player: &str| Path::new(player).join(CHECKPOINTS).is_dir();
        let is_for_runs = self.simulations.is_some() || self.checkpoints.is_some();
        ensure!(
            !is_for_runs || self.players.iter().any(|player| is_run(player)),
            "--simulations and --checkpoints are for runs, and no player is the folder of one: a model has its simulations in \
             its name, as in model:PATH@64"
        );
        let mut specs = Vec::new();
        for text in &self.players {
            if is_run(text) {
                specs.extend(self.checkpoints_of(Path::new(text))?);
            } else {
                specs.push(text.parse()?);
            }
        }
        Ok(specs)
    }

    /// The newest checkpoint, the one at half its steps, and so on, oldest first.
    fn checkpoints_of(&self, run: &Path) -> Result<Vec<PlayerSpec>> {
        let folder = run.join(CHECKPOINTS);
        let steps =
            checkpoint_steps(run).with_context(|| format!("cannot read {}", folder.display()))?;
        let Some(&newest) = steps.last() else {
            bail!("{} holds no checkpoint yet", folder.display());
        };
        let mut chosen = vec![newest];
        while chosen.len() < self.checkpoints.unwrap_or(USUAL_CHECKPOINTS)
            && let Some(&older) =
                steps.iter().rev().find(|&&step| step < chosen[0] && 2 * step <= chosen[0])
        {
            chosen.insert(0, older);
        }
        let strength = Strength::Simulations(self.simulations.unwrap_or(USUAL_SIMULATIONS));
        Ok(chosen
            .into_iter()
            .map(|step| PlayerSpec::Model {
                path: checkpoint_folder(run, step),
                strength: Some(strength),
            })
            .collect())
    }
}

/// What distinguishes a meeting from others between the same players.
struct PlannedMeeting {
    pairs: usize,
    openings: Option<Openings>,
    seed: u64,
    record: Option<PathBuf>,
}

/// All pairs of players, neighbours first.
fn round_robin(players: usize) -> Vec<(usize, usize)> {
    (1..players).flat_map(|gap| (gap..players).map(move |second| (second - gap, second))).collect()
}

#[cfg(test)]
mod tests {
    use arena::{Player, PlayerSetup, ReferencePlayer};
    use search::evaluators::Uniform;

    use super::*;

    /// A meeting whose pairs of games begin with these moves. Equal ones have equal games.
    fn meeting(rules: Rules, begun: &[&str]) -> MatchReport {
        let player =
            |name: &str| PlayerSetup::new(name, Player::Reference(ReferencePlayer::Random));
        let lines = begun.iter().map(|played| vec![played.parse().unwrap()]).collect();
        let openings = Some(Openings { plies: 1, lines });
        let pairs = begun.len();
        let plan = Match { pairs, openings, ..Match::new(rules, ["a", "b"].map(player)) };
        plan.play(&mut [Uniform], &mut |_| ControlFlow::Continue(())).unwrap()
    }

    fn specs() -> [PlayerSpec; 3] {
        ["a", "b", "c"].map(|name| format!("model:{name}@8").parse().unwrap())
    }

    #[test]
    fn only_players_with_openings_left_meet() {
        let rules = Rules::parse("go", 3).unwrap();
        let mut played = Played::new(&specs(), Some(&Openings::draw(rules, 1, 2, 1)));
        let two = meeting(rules, &["A1", "B2"]);
        for who in [(0, 1), (0, 2)] {
            played.enter(&specs(), who, two.clone());
        }
        assert_eq!(played.next_encounter(), Some((1, 2)));
        played.enter(&specs(), (1, 2), two);
        assert_eq!((played.next_encounter(), played.games()), (None, 12));
    }

    #[test]
    fn where_openings_are_not_counted_many_repetitions_in_a_row_are_the_end() {
        let rules = Rules::parse("go", 3).unwrap();
        let specs = &specs()[..2];
        let mut played = Played::new(specs, None);
        let mut enter = |begun: &[&str]| {
            played.enter(specs, (0, 1), meeting(rules, begun));
            (played.next_encounter().is_some(), played.repeated)
        };
        assert_eq!(enter(&["A1", "B2"]), (true, 0));
        assert_eq!(enter(&["A1"]), (true, 2));
        assert_eq!(enter(&["A1"]), (false, 4));
        assert_eq!(enter(&["A2"]), (true, 4));
    }
}
