//! Time control: settings, and how much of the remaining time a move may take.
//!
//! Nothing here reads a clock: all times are passed in, in seconds.

use engine::{Color, Position};

/// How a game is timed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum TimeControl {
    /// No time limit.
    #[default]
    Unlimited,
    /// A fixed time for the whole game.
    Absolute {
        /// Time for the game.
        main: f32,
    },
    /// After the main time, a number of stones must be played in each period.
    Canadian {
        /// Time before the first period.
        main: f32,
        /// Length of a period.
        period: f32,
        /// Stones per period.
        stones: u32,
    },
    /// After the main time, periods that are used up only by moves that take longer than a period.
    ByoYomi {
        /// Time before the first period.
        main: f32,
        /// Length of a period.
        period: f32,
        /// Number of periods.
        periods: u32,
    },
    /// Each move adds time.
    Fischer {
        /// Time at the start.
        main: f32,
        /// Time added after each move.
        increment: f32,
        /// Upper bound of the accumulated time.
        limit: Option<f32>,
        /// Upper bound for a single move.
        longest: Option<f32>,
    },
}

/// A player's remaining time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Left {
    time: f32,
    /// Stones left to play in this period, or remaining periods including this one; 0 during main
    /// time.
    stones: u32,
}

/// The times of both players.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    control: TimeControl,
    left: [Left; 2],
}

/// Safety margin per move for the client and the connection.
const MARGIN: f32 = 0.2;
/// And this fraction of the time, because a search stops only between batches.
const SHARE: f32 = 0.05;

impl Clock {
    /// The clock before the first move.
    pub fn new(control: TimeControl) -> Clock {
        let main = match control {
            TimeControl::Unlimited => 0.0,
            TimeControl::Absolute { main }
            | TimeControl::Canadian { main, .. }
            | TimeControl::ByoYomi { main, .. }
            | TimeControl::Fischer { main, .. } => main,
        };
        let mut clock = Clock { control, left: [Left { time: main, stones: 0 }; 2] };
        Color::BOTH.into_iter().for_each(|color| clock.run_over(color));
        clock
    }

    /// How the game is timed.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// Sets the remaining time of `color`. `stones` is 0 during main time, and the number of
    /// periods left in Japanese byo-yomi.
    pub fn set(&mut self, color: Color, time: f32, stones: u32) {
        self.left[color.index()] = Left { time: time.max(0.0), stones };
    }

    /// Subtracts the time that `color` has used for a move.
    pub fn spend(&mut self, color: Color, time: f32) {
        let left = &mut self.left[color.index()];
        left.time -= time;
        match self.control {
            // In byo-yomi only the period counts in which the move ended: see `run_over`.
            TimeControl::Unlimited | TimeControl::Absolute { .. } | TimeControl::ByoYomi { .. } => {
            }
            TimeControl::Canadian { period, stones, .. } => {
                if left.stones > 0 {
                    left.stones -= 1;
                    if left.stones == 0 {
                        *left = Left { time: period, stones };
                    }
                }
            }
            TimeControl::Fischer { increment, limit, .. } => {
                left.time = (left.time + increment).min(limit.unwrap_or(f32::INFINITY));
            }
        }
        self.run_over(color);
    }

    /// Moves on to the next period when the main time or a period is used up.
    fn run_over(&mut self, color: Color) {
        let left = &mut self.left[color.index()];
        match self.control {
            TimeControl::Unlimited | TimeControl::Absolute { .. } | TimeControl::Fischer { .. } => {
            }
            TimeControl::Canadian { period, stones, .. } => {
                if left.stones == 0 && left.time <= 0.0 {
                    *left = Left { time: left.time + period, stones };
                }
            }
            TimeControl::ByoYomi { period, periods, .. } => {
                if left.stones == 0 && left.time <= 0.0 {
                    *left = Left { time: left.time + period, stones: periods };
                }
                if left.time < 0.0 && left.stones > 1 && period > 0.0 {
                    // Not one by one: a client may set billions of tiny periods.
                    let missing = (-left.time / period).ceil();
                    let over = (missing as u32).min(left.stones - 1);
                    let time = left.time + period * over as f32;
                    // Rounding must not lose the game.
                    let time = if over as f32 >= missing { time.max(0.0) } else { time };
                    *left = Left { time, stones: left.stones - over };
                }
                // The next move has the whole period in which this one ended, including a move that
                // used up the main time.
                if left.stones > 0 && left.time >= 0.0 {
                    left.time = period;
                }
            }
        }
        left.time = left.time.max(0.0);
    }

