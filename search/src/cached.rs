//! A decorator that caches evaluations.

use std::collections::{HashMap, hash_map::DefaultHasher};
use std::hash::BuildHasherDefault;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{Position, Rules};

use crate::evaluation::check_count;
use crate::{Evaluation, Evaluator, EvaluatorError, Ticket};

/// A position's rules and its [`Position::hash`], which covers everything else that the rules and
/// the encoding depend on.
type Key = (Rules, u64);

/// Iterates in the same order in every process, as everything in this crate must.
type Map<V> = HashMap<Key, V, BuildHasherDefault<DefaultHasher>>;

/// Answers recently seen positions without asking the inner evaluator.
///
/// Two positions with the same rules and the same 64-bit [`Position::hash`] would share an
/// evaluation. With a full cache this happens less than once in 10¹² lookups, and no rule of the
/// game depends on it.
pub struct Cached<E> {
    inner: E,
    /// Shared with the tickets of pending batches, which store their results here.
    memory: Arc<Mutex<Memory>>,
}

/// Bounded memory: evaluations are kept in two generations, and when the younger is full the older
/// is dropped. Looking up a position moves it to the younger.
#[derive(Default)]
struct Memory {
    generation: usize,
    young: Map<Evaluation>,
    old: Map<Evaluation>,
}

impl<E> Cached<E> {
    /// Remembers up to `capacity` evaluations.
    pub fn new(inner: E, capacity: usize) -> Self {
        let memory = Memory { generation: capacity.div_ceil(2), ..Memory::default() };
        Cached { inner, memory: Arc::new(Mutex::new(memory)) }
    }
}

/// A panic elsewhere leaves only complete evaluations behind, so a poisoned cache is still valid.
fn lock(memory: &Mutex<Memory>) -> MutexGuard<'_, Memory> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Memory {
    fn get(&mut self, key: Key) -> Option<Evaluation> {
        if let Some(known) = self.young.get(&key) {
            return Some(known.clone());
        }
        let known = self.old.remove(&key)?;
        self.insert(key, known.clone());
        Some(known)
    }

    fn insert(&mut self, key: Key, evaluation: Evaluation) {
        if self.young.len() >= self.generation {
            self.old = std::mem::take(&mut self.young);
        }
        if self.generation > 0 {
            self.young.insert(key, evaluation);
        }
    }

    /// The known evaluations of a batch, and the indices to ask for: only the first of equal
    /// positions.
    fn look_up(&mut self, batch: &[&Position]) -> Lookup {
        let keys: Vec<Key> =
            batch.iter().map(|position| (*position.rules(), position.hash())).collect();
        let answers: Vec<_> = keys.iter().map(|&key| self.get(key)).collect();
        let mut requested = Map::default();
        let mut missing = Vec::new();
        for index in (0..batch.len()).filter(|&index| answers[index].is_none()) {
            requested.entry(keys[index]).or_insert_with(|| {
                missing.push(index);
                missing.len() - 1
            });
        }
        Lookup { keys, answers, requested, missing }
    }

    fn complete(&mut self, lookup: Lookup, fresh: Vec<Evaluation>) -> Vec<Evaluation> {
        let Lookup { keys, mut answers, requested, missing } = lookup;
        for (answer, key) in answers.iter_mut().zip(&keys) {
            if let (None, Some(&place)) = (&answer, requested.get(key)) {
                *answer = Some(fresh[place].clone());
            }
        }
        for (index, evaluation) in missing.into_iter().zip(fresh) {
            self.insert(keys[index], evaluation);
        }
        answers.into_iter().flatten().collect()
    }
}

/// A batch of which some positions are known.
struct Lookup {
    keys: Vec<Key>,
    answers: Vec<Option<Evaluation>>,
    /// The index in `missing` of each key that is passed on.
    requested: Map<usize>,
    missing: Vec<usize>,
}

impl<E: Evaluator> Evaluator for Cached<E> {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.begin(batch).wait()
    }

    fn begin(&mut self, batch: &[&Position]) -> Ticket {
        let lookup = lock(&self.memory).look_up(batch);
        let positions: Vec<&Position> = lookup.missing.iter().map(|&index| batch[index]).collect();
        let ticket = (!positions.is_empty()).then(|| self.inner.begin(&positions));
        let (memory, expected) = (Arc::clone(&self.memory), positions.len());
        Ticket::new(move || {
            let fresh = ticket.map_or(Ok(Vec::new()), Ticket::wait)?;
            check_count(expected, fresh.len())?;
            Ok(lock(&memory).complete(lookup, fresh))
        })
    }
}
