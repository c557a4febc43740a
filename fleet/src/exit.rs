//! How a process of a fleet ends, expressed as an exit code for schedulers.

/// Why a worker or a learner has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The run is over.
    Ended,
    /// There was nothing to do for long enough, and no run that would need it later.
    Idle,
    /// The run had nothing for it to do for long enough, but continues: the machine may be given to
    /// others for a while.
    Spare,
    /// A newer process has taken the slot. Starting this one again would only displace that one.
    Superseded,
    /// It was told to stop; what it was doing continues when it is started again.
    Interrupted,
    /// The store could not be reached for too long.
    Unreachable,
    /// Another learner has taken over the run.
    Fenced,
    /// It would fail in the same way every time: the program, the run or the command is wrong.
    Unfit,
}

impl Exit {
    /// The exit code: 0 for done, 75 (`EX_TEMPFAIL`) for starting again, 64 (`EX_USAGE`) for never.
    pub fn code(self) -> u8 {
        match self {
            Exit::Ended | Exit::Idle | Exit::Superseded => 0,
            Exit::Spare | Exit::Interrupted | Exit::Unreachable | Exit::Fenced => 75,
            Exit::Unfit => 64,
        }
    }
}
