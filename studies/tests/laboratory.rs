//! The laboratory, end to end with untrained agents.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use arena::RecordError;
use engine::{Compensation, Position, Rules, Variant};
use search::evaluators::{Scripted, Uniform};
use search::{Counted, Evaluation, Evaluator, EvaluatorError};
use studies::{Budget, LabError, LabPlan, Laboratory, Results, Source, Statistic};

fn plan(rules: &[Rules], openings: usize) -> LabPlan {
    LabPlan {
        rules: rules.to_vec(),
        networks: vec!["one".to_owned(), "two".to_owned()],
        simulations: 4,
        opening_plies: None,
        budget: Budget::new(openings).expect("a budget"),
        seed: 3,
    }
}

fn two() -> [Scripted; 2] {
    [Scripted { seed: 4 }, Scripted { seed: 5 }]
}

/// Opens a laboratory and plays it to its end, or a number of batches.
fn played(plan: &LabPlan, folder: &Path, batches: usize) -> Laboratory {
    let mut evaluators = two();
    let mut lab =
        Laboratory::open(plan.clone(), folder, &mut evaluators, &|_| true).expect("a lab");
    for _ in 0..batches {
        let Some(batch) = lab.next() else { break };
        lab.play(&batch, &mut evaluators).expect("games");
    }
    lab
}

fn text(results: &Results) -> String {
    results.json(None).to_string()
}

fn page(lab: &mut Laboratory) -> String {
    let source = Source {
        networks: vec!["one".to_owned(), "two".to_owned()],
        simulations: 4,
        seed: 3,
        command: "hotstone lab".to_owned(),
        version: "1".to_owned(),
        server: "http://localhost:8019/".to_owned(),
    };
    let examination = lab.examine(&mut two(), &|_| true).expect("answers");
    lab.results().page(&source, &lab.games_worth_seeing(), &examination)
}

/// Answers for one rule set with any compensation, and refuses others.
struct Knows {
    rules: Rules,
    inner: Scripted,
}

impl Evaluator for Knows {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        for position in batch {
            assert!(position.rules().is_same_kind(&self.rules), "asked for {}", position.rules());
        }
        self.inner.evaluate(batch)
    }
}

/// What the networks have not learnt is not asked of them.
#[test]
fn parts_without_which_the_rules_are_unknown_are_not_looked_at() {
    let rules = Rules::parse("nogo", 4).expect("rules");
    let folder = tempfile::tempdir().expect("a folder");
    let mut lab = played(&plan(&[rules], 8), folder.path(), usize::MAX);
    let all = lab.examine(&mut two(), &|_| true).expect("answers");
    assert!(all.unknown_parts.is_empty() && !all.decisive_bans.is_empty());
    let mut networks = two().map(|inner| Knows { rules, inner });
    let own = lab.examine(&mut networks, &|known| *known == rules).expect("answers");
    assert_eq!(own.unknown_parts, ["the ban on captures"]);
    assert!(own.decisive_bans.is_empty());
    // What forbids no placement is not missed.
    let go = Rules::parse("go", 4).expect("rules");
    let folder = tempfile::tempdir().expect("a folder");
    let mut lab = played(&plan(&[go], 8), folder.path(), usize::MAX);
    let mut networks = two().map(|inner| Knows { rules: go, inner });
    let own = lab.examine(&mut networks, &|known| *known == go).expect("answers");
    assert!(own.unknown_parts.is_empty());
}

/// On a board this small, networks would draw the same openings, and their games would not be
/// independent.
#[test]
fn no_two_networks_play_the_same_opening() {
    let rules = Rules::parse("nogo", 3).expect("rules");
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan(&[rules], 100);
    let lab = played(&plan, folder.path(), usize::MAX);
    let mut begun = HashSet::new();
    let mut games = [0, 0];
    for (name, record) in lab.records() {
        let network = usize::from(name.contains("network-2"));
        games[network] += 1;
        let mut position = Position::new(rules);
        for turn in &record.turns[..2] {
            position.play(turn.played).expect("a legal move");
        }
        assert!(begun.insert(arena::stones_up_to_symmetry(&position)), "{name}");
    }
    assert!(games[0] > 2 && games[0] == games[1], "{games:?}");
    drop(lab);
    // Nothing is played again.
    let mut again = Laboratory::open(plan, folder.path(), &mut two(), &|_| true).expect("a lab");
    assert_eq!((again.next(), again.games_left()), (None, 0));
    assert!(again.results().rule_sets[0].most_times <= 1.0);
    let said = "nogo: there are only ";
    assert!(again.results().sentences().iter().any(|sentence| sentence.starts_with(said)));
    assert!(again.examine(&mut two(), &|_| true).is_ok());
}

