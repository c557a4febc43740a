//! All players combined: the named model, the released one, and random playouts for all other
//! rules.

use std::collections::HashMap;
use std::path::Path;

use arena::CachedPlayoutEvaluator;
use engine::{Position, Rules};
use models::ServerSettings;
use search::{Evaluation, Evaluator, EvaluatorError, Policy, Ticket};

use crate::model::{CACHED_EVALUATIONS, OpenModel};
use crate::released::{BEGINNER, Released, UNIVERSAL};

/// Combines players; each evaluates the positions whose rules suit it best. Players are opened on
/// demand, and standard error says which one plays.
pub struct CombinedEvaluator {
    settings: ServerSettings,
    released: &'static Released,
    members: Vec<Member>,
    /// The index of the player for each rule set.
    roles: HashMap<Rules, usize>,
}

/// One of the players.
struct Member {
    /// The displayed name.
    name: String,
    /// The version shown to clients.
    version: String,
    /// Whether it is a released model.
    is_released: bool,
    evaluator: Box<dyn Evaluator>,
    /// What it has learnt, and its evaluator; `None` for the player that plays everything.
    model: Option<OpenModel>,
}

impl CombinedEvaluator {
    /// Only the built-in players. `settings` are for their networks.
    pub fn new(settings: ServerSettings) -> CombinedEvaluator {
        CombinedEvaluator {
            settings,
            released: &UNIVERSAL,
            members: Vec::new(),
            roles: HashMap::new(),
        }
    }

    /// The same for the weak levels.
    pub fn beginner(settings: ServerSettings) -> CombinedEvaluator {
        CombinedEvaluator { released: &BEGINNER, ..CombinedEvaluator::new(settings) }
    }

    /// Gives a model precedence over all others under the rules that it has learnt.
    pub fn prefer(&mut self, name: String, model: OpenModel) {
        self.members.insert(0, Member::with_network(name, model));
        self.roles.clear();
    }

    /// Finds the player for these rules, reports it on standard error, and returns its version.
    pub fn announce_player(&mut self, rules: &Rules) -> String {
        let index = self.role(rules);
        let player = &self.members[index];
        eprintln!("{}", player.introduction(rules));
        player.version.clone()
    }

    /// The same, but only if it is the player without a network, and returns what it reports.
    pub fn announce_playouts(&mut self, rules: &Rules) -> Option<String> {
        let index = self.role(rules);
        let playouts = Some(&self.members[index]).filter(|player| player.model.is_none());
        let introduction = playouts?.introduction(rules);
        eprintln!("{introduction}");
        Some(introduction)
    }

    /// The index of the player for these rules.
    fn role(&mut self, rules: &Rules) -> usize {
        if let Some(&index) = self.roles.get(rules) {
            return index;
        }
        let named = self.members.iter().position(|member| member.is_named_for(rules));
        let index = named.or_else(|| self.released(rules)).unwrap_or_else(|| self.playouts());
        self.roles.insert(*rules, index);
        index
    }

    /// The index of the released model, if it has learnt these rules and can be opened.
    fn released(&mut self, rules: &Rules) -> Option<usize> {
        let released = self.released;
        if !released.plays(rules) {
            return None;
        }
        if let Some(index) = self.members.iter().position(|member| member.is_released) {
            return Some(index);
        }
        let model = OpenModel::released(released, Some(rules), self.settings)
            .inspect_err(|problem| eprintln!("warning: {} stays away: {problem:#}", released.name))
            .ok()?;
        let name = format!("the released model {}", released.name);
        let member = Member::with_network(name, model);
        self.members.push(Member { is_released: true, ..member });
        Some(self.members.len() - 1)
    }

    /// The index of the player without a network.
    fn playouts(&mut self) -> usize {
        let known = self.members.iter().position(|member| member.model.is_none());
        known.unwrap_or_else(|| {
            self.members.push(Member::without_network());
            self.members.len() - 1
        })
    }

    /// Asks each player for its part of a batch.
    fn ask<T>(
        &mut self,
        batch: &[&Position],
        mut ask: impl FnMut(&mut dyn Evaluator, &[&Position]) -> Result<Vec<T>, EvaluatorError>,
    ) -> Result<Vec<T>, EvaluatorError> {
        let roles: Vec<usize> = batch.iter().map(|position| self.role(position.rules())).collect();
        let mut answers: Vec<Option<T>> = batch.iter().map(|_| None).collect();
        for (index, member) in self.members.iter_mut().enumerate() {
            let places: Vec<usize> =
                (0..batch.len()).filter(|&place| roles[place] == index).collect();
            if places.is_empty() {
                continue;
            }
            let part: Vec<&Position> = places.iter().map(|&place| batch[place]).collect();
            let found = ask(&mut *member.evaluator, &part)?;
            if found.len() != part.len() {
                let (expected, found) = (part.len(), found.len());
                return Err(EvaluatorError::AnswerCount { expected, found });
            }
            places.into_iter().zip(found).for_each(|(place, answer)| answers[place] = Some(answer));
        }
        Ok(answers.into_iter().flatten().collect())
    }
}

impl Evaluator for CombinedEvaluator {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.ask(batch, |member, part| member.evaluate(part))
    }

    fn policies(&mut self, batch: &[&Position]) -> Result<Vec<Policy>, EvaluatorError> {
        self.ask(batch, |member, part| member.policies(part))
    }

    fn begin(&mut self, batch: &[&Position]) -> Ticket {
        let mut roles = batch.iter().map(|position| self.role(position.rules()));
        let first = roles.next();
        if let Some(first) = first.filter(|&first| roles.all(|role| role == first)) {
            return self.members[first].evaluator.begin(batch);
        }
        let answer = self.evaluate(batch);
        Ticket::new(move || answer)
    }
}

impl Member {
    fn with_network(name: String, model: OpenModel) -> Member {
        Member {
            name,
            version: model.version(),
            is_released: false,
            evaluator: Box::new(model.cached_client()),
            model: Some(model),
        }
    }

    fn without_network() -> Member {
        Member {
            name: "tree search with random playouts, without a network".to_owned(),
            version: format!("{} (random playouts)", env!("CARGO_PKG_VERSION")),
            is_released: false,
            evaluator: Box::new(CachedPlayoutEvaluator::with_capacity(CACHED_EVALUATIONS)),
            model: None,
        }
    }

    /// Says that it plays these rules.
    fn introduction(&self, rules: &Rules) -> String {
        let known_as = bot::go_name(rules).filter(|_| rules.variant().is_none());
        let known_as = known_as.map(|name| format!("{name}: ")).unwrap_or_default();
        format!("{known_as}{rules} on {:#} is played by {}", rules.size, self.name)
    }

    /// Whether it is the named model and has learnt these rules.
    fn is_named_for(&self, rules: &Rules) -> bool {
        let named = self.model.as_ref().filter(|_| !self.is_released);
        named
            .map(|model| &model.card)
            .is_some_and(|card| card.check(Path::new(&self.name), Some(rules)).is_ok())
    }
}
