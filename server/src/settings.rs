//! What a server allows: altogether, and to each of its clients.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Where a server listens, where it keeps its games, and what it allows.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// The address to listen on.
    pub address: SocketAddr,
    /// The folder of the games; made if it is not there.
    pub data: PathBuf,
    /// Whether the client's address is what a proxy says in `X-Forwarded-For`.
    pub behind_proxy: bool,
    /// What is allowed.
    pub limits: Limits,
}

/// What a server allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// Time for the head of a request to arrive, the wait for it on an open connection included.
    pub header_time: Duration,
    /// Time for a whole request: its body, the searches that it waits for, and the answer.
    pub request_time: Duration,
    /// Time that a client may leave an answer unread.
    pub write_time: Duration,
    /// Connections open at once.
    pub connections: usize,
    /// Connections that one client may have open.
    pub connections_per_client: usize,
    /// Games that are kept. When there are as many, the game that has been left alone for longest goes, if that is
    /// longer than `keep`; otherwise no new one is begun.
    pub games: usize,
    /// Time for which a game is kept in any case.
    pub keep: Duration,
    /// Games held in memory; the others are read when they are asked for.
    pub open_games: usize,
    /// Threads that search.
    pub searching_threads: usize,
    /// Searches that may wait for a thread.
    pub waiting_searches: usize,
    /// Time for one search; what it has found by then counts.
    pub search_time: Duration,
    /// Simulations of an analysis.
    pub analysis_simulations: u32,
    /// What one client may use.
    pub per_client: ClientLimits,
}

/// What one client, that is one address, may use. `None` is as much as it likes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClientLimits {
    /// Requests to the interface.
    pub requests: Option<Rate>,
    /// Games begun.
    pub games: Option<Rate>,
    /// Simulations of searches, and positions evaluated for analyses.
    pub simulations: Option<Rate>,
    /// Seconds that threads search.
    pub thinking: Option<Rate>,
}

/// An amount at once, and what comes back each second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// The most that can be used at once.
    pub burst: f64,
    /// What comes back in a second.
    pub per_second: f64,
}

impl Default for Limits {
    /// For a small machine on the internet.
    fn default() -> Limits {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        Limits {
            body_bytes: 256 * 1024,
            header_time: Duration::from_secs(30),
            request_time: Duration::from_secs(60),
            write_time: Duration::from_secs(30),
            connections: 1024,
            connections_per_client: 64,
            games: 200_000,
            keep: Duration::from_secs(30 * 24 * 3600),
            open_games: 1_000,
            searching_threads: 2 * threads,
            waiting_searches: 256,
            search_time: Duration::from_secs(15),
            analysis_simulations: 200,
            per_client: ClientLimits::default(),
        }
    }
}

impl Default for ClientLimits {
    /// Several games at once against the strongest level, and no more than half a core in the long run.
    fn default() -> ClientLimits {
        let rate = |burst, per_second| Some(Rate { burst, per_second });
        ClientLimits {
            requests: rate(200.0, 20.0),
            games: rate(50.0, 0.2),
            simulations: rate(40_000.0, 400.0),
            thinking: rate(120.0, 0.5),
        }
    }
}

impl ClientLimits {
    /// Whatever a client likes.
    pub const NONE: ClientLimits =
        ClientLimits { requests: None, games: None, simulations: None, thinking: None };
}
