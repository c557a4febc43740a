//! The stand-alone trainer: the same as `hotstone train`.

use clap::Parser;
use train::StartingModel;
use train::command::TrainArguments;

#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(flatten)]
    train: TrainArguments,
}

fn main() -> std::process::ExitCode {
    match Arguments::parse().train.execute(|path| Ok(StartingModel::read(path)?)) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}
