//! The queue of positions, and those being searched.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

use search::{Evaluator, EvaluatorError, LEAVES_AT_ONCE, Open, Search, SearchState, run_while};

use super::answer::{Heading, tell};
use super::options::Options;
use super::query::{Query, ReportRequest, Turn};
use crate::ownership::{PlayoutGames, PlayoutSettings, run_playouts};

/// Longest interval between two checks for input.
const SLICE: Duration = Duration::from_millis(50);
/// Number of simulations in each search's first slice; later slices at most double the total.
const FIRST_SLICE: u32 = 16;

/// Everything not yet answered.
pub(super) struct Work<E> {
    evaluator: E,
    options: Options,
    /// The search settings of all positions.
    settings: search::Settings,
    waiting: BinaryHeap<Job>,
    /// Positions being searched; their searches are parallel to them.
    active: Vec<Active>,
    searches: Vec<Search<Open>>,
    added: u64,
}

/// One position of a query.
struct Job {
    id: Rc<str>,
    wanted: Rc<ReportRequest>,
    turn: Turn,
    /// Its sequence number, which decides between equal priorities.
    number: u64,
}

/// A position being searched.
struct Active {
    job: Job,
    start: Instant,
    reported: Instant,
    /// The playouts for ownership.
    playouts: Option<PlayoutGames>,
    /// Whether to answer with its current state.
    is_cut_short: bool,
    /// Its progress when the last slice began.
    before: Progress,
}

/// A search's progress: `None` until the root has been evaluated, then its number of simulations.
type Progress = Option<u32>;

fn progress(state: &SearchState) -> Progress {
    state.is_evaluated().then(|| state.started())
}

