//! Players as users write them: `random`, `uct:1000`, `model:runs/mine/best@64`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use engine::nearest_word;

use crate::{CommandLineError, EngineCommand, ReferencePlayer};

/// A player by name. Opening the paths is up to the caller.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayerSpec {
    /// A player without a network or an external program.
    Reference(ReferencePlayer),
    /// `model:PATH`, `model:PATH@SIMULATIONS`, `model:PATH@SIMULATIONS~TEMPERATURE` or
    /// `model:PATH@levelN`: tree search with a network. `universal` is short for `model:universal`.
    Model {
        /// The path of the model.
        path: PathBuf,
        /// Its strength, if given.
        strength: Option<Strength>,
    },
    /// `policy:PATH`: a network's favourite move, without search.
    Policy {
        /// The path of the model.
        path: PathBuf,
    },
    /// `gtp:COMMAND LINE`: an external engine.
    Gtp {
        /// Program and arguments, as in a shell.
        command: String,
    },
}

/// The strength of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strength {
    /// A number of simulations per move.
    Simulations(u32),
    /// The same with moves drawn from the search's policy, as for the levels.
    Drawn {
        /// Simulations per move; 0 is the policy without search.
        simulations: u32,
        /// The temperature, above 0.
        temperature: f32,
    },
    /// One of the levels for people, by number. What they mean is up to the caller.
    Level(u8),
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strength::Simulations(simulations) => write!(f, "{simulations}"),
            Strength::Drawn { simulations, temperature } => {
                write!(f, "{simulations}~{temperature}")
            }
            Strength::Level(level) => write!(f, "level{level}"),
        }
    }
}

/// The accepted forms, for messages.
const PLAYER_FORMS: &str = "random, greedy, flat:PLAYOUTS, uct:PLAYOUTS, universal[@STRENGTH], model:PATH[@STRENGTH], policy:PATH, solver or 'gtp:COMMAND LINE'; a PATH is a folder or the name of a released model; a STRENGTH is SIMULATIONS, SIMULATIONS~TEMPERATURE or levelN";

/// The released model that plays all variants, also a player by this name.
const UNIVERSAL: &str = "universal";

const KINDS: [&str; 9] =
    ["random", "greedy", "flat", "uct", UNIVERSAL, "model", "policy", "solver", "gtp"];

/// Maximum number of playouts or simulations per move: counts are 32-bit, with room to spare.
pub const MAX_SIMULATIONS: u32 = 100_000_000;

/// Why a text is not a player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlayerSpecError {
    /// An unknown kind.
    #[error("unknown player '{given}'{}: expected {PLAYER_FORMS}", did_you_mean(*.nearest))]
    Unknown {
        /// The text given.
        given: String,
        /// A similar kind.
        nearest: Option<&'static str>,
    },
    /// A folder or a name that may be a model's.
    #[error(
        "unknown player '{0}': a model is 'model:{0}', or 'model:{0}@64' with 64 simulations a move"
    )]
    Folder(String),
    /// A kind without its argument.
    #[error("'{kind}' needs {needs} after a colon, as in '{example}'")]
    Incomplete {
        /// The kind.
        kind: &'static str,
        /// What is missing.
        needs: &'static str,
        /// A complete player.
        example: &'static str,
    },
    /// An argument to a kind that takes none.
    #[error("'{kind}' takes nothing after a colon{}", simulations_elsewhere(.kind))]
    Superfluous {
        /// The kind.
        kind: &'static str,
    },
    /// Not of the form `SIMULATIONS~TEMPERATURE`.
    #[error("'{0}' needs a temperature above 0 after the ~, as in '16~0.5'")]
    Temperature(String),
    /// An invalid number, or one out of range.
    #[error("'{given}' in '{player}' is not a number of {what} from 1 to {MAX_SIMULATIONS}")]
    Number {
        /// The whole text.
        player: String,
        /// The part that is wrong.
        given: String,
        /// What it counts.
        what: &'static str,
    },
    /// An invalid command line.
    #[error(transparent)]
    CommandLine(#[from] CommandLineError),
}

