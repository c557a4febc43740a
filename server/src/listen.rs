//! Accepts connections, and limits their number and slowness.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use interface::Catalogue;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::application::{Application, StartError};
use super::client_counter::{ClientCounter, ClientPermit};
use super::extract::Peer;
use super::rate_limiter::Client;
use super::routes::router;
use super::settings::{Limits, ServerSettings};
use super::write_timeout::WriteTimeout;

/// Pause after a connection could not be accepted, for example because file handles ran out.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// A server with its address and games, ready to run.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    application: Arc<Application>,
}

/// Why a server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is not available.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The server cannot be prepared.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It has ended, and the disk is full or broken.
    #[error(
        "{0} games could not be saved and lack their last moves: make room in the folder of the games before the next start"
    )]
    Unsaved(usize),
    /// The runtime or the signals fail.
    #[error("the server cannot run: {0}")]
    Run(#[from] std::io::Error),
}

impl Server {
    /// Binds the address, opens the games and starts the search threads.
    ///
    /// # Errors
    /// The address or the games are not available.
    pub fn bind(settings: &ServerSettings, catalogue: Catalogue) -> Result<Server, ServeError> {
        let address = settings.address;
        let failed = |cause| ServeError::Listen { address, cause };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let application = Application::start(settings, catalogue)?;
        Ok(Server { listener, address, application })
    }

    /// The address on which it listens, with the assigned port if any port was requested.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the process receives SIGTERM or SIGINT. Running searches are then finished and
    /// saved.
    ///
    /// # Errors
    /// The runtime cannot be started, or games could not be saved.
    pub fn run(self) -> Result<(), ServeError> {
        self.run_until(shutdown_signal())
    }

    /// Serves until `end`.
    ///
    /// # Errors
    /// The runtime cannot be started, `end` fails, or games could not be saved.
    pub fn run_until(
        self,
        end: impl Future<Output = std::io::Result<()>>,
    ) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let application = Arc::clone(&self.application);
        let ended = runtime.block_on(self.answer(end));
        let unsaved = application.stop();
        // Connections that did not end in time are still running.
        runtime.shutdown_background();
        ended?;
        if unsaved == 0 { Ok(()) } else { Err(ServeError::Unsaved(unsaved)) }
    }

    async fn answer(self, end: impl Future<Output = std::io::Result<()>>) -> std::io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let limiter = Arc::new(ConnectionLimiter::new(&self.application));
        let routes = router(&self.application);
        let graceful = GracefulShutdown::new();
        let mut end = std::pin::pin!(end);
        let ended = loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                ended = &mut end => break ended,
            };
            match accepted {
                Ok((stream, peer)) => {
                    if let Some(permit) = limiter.admit(peer.ip()) {
                        serve(stream, peer, permit, &routes, self.application.limits, &graceful);
                    }
                }
                Err(_) => tokio::time::sleep(ACCEPT_RETRY_DELAY).await,
            }
        };
        drop(listener);
        self.application.begin_to_stop();
        let limits = &self.application.limits;
        // Long enough for a running search.
        let _ = tokio::time::timeout(limits.search_time + ACCEPT_RETRY_DELAY, graceful.shutdown())
            .await;
        ended
    }
}

/// Serves one connection in the background.
fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    permit: ConnectionPermit,
    routes: &Router,
    limits: Limits,
    graceful: &GracefulShutdown,
) {
    // Answers are small and should not wait for more data.
    let _ = stream.set_nodelay(true);
    let routes = routes.clone().layer(axum::Extension(Peer(peer.ip())));
    let service = TowerToHyperService::new(routes);
    let stream = TokioIo::new(WriteTimeout::new(stream, limits.write_time));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_buf_size(64 * 1024)
        .serve_connection(stream, service);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        // How a connection ends does not matter here.
        let _ = connection.await;
        drop(permit);
    });
}

/// Admits connections.
struct ConnectionLimiter {
    places: Arc<Semaphore>,
    per_client: usize,
    connections: ClientCounter,
}

/// The right to one connection, released when dropped.
struct ConnectionPermit {
    _client: ClientPermit,
    _place: OwnedSemaphorePermit,
}

impl ConnectionLimiter {
    fn new(application: &Application) -> ConnectionLimiter {
        let limits = &application.limits;
        // Behind a proxy, all connections come from the proxy's address, which is trusted.
        let is_proxy = application.behind_proxy;
        ConnectionLimiter {
            places: Arc::new(Semaphore::new(limits.connections)),
            per_client: if is_proxy { limits.connections } else { limits.connections_per_client },
            connections: ClientCounter::default(),
        }
    }

    /// `None` if the client has too many connections, or if there are too many in total: the
    /// connection is then closed immediately, before it costs anything.
    fn admit(&self, address: IpAddr) -> Option<ConnectionPermit> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let client = self.connections.admit(Client::at(address), self.per_client)?;
        Some(ConnectionPermit { _client: client, _place: place })
    }
}

/// Completes when the process is told to stop.
async fn shutdown_signal() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
