//! The parameters that clients may read and change while the engine runs, by KataGo's names.

use search::Evaluator;

use super::arguments::arguments;
use super::command::{Command, CommandError};
use super::core::{Answer, DONE};
use crate::{Effort, Level, Player, Settings};

/// A parameter.
#[derive(Clone, Copy)]
enum Parameter {
    MaxVisits,
    MaxTime,
    Pondering,
    Temperature,
    Level,
}

const PARAMETERS: [(&str, Parameter); 5] = [
    ("maxVisits", Parameter::MaxVisits),
    ("maxTime", Parameter::MaxTime),
    ("ponderingEnabled", Parameter::Pondering),
    ("chosenMoveTemperature", Parameter::Temperature),
    ("level", Parameter::Level),
];

pub(super) fn list() -> String {
    PARAMETERS.map(|(name, _)| name).join(" ")
}

fn named(name: &str) -> Result<Parameter, CommandError> {
    PARAMETERS.iter().find(|(known, _)| *known == name).map(|&(_, parameter)| parameter).ok_or_else(
        || CommandError::Parameter(format!("unknown parameter '{name}': there are {}", list())),
    )
}

pub(super) fn get<E: Evaluator>(player: &Player<E>, command: Command, words: &[String]) -> Answer {
    let [name] = arguments(command, words)?;
    let settings = player.settings();
    Ok(match named(name)? {
        Parameter::MaxVisits => settings.search.simulations.to_string(),
        Parameter::MaxTime => match settings.effort {
            Effort::Seconds(seconds) => seconds.to_string(),
            Effort::Simulations | Effort::Clock => "unlimited".to_owned(),
        },
        Parameter::Pondering => settings.pondering.to_string(),
        Parameter::Temperature => settings.temperature.to_string(),
        Parameter::Level => {
            let is = |level: &Level| settings.at_level(*level) == *settings;
            Level::all().find(is).map_or_else(|| "none".to_owned(), |level| level.to_string())
        }
    })
}

pub(super) fn set<E: Evaluator>(
    player: &mut Player<E>,
    command: Command,
    words: &[String],
) -> Answer {
    let [name, value] = arguments(command, words)?;
    let parameter = named(name)?;
    let changed = changed(*player.settings(), parameter, value);
    player.set_settings(changed.ok_or_else(|| {
        CommandError::Parameter(format!("parameter '{name}' cannot be '{value}'"))
    })?);
    DONE
}

/// The settings with one changed; `None` for an invalid value.
fn changed(mut settings: Settings, parameter: Parameter, value: &str) -> Option<Settings> {
    let number = || value.parse().ok().filter(|&number: &f32| number.is_finite() && number >= 0.0);
    match parameter {
        Parameter::MaxVisits => {
            settings.search.simulations = value.parse().ok().filter(|&visits| visits < 1 << 30)?;
            settings.effort = Effort::Simulations;
        }
        Parameter::MaxTime => settings.effort = Effort::Seconds(number()?),
        Parameter::Pondering => settings.pondering = value.to_ascii_lowercase().parse().ok()?,
        Parameter::Temperature => settings.temperature = number()?,
        Parameter::Level => settings = settings.at_level(value.parse().ok()?),
    }
    Some(settings)
}
