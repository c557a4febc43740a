//! The limits of a server, in total and per client.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use interface::{ANALYSIS_SIMULATIONS, LARGEST_COMPARISON, LargestComparison};

/// Where a server listens, where it keeps its games, and what it allows.
///
/// ```
/// use server::{ClientLimits, Limits, ServerSettings};
///
/// let settings = ServerSettings {
///     address: ([127, 0, 0, 1], 8019).into(),
///     data: "games".into(),
///     behind_proxy: false,
///     limits: Limits { per_client: ClientLimits::NONE, ..Limits::default() },
/// };
/// assert!(settings.address.ip().is_loopback() && settings.limits.per_client.games.is_none());
/// ```
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// The address to listen on.
    pub address: SocketAddr,
    /// The folder of the games; created if missing.
    pub data: PathBuf,
    /// Whether to take the client's address from a proxy's `X-Forwarded-For`.
    pub behind_proxy: bool,
    /// Its limits.
    pub limits: Limits,
}

/// The limits of a server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Maximum size of a request's body, in bytes.
    pub body_bytes: usize,
    /// Time for the head of a request to arrive, including the wait on an open connection.
    pub header_time: Duration,
    /// Time for a whole request: its body, the searches that it waits for, and the answer.
    pub request_time: Duration,
    /// Time that a client may leave an answer unread.
    pub write_time: Duration,
    /// Connections open at once.
    pub connections: usize,
    /// Connections that one client may have open. Behind a proxy, to which all connections belong,
    /// event streams instead.
    pub connections_per_client: usize,
    /// Number of games that are kept. When it is reached, a new game replaces the least recently
    /// changed one that is older than `keep`, or older than a day and without a turn; if there is
    /// none, no new game can be started.
    pub games: usize,
    /// Time for which a game with a turn is always kept.
    pub keep: Duration,
    /// Games held in memory; others are read from disk on demand.
    pub open_games: usize,
    /// Total turns of the games held in memory, at about 1.5 KB each. With those that somebody
    /// follows it may be twice as many; then games are closed although somebody follows them, which
    /// ends the streams of their events.
    pub open_turns: usize,
    /// Number of search threads.
    pub searching_threads: usize,
    /// Searches that may wait for a thread.
    pub waiting_searches: usize,
    /// Time for one search, after which its best result so far is used.
    pub search_time: Duration,
    /// Simulations per analysis.
    pub analysis_simulations: u32,
    /// The largest comparison in the laboratory.
    pub comparison: LargestComparison,
    /// The quotas of one client.
    pub per_client: ClientLimits,
}

/// The quotas of one client, which is one address. `None` means unlimited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClientLimits {
    /// Requests to the interface.
    pub requests: Option<Rate>,
    /// Games started.
    pub games: Option<Rate>,
    /// Simulations of searches, and positions evaluated for the course of a game.
    pub simulations: Option<Rate>,
    /// Seconds of search time.
    pub thinking: Option<Rate>,
    /// Searches running or waiting at a time.
    pub searches: Option<usize>,
}

/// A burst size and a refill rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// The largest burst.
    pub burst: f64,
    /// Refill per second.
    pub per_second: f64,
}

impl Default for Limits {
    /// Suitable for a small machine on the internet.
    fn default() -> Limits {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        Limits {
            // A file of a quarter of a mebibyte, in base64.
            body_bytes: 352 * 1024,
            header_time: Duration::from_secs(30),
            request_time: Duration::from_secs(60),
            write_time: Duration::from_secs(30),
            connections: 1024,
            connections_per_client: 64,
            games: 200_000,
            // The longer it is, the fewer clients it takes to fill the server with games that must
            // be kept, so that nobody else can start one. Otherwise games are kept much longer.
            keep: Duration::from_secs(24 * 3600),
            open_games: 1_000,
            open_turns: 200_000,
            searching_threads: 2 * threads,
            waiting_searches: 256,
            search_time: Duration::from_secs(15),
            analysis_simulations: ANALYSIS_SIMULATIONS,
            comparison: LARGEST_COMPARISON,
            per_client: ClientLimits::default(),
        }
    }
}

impl Default for ClientLimits {
    /// Allows several simultaneous games against the strongest level, and at most half a core in
    /// the long run.
    fn default() -> ClientLimits {
        let rate = |burst, per_second| Some(Rate { burst, per_second });
        ClientLimits {
            requests: rate(200.0, 20.0),
            // Two a minute in the long run: more than the people behind one address start. In a
            // month, one client fills less than half of the room for games.
            games: rate(50.0, 1.0 / 30.0),
            // Playing games out, to estimate the final ownership, takes none of them, so that it
            // keeps nobody from moving: `thinking` limits how busy that keeps the machine.
            simulations: rate(40_000.0, 400.0),
            thinking: rate(120.0, 0.5),
            searches: Some(32),
        }
    }
}

impl ClientLimits {
    /// No limits.
    pub const NONE: ClientLimits = ClientLimits {
        requests: None,
        games: None,
        simulations: None,
        thinking: None,
        searches: None,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_client_alone_takes_the_room_for_games() {
        const DAY: f64 = 24.0 * 3600.0;
        let limits = Limits::default();
        let Rate { burst, per_second } = limits.per_client.games.unwrap();
        let started = |days: f64| burst + per_second * days * DAY;
        let room = limits.games as f64;
        assert!(started(30.0) < room / 2.0, "{} games in a month", started(30.0));
        // Only games younger than this keep others from starting one.
        let kept = limits.keep.as_secs_f64() / DAY;
        assert!(started(kept) < room / 50.0, "{} games that must be kept", started(kept));
    }
}
