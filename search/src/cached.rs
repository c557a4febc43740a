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
    cache: Arc<Mutex<Cache>>,
}

/// A bounded cache in two generations: when the younger is full, the older is dropped. Looking up a
/// position moves it to the younger.
#[derive(Default)]
struct Cache {
    /// The most evaluations in a generation.
    generation_capacity: usize,
    young: Map<Evaluation>,
    old: Map<Evaluation>,
}

impl<E> Cached<E> {
    /// Caches up to `capacity` evaluations; none if that is less than two.
    pub fn new(inner: E, capacity: usize) -> Self {
        let cache = Cache { generation_capacity: capacity / 2, ..Cache::default() };
        Cached { inner, cache: Arc::new(Mutex::new(cache)) }
    }
}

/// A panic elsewhere leaves only complete evaluations behind, so a poisoned cache is still valid.
fn lock(cache: &Mutex<Cache>) -> MutexGuard<'_, Cache> {
    cache.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cache {
    fn get(&mut self, key: Key) -> Option<Evaluation> {
        if let Some(known) = self.young.get(&key) {
            return Some(known.clone());
        }
        let known = self.old.remove(&key)?;
        self.insert(key, known.clone());
        Some(known)
    }

    fn insert(&mut self, key: Key, evaluation: Evaluation) {
        if self.young.len() >= self.generation_capacity {
            self.old = std::mem::take(&mut self.young);
        }
        if self.generation_capacity > 0 {
            self.young.insert(key, evaluation);
        }
    }

    /// Looks up a batch. Of equal positions that are not cached, only the first is missing.
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

    /// All evaluations of a batch, given those of its missing positions, which are now cached.
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

/// What the cache holds of a batch.
struct Lookup {
    keys: Vec<Key>,
    answers: Vec<Option<Evaluation>>,
    /// The index in `missing` of each key that is passed on.
    requested: Map<usize>,
    /// The indices of the positions to evaluate.
    missing: Vec<usize>,
}

impl<E: Evaluator> Evaluator for Cached<E> {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.begin(batch).wait()
    }

    fn begin(&mut self, batch: &[&Position]) -> Ticket {
        let lookup = lock(&self.cache).look_up(batch);
        let positions: Vec<&Position> = lookup.missing.iter().map(|&index| batch[index]).collect();
        let ticket = (!positions.is_empty()).then(|| self.inner.begin(&positions));
        let (cache, expected) = (Arc::clone(&self.cache), positions.len());
        Ticket::new(move || {
            let fresh = ticket.map_or(Ok(Vec::new()), Ticket::wait)?;
            check_count(expected, fresh.len())?;
            Ok(lock(&cache).complete(lookup, fresh))
        })
    }
}
