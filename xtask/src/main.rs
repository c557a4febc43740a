//! Set-up, demo, tests, measurements and releases of the repository:
//! cargo xtask setup | demo | test | measure | clients | dist | site | python.

mod clients;
mod demo;
mod dist;
mod gogui;
mod libtorch;
mod licences;
mod measure;
mod python;
mod reproducible;
mod run;
mod setup;
mod site;
mod wheels;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Parser;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Set-up, demo, tests and measurements of the repository")]
enum Arguments {
    /// Put libtorch into .libtorch and check the tools that a build needs
    Setup {
        /// The libtorch for Nvidia GPUs (a download of several gigabytes)
        #[arg(long)]
        cuda: bool,
    },
    /// Set up, build, train a small agent, and measure it
    Demo,
    /// Set up and run every test
    Test {
        /// Passed on to `cargo test --workspace`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Set up, build, run the main benchmarks of docs/performance.md in at most 15 minutes, and print one table
    Measure {
        /// As short as possible: to try the command rather than measure the machine
        #[arg(long)]
        quick: bool,
        /// Passed on to the benchmarks of networks: cpu, cuda or auto
        #[arg(long)]
        device: Option<String>,
    },
    /// Play and analyse with the actual code of Sabaki, KaTrain, GoGui and gtp2ogs
    Clients(clients::ClientsArguments),
    /// Build what is released: the player for this platform as an archive, the same bytes from the same source, which is
    /// then run where there is nothing else
    Dist {
        /// The wheel of the Python package instead (needs python3 and PyPI)
        #[arg(long)]
        python: bool,
        /// The folder to put it in; target/dist if left out
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
    /// Write the page without a server, which plays in WebAssembly, as files for any static host
    Site {
        /// The folder; target/site if left out
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
        /// Play in it with Chromium, offline, and say how long moves took (needs Node, npm and Chromium, which
        /// CHROMIUM names)
        #[arg(long)]
        play: bool,
    },
    /// Build the Python package and run its tests, or compare its speed with pgx's and OpenSpiel's (needs python3 and
    /// PyPI)
    Python {
        /// Compare speed instead: random games on one core and on all
        #[arg(long)]
        benchmark: bool,
        /// Passed on to pytest, or to python/benchmarks/throughput.py
        #[arg(last = true)]
        arguments: Vec<String>,
    },
}

fn main() -> Result<()> {
    let root = root()?;
    match Arguments::parse() {
        Arguments::Setup { cuda } => setup::setup(&root, cuda),
        Arguments::Demo => demo::demo(&root),
        Arguments::Test { arguments } => test(&root, &arguments),
        Arguments::Measure { quick, device } => measure::measure(&root, quick, device.as_deref()),
        Arguments::Clients(arguments) => clients::clients(&root, &arguments),
        Arguments::Dist { python, out } => dist(&root, out, python),
        Arguments::Site { out, play } => site::site(&root, out, play),
        Arguments::Python { benchmark: false, arguments } => python::test(&root, &arguments),
        Arguments::Python { benchmark: true, arguments } => python::benchmark(&root, &arguments),
    }
}

/// The folder of the workspace. Cargo provides it at run time, since several checkouts may share
/// one build.
fn root() -> Result<PathBuf> {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").context("run this as `cargo xtask …`")?;
    let root = Path::new(&here).parent().context("xtask lies in the workspace")?;
    Ok(root.to_owned())
}

/// The player or the wheel, as it is released.
fn dist(root: &Path, out: Option<PathBuf>, python: bool) -> Result<()> {
    dist::check_tag()?;
    // The program is then run in a folder of its own, from which a relative path leads elsewhere.
    let out = out.map_or_else(|| Ok(root.join("target/dist")), std::path::absolute)?;
    if python { python::wheel(root, &out).map(drop) } else { dist::program(root, &out) }
}

/// Plain `cargo test`: unit, integration and documentation tests of every crate.
fn test(root: &Path, arguments: &[String]) -> Result<()> {
    setup::setup(root, false)?;
    run::run(run::cargo(root).args(["test", "--workspace"]).args(arguments))
}
