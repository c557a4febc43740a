//! The parameters that clients may read and change while the engine is running, by KataGo's names.

use search::Evaluator;

use super::arguments::arguments;
use super::command::CommandError;
use super::core::{Answer, DONE};
use crate::{Effort, Player, Settings, Strength};

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

/// The value that stands for no limit or no level.
const UNLIMITED: &str = "unlimited";
const NONE: &str = "none";

/// More seconds than anybody would wait for a move.
const MAX_SECONDS: f32 = 1e9;

pub(super) fn list() -> String {
    PARAMETERS.map(|(name, _)| name).join(" ")
}

fn named(name: &str) -> Result<Parameter, CommandError> {
    PARAMETERS.iter().find(|(known, _)| *known == name).map(|&(_, parameter)| parameter).ok_or_else(
        || CommandError::Parameter(format!("unknown parameter '{name}': there are {}", list())),
    )
}

pub(super) fn get<E: Evaluator>(player: &Player<E>, words: &[String]) -> Answer {
    let [name] = arguments(words)?;
    let settings = player.settings();
    Ok(match named(name)? {
        Parameter::MaxVisits => match settings.effort {
            Effort::Seconds(_) => UNLIMITED.to_owned(),
            Effort::Simulations | Effort::SimulationsWithin(_) | Effort::Clock => {
                player.strength().simulations.to_string()
            }
        },
        Parameter::MaxTime => match settings.effort {
            Effort::Seconds(seconds) | Effort::SimulationsWithin(seconds) => seconds.to_string(),
            Effort::Simulations | Effort::Clock => UNLIMITED.to_owned(),
        },
        Parameter::Pondering => settings.pondering.to_string(),
        Parameter::Temperature => player.strength().temperature.to_string(),
        Parameter::Level => {
            settings.level.map_or_else(|| NONE.to_owned(), |level| level.to_string())
        }
    })
}

pub(super) fn set<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let [name, value] = arguments(words)?;
    let parameter = named(name)?;
    let changed = changed(*player.settings(), player.strength(), parameter, value);
    player.set_settings(changed.ok_or_else(|| {
        CommandError::Parameter(format!("parameter '{name}' cannot be '{value}'"))
    })?);
    DONE
}

/// The settings with one parameter changed; `None` if the value is invalid. Changing anything that
/// is part of a level ends the level, and keeps the rest of its `strength`.
fn changed(
    settings: Settings,
    strength: Strength,
    parameter: Parameter,
    value: &str,
) -> Option<Settings> {
    let number = || value.parse().ok().filter(|&number: &f32| number.is_finite() && number >= 0.0);
    let visits = || value.parse().ok().filter(|&visits: &u32| visits < 1 << 30);
    let free = settings.with_strength(strength);
    Some(match parameter {
        Parameter::MaxVisits if value.eq_ignore_ascii_case(UNLIMITED) => {
            Settings { effort: without_simulations(free.effort)?, ..free }
        }
        Parameter::MaxVisits => Settings { effort: with_simulations(free.effort), ..free }
            .with_strength(Strength { simulations: visits()?, ..strength }),
        Parameter::MaxTime => Settings { effort: with_time(free.effort, value)?, ..free },
        Parameter::Pondering => {
            Settings { pondering: value.to_ascii_lowercase().parse().ok()?, ..settings }
        }
        Parameter::Temperature => Settings { temperature: number()?, ..free },
        Parameter::Level if value.eq_ignore_ascii_case(NONE) => free,
        Parameter::Level => settings.at_level(value.parse().ok()?),
    })
}

/// The effort, additionally limited by simulations.
fn with_simulations(effort: Effort) -> Effort {
    match effort {
        // A clock limits the simulations in any case.
        Effort::Simulations | Effort::Clock => Effort::Simulations,
        Effort::Seconds(seconds) | Effort::SimulationsWithin(seconds) => {
            Effort::SimulationsWithin(seconds)
        }
    }
}

/// The effort, no longer limited by simulations; `None` if nothing else limits it.
fn without_simulations(effort: Effort) -> Option<Effort> {
    match effort {
        Effort::Seconds(seconds) | Effort::SimulationsWithin(seconds) => {
            Some(Effort::Seconds(seconds))
        }
        Effort::Simulations | Effort::Clock => None,
    }
}

/// The effort, additionally limited by a number of seconds. A value meaning none, such as KataGo's
/// default of 10²⁰, leaves the other limits.
fn with_time(effort: Effort, value: &str) -> Option<Effort> {
    let seconds = if value.eq_ignore_ascii_case(UNLIMITED) {
        MAX_SECONDS
    } else {
        value.parse().ok().filter(|&seconds: &f32| seconds >= 0.0)?
    };
    let is_limited = seconds < MAX_SECONDS;
    Some(match effort {
        Effort::Simulations | Effort::SimulationsWithin(_) if is_limited => {
            Effort::SimulationsWithin(seconds)
        }
        Effort::Seconds(_) | Effort::Clock if is_limited => Effort::Seconds(seconds),
        Effort::Simulations | Effort::SimulationsWithin(_) => Effort::Simulations,
        // Something has to limit the search.
        Effort::Seconds(_) | Effort::Clock => Effort::Clock,
    })
}
