//! The runtime that carries requests for threads.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// A runtime that carries requests. Clones share it.
#[derive(Debug, Clone)]
pub struct AsyncRuntime(Arc<Runtime>);

impl AsyncRuntime {
    /// Starts two threads, which mostly wait.
    ///
    /// # Errors
    /// The system cannot start more threads.
    pub fn start() -> io::Result<AsyncRuntime> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).thread_name("fleet").enable_all().build()?;
        Ok(AsyncRuntime(Arc::new(runtime)))
    }

    /// Calls `then` once, as soon as the system asks the process to end. From now on, that request
    /// alone does not end the process.
    ///
    /// # Errors
    /// Signals cannot be received.
    pub fn when_asked_to_end(&self, then: impl FnOnce() + Send + 'static) -> io::Result<()> {
        // Signals are received from this call on, not from when the task first runs.
        let asked = self.0.block_on(async { Asked::listen() })?;
        self.0.spawn(async move {
            asked.wait().await;
            then();
        });
        Ok(())
    }

    /// Calls `then` after the given time.
    pub fn after(&self, time: Duration, then: impl FnOnce() + Send + 'static) {
        self.0.spawn(async move {
            tokio::time::sleep(time).await;
            then();
        });
    }

    pub(super) fn spawn<T: Send + 'static>(
        &self,
        what: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.0.spawn(what)
    }

    /// Blocks until a future of this crate is ready.
    pub fn wait<F: Future>(&self, what: F) -> F::Output {
        self.0.block_on(what)
    }
}

/// The system's requests to end.
#[cfg(unix)]
struct Asked([tokio::signal::unix::Signal; 2]);

#[cfg(unix)]
impl Asked {
    fn listen() -> io::Result<Asked> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Asked([signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?]))
    }

    async fn wait(self) {
        let [mut terminate, mut interrupt] = self.0;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Asked(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Asked {
    fn listen() -> io::Result<Asked> {
        Ok(Asked(tokio::signal::windows::ctrl_c()?))
    }

    async fn wait(mut self) {
        self.0.recv().await;
    }
}
