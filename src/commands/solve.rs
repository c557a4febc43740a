//! `hotstone solve`

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use engine::{Move, Rules, Size};
use solver::{Effort, Solver};

/// Find the exact value of a small board, and all moves that keep it.
#[derive(Args)]
pub struct SolveArguments {
    /// A variant's name, and changes to it: go,komi=0.
    #[arg(long)]
    rules: String,
    /// Side of the board, up to 5; 2 and 3 take seconds, more may take days.
    #[arg(long)]
    size: Size,
    /// Turns that lead to the position: B2 pass A1.
    moves: Vec<Move>,
    /// Write the position with the values of its moves as SGF.
    #[arg(long)]
    sgf: Option<PathBuf>,
    /// Find who wins, not by how much: far less work.
    #[arg(long)]
    winners: bool,
    /// The value of every move, not only which are best.
    #[arg(long)]
    values: bool,
    /// Positions to search before giving up.
    #[arg(long, default_value_t = Effort::default().nodes)]
    nodes: u64,
    /// Results to store, about 150 bytes each.
    #[arg(long, default_value_t = Effort::default().results)]
    results: usize,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl SolveArguments {
    /// Solves the position and prints its value.
    pub fn execute(&self) -> Result<()> {
        let rules = Rules::parse(&self.rules, self.size)?;
        let effort = Effort { nodes: self.nodes, results: self.results };
        let mut solver = Solver::with_effort(rules, effort).winners_only(self.winners);
        let started = Instant::now();
        let solution = solver.solve(&self.moves)?;
        let seconds = started.elapsed().as_secs_f64();
        let best: Vec<String> = solution.best.iter().map(ToString::to_string).collect();
        let values = match self.values || self.sgf.is_some() {
            true => solver.values(&self.moves)?,
            false => Vec::new(),
        };
        if let Some(path) = &self.sgf {
            std::fs::write(path, solver::sgf(&rules, &self.moves, &solution, &values))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        if self.json {
            let moves: serde_json::Map<String, serde_json::Value> = values
                .iter()
                .map(|(played, value)| (played.to_string(), value.to_string().into()))
                .collect();
            let line = serde_json::json!({
                "rules": rules.to_string(), "size": rules.size, "value": solution.value.to_string(),
                "score": solution.value.score(), "winner": solution.value.result().winner().map(|color| color.to_string()),
                "best": best, "values": moves, "nodes": solution.nodes, "seconds": seconds,
            });
            println!("{line}");
            return Ok(());
        }
        println!("value  {}", solution.value);
        println!("best   {}", best.join(" "));
        for (played, value) in values {
            println!("  {played:<5} {value}");
        }
        println!("nodes  {} in {seconds:.2} s", solution.nodes);
        Ok(())
    }
}
