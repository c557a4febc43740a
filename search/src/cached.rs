//! A decorator that remembers.

use std::collections::{HashMap, HashSet, hash_map::DefaultHasher};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use engine::{Encoding, Position, Symmetry};

use crate::evaluation::check_count;
use crate::{Evaluation, Evaluator, EvaluatorError};

/// The same order in every process, like everything in this crate.
type Map<V> = HashMap<u64, V, BuildHasherDefault<DefaultHasher>>;

/// Answers positions that it has seen lately without asking the evaluator inside.
///
/// A position is known by [`Position::hash`], which holds everything that the rules and the encoding
/// ask for. Two positions with the same 64 bits would share an evaluation, one in 10¹² times with a
/// full cache; the rules of the game are not decided by it.
///
/// Memory is bounded: evaluations are kept in two generations, and when the younger is full the older
/// is forgotten. A position that is asked for again moves to the younger.
pub struct Cached<E> {
    inner: E,
    generation: usize,
    young: Map<Evaluation>,
    old: Map<Evaluation>,
    stats: CacheStats,
    /// Keys of positions up to symmetry, where those are counted.
    orbits: Option<HashSet<u64, BuildHasherDefault<DefaultHasher>>>,
}

/// What a cache has been asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Positions answered from memory.
    pub hits: u64,
    /// Positions handed on.
    pub misses: u64,
    /// Of those handed on, the mirror images and rotations of positions handed on before; counted
    /// only on request, because it takes longer than a simulation.
    pub symmetric: u64,
}

impl<E> Cached<E> {
    /// Remembers up to `capacity` evaluations.
    pub fn new(inner: E, capacity: usize) -> Self {
        let (young, old, stats) = (Map::default(), Map::default(), CacheStats::default());
        Cached { inner, generation: capacity.div_ceil(2), young, old, stats, orbits: None }
    }

    /// Counts symmetric duplicates as well.
    #[must_use]
    pub fn counting_symmetries(self) -> Self {
        Cached { orbits: Some(HashSet::default()), ..self }
    }

    /// What it has been asked so far.
    pub fn stats(&self) -> CacheStats {
        self.stats
    }

    /// Number of evaluations that it holds.
    pub fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets everything: the evaluator inside answers differently now.
    pub fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
    }

    fn recall(&mut self, key: u64) -> Option<Evaluation> {
        if let Some(known) = self.young.get(&key) {
            return Some(known.clone());
        }
        let known = self.old.remove(&key)?;
        self.remember(key, known.clone());
        Some(known)
    }

    fn remember(&mut self, key: u64, evaluation: Evaluation) {
        if self.young.len() >= self.generation {
            self.old = std::mem::take(&mut self.young);
        }
        if self.generation > 0 {
            self.young.insert(key, evaluation);
        }
    }

    fn count_orbit(&mut self, position: &Position) {
        if let Some(orbits) = &mut self.orbits {
            if orbits.len() >= 2 * self.generation.max(1) {
                orbits.clear();
            }
            self.stats.symmetric += u64::from(!orbits.insert(orbit(position)));
        }
    }
}

impl<E: Evaluator> Evaluator for Cached<E> {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let keys: Vec<u64> = batch.iter().map(|position| position.hash()).collect();
        let mut answers: Vec<Option<Evaluation>> =
            keys.iter().map(|&key| self.recall(key)).collect();
        // The first of equal positions is handed on for all of them.
        let mut asked: Map<usize> = Map::default();
        let mut missing: Vec<usize> = Vec::new();
        for index in (0..batch.len()).filter(|&index| answers[index].is_none()) {
            asked.entry(keys[index]).or_insert_with(|| {
                missing.push(index);
                missing.len() - 1
            });
        }
        let positions: Vec<&Position> = missing.iter().map(|&index| batch[index]).collect();
        let fresh = match positions.is_empty() {
            true => Vec::new(),
            false => self.inner.evaluate(&positions)?,
        };
        check_count(positions.len(), fresh.len())?;
        self.stats.misses += positions.len() as u64;
        self.stats.hits += (batch.len() - positions.len()) as u64;
        for position in positions {
            self.count_orbit(position);
        }
        for (answer, key) in answers.iter_mut().zip(&keys) {
            if let (None, Some(&place)) = (&answer, asked.get(key)) {
                *answer = Some(fresh[place].clone());
            }
        }
        for (index, evaluation) in missing.into_iter().zip(fresh) {
            self.remember(keys[index], evaluation);
        }
        Ok(answers.into_iter().flatten().collect())
    }
}

/// A key that the eight images of a position share.
fn orbit(position: &Position) -> u64 {
    let encoding = Encoding::of(position);
    let key = |symmetry| {
        let image = encoding.transformed(symmetry, position.size());
        let mut hasher = DefaultHasher::new();
        image.planes.hash(&mut hasher);
        image.globals.map(f32::to_bits).hash(&mut hasher);
        hasher.finish()
    };
    Symmetry::ALL.into_iter().map(key).min().unwrap_or_default()
}
