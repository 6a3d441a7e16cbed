//! The parts of the server that faults act on. The server provides them.

use crate::slow_wire::SlowWire;
use ledger::writer::Writer;
use std::sync::Arc;
use store::embedded::RestartSwitch;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Everything that faults act on, beside the store and the sales.
pub struct Handles {
    /// Kills the embedded Redis. `None` if the server has no Redis of its own.
    pub redis: Option<RestartSwitch>,
    /// The socket between the server and Redis. `None` if the connections use TLS.
    pub wire: Option<SlowWire>,
    /// Stops the ledger's writer.
    pub writer: WriterSwitch,
}

/// Stops the ledger's writer of this server. Cheap to clone.
#[derive(Clone, Default)]
pub struct WriterSwitch(Arc<Writing>);

#[derive(Default)]
struct Writing {
    is_stopped: watch::Sender<bool>,
    is_running: watch::Sender<bool>,
}

/// Keeps the writer stopped until it is dropped.
pub struct Stopped(WriterSwitch);

impl WriterSwitch {
    /// Stops the writer, as if its server stopped. Returns when it has ended.
    pub async fn stop(&self) -> Stopped {
        self.0.is_stopped.send_replace(true);
        let stopped = Stopped(self.clone());
        // Cannot fail: `self` holds the sender.
        self.0.is_running.subscribe().wait_for(|is_running| !is_running).await.ok();
        stopped
    }

    /// Runs writers until `shutdown`. Each follows one that was stopped.
    pub async fn run(self, writer: impl Fn() -> Writer, shutdown: CancellationToken) {
        let mut stopped = self.0.is_stopped.subscribe();
        while !shutdown.is_cancelled() {
            let stop = shutdown.child_token();
            self.0.is_running.send_replace(true);
            let writing = tokio::spawn(writer().run(stop.clone()));
            tokio::select! {
                _ = stopped.wait_for(|is_stopped| *is_stopped) => {}
                () = shutdown.cancelled() => {}
            }
            stop.cancel();
            // The writer gives its lease back.
            writing.await.ok();
            self.0.is_running.send_replace(false);
            tokio::select! {
                _ = stopped.wait_for(|is_stopped| !is_stopped) => {}
                () = shutdown.cancelled() => {}
            }
        }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.0.is_stopped.send_replace(false);
    }
}
