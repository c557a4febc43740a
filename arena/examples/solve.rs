//! Solves the start of variants: `cargo run --release --example solve -- SIZE NODES RULES…`.

use std::time::Instant;

use arena::solver::{Effort, Solver};
use engine::Rules;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [size, nodes, names @ ..] = arguments.as_slice() else {
        return eprintln!("give SIZE NODES RULES…");
    };
    let (Ok(size), Ok(nodes)) = (size.parse::<engine::Size>(), nodes.parse()) else {
        return eprintln!("SIZE and NODES are numbers");
    };
    for name in names {
        let Ok(rules) = Rules::parse(name, size) else {
            eprintln!("no such rules: {name}");
            continue;
        };
        let effort = Effort { nodes, ..Effort::default() };
        let started = Instant::now();
        let answer = Solver::with_effort(rules, effort).solve(&[]);
        let seconds = started.elapsed().as_secs_f64();
        match answer {
            Ok(solution) => println!(
                "{name} {size}×{size}: {}, {} nodes, {seconds:.1} s, best {:?}",
                solution.value,
                solution.nodes,
                solution.best.iter().map(ToString::to_string).collect::<Vec<_>>()
            ),
            Err(error) => println!("{name} {size}×{size}: {error}, {seconds:.1} s"),
        }
    }
}