#[test]
fn small_boards_are_solved() {
    let rule_sets = ["nogo", "go"].map(|text| Rules::parse(text, 3).expect("rules"));
    let folder = tempfile::tempdir().expect("a folder");
    let mut lab = played(&plan(&rule_sets, 4), folder.path(), usize::MAX);
    let solved = lab.examine(&mut two(), &|_| true).expect("answers").solved;
    let values: Vec<String> = solved.iter().map(|one| one.solution.value.to_string()).collect();
    assert_eq!(values, ["B wins", "draw"]);
    assert!(page(&mut lab).contains("Perfect play"));
}

#[test]
fn every_variant_can_be_measured() {
    for variant in Variant::ALL {
        let rules = variant.rules(4).expect("rules");
        let folder = tempfile::tempdir().expect("a folder");
        let mut lab = played(&plan(&[rules], 8), folder.path(), usize::MAX);
        assert_eq!(lab.games_left(), 0);
        let results = lab.results();
        let rule_set = &results.rule_sets[0];
        assert_eq!(rule_set.observations.games, 16, "{variant}");
        let levels = rule_set.levels.len();
        assert_eq!(levels == 0, rules.compensation() == Compensation::None, "{variant}");
        assert!(levels == 0 || levels >= 2, "{variant}: {levels}");
        let observed = &rule_set.observations;
        let all = [&observed.statistics, &observed.ends, &observed.bans].into_iter().flatten();
        let estimates = all.filter_map(|one: &Statistic| one.estimate);
        let levels = rule_set.levels.iter().map(|(_, black)| *black);
        for estimate in estimates.chain(levels).chain(rule_set.black) {
            assert!(estimate.low <= estimate.value, "{variant}: {estimate:?}");
            assert!(estimate.value <= estimate.high, "{variant}: {estimate:?}");
            assert!(estimate.low < estimate.high, "{variant}: {estimate:?}");
        }
        let ends: f64 = observed.ends.iter().filter_map(|end| Some(end.estimate?.value)).sum();
        assert!((ends - 1.0).abs() < 1e-9, "{variant}: {ends}");
        let page = page(&mut lab);
        assert!(page.contains("<svg") && !page.contains("NaN"), "{variant}");
        assert!(page.contains("<summary>By two</summary>"), "{variant}");
        assert!(
            page.contains("How games begin") && page.contains("Play on from here"),
            "{variant}"
        );
        for part in ["src=", "href=", "url(", "import "] {
            assert!(!page.contains(part), "{variant}: an external part, {part}");
        }
    }
}

#[test]
fn no_game_is_played_twice() {
    for variant in Variant::ALL {
        let rules = variant.rules(7).expect("rules");
        let folder = tempfile::tempdir().expect("a folder");
        let plan = LabPlan { simulations: 2, ..plan(&[rules], 25) };
        let observed = played(&plan, folder.path(), 1).results().rule_sets[0].observations.clone();
        assert_eq!((observed.games, observed.different), (50, 50), "{variant}");
    }
}

#[test]
fn interruptions_do_not_show() {
    let rules = ["incursion", "go"].map(|name| Rules::parse(name, 4).expect("rules"));
    let (whole, pieces) = (tempfile::tempdir().expect("a"), tempfile::tempdir().expect("b"));
    let plan = plan(&rules, 30);
    let expected = text(&played(&plan, whole.path(), usize::MAX).results());
    for batches in [1, 2, 1] {
        played(&plan, pieces.path(), batches);
        // As after a power failure.
        let path = pieces.path().join("games.jsonl");
        let mut file = fs::read(&path).expect("games");
        file.truncate(file.len() - 40);
        fs::write(&path, file).expect("games");
    }
    let lab = played(&plan, pieces.path(), usize::MAX);
    assert_eq!(text(&lab.results()), expected);
    // Games are told in the order of playing, which interruptions change.
    assert_eq!(lab.records().count(), played(&plan, whole.path(), 0).records().count());
}

