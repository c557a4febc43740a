//! The `hotstone` program: reads the command line and dispatches to the libraries.

mod arguments;
mod combined_evaluator;
mod commands;
mod contest;
mod corpus;
#[cfg(feature = "train")]
mod fleet;
mod model;
mod openings;
mod output;
mod players;
mod record;
mod released;
mod shell;

use std::io::{Error, ErrorKind, Write};
use std::process::ExitCode;

use bot::terminal::TerminalError;
use clap::{CommandFactory, Parser, Subcommand};

/// Learns Go variants by self-play alone, measures them, and plays them.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
#[command(
    after_help = "Begin with: hotstone serve (in the browser), hotstone play, hotstone rules."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[cfg(feature = "train")]
    #[command(flatten)]
    Learning(commands::learning::Learning),
    #[cfg(not(feature = "train"))]
    #[command(name = "train", aliases = ["worker", "fleet", "progress", "ablation"], hide = true)]
    Absent(commands::absent::AbsentArguments),
    Match(commands::matches::MatchArguments),
    Sprt(commands::sprt::SprtArguments),
    Ladder(commands::ladder::LadderArguments),
    Solve(commands::solve::SolveArguments),
    Judge(commands::judge::JudgeArguments),
    Lab(commands::lab::LabArguments),
    Puzzles(commands::puzzles::PuzzlesArguments),
    Play(commands::play::PlayArguments),
    Gtp(commands::gtp::GtpArguments),
    Serve(commands::serve::ServeArguments),
    Analysis(commands::analysis::AnalysisArguments),
    Replay(commands::replay::ReplayArguments),
    Review(commands::review::ReviewArguments),
    Show(commands::show::ShowArguments),
    Rules(commands::rules::RulesArguments),
    Perft(commands::perft::PerftArguments),
    Bench(commands::bench::BenchArguments),
    Doctor(commands::doctor::DoctorArguments),
    Completions(commands::completions::CompletionsArguments),
    Man(commands::man::ManArguments),
}

fn main() -> ExitCode {
    end_where_nothing_can_be_printed();
    let arguments = Arguments::parse();
    let done = match arguments.command {
        #[cfg(feature = "train")]
        Command::Learning(command) => command.execute(),
        #[cfg(not(feature = "train"))]
        Command::Absent(arguments) => arguments.execute(),
        Command::Match(arguments) => arguments.execute(),
        Command::Sprt(arguments) => arguments.execute(),
        Command::Ladder(arguments) => arguments.execute(),
        Command::Solve(arguments) => arguments.execute(),
        Command::Judge(arguments) => arguments.execute(),
        Command::Lab(arguments) => arguments.execute(),
        Command::Puzzles(arguments) => arguments.execute(),
        Command::Play(arguments) => arguments.execute(),
        Command::Gtp(arguments) => arguments.execute(),
        Command::Serve(arguments) => arguments.execute(),
        Command::Analysis(arguments) => arguments.execute(),
        Command::Replay(arguments) => arguments.execute(),
        Command::Review(arguments) => arguments.execute(),
        Command::Show(arguments) => arguments.execute(),
        Command::Rules(arguments) => arguments.execute(),
        Command::Perft(arguments) => arguments.execute(),
        Command::Bench(arguments) => arguments.execute(),
        Command::Doctor(arguments) => arguments.execute(),
        Command::Completions(arguments) => arguments.execute(Arguments::command()),
        Command::Man(arguments) => arguments.execute(Arguments::command()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {}", with_causes(&error));
            failure(&error)
        }
    }
}

/// An error with its causes, as far as its own message does not include them.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// The exit code by which a scheduler recognises an error.
#[cfg(feature = "train")]
fn failure(error: &anyhow::Error) -> ExitCode {
    fleet::exit::of(error).map_or(ExitCode::FAILURE, |exit| ExitCode::from(exit.code()))
}

#[cfg(not(feature = "train"))]
fn failure(_: &anyhow::Error) -> ExitCode {
    ExitCode::FAILURE
}

/// Makes the program exit where `println!` would panic: quietly when the reader is gone, as in
/// `hotstone … | head`, and with a message when the output cannot be written.
fn end_where_nothing_can_be_printed() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload_as_str().unwrap_or_default();
        match message.strip_prefix("failed printing to stdout: ") {
            Some(cause) if tells_of_broken_pipe(cause) => std::process::exit(0),
            Some(cause) => {
                let _ = writeln!(std::io::stderr(), "error: cannot write the output: {cause}");
                std::process::exit(1);
            }
            // There is nobody to tell.
            None if message.starts_with("failed printing to stderr") => std::process::exit(1),
            None => usual(panic),
        }
    }));
}

/// Whether the words for an error, such as "Broken pipe (os error 32)", mean that the reader is
/// gone. Windows has several numbers for that, and words in the language of its user.
fn tells_of_broken_pipe(cause: &str) -> bool {
    let number = cause.rsplit_once("(os error ").and_then(|(_, end)| end.strip_suffix(')'));
    let number = number.and_then(|number| number.parse().ok());
    number.map(Error::from_raw_os_error).is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// The same for commands that write without `println!`. Errors in writing to a file or a program
/// have a context.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let output = match error.downcast_ref::<TerminalError>() {
        Some(TerminalError::Terminal(cause)) => Some(cause),
        Some(TerminalError::Generate(_)) => None,
        None => error.downcast_ref::<Error>().filter(|_| error.chain().count() == 1),
    };
    output.is_some_and(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_reader_is_known_by_its_number() {
        // What Unix and Windows say of pipes without a reader.
        let numbers: &[i32] = if cfg!(windows) { &[109, 232] } else { &[32] };
        for &number in numbers {
            let cause = Error::from_raw_os_error(number).to_string();
            assert!(tells_of_broken_pipe(&cause), "{cause}");
        }
        for cause in ["No space left on device (os error 28)", "failed (os error )", "", "32"] {
            assert!(!tells_of_broken_pipe(cause), "{cause}");
        }
    }
}
