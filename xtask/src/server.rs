//! A running server.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::workspace;

/// The time limit for a server to be ready, and to stop.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that answers. Dropping it stops it.
pub struct Server {
    pub url: String,
    child: Child,
    /// Removed after the server has stopped.
    data: Option<TempDir>,
}

impl Server {
    /// Starts the optimized server on a free port, with temporary data.
    pub fn temporary() -> Result<Server> {
        Self::temporary_of(&workspace::server(), &[])
    }

    /// Starts this server on a free port, with temporary data and additional arguments.
    pub fn temporary_of(program: &Path, arguments: &[&str]) -> Result<Server> {
        let data = tempfile::Builder::new().prefix("stampede-").tempdir()?;
        let mut serve = Command::new(program);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(data.path()).args(arguments);
        let mut server = Self::start(&mut serve)?;
        server.data = Some(data);
        Ok(server)
    }

    /// Starts a server and waits until it is ready. Its output goes elsewhere, because standard output is reserved for
    /// results.
    pub fn start(serve: &mut Command) -> Result<Server> {
        let mut child = serve.stdout(Stdio::piped()).spawn().context("The built server cannot be started")?;
        let output = BufReader::new(child.stdout.take().expect("its output was asked for"));
        let mut server = Server { url: String::new(), child, data: None };

        // The thread reads to the end, so that the server never blocks on its output.
        let (sender, address) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                eprintln!("{line}");
                if let Some((_, url)) = line.split_once("Stampede is at ") {
                    sender.send(url.trim().to_owned()).ok();
                }
            }
        });
        server.url = address.recv_timeout(PATIENCE).context("The server did not say where it listens")?;

        wait_until_ready(&format!("{}/readyz", server.url))?;
        Ok(server)
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Posts JSON. Returns the JSON of the answer.
    pub fn post(&self, path: &str, body: &serde_json::Value) -> Result<serde_json::Value> {
        let answer = ureq::post(format!("{}{path}", self.url)).send_json(body);
        let mut answer = answer.with_context(|| format!("{path} refused {body}"))?;
        answer.body_mut().read_json().with_context(|| format!("{path} did not answer with JSON"))
    }
}

/// Waits until a page answers with success.
pub fn wait_until_ready(page: &str) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while let Err(error) = ureq::get(page).call() {
        if Instant::now() > deadline {
            bail!("{page} did not become ready: {error}");
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

impl Drop for Server {
    fn drop(&mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).ok();
        let deadline = Instant::now() + PATIENCE;
        while self.runs() {
            if Instant::now() > deadline {
                self.child.kill().ok();
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}
