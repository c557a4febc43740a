//! The games of a corpus and their replays.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use engine::{Rules, RulesError, Size};
use game::{Comparison, SgfRecord, compare};

/// The rule sets under which recorded games are replayed.
///
/// ```
/// use studies::{Corpus, RuleSets};
///
/// let rule_sets = RuleSets::new("go", ["nogo".to_owned()])?;
/// let mut corpus = Corpus::new(&rule_sets);
/// corpus.add("games.sgf", rule_sets.read(b"(;SZ[2];B[ab];W[bb];B[ba])(;SZ[1])"));
/// assert_eq!(corpus.games(), 1);
/// assert_eq!(corpus.left_out()[0].number, 2);
/// let nogo = &corpus.figures()[1];
/// assert_eq!((nogo.complete, nogo.stops[0].clone()), (0, ("capture".to_owned(), 1)));
/// # Ok::<(), engine::RulesError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSets {
    /// As given; the first is the one with which the others are compared.
    pub(super) texts: Vec<String>,
    size: Option<Size>,
}

/// One game of a file, or why it is left out.
pub type Entry = Result<ReplayedGame, String>;

/// One game that was replayed.
#[derive(Debug, Clone)]
pub struct ReplayedGame {
    /// Equal for games with the same start and moves.
    identity: u64,
    size: Size,
    comparison: Comparison,
    /// What could not be read of it.
    defects: Vec<String>,
}

/// A game of which only a part could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedGame {
    /// The file.
    pub file: String,
    /// The game's number within the file, from 1.
    pub number: usize,
    /// What is wrong, to be read after "is".
    pub defects: Vec<String>,
}

/// A game that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOutGame {
    /// The file.
    pub file: String,
    /// The game's number within the file, from 1.
    pub number: usize,
    /// The reason.
    pub reason: String,
}

/// All games, without duplicates.
#[derive(Debug, Clone)]
pub struct Corpus {
    pub(super) rule_sets: RuleSets,
    pub(super) files: usize,
    pub(super) copies: usize,
    pub(super) sizes: BTreeMap<String, usize>,
    /// The board with the most points.
    pub(super) largest: Option<Size>,
    pub(super) left_out: Vec<LeftOutGame>,
    /// Those of the games that are damaged.
    pub(super) damaged: Vec<DamagedGame>,
    known: HashSet<u64>,
    /// Each with its file and its index in the file.
    pub(super) games: Vec<(String, usize, Comparison)>,
}

impl RuleSets {
    /// Rule sets to compare with the `yardstick`. Duplicates count once.
    ///
    /// # Errors
    /// A rule set is unknown.
    pub fn new(
        yardstick: &str,
        others: impl IntoIterator<Item = String>,
    ) -> Result<RuleSets, RulesError> {
        let mut texts: Vec<String> = Vec::new();
        for text in std::iter::once(yardstick.to_owned()).chain(others) {
            Rules::parse(&text, Size::LARGEST)?;
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        Ok(RuleSets { texts, size: None })
    }

    /// Restricts to games on boards of this size.
    #[must_use]
    pub fn on(self, size: Option<Size>) -> RuleSets {
        RuleSets { size, ..self }
    }

    /// Replays all games of a file.
    pub fn read(&self, file: &[u8]) -> Vec<Entry> {
        SgfRecord::read_all(file)
            .into_iter()
            .map(|record| self.study(&record.map_err(|error| error.to_string())?))
            .collect()
    }

    fn study(&self, record: &SgfRecord) -> Entry {
        if let Some(size) = self.size.filter(|&size| size != record.size) {
            return Err(format!("the board is {:#}, not {size:#}", record.size));
        }
        if record.turns.iter().all(|turn| turn.played.point().is_none()) {
            return Err("no stone is played".to_owned());
        }
        let rules = self
            .texts
            .iter()
            .map(|text| Rules::parse(text, record.size))
            .collect::<Result<Vec<Rules>, RulesError>>()
            .map_err(|error| error.to_string())?;
        Ok(ReplayedGame {
            identity: identity(record),
            size: record.size,
            comparison: compare(record, &rules),
            defects: record.defects.clone(),
        })
    }
}

fn identity(record: &SgfRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    record.size.to_string().hash(&mut hasher);
    record.position.hash(&mut hasher);
    record.stones.iter().for_each(|stones| stones.words().hash(&mut hasher));
    for turn in &record.turns {
        (turn.player.index(), turn.played.action(record.size)).hash(&mut hasher);
    }
    hasher.finish()
}

impl Corpus {
    /// Whether it contains no games.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// A corpus without games.
    pub fn new(rule_sets: &RuleSets) -> Corpus {
        Corpus {
            rule_sets: rule_sets.clone(),
            files: 0,
            copies: 0,
            sizes: BTreeMap::new(),
            largest: None,
            left_out: Vec::new(),
            damaged: Vec::new(),
            known: HashSet::new(),
            games: Vec::new(),
        }
    }

    /// Adds the games of a file; those that already occurred in another file are counted
    /// separately.
    pub fn add(&mut self, file: &str, entries: Vec<Entry>) {
        self.files += 1;
        for (index, entry) in entries.into_iter().enumerate() {
            let number = index + 1;
            match entry {
                Ok(studied) if self.known.insert(studied.identity) => {
                    *self.sizes.entry(format!("{:#}", studied.size)).or_default() += 1;
                    if self.largest.is_none_or(|known| known.area() < studied.size.area()) {
                        self.largest = Some(studied.size);
                    }
                    if !studied.defects.is_empty() {
                        let (file, defects) = (file.to_owned(), studied.defects);
                        self.damaged.push(DamagedGame { file, number, defects });
                    }
                    self.games.push((file.to_owned(), number, studied.comparison));
                }
                Ok(_) => self.copies += 1,
                Err(reason) => self.leave_out(file, number, reason),
            }
        }
    }

    /// Records a file that cannot be read.
    pub fn add_unreadable(&mut self, file: &str, reason: String) {
        self.files += 1;
        self.leave_out(file, 1, reason);
    }

    fn leave_out(&mut self, file: &str, number: usize, reason: String) {
        self.left_out.push(LeftOutGame { file: file.to_owned(), number, reason });
    }

    /// Number of distinct games.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// The games that are left out.
    pub fn left_out(&self) -> &[LeftOutGame] {
        &self.left_out
    }
}