/// A laboratory that is deepened plays the games that a deep one would have begun with.
#[test]
fn deeper_is_more_of_the_same() {
    let rules = [Rules::parse("go", 4).expect("rules")];
    let folder = tempfile::tempdir().expect("a folder");
    let games = |lab: &Laboratory| -> Vec<String> {
        lab.records().map(|(name, record)| format!("{name} {record}")).collect()
    };
    let first = games(&played(&plan(&rules, 10), folder.path(), usize::MAX));
    let deeper = games(&played(&plan(&rules, 40), folder.path(), usize::MAX));
    assert!(deeper.len() > first.len());
    assert_eq!(deeper[..first.len()], first);
}

#[test]
fn no_comparison_is_played_twice() {
    let rules = Rules::parse("stoical", 3).expect("rules");
    let folder = tempfile::tempdir().expect("a folder");
    let mut plan = plan(&[rules], 4);
    plan.budget = Budget::DEEP;
    let examine = || {
        let mut lab = played(&plan, folder.path(), 1);
        let mut counted = two().map(Counted::new);
        let found = lab.examine(&mut counted, &|_| true).expect("answers");
        assert_eq!((found.strengths.len(), found.doublings.len()), (2, 4));
        let doublings: Vec<_> = found.doublings.iter().map(|doubling| doubling.pairs).collect();
        let own_rule = [found.restricted, found.ablation_pairs].map(|pairs| pairs.expect("a ban"));
        let comparisons = (found.strengths, doublings, own_rule);
        (comparisons, counted.map(|counted| counted.positions))
    };
    let (first, asked) = examine();
    let (again, less) = examine();
    assert_eq!(again, first);
    // What is left is a look at the games.
    assert!(less[0] < asked[0] / 4 && less[1] == 0, "{asked:?}, then {less:?}");
}

#[test]
fn a_folder_belongs_to_one_laboratory() {
    let rules = [Rules::parse("go", 4).expect("rules")];
    let folder = tempfile::tempdir().expect("a folder");
    played(&plan(&rules, 5), folder.path(), 1);
    let other = LabPlan { seed: 4, ..plan(&rules, 5) };
    let error = Laboratory::open(other, folder.path(), &mut two(), &|_| true).expect_err("refused");
    assert!(
        matches!(&error, LabError::Folder(RecordError::Other { what, .. }) if what == "seed"),
        "{error}"
    );
    fs::write(folder.path().join("games.jsonl"), "{}\n").expect("a file");
    let again = Laboratory::open(plan(&rules, 5), folder.path(), &mut two(), &|_| true);
    assert!(again.expect_err("refused").to_string().contains("line 1: no 'column'"));
}

#[test]
fn a_first_sentence_needs_no_game() {
    let rules = [Rules::parse("stoical", 5).expect("rules")];
    let folder = tempfile::tempdir().expect("a folder");
    let plan = LabPlan { networks: vec!["one".to_owned()], ..plan(&rules, 5) };
    let lab = Laboratory::open(plan, folder.path(), &mut [Uniform], &|_| true).expect("a lab");
    let sentences = lab.results().sentences();
    assert!(
        sentences[0].starts_with("Before any game: on the empty board at komi"),
        "{sentences:?}"
    );
}

/// Rules that the networks have not learnt are not played, so nothing is said about compensations
/// beyond them.
#[test]
fn unknown_compensations_are_not_played() {
    let rules = Rules::parse("alter-igo", 4).expect("rules");
    let folder = tempfile::tempdir().expect("a folder");
    let knows = |tried: &Rules| *tried == rules;
    let mut evaluators = two();
    let mut lab =
        Laboratory::open(plan(&[rules], 8), folder.path(), &mut evaluators, &knows).expect("a lab");
    while let Some(batch) = lab.next() {
        assert_eq!(batch.rules, rules);
        lab.play(&batch, &mut evaluators).expect("games");
    }
    assert_eq!(lab.results().rule_sets[0].levels.len(), 1);
}