fn simulations_elsewhere(kind: &str) -> &'static str {
    if kind == UNIVERSAL { "; simulations a move follow an @, as in universal@64" } else { "" }
}

fn did_you_mean(nearest: Option<&'static str>) -> String {
    nearest.map(|kind| format!(", did you mean '{kind}'?")).unwrap_or_default()
}

impl FromStr for PlayerSpec {
    type Err = PlayerSpecError;

    fn from_str(text: &str) -> Result<PlayerSpec, PlayerSpecError> {
        let (kind, rest) = match text.split_once(':') {
            Some((kind, rest)) => (kind, Some(rest)),
            None => (text, None),
        };
        let incomplete =
            |kind, needs, example| PlayerSpecError::Incomplete { kind, needs, example };
        let rest_or = |error| rest.filter(|rest| !rest.is_empty()).ok_or(error);
        match kind {
            "random" => alone("random", rest, ReferencePlayer::Random),
            "greedy" => alone("greedy", rest, ReferencePlayer::Greedy),
            "flat" => {
                let given = rest_or(incomplete("flat", "the playouts a move", "flat:1000"))?;
                let playouts = number(text, given, "playouts")?;
                Ok(PlayerSpec::Reference(ReferencePlayer::Flat { playouts }))
            }
            "uct" => {
                let given = rest_or(incomplete("uct", "the playouts a move", "uct:1000"))?;
                let playouts = number(text, given, "playouts")?;
                Ok(PlayerSpec::Reference(ReferencePlayer::Uct { playouts }))
            }
            "model" => model(
                text,
                rest_or(incomplete("model", "the path of a model", "model:runs/mine@64"))?,
            ),
            "policy" => {
                let path =
                    rest_or(incomplete("policy", "the path of a model", "policy:runs/mine"))?;
                Ok(PlayerSpec::Policy { path: path.into() })
            }
            "solver" => alone("solver", rest, ReferencePlayer::Solver),
            "gtp" => {
                let command = rest.unwrap_or_default().trim().to_owned();
                EngineCommand::parse(&command)?;
                Ok(PlayerSpec::Gtp { command })
            }
            UNIVERSAL if rest.is_some() => Err(PlayerSpecError::Superfluous { kind: UNIVERSAL }),
            other if other.split('@').next() == Some(UNIVERSAL) && rest.is_none() => {
                model(text, other)
            }
            other => Err(unknown(other)),
        }
    }
}

fn alone(
    kind: &'static str,
    rest: Option<&str>,
    player: ReferencePlayer,
) -> Result<PlayerSpec, PlayerSpecError> {
    if rest.is_some() {
        Err(PlayerSpecError::Superfluous { kind })
    } else {
        Ok(PlayerSpec::Reference(player))
    }
}

/// Parses `PATH[@STRENGTH]`; an `@` in a folder's name belongs to the path.
fn model(text: &str, rest: &str) -> Result<PlayerSpec, PlayerSpecError> {
    let (path, strength) = match rest.rsplit_once('@') {
        Some((path, strength)) if !path.is_empty() && !strength.contains(['/', '\\']) => {
            (path, Some(read_strength(text, strength)?))
        }
        Some(_) | None => (rest, None),
    };
    Ok(PlayerSpec::Model { path: path.into(), strength })
}

fn read_strength(player: &str, text: &str) -> Result<Strength, PlayerSpecError> {
    if let Some(level) = text.strip_prefix("level").and_then(|level| level.parse().ok()) {
        return Ok(Strength::Level(level));
    }
    let Some((simulations, temperature)) = text.split_once('~') else {
        return Ok(Strength::Simulations(number(player, text, "simulations")?));
    };
    let simulations = match simulations {
        "0" => 0,
        more => number(player, more, "simulations")?,
    };
    let is_temperature = |temperature: &f32| *temperature > 0.0 && temperature.is_finite();
    let temperature = temperature.parse().ok().filter(is_temperature);
    let temperature = temperature.ok_or_else(|| PlayerSpecError::Temperature(text.to_owned()))?;
    Ok(Strength::Drawn { simulations, temperature })
}

