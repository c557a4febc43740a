//! GoGui's own classes, compiled from source, against the stand-in program.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::run::run;

/// The release whose classes are used.
const VERSION: &str = "1.6.0";

/// Where its source is published; Debian no longer packages it.
pub const SOURCE: &str = "https://github.com/Remi-Coulom/gogui";

/// The classes to compile, with their dependencies.
const CLASSES: [&str; 3] = ["gtp/GtpClient.java", "go/GenericBoard.java", "tools/twogtp/Main.java"];

/// Rule sets for matches: one that ends with passes, one that may also end earlier, and one without
/// passing.
const MATCHES: [&str; 3] = ["go", "go,max_moves=40", "conquest"];

/// Lets GoGui's board follow `games` games of each variant, and lets its match program play some.
/// GoGui is fetched from `source` into a folder next to the clients in `folder`, and compiled.
pub fn check(folder: &Path, source: &str, program: &Path, games: u32) -> Result<()> {
    let gogui = folder.join("gogui");
    let classes = gogui.join("build/classes");
    let template = gogui.join("src/net/sf/gogui/version/Version.java.in");
    if !template.exists() {
        fetch(&gogui, source)?;
    }
    // Its own build generates this file in the same way.
    let version = fs::read_to_string(&template)
        .with_context(|| format!("{} is not GoGui's source", gogui.display()))?;
    fs::write(template.with_extension(""), version.replace("@VERSION@", VERSION))?;
    let sources = gogui.join("src");
    let mut javac = Command::new("javac");
    javac.args(["-nowarn", "-d"]).arg(&classes).arg("-sourcepath").arg(&sources);
    run(javac.args(CLASSES.map(|class| sources.join("net/sf/gogui").join(class)))).context(
        "GoGui needs a Java development kit (Debian: apt-get install default-jdk-headless)",
    )?;
    let java = || {
        let mut java = Command::new("java");
        java.arg("-ea").arg("-cp").arg(&classes);
        java
    };
    run(java().arg(folder.join("RuledGames.java")).arg(program).arg(games.to_string()))?;
    MATCHES.iter().try_for_each(|rules| play_match(java(), &gogui, program, rules))
}

/// Fetches GoGui's source into `gogui`.
fn fetch(gogui: &Path, source: &str) -> Result<()> {
    if gogui.exists() {
        fs::remove_dir_all(gogui)?;
    }
    let tag = format!("v{VERSION}");
    let mut git = Command::new("git");
    git.args(["-c", "advice.detachedHead=false", "clone", "--quiet", "--depth", "1", "--branch"]);
    run(git.args([&tag, source]).arg(gogui)).with_context(|| {
        format!("GoGui's source is needed: --gogui takes a Git repository that has its tag {tag}")
    })
}

/// Plays twenty games from GoGui's openings, which must end without an error and with a result on
/// which both sides agree.
fn play_match(mut java: Command, gogui: &Path, program: &Path, rules: &str) -> Result<()> {
    const GAMES: usize = 20;
    let results = gogui.join("build").join(rules);
    let player = |simulations| format!("\"{}\" gtp {rules} 9 {simulations}", program.display());
    java.arg("net.sf.gogui.tools.twogtp.Main").args(["-auto", "-alternate", "-force"]);
    java.args(["-size", "9", "-games", &GAMES.to_string()]);
    java.arg("-openings").arg(gogui.join("sgf/openings/9x9"));
    run(java.args(["-black", &player(8), "-white", &player(12), "-sgffile"]).arg(&results))?;
    let table = fs::read_to_string(results.with_extension("dat"))?;
    let games = finished(&table).with_context(|| format!("GoGui's match of {rules}"))?;
    ensure!(games == GAMES, "GoGui's match of {rules} has {games} games instead of {GAMES}");
    println!("{rules}: {games} games between two programs in GoGui's match, no errors");
    Ok(())
}

/// The number of games in a table of results, none of which may be an error or disputed.
fn finished(table: &str) -> Result<usize> {
    let is_header = |line: &&str| line.starts_with('#');
    let header = table.lines().rfind(is_header).context("a table without a header")?;
    let names: Vec<&str> = header.trim_start_matches('#').split('\t').collect();
    let games: Vec<&str> = table.lines().filter(|line| !is_header(line)).collect();
    for line in &games {
        let values: Vec<&str> = line.split('\t').collect();
        let value = |wanted: &str| {
            let column = names.iter().position(|&name| name == wanted)?;
            values.get(column).copied()
        };
        let [black, white, error] = ["RES_B", "RES_W", "ERR"].map(value);
        let ended = error == Some("0") && black.is_some_and(|black| black != "?");
        ensure!(ended && black == white, "a game failed: {line}");
    }
    Ok(games.len())
}

#[cfg(test)]
mod tests {
    use super::finished;

    const HEADER: &str = "# Size: 9\n#GAME\tRES_B\tRES_W\tRES_R\tERR\tERR_MSG\n";

    #[test]
    fn a_match_counts_if_every_game_ended_with_a_result() {
        let table = |lines: &str| finished(&format!("{HEADER}{lines}"));
        assert_eq!(table("0\tB+1.5\tB+1.5\t?\t0\t\n1\tW+R\tW+R\t?\t0\t\n").unwrap(), 2);
        for wrong in [
            "0\tB+1.5\tB+1.5\t?\t1\tcannot generate a move",
            "0\tB+1.5\tW+1.5\t?\t0\t",
            "0\t?\t?\t?\t0\t",
            "0\tB+1.5",
        ] {
            assert!(table(&format!("{wrong}\n")).is_err(), "{wrong}");
        }
        assert!(finished("").is_err());
    }
}