impl Ord for Job {
    /// Orders jobs so that the next one comes first: by priority, then by age.
    fn cmp(&self, other: &Job) -> Ordering {
        let key = |job: &Job| (job.turn.priority, Reverse(job.number));
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Job {
    fn partial_cmp(&self, other: &Job) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Job {
    fn eq(&self, other: &Job) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Job {}

impl Job {
    fn heading(&self, during_search: bool) -> Heading<'_> {
        Heading { id: &self.id, turn: self.turn.number, during_search }
    }

    fn is_meant(&self, id: Option<&str>, turns: Option<&[usize]>) -> bool {
        id.is_none_or(|id| id == &*self.id)
            && turns.is_none_or(|turns| turns.contains(&self.turn.number))
    }
}

impl Active {
    /// When its next report is due, if it has any.
    fn report_due(&self) -> Option<Instant> {
        self.job.wanted.report_every.and_then(|every| self.reported.checked_add(every))
    }

    /// When its time is up, if it is limited.
    fn end(&self) -> Option<Instant> {
        self.job.wanted.time.and_then(|time| self.start.checked_add(time))
    }
}

impl<E: Evaluator> Work<E> {
    pub fn new(evaluator: E, options: Options) -> Work<E> {
        let settings = search::Settings { gumbel_scale: 0.0, ..search::Settings::default() };
        Work {
            evaluator,
            options,
            settings,
            waiting: BinaryHeap::new(),
            active: Vec::new(),
            searches: Vec::new(),
            added: 0,
        }
    }

    pub fn evaluator(&mut self) -> &mut E {
        &mut self.evaluator
    }

    /// Whether everything has been answered.
    pub fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.active.is_empty()
    }

    pub fn add(&mut self, query: Query) {
        let (id, wanted): (Rc<str>, Rc<ReportRequest>) = (query.id.into(), Rc::new(query.wanted));
        for turn in query.turns {
            let (id, wanted) = (Rc::clone(&id), Rc::clone(&wanted));
            self.waiting.push(Job { id, wanted, turn, number: self.added });
            self.added += 1;
        }
    }

    /// Answers positions that have not begun without results, and running ones with their current
    /// state.
    pub fn terminate(
        &mut self,
        id: Option<&str>,
        turns: Option<&[usize]>,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let mut ended: Vec<Job> = Vec::new();
        let (meant, others) =
            self.waiting.drain().partition::<Vec<Job>, _>(|job| job.is_meant(id, turns));
        self.waiting.extend(others);
        ended.extend(meant);
        ended.sort_by_key(|job| job.number);
        for job in ended {
            tell(output, &job.heading(false).without_results())?;
        }
        for active in self.active.iter_mut().filter(|active| active.job.is_meant(id, turns)) {
            active.is_cut_short = true;
        }
        Ok(())
    }

    /// Continues the searches for a slice, and answers what is ready.
    pub fn proceed(&mut self, output: &mut impl Write) -> io::Result<()> {
        self.begin(output)?;
        if self.searches.is_empty() {
            return Ok(());
        }
        for (active, search) in self.active.iter_mut().zip(&mut self.searches) {
            active.before = progress(search.state());
            let started = search.state().started();
            // Short searches have few leaves in flight, since these are chosen with little
            // knowledge of each other.
            let more = started.max(FIRST_SLICE);
            search.extend(active.job.wanted.visits.saturating_sub(1 + started).min(more));
        }
        let deadlines = self.active.iter().flat_map(|active| [active.report_due(), active.end()]);
        let end = deadlines.flatten().fold(Instant::now() + SLICE, Ord::min);
        let searched =
            run_while(&mut self.searches, &mut self.evaluator, LEAVES_AT_ONCE, &mut |_| {
                Instant::now() < end
            });
        match searched {
            Ok(()) => self.answer(output),
            Err(error) => self.fail(&error, output),
        }
    }

    /// Starts queued positions until enough are being searched. Finished games are answered
    /// immediately.
    fn begin(&mut self, output: &mut impl Write) -> io::Result<()> {
        while self.active.len() < self.options.parallel.max(1) {
            let Some(job) = self.waiting.pop() else { break };
            if job.turn.position.outcome().is_some() {
                let answer = match playouts(&mut self.evaluator, &job) {
                    Ok(playouts) => job.heading(false).of_finished(
                        &job.turn.position,
                        &job.wanted,
                        playouts.as_ref(),
                    ),
                    Err(error) => job.heading(false).failure(&error.to_string()),
                };
                tell(output, &answer)?;
                continue;
            }
            if job.turn.only.as_ref().is_some_and(Vec::is_empty) {
                tell(output, &job.heading(false).without_results())?;
                continue;
            }
            let search = Search::new(job.turn.position.clone(), self.settings, 0);
            let search = match &job.turn.only {
                Some(only) => search.with_allowed_moves(only.clone()),
                None => search,
            };
            self.searches.push(search.open());
            let now = Instant::now();
            self.active.push(Active {
                job,
                start: now,
                reported: now,
                playouts: None,
                is_cut_short: false,
                before: None,
            });
        }
        Ok(())
    }

    /// Answers complete searches, and reports on those for which a report is due.
    fn answer(&mut self, output: &mut impl Write) -> io::Result<()> {
        let mut index = 0;
        while index < self.active.len() {
            let is_ready = self.is_ready(index);
            let active = &mut self.active[index];
            let is_due = active.report_due().is_some_and(|due| Instant::now() >= due);
            if is_ready || is_due {
                active.reported = Instant::now();
                let answer = answer(&mut self.evaluator, active, &self.searches[index], !is_ready);
                tell(output, &answer)?;
            }
            if is_ready {
                self.active.swap_remove(index);
                self.searches.swap_remove(index);
            } else {
                index += 1;
            }
        }
        Ok(())
    }

    /// Whether a search has all its visits, has run out of time, or is complete.
    fn is_ready(&self, index: usize) -> bool {
        let (active, search) = (&self.active[index], &self.searches[index]);
        let state = search.state();
        let wanted = &active.job.wanted;
        // Every slice advances every search unless no move can be visited.
        let is_stuck = !search.is_finished() && progress(state) == active.before;
        active.is_cut_short
            || is_stuck
            || state.is_decided()
            || 1 + state.started() >= wanted.visits
            || state.nodes() >= self.options.max_nodes
            || active.end().is_some_and(|end| Instant::now() >= end)
    }

    /// Called when the evaluator fails. Which position caused it is unknown, so all running
    /// searches get the error.
    fn fail(&mut self, error: &EvaluatorError, output: &mut impl Write) -> io::Result<()> {
        self.searches.clear();
        for active in self.active.drain(..) {
            tell(output, &active.job.heading(false).failure(&error.to_string()))?;
        }
        Ok(())
    }
}

fn answer<E: Evaluator>(
    evaluator: &mut E,
    active: &mut Active,
    search: &Search<Open>,
    during_search: bool,
) -> serde_json::Value {
    let heading = active.job.heading(during_search);
    if active.playouts.is_none() {
        match playouts(evaluator, &active.job) {
            Ok(found) => active.playouts = found,
            Err(error) => return heading.failure(&error.to_string()),
        }
    }
    heading.of_search(search.state(), &active.job.wanted, active.playouts.as_ref())
}

/// The playouts that estimate ownership, if requested.
fn playouts<E: Evaluator>(
    evaluator: &mut E,
    job: &Job,
) -> Result<Option<PlayoutGames>, EvaluatorError> {
    if !(job.wanted.ownership || job.wanted.moves_ownership) {
        return Ok(None);
    }
    let position = &job.turn.position;
    run_playouts(position, evaluator, PlayoutSettings::of(position)).map(Some)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // helpers of tests
mod tests {
    use std::thread;

    use engine::Position;
    use search::Evaluation;
    use search::evaluators::Uniform;
    use serde_json::{Value, json};

    use super::super::query::{Received, receive};
    use super::*;
    use crate::SupportedRules;

    /// Takes longer for a batch than a slice, but for the first ones.
    struct SlowerAndSlower {
        quick: usize,
        slow: usize,
    }

    impl Evaluator for SlowerAndSlower {
        fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
            if self.quick > 0 {
                self.quick -= 1;
            } else {
                self.slow += 1;
                thread::sleep(SLICE + Duration::from_millis(1));
            }
            Uniform.evaluate(batch)
        }
    }

    #[test]
    fn a_slice_ends_in_time_although_earlier_ones_were_fast() {
        let supported = SupportedRules::new("go", &[9]).unwrap();
        let queries = ["a", "b", "c"].map(|id| {
            json!({"id": id, "moves": [], "rules": "go", "boardXSize": 9, "boardYSize": 9, "maxVisits": 20_000})
        });
        let evaluator = SlowerAndSlower { quick: 50, slow: 0 };
        let mut work = Work::new(evaluator, Options { parallel: 3, ..Options::default() });
        for query in queries {
            match receive(query.to_string().as_bytes(), &supported, 20).unwrap() {
                Received::Query(query, _) => work.add(query),
                Received::Action { .. } => panic!("a query"),
            }
        }
        let mut output = Vec::new();
        for slices in 1..=4 {
            work.proceed(&mut output).unwrap();
            // One that ends the slice, and what is in flight then.
            assert!(work.evaluator.slow <= 3 * slices, "{} in {slices}", work.evaluator.slow);
        }
        assert_eq!(work.active.len(), 3, "a slice that was cut is not the last");
        work.terminate(None, None, &mut output).unwrap();
        work.proceed(&mut output).unwrap();
        let answers: Vec<Value> = String::from_utf8(output)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(answers.len(), 3);
        assert!(answers.iter().all(|answer| answer["rootInfo"]["visits"].as_u64() > Some(20)));
    }
}