fn number(player: &str, given: &str, what: &'static str) -> Result<u32, PlayerSpecError> {
    given.parse().ok().filter(|number| (1..=MAX_SIMULATIONS).contains(number)).ok_or_else(|| {
        PlayerSpecError::Number { player: player.to_owned(), given: given.to_owned(), what }
    })
}

fn unknown(given: &str) -> PlayerSpecError {
    let (name, has_strength) =
        given.split_once('@').map_or((given, false), |(name, _)| (name, !name.is_empty()));
    let nearest = nearest_word(name, KINDS.into_iter());
    // Only models have a strength.
    if given.contains(['/', '\\']) || (has_strength && nearest.is_none()) {
        return PlayerSpecError::Folder(name.to_owned());
    }
    PlayerSpecError::Unknown { given: given.to_owned(), nearest }
}

impl fmt::Display for ReferencePlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReferencePlayer::Random => f.write_str("random"),
            ReferencePlayer::Greedy => f.write_str("greedy"),
            ReferencePlayer::Flat { playouts } => write!(f, "flat:{playouts}"),
            ReferencePlayer::Uct { playouts } => write!(f, "uct:{playouts}"),
            ReferencePlayer::Solver => f.write_str("solver"),
        }
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerSpec::Reference(player) => player.fmt(f),
            PlayerSpec::Model { path, strength: None } => write!(f, "model:{}", path.display()),
            PlayerSpec::Model { path, strength: Some(strength) } => {
                write!(f, "model:{}@{strength}", path.display())
            }
            PlayerSpec::Policy { path } => write!(f, "policy:{}", path.display()),
            PlayerSpec::Gtp { command } => write!(f, "gtp:{command}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_and_prints_back() {
        let forms = "random;greedy;flat:50;uct:1000;model:a/b;model:a@b/c;model:a/b@64;model:a@level3;model:a@0~0.5;model:a@16~1;policy:runs/x;solver;gtp:gnugo --mode gtp";
        for text in forms.split(';') {
            let player: PlayerSpec = text.parse().expect(text);
            assert_eq!(player.to_string(), text);
        }
        let strength = Some(Strength::Simulations(64));
        let with_simulations = PlayerSpec::Model { path: "a/b".into(), strength };
        assert_eq!("model:a/b@64".parse(), Ok(with_simulations));
        let folder = PlayerSpec::Model { path: "a@b/c".into(), strength: None };
        assert_eq!("model:a@b/c".parse(), Ok(folder));
        let level = PlayerSpec::Model { path: "a".into(), strength: Some(Strength::Level(3)) };
        assert_eq!("model:a@level3".parse(), Ok(level));
    }

    #[test]
    fn messages_name_the_remedy() {
        let cases = [
            ("gredy", "did you mean 'greedy'?"),
            ("UCT:50", "did you mean 'uct'?"),
            ("katago", "expected random, greedy"),
            ("", "expected random, greedy"),
            ("uct", "as in 'uct:1000'"),
            ("flat:", "as in 'flat:1000'"),
            ("model:", "the path of a model"),
            ("uct:many", "'many' in 'uct:many' is not a number of playouts"),
            ("uct:0", "from 1 to"),
            ("model:a@0", "number of simulations"),
            ("model:a@0~0", "a temperature above 0"),
            ("model:a@8~warm", "a temperature above 0"),
            ("gtp:", "needs the command line"),
            ("gtp:sh 'x", "has an open '"),
            ("random:3", "takes nothing"),
            ("universal:4", "as in universal@64"),
            ("runs/demo@8", "'model:runs/demo'"),
            ("earlier@64", "a model is 'model:earlier', or 'model:earlier@64'"),
            ("earlier", "a PATH is a folder or the name of a released model"),
            ("univresal@64", "did you mean 'universal'?"),
            ("@64", "expected random, greedy"),
        ];
        for (text, expected) in cases {
            let message = text.parse::<PlayerSpec>().expect_err(text).to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