    /// How many seconds `color` may think about a move in `position`; `None` if the game is not
    /// timed.
    pub fn allotment(&self, color: Color, position: &Position) -> Option<f32> {
        let Left { time, stones } = self.left[color.index()];
        let share = time / moves_to_come(position);
        // The sensible time, and the maximum available time.
        let (sensible, available) = match self.control {
            TimeControl::Unlimited => return None,
            TimeControl::Absolute { .. } => (share, time),
            TimeControl::Canadian { .. } if stones > 0 => (time / stones as f32, time),
            TimeControl::Canadian { period, stones, .. } => {
                let each = period / stones.max(1) as f32;
                (share + each, time + each)
            }
            TimeControl::ByoYomi { .. } if stones > 0 => (time, time),
            // Main time shorter than a period is best used up immediately, together with the first
            // period, which costs nothing.
            TimeControl::ByoYomi { period, .. } if time < period => (time + period, time + period),
            TimeControl::ByoYomi { period, .. } => (share.max(period), time + period),
            TimeControl::Fischer { increment, longest, .. } => {
                (share + increment, time.min(longest.unwrap_or(f32::INFINITY)))
            }
        };
        Some((sensible.min(available) * (1.0 - SHARE)).min(available - MARGIN).max(0.0))
    }
}

/// The number of moves that a player still has to make: a third of the free points, plus a few for
/// uncertainty.
fn moves_to_come(position: &Position) -> f32 {
    5.0 + position.empty().count() as f32 / 3.0
}

#[cfg(test)]
mod tests {
    use engine::{Move, Variant};

    use super::*;

    const CONTROLS: [TimeControl; 7] = [
        TimeControl::Absolute { main: 60.0 },
        TimeControl::Absolute { main: 1.0 },
        TimeControl::Canadian { main: 20.0, period: 10.0, stones: 5 },
        TimeControl::Canadian { main: 0.0, period: 5.0, stones: 1 },
        TimeControl::ByoYomi { main: 20.0, period: 2.0, periods: 3 },
        TimeControl::ByoYomi { main: 0.0, period: 1.0, periods: 1 },
        TimeControl::Fischer { main: 10.0, increment: 1.0, limit: Some(12.0), longest: Some(5.0) },
    ];

    /// A server's strict clock: whether a move that took this long loses on time.
    struct Server {
        control: TimeControl,
        time: f32,
        stones: u32,
        in_overtime: bool,
    }

    impl Server {
        fn loses(&mut self, mut took: f32) -> bool {
            if !self.in_overtime {
                if took <= self.time {
                    self.time -= took;
                    if let TimeControl::Fischer { increment, limit, .. } = self.control {
                        self.time = (self.time + increment).min(limit.unwrap_or(f32::INFINITY));
                    }
                    return false;
                }
                took -= self.time;
                self.in_overtime = true;
                match self.control {
                    TimeControl::Canadian { period, stones, .. } => {
                        (self.time, self.stones) = (period, stones);
                    }
                    TimeControl::ByoYomi { period, periods, .. } => {
                        (self.time, self.stones) = (period, periods);
                    }
                    _ => return true,
                }
            }
            match self.control {
                TimeControl::Canadian { period, stones, .. } => {
                    self.time -= took;
                    self.stones -= 1;
                    let lost = self.time < 0.0;
                    if self.stones == 0 {
                        (self.time, self.stones) = (period, stones);
                    }
                    lost
                }
                TimeControl::ByoYomi { period, .. } => {
                    while took > period && self.stones > 0 {
                        took -= period;
                        self.stones -= 1;
                    }
                    self.stones == 0
                }
                _ => true,
            }
        }
    }

    #[test]
    fn no_game_is_lost_on_time_even_with_a_slow_client() {
        for control in CONTROLS {
            let main = Clock::new(control).left[0];
            let in_overtime = main.stones > 0;
            let mut server = Server { control, time: main.time, stones: main.stones, in_overtime };
            let mut clock = Clock::new(control);
            let position = Position::new(Variant::Go.rules(9).expect("rules"));
            for turn in 0..150 {
                let allotted = clock.allotment(Color::Black, &position).expect("a timed game");
                // The search overruns by a batch, and the client adds its own delay.
                let overrun = if allotted == 0.0 { 0.0 } else { 0.02 + 0.02 * allotted };
                let took = allotted + overrun;
                if matches!(control, TimeControl::Absolute { .. }) && server.time < 0.05 {
                    break;
                }
                assert!(!server.loses(took), "{control:?}, turn {turn}: {took} s");
                clock.spend(Color::Black, took);
            }
        }
    }

