//! The commands about time.

use search::Evaluator;

use super::arguments::{arguments, color, count, seconds, syntax};
use super::command::{Command, CommandError};
use super::core::{Answer, DONE};
use crate::{Player, TimeControl};

/// `time_settings`: without byo-yomi the main time is absolute; byo-yomi with no stones means no
/// limit.
pub(super) fn time_settings<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let [main, period, stones] = arguments(words)?;
    let (main, period) = (duration(main)?, duration(period)?);
    let stones = count(stones)?;
    player.set_time_control(if period > 0.0 && stones > 0 {
        TimeControl::Canadian { main, period, stones }
    } else if period > 0.0 || main <= 0.0 {
        TimeControl::Unlimited
    } else {
        TimeControl::Absolute { main }
    });
    DONE
}

/// `time_left`: stones are 0 during main time, and the number of periods in Japanese byo-yomi.
pub(super) fn time_left<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let [who, time, stones] = arguments(words)?;
    let who = color(who)?;
    let (time, stones) = (seconds(time)?, count(stones)?);
    player.clock().set(who, time, stones);
    DONE
}

/// `kgs-time_settings` and `kata-time_settings`; only the latter has Fischer time.
pub(super) fn named_settings<E: Evaluator>(
    player: &mut Player<E>,
    command: Command,
    words: &[String],
) -> Answer {
    let [kind] = arguments(words)?;
    let rest = &words[1..];
    let control = match kind {
        "none" => TimeControl::Unlimited,
        "absolute" => {
            let [main] = arguments(rest)?;
            TimeControl::Absolute { main: duration(main)? }
        }
        "canadian" => {
            let [main, period, stones] = arguments(rest)?;
            let stones = count(stones)?.max(1);
            TimeControl::Canadian { main: duration(main)?, period: duration(period)?, stones }
        }
        "byoyomi" => {
            let [main, period, periods] = arguments(rest)?;
            let periods = count(periods)?.max(1);
            TimeControl::ByoYomi { main: duration(main)?, period: duration(period)?, periods }
        }
        "fischer" if command == Command::KataTimeSettings => {
            let [main, increment] = arguments(rest)?;
            let (main, increment) = (duration(main)?, duration(increment)?);
            TimeControl::Fischer { main, increment, limit: None, longest: None }
        }
        "fischer-capped" if command == Command::KataTimeSettings => {
            let [main, increment, limit, longest] = arguments(rest)?;
            let (main, increment) = (duration(main)?, duration(increment)?);
            let (limit, longest) = (seconds(limit)?, seconds(longest)?);
            let cap = |limit: f32| (limit >= 0.0).then_some(limit);
            TimeControl::Fischer { main, increment, limit: cap(limit), longest: cap(longest) }
        }
        other => return Err(syntax(format!("unknown kind of time '{other}'"))),
    };
    player.set_time_control(control);
    DONE
}

/// The kinds of `kata-time_settings`.
pub(super) const KINDS: &str = "none absolute canadian byoyomi fischer fischer-capped";

/// A non-negative time.
fn duration(text: &str) -> Result<f32, CommandError> {
    let time = seconds(text)?;
    if time >= 0.0 { Ok(time) } else { Err(syntax(format!("invalid time '{text}'"))) }
}

/// The CPU time that this program has used, in seconds.
pub(super) fn processor_time() -> Answer {
    // A browser does not provide this.
    #[cfg(target_family = "wasm")]
    let seconds = 0.0;
    #[cfg(not(target_family = "wasm"))]
    let seconds = cpu_time::ProcessTime::now().as_duration().as_secs_f64();
    Ok(format!("{seconds:.3}"))
}
