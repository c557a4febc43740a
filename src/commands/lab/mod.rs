//! `hotstone lab`

mod diagram;
mod rule_sets;
mod sweep;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use clap::Args;
use engine::{Rules, Size};
use indicatif::{FormattedDuration, ProgressBar, ProgressStyle};
use models::Client;
use search::Cached;
use studies::{Budget, Claim, ClaimVerdict, LabPlan, Laboratory, Results, Source};

use crate::arguments::{ComputeArguments, simulations};
use crate::commands::serve::PORT;
use crate::model::OpenModel;
use crate::output::{expect_folder, write_file};
use crate::released::{EARLIER, UNIVERSAL};
use crate::shell::for_shell;
use rule_sets::listed;
use sweep::Sweep;

/// Measure what rules do to the game, by games of several networks against themselves, or look at one position under
/// several rule sets.
///
/// The first sentence appears within seconds, and every batch of games sharpens it. All games are kept: the same command
/// continues where it was interrupted, and --deepen adds games to the existing ones.
#[derive(Args)]
pub struct LabArguments {
    /// A rule set: a variant's name, and changes to it. Or an SGF file, whose last position is examined under --rules.
    subject: String,
    /// Side of the board, for a rule set. A position has that of its file.
    #[arg(long)]
    size: Option<Size>,
    /// For a position: the rule sets, separated by commas; a change to a rule set follows it, as in tile,tile_limit=2,go.
    #[arg(long, conflicts_with_all = ["size", "against", "deepen", "openings", "opening_plies", "claim", "sweep", "seed", "folder"])]
    rules: Option<String>,
    /// Other rule sets to compare with, separated by commas; a change to a rule set follows it, as in tile,tile_limit=2,go.
    /// May be repeated. [default: go]
    #[arg(long, value_name = "RULES")]
    against: Vec<String>,
    /// Compare with the same rules at each of several values of a part: tile_limit=1..3, or ban=none,incursion.
    #[arg(long, value_name = "PART=VALUES")]
    sweep: Option<Sweep>,
    /// Check a claim about a figure against the games: 'draws < 1%', 'tiles > 1'. A wrong figure lists them all. May be
    /// repeated.
    #[arg(long, value_name = "CLAIM")]
    claim: Vec<Claim>,
    /// Play eight times as many games as by default.
    #[arg(long, conflicts_with = "openings")]
    deepen: bool,
    /// Openings that each network plays at each compensation of each rule set, at most 400. [default: 25, or 200 with
    /// --deepen]
    #[arg(long)]
    openings: Option<usize>,
    /// Plies of each opening, an even number; with few plies there are fewer different openings. [default: as many as make
    /// them different, at most about a sixth of the board's points]
    #[arg(long, value_name = "PLIES")]
    opening_plies: Option<usize>,
    /// A model folder, a run, or the name of a released model; several, one after the other. [default: the
    /// universal model, and the one released before it]
    #[arg(long, value_name = "MODEL")]
    model: Vec<PathBuf>,
    /// Simulations per move.
    #[arg(long, default_value_t = 64, value_parser = simulations(2))]
    simulations: u32,
    /// Seed of openings and all randomness.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the games, the page and the numbers. [default: lab/, with the rules and the size]
    #[arg(long)]
    folder: Option<PathBuf>,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl LabArguments {
    /// Measures, and writes the page and the numbers.
    pub fn execute(&self) -> Result<()> {
        // What is misspelt is told before the networks are opened, which takes a while.
        let Some(rules) = &self.rules else { return self.measure(self.plan()?) };
        ensure!(
            Path::new(&self.subject).exists() || Rules::parse(&self.subject, 9).is_err(),
            "--rules is for a position, and {} is a rule set: expected --against {rules} with --size",
            self.subject
        );
        let (record, rule_sets) = diagram::read(&self.subject, rules)?;
        let models = self.models()?;
        expect_known(&models, &rule_sets)?;
        diagram::look(&record, &rule_sets, self.simulations, &models)
            .with_context(|| format!("{} cannot be looked at", self.subject))
    }

    /// Plays the games of a plan that lacks only its networks.
    fn measure(&self, plan: LabPlan) -> Result<()> {
        for claim in &self.claim {
            claim.check(&plan.rules[0])?;
        }
        let folder = self.folder.clone().unwrap_or_else(|| default_folder(&plan.rules[0]));
        expect_folder("--folder", Some(&folder))?;
        expect_own(&folder)?;
        let models = self.models()?;
        expect_known(&models, &plan.rules)?;
        let plan = LabPlan { networks: self.identities(&models), ..plan };
        let asked = plan.budget;
        let mut clients: Vec<_> = models.iter().map(OpenModel::cached_client).collect();
        let knows = |rules: &Rules| is_known(&models, rules);
        let mut lab = Laboratory::open(plan, &folder, &mut clients, &knows)
            .context("choose another folder with --folder where this one cannot be used")?;
        let found = Some(lab.budget()).filter(|&found| found > asked);
        println!("{}", lab.results().sentences().first().map_or("", String::as_str));
        self.play(&mut lab, &mut clients)?;
        let results = lab.results();
        self.tell(&results);
        let examination = lab.examine(&mut clients, &knows)?;
        let source = Source {
            networks: self.identities(&models),
            simulations: self.simulations,
            seed: self.seed,
            command: command_line(found),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            server: format!("http://127.0.0.1:{PORT}/"),
        };
        let page = results.page(&source, &lab.games_worth_seeing(), &examination);
        write_file(&folder.join(PAGE), &page)?;
        let numbers = results.json(Some(&examination));
        write_file(&folder.join(NUMBERS), &format!("{numbers:#}\n"))?;
        for (name, record) in lab.records() {
            write_record(&folder, &name, &record.to_string())?;
        }
        println!("{}", folder.join(PAGE).display());
        Ok(())
    }

    /// Prints what the games say, including about the claims.
    fn tell(&self, results: &Results) {
        for sentence in results.sentences() {
            println!("{sentence}");
        }
        for claim in &self.claim {
            let rule_set = results.rule_sets.first();
            println!(
                "{claim}: {}",
                rule_set.map_or(ClaimVerdict::Unmeasured, |rule_set| claim.judge(rule_set))
            );
        }
    }

    /// The side of the board of a rule set.
    fn board_size(&self) -> Result<Size> {
        ensure!(
            !names_position(&self.subject),
            "{}: a position needs --rules A,B, the rule sets under which to examine it",
            self.subject
        );
        self.size.context("--size is missing: expected the side of the board, as in --size 9")
    }

    /// The plan, whose networks are not known before they are opened.
    fn plan(&self) -> Result<LabPlan> {
        let size = self.board_size()?;
        let parse = |text: &str| Rules::parse(text, size);
        let mut rules = vec![parse(&self.subject)?];
        let swept = self.sweep.iter().flat_map(|sweep| sweep.of(&self.subject));
        let mut against: Vec<String> =
            self.against.iter().flat_map(|text| listed(text)).chain(swept).collect();
        if against.is_empty() {
            against.push("go".to_owned());
        }
        for other in &against {
            let other = parse(other)?;
            if !rules.contains(&other) {
                rules.push(other);
            }
        }
        let budget = match (self.openings, self.deepen) {
            (Some(openings), _) => Budget::new(openings).with_context(|| {
                format!("--openings {openings}: expected a number from 1 to 400")
            })?,
            (None, true) => Budget::DEEP,
            (None, false) => Budget::QUICK,
        };
        let (simulations, seed) = (self.simulations, self.seed);
        let opening_plies = self.opening_plies;
        if let Some(plies) = opening_plies {
            ensure!(
                plies.is_multiple_of(2) && (2..=rules[0].size.area() / 2).contains(&plies),
                "--opening-plies {plies}: expected an even number from 2 to half of the board's points"
            );
        }
        Ok(LabPlan { rules, networks: Vec::new(), simulations, budget, opening_plies, seed })
    }

    fn models(&self) -> Result<Vec<OpenModel>> {
        let settings = self.compute.settings()?;
        let names = self.names();
        let open = |name: &PathBuf| OpenModel::open(name, None, settings);
        let models = names.iter().map(open).collect::<Result<Vec<OpenModel>>>()?;
        let mut known = HashMap::new();
        for (name, model) in names.iter().zip(&models) {
            if let Some(other) = known.insert(model.card.weights_sha256.clone(), name) {
                bail!(
                    "{} and {} are the same network, which says nothing about how networks differ: name each once",
                    other.display(),
                    name.display()
                );
            }
        }
        Ok(models)
    }

    /// Those given, or the released ones.
    fn names(&self) -> Vec<PathBuf> {
        match self.model.as_slice() {
            [] => [&UNIVERSAL, &EARLIER].map(|released| released.name.into()).to_vec(),
            given => given.to_vec(),
        }
    }

    /// What distinguishes the networks from all others.
    fn identities(&self, models: &[OpenModel]) -> Vec<String> {
        let identity = |(name, model): (PathBuf, &OpenModel)| {
            let card = &model.card;
            let digest = card.weights_sha256.get(..12).unwrap_or(&card.weights_sha256);
            format!("{} (step {}, {digest})", name.display(), card.training_step)
        };
        self.names().into_iter().zip(models).map(identity).collect()
    }

    /// Plays all batches, and after each round prints the current first sentence.
    fn play(&self, lab: &mut Laboratory, clients: &mut [Cached<Client>]) -> Result<()> {
        let bar = ProgressBar::new(lab.games_left() as u64);
        let style = ProgressStyle::with_template("{bar:20.cyan/blue} {pos}/{len} games  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let started = Instant::now();
        let mut said = String::new();
        while let Some(batch) = lab.next() {
            lab.play(&batch, clients)?;
            let left = lab.games_left() as u64;
            let done = lab.games_played_here() as u64;
            bar.set_position(done);
            bar.set_length(done + left);
            let rate = started.elapsed().div_f64(done.max(1) as f64);
            let examination = lab.examination_in_games() as u64;
            let time = rate.mul_f64((left + examination) as f64);
            bar.set_message(format!("{} left", FormattedDuration(time)));
            let first = lab.results().sentences().into_iter().next().unwrap_or_default();
            if first != said {
                bar.suspend(|| println!("{first}"));
                said = first;
            }
        }
        bar.finish_and_clear();
        Ok(())
    }
}

/// Whether every network has learnt the rules.
fn is_known(models: &[OpenModel], rules: &Rules) -> bool {
    models.iter().all(|model| model.card.check(Path::new(""), Some(rules)).is_ok())
}

/// Checks that every network has learnt all of the rule sets.
fn expect_known(models: &[OpenModel], rule_sets: &[Rules]) -> Result<()> {
    let unknown = rule_sets.iter().find(|rules| !is_known(models, rules));
    unknown.map_or(Ok(()), |rules| Err(not_learnt(rules)))
}

/// What can be done about rules that not every network has learnt.
fn not_learnt(rules: &Rules) -> Error {
    let size = rules.size;
    match size.side() {
        Some(_) => anyhow!(
            "not every network has learnt {rules} on {size:#}: train one that has, together with the rules it is compared \
             with (docs/laboratory.md), and name it with --model"
        ),
        None => anyhow!(
            "networks play only square boards, not {size:#}: for a first idea let tree search play itself, with hotstone match \
             uct:1000 uct:1000 --rules {rules} --size {size} --openings none"
        ),
    }
}

/// Whether a subject is a file with a position, and not a rule set, which a file may be named after.
fn names_position(subject: &str) -> bool {
    let path = Path::new(subject);
    let is_record = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sgf"));
    // Which words are rules does not depend on the size.
    is_record || (path.is_file() && Rules::parse(subject, 9).is_err())
}

/// The page and the numbers, in a laboratory's folder.
const PAGE: &str = "index.html";
const NUMBERS: &str = "results.json";

/// Checks that what is written over in a folder is a laboratory's, which begins with `lab.json`.
fn expect_own(folder: &Path) -> Result<()> {
    let written = [PAGE, NUMBERS].map(|name| folder.join(name));
    match written.iter().find(|path| path.exists()) {
        Some(other) if !folder.join("lab.json").exists() => bail!(
            "{} is not a laboratory's and would be written over: choose another folder with --folder",
            other.display()
        ),
        Some(_) | None => Ok(()),
    }
}

/// Writes a game into the laboratory's folder. There are many, which can be made again.
fn write_record(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap_or(folder))
        .and_then(|()| std::fs::write(&path, text))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The command line for the page. It is as given, unless the folder contained more games than that asks
/// for: then it asks for all of them, so that in another folder it plays the same games.
fn command_line(found: Option<Budget>) -> String {
    const OPENINGS: &str = "--openings";
    // Names of folders need not be Unicode.
    let given = std::env::args_os().skip(1);
    let mut words: Vec<String> = given.map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(found) = found {
        if let Some(place) = words.iter().position(|word| word == OPENINGS) {
            words.drain(place..(place + 2).min(words.len()));
        }
        words.retain(|word| word != "--deepen" && !word.starts_with("--openings="));
        words.splice(1..1, [OPENINGS.to_owned(), found.openings().to_string()]);
    }
    let words: Vec<String> = words.iter().map(|word| for_shell(word)).collect();
    format!("hotstone {}", words.join(" "))
}

fn default_folder(rules: &Rules) -> PathBuf {
    let named = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    let name: String = rules.to_string().chars().map(named).collect();
    PathBuf::from("lab").join(format!("{name}-{}", rules.size))
}