    #[test]
    fn time_is_used_where_it_can_be() {
        let position = Position::new(Variant::Go.rules(9).expect("rules"));
        let allotted = |control, time, stones| {
            let mut clock = Clock::new(control);
            clock.set(Color::White, time, stones);
            clock.allotment(Color::White, &position).expect("a timed game")
        };
        let absolute = allotted(TimeControl::Absolute { main: 600.0 }, 600.0, 0);
        assert!((10.0..30.0).contains(&absolute), "{absolute}");
        let canadian = TimeControl::Canadian { main: 60.0, period: 30.0, stones: 10 };
        assert!((allotted(canadian, 30.0, 10) - 2.85).abs() < 0.01);
        let byo_yomi = TimeControl::ByoYomi { main: 60.0, period: 10.0, periods: 5 };
        assert!((allotted(byo_yomi, 10.0, 3) - 9.5).abs() < 0.01);
        // Main time of at least a period lasts for several moves; less goes with the first period.
        assert!((allotted(byo_yomi, 12.0, 0) - 9.5).abs() < 0.01);
        assert!((allotted(byo_yomi, 4.0, 0) - 13.3).abs() < 0.01);
        assert!((allotted(byo_yomi, 0.0, 0) - 9.5).abs() < 0.01);
        let fischer =
            TimeControl::Fischer { main: 60.0, increment: 5.0, limit: None, longest: Some(3.0) };
        assert!((allotted(fischer, 60.0, 0) - 2.8).abs() < 0.01, "a longest move is kept to");
        assert_eq!(allotted(TimeControl::Absolute { main: 600.0 }, 0.1, 0), 0.0);
        assert_eq!(Clock::new(TimeControl::Unlimited).allotment(Color::Black, &position), None);
    }

    #[test]
    fn a_period_in_which_a_move_ends_is_whole_for_the_next() {
        let (period, periods) = (10.0, 5);
        let mut clock = Clock::new(TimeControl::ByoYomi { main: 60.0, period, periods });
        let mut after = |left: (f32, u32), spent: f32| {
            clock.set(Color::Black, left.0, left.1);
            clock.spend(Color::Black, spent);
            let Left { time, stones } = clock.left[Color::Black.index()];
            (time, stones)
        };
        assert_eq!(after((12.0, 0), 8.0), (4.0, 0), "main time is left");
        assert_eq!(after((4.0, 0), 4.0), (10.0, 5));
        assert_eq!(after((4.0, 0), 13.0), (10.0, 5), "into the first period");
        assert_eq!(after((4.0, 0), 15.0), (10.0, 4), "and beyond it");
        assert_eq!(after((10.0, 3), 10.0), (10.0, 3));
        assert_eq!(after((10.0, 3), 25.0), (10.0, 1));
        assert_eq!(after((10.0, 1), 11.0), (0.0, 1), "lost on time");
        assert_eq!(after((10.0, 5), 60.0), (0.0, 1), "all of them were too few");
    }

    #[test]
    fn billions_of_tiny_periods_are_not_counted_one_by_one() {
        let (period, periods) = (0.01, u32::MAX);
        let mut clock = Clock::new(TimeControl::ByoYomi { main: 0.0, period, periods });
        clock.spend(Color::Black, 1e6);
        let Left { time, stones } = clock.left[Color::Black.index()];
        assert_eq!(time, period, "the period in which the move ended is whole");
        let used = periods - stones;
        assert!((99_000_000..=101_000_000).contains(&used), "{used}");
    }

    #[test]
    fn fewer_free_points_leave_more_time_for_each() {
        let clock = Clock::new(TimeControl::Absolute { main: 600.0 });
        let mut position = Position::new(Variant::Go.rules(9).expect("rules"));
        let early = clock.allotment(Color::Black, &position);
        for _ in 0..30 {
            let legal = position.legal_moves();
            let played = legal.iter().copied().find(|&played| played != Move::Pass);
            position.play(played.expect("a placement")).expect("legal");
        }
        assert!(clock.allotment(Color::Black, &position) > early);
    }
}
