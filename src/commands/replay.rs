//! `hotstone replay`

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::{ArgGroup, Args};
use engine::{Size, Variant};
use game::{Extras, Replay, SgfRecord, replay};
use studies::RuleSets;

use crate::corpus::replay_folder;
use crate::output::{is_same_file, print, print_after, write_file};
use crate::record::given_or_own_rules;

/// Stands for all variants where rule sets are listed.
const ALL: &str = "all";

/// Play a recorded game under any rules, or a folder of games under several rule sets, and report what they make of it.
#[derive(Args)]
#[command(group(ArgGroup::new("records").required(true).args(["file", "corpus"])))]
pub struct ReplayArguments {
    /// An SGF file; its main line is played.
    file: Option<PathBuf>,
    /// Replay every game of every SGF file in this folder and its subfolders.
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
    /// The rules: a variant's name, and changes to it. Those of the file if left out. With --corpus it can be given several
    /// times, and 'all' stands for every variant.
    #[arg(long)]
    rules: Vec<String>,
    /// With --corpus: the rule set that the legal moves of the others are compared with.
    #[arg(long, conflicts_with = "file", default_value = "go,suicide=false")]
    against: String,
    /// With --corpus: only games on boards of this size.
    #[arg(long, conflicts_with = "file")]
    size: Option<Size>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Write the part that could be played into this SGF file, as a game of these rules with tiles, hot stones and
    /// conquered points marked.
    #[arg(long, conflicts_with = "corpus")]
    write: Option<PathBuf>,
    /// With --write: set up the position after moves that ordinary viewers show wrongly.
    #[arg(long, requires = "write")]
    materialize: bool,
}

impl ReplayArguments {
    /// Replays and prints the report.
    pub fn execute(&self) -> Result<()> {
        match (&self.corpus, &self.file) {
            (Some(folder), _) => self.replay_corpus(folder),
            (None, Some(file)) => self.replay_file(file),
            (None, None) => bail!("expected an SGF file, or --corpus and a folder"),
        }
    }

    fn replay_corpus(&self, folder: &Path) -> Result<()> {
        let mut listed: Vec<String> = Vec::new();
        for rules in &self.rules {
            if rules == ALL {
                listed.extend(Variant::ALL.map(|variant| variant.name().to_owned()));
            } else {
                listed.push(rules.clone());
            }
        }
        if listed.is_empty() {
            bail!("name rule sets with --rules, or all variants with --rules {ALL}");
        }
        let rule_sets = RuleSets::new(&self.against, listed)?.on(self.size);
        let corpus = replay_folder(folder, &rule_sets)?;
        if corpus.is_empty() {
            bail!(
                "no game of {} can be compared: expected SGF files, on boards of --size if that is given\n{corpus}",
                folder.display()
            );
        }
        if self.json { print(format_args!("{}\n", corpus.json())) } else { print(corpus) }
    }

    fn replay_file(&self, file: &Path) -> Result<()> {
        let name = file.display();
        ensure!(
            !file.is_dir(),
            "{name} is a folder: expected an SGF file, or --corpus {name} for all games in the folder"
        );
        ensure!(
            self.rules.iter().all(|rules| rules != ALL),
            "--rules {ALL} is for a folder of games, with --corpus: expected one rule set for a file"
        );
        let bytes = game::read_file(file).with_context(|| format!("cannot read {name}"))?;
        let record = SgfRecord::read(&bytes).with_context(|| format!("cannot read {name}"))?;
        ensure!(
            self.rules.len() <= 1,
            "--rules is given several times: expected one rule set for a file"
        );
        let given = self.rules.first().map(String::as_str);
        let rules = given_or_own_rules(given, &name, &record)?;
        let replayed = replay(&record, rules).context("the stones set up cannot stand")?;
        let written = self.write_game(&record, &replayed);
        if self.json {
            print_after(written, serde_json::to_string(&replayed.report)? + "\n")
        } else {
            let board = bot::board(&replayed.position);
            print_after(written, format_args!("{board}\n{}", replayed.report))
        }
    }

    fn write_game(&self, record: &SgfRecord, replayed: &Replay) -> Result<()> {
        let Some(path) = &self.write else { return Ok(()) };
        // Less is written than was read: moves after an illegal one, and variations, are left out.
        let is_source = self.file.as_ref().is_some_and(|file| is_same_file(file, path));
        ensure!(!is_source, "--write {}: this is the file that is replayed", path.display());
        let extras = Extras { markup: true, materialize: self.materialize };
        let text = replayed.as_record(record).write(extras)?;
        write_file(path, &text)
    }
}
