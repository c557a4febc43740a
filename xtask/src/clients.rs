//! Real clients against the stand-in program or the player itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

use crate::run::{build, run};
use crate::{gogui, python};

/// A client that can be installed here.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Client {
    /// Its client code (needs Node.js with npm)
    Sabaki,
    /// Its engine, games and strategies (needs python3 and PyPI)
    Katrain,
    /// A client that asks and reads as LizzieYzy does (needs Node.js)
    Lizzie,
    /// Its board and its match program (needs Git and a JDK)
    Gogui,
    /// Itself, with a server on this machine; only where --gtp2ogs says where it is (needs Node.js with npm)
    Gtp2ogs,
}

#[derive(Args)]
pub struct ClientsArguments {
    /// One client instead of all
    #[arg(long)]
    client: Option<Client>,
    /// Games of each variant, for Sabaki and GoGui
    #[arg(long, default_value_t = 50)]
    games: u32,
    /// Moves of each of KaTrain's strategies on each board
    #[arg(long, default_value_t = 50)]
    moves: u32,
    /// The Git repository to take GoGui's source from
    #[arg(long, value_name = "REPOSITORY", default_value = gogui::SOURCE)]
    gogui: String,
    /// gtp2ogs's own dist/gtp2ogs.js: it is not in npm's registry
    #[arg(long, value_name = "FILE")]
    gtp2ogs: Option<PathBuf>,
}

/// The rules that KaTrain plays with all its strategies, and those that it plays with a few: rules
/// that it knows, and variants with Go's captures.
const KATRAIN_RULES: [(&str, &[&str]); 2] = [
    ("", &["japanese"]),
    (
        "ai:default,ai:handicap,ai:scoreloss,ai:p:weighted",
        &[
            "tromp-taylor",
            "chinese",
            r#"{"variant":"incursion"}"#,
            r#"{"variant":"minimal-incursion"}"#,
            r#"{"variant":"stoical"}"#,
            r#"{"variant":"tile"}"#,
            r#"{"variant":"cushion"}"#,
            r#"{"variant":"hot-stone"}"#,
            r#"{"variant":"no-pass-go"}"#,
            r#"{"variant":"nogo"}"#,
            r#"{"variant":"atari-go"}"#,
        ],
    ),
];

/// Installs the clients below `target`, builds the programs that they talk to, and runs them.
pub fn clients(root: &Path, arguments: &ClientsArguments) -> Result<()> {
    let folder = root.join("target/clients");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // With their pinned dependencies.
    for script in fs::read_dir(root.join("bot/tests/clients")).context("cannot read the scripts")? {
        let script = script?;
        fs::copy(script.path(), folder.join(script.file_name()))
            .with_context(|| format!("cannot copy {}", script.path().display()))?;
    }
    let is_wanted = |client| arguments.client.is_none_or(|wanted| wanted == client);
    if is_wanted(Client::Sabaki) {
        let program = stand_in(root)?;
        install_packages(&folder)?;
        let mut node = Command::new("node");
        node.arg("sabaki.js").arg(program).arg(arguments.games.to_string());
        run(node.current_dir(&folder))?;
    }
    if is_wanted(Client::Katrain) {
        katrain(&folder, &player(root)?, arguments.moves)?;
    }
    if is_wanted(Client::Lizzie) {
        run(Command::new("node").arg("lizzie.js").arg(player(root)?).current_dir(&folder))?;
    }
    if is_wanted(Client::Gogui) {
        gogui::check(&folder, &arguments.gogui, &stand_in(root)?, arguments.games)?;
    }
    if is_wanted(Client::Gtp2ogs) {
        match &arguments.gtp2ogs {
            Some(gtp2ogs) => ogs(&folder, gtp2ogs, &player(root)?)?,
            None if arguments.client.is_some() => {
                bail!("gtp2ogs is not in npm's registry: name its dist/gtp2ogs.js with --gtp2ogs")
            }
            None => println!("gtp2ogs is left out: --gtp2ogs takes its dist/gtp2ogs.js"),
        }
    }
    Ok(())
}

/// Lets gtp2ogs play whole games with a server on this machine.
fn ogs(folder: &Path, gtp2ogs: &Path, program: &Path) -> Result<()> {
    install_packages(folder)?;
    let gtp2ogs = fs::canonicalize(gtp2ogs)
        .with_context(|| format!("{} cannot be read", gtp2ogs.display()))?;
    run(Command::new("node").arg("ogs.js").arg(gtp2ogs).arg(program).current_dir(folder))
}

/// Installs the packages that the Node scripts need.
fn install_packages(folder: &Path) -> Result<()> {
    run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(folder))
        .context("the clients need Node.js with npm")
}

/// Lets KaTrain's core play and review; its leads must have the same sign as its winning
/// probabilities.
fn katrain(folder: &Path, program: &Path, moves: u32) -> Result<()> {
    let environment = folder.join("katrain");
    python::pinned(&folder.join("requirements.txt"), &environment)?;
    for (strategies, rules) in KATRAIN_RULES {
        let mut games = python::python(&environment);
        games.arg("katrain_games.py").arg(format!("exec '{}' analysis", program.display()));
        games.args(["--sparing", "--least", "0.95", "--strategies", strategies]);
        games.args(["--moves", &moves.to_string()]);
        rules.iter().for_each(|rules| {
            games.args(["--rules", rules]);
        });
        run(games.current_dir(folder))?;
    }
    Ok(())
}

/// The program with arbitrary evaluations instead of a network.
fn stand_in(root: &Path) -> Result<PathBuf> {
    build(root, &["--package", "bot", "--example", "stand_in"])?;
    Ok(root.join("target/release/examples/stand_in"))
}

/// The program without what only learning needs.
fn player(root: &Path) -> Result<PathBuf> {
    build(root, &["--no-default-features"])?;
    Ok(root.join("target/release/hotstone"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_is_asked_for_is_not_left_out() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("bot/tests/clients")).unwrap();
        let arguments = ClientsArguments {
            client: Some(Client::Gtp2ogs),
            games: 1,
            moves: 1,
            gogui: gogui::SOURCE.to_owned(),
            gtp2ogs: None,
        };
        let refused = clients(root.path(), &arguments).unwrap_err().to_string();
        assert!(refused.contains("--gtp2ogs"), "{refused}");
    }
}
