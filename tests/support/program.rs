//! The program as a process: its folder, its start, and requests over HTTP.

use super::{eventually, within};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::{Output, Stdio},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

/// A folder with room for data, and with files that look like the browser side.
pub struct Home(TempDir);

impl Home {
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("stampede-test-").tempdir().expect("a temporary folder");
        std::fs::create_dir_all(dir.path().join("site/pkg")).expect("a folder");
        Self(dir)
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    pub fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    /// `stampede` with a command, in an environment without our variables.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stampede"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("STAMPEDE_")) {
            command.env_remove(name);
        }
        command
            .current_dir(self.folder())
            .arg(name)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// `stampede serve` without an address to listen on.
    pub fn bare(&self) -> Command {
        let mut command = self.command("serve");
        command.arg("--site-dir").arg(self.folder().join("site"));
        command
    }

    pub fn serve(&self, listen: &str) -> Command {
        let mut command = self.bare();
        command.args(["--listen", listen]);
        command
    }

    /// `stampede serve` on a free port, with a Redis of its own.
    pub fn serve_with_data(&self) -> Command {
        let mut command = self.serve("127.0.0.1:0");
        command.arg("--data-dir").arg(self.data());
        command
    }
}

/// A running program and the address that it printed.
pub struct Running {
    pub child: Child,
    _stdout: Lines<BufReader<ChildStdout>>,
    pub url: String,
    http: reqwest::Client,
}

impl Running {
    pub async fn start(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the program starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("its output")).lines();
        let line = within("the address", stdout.next_line()).await.expect("text").expect("a line");
        let url = line.strip_prefix("Stampede is at ").unwrap_or_else(|| panic!("{line:?}")).to_owned();
        assert!(url.contains("://127.0.0.1:"), "{url}");
        Self { child, _stdout: stdout, url, http: reqwest::Client::new() }
    }

    pub async fn get(&self, path: &str) -> u16 {
        reqwest::get(format!("{}{path}", self.url)).await.expect("an answer").status().as_u16()
    }

    /// The status and the body of a POST of JSON; an error if nobody answers.
    pub async fn try_post(&self, path: &str, body: &Value) -> reqwest::Result<(u16, Value)> {
        let request = self.http.post(format!("{}{path}", self.url)).header("content-type", "application/json");
        let answer = request.body(body.to_string()).send().await?;
        Ok((answer.status().as_u16(), answer.json().await?))
    }

    pub async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        within("an answer", self.try_post(path, body)).await.expect("an answer")
    }

    pub fn pid(&self) -> Pid {
        self.child.id().and_then(|pid| Pid::from_raw(pid.cast_signed())).expect("it runs")
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("a signal");
    }

    /// Suspends the program, but not in the middle of a transaction of its ledger in this folder, which would keep
    /// SQLite from all others meanwhile.
    pub async fn suspend(&self, data: &Path) {
        let mut ledger = super::ledger::sqlite(data).await;
        sqlx::query("BEGIN IMMEDIATE").execute(&mut ledger).await.expect("nobody is in a transaction");
        self.signal(Signal::STOP);
        eventually("all of its threads stand still", async || self.is_suspended().then_some(())).await;
        sqlx::query("ROLLBACK").execute(&mut ledger).await.expect("an end");
    }

    fn is_suspended(&self) -> bool {
        let threads =
            std::fs::read_dir(format!("/proc/{}/task", self.child.id().expect("it runs"))).expect("its threads");
        let mut states = threads.map(|thread| {
            let stat = std::fs::read_to_string(thread.expect("a thread").path().join("stat")).unwrap_or_default();
            // The name before it, in parentheses, may have any characters.
            stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next()).map(str::to_owned)
        });
        states.all(|state| state.as_deref() == Some("T"))
    }

    /// Kills the program abruptly, and waits until it is gone.
    pub async fn kill(mut self) {
        self.signal(Signal::KILL);
        within("the killed program ends", self.child.wait()).await.expect("a status");
    }

    /// Stops the program, and waits until it has ended.
    pub async fn stop(mut self) {
        self.signal(Signal::TERM);
        let status = within("the program ends", self.child.wait()).await.expect("a status");
        assert!(status.success(), "{status}");
    }
}

/// The exit code, output and error output of a command.
pub struct Answer {
    pub code: i32,
    pub printed: String,
    pub complaint: String,
}

impl Answer {
    pub async fn of(mut command: Command) -> Self {
        let Output { status, stdout, stderr } =
            within("the program ends", command.stderr(Stdio::piped()).output()).await.expect("it ran");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Self { code: status.code().expect("a code"), printed: text(stdout), complaint: text(stderr) }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.printed).unwrap_or_else(|error| panic!("{error}: {}", self.printed))
    }

    /// One sentence after the program's name, no other output, and exit code 2.
    pub fn sentence(&self) -> &str {
        assert_eq!((self.code, self.printed.as_str()), (2, ""), "{}", self.complaint);
        let mut lines = self.complaint.lines();
        let (Some(line), None) = (lines.next(), lines.next()) else { panic!("{}", self.complaint) };
        line.strip_prefix("stampede: ").unwrap_or_else(|| panic!("{line}"))
    }
}

/// Runs the program to its end and returns its error message: one sentence after its name, and no panic.
pub async fn complaint(mut command: Command) -> String {
    let output = within("the program ends", command.output()).await.expect("it ran");
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(output.stdout.is_empty(), "no address is printed: {:?}", String::from_utf8_lossy(&output.stdout));
    assert!(!stderr.contains("panicked"), "{stderr}");
    let last = stderr.lines().last().unwrap_or_default();
    last.strip_prefix("stampede: ").unwrap_or_else(|| panic!("{stderr:?}")).to_owned()
}

/// Sends a command to the Redis that a running server has started. It changes one thing.
pub async fn change_in_redis(data: &Path, verb: &str, args: &[&str]) {
    let client = store::client(&format!("redis+unix://{}", data.join("redis/redis.sock").display())).expect("a client");
    let mut connection = store::connection(&client).await.expect("a connection");
    let changed: i64 = store::command(verb).arg(args).query_async(&mut connection).await.expect("an answer");
    assert_eq!(changed, 1, "{verb} {args:?}");
}

/// The process id and the socket of the Redis that the server of a data folder started.
pub async fn embedded(data: &Path) -> (Pid, PathBuf) {
    let socket = data.join("redis/redis.sock");
    let client = store::client(&format!("redis+unix://{}", socket.display())).expect("a client");
    let mut connection = store::connection(&client).await.expect("a connection");
    let info: String = store::command("INFO").arg("server").query_async(&mut connection).await.expect("an answer");
    let pid = info.lines().find_map(|line| line.strip_prefix("process_id:")).expect("a process id");
    (Pid::from_raw(pid.parse().expect("a number")).expect("a process id"), socket)
}

/// Waits until a process no longer exists.
pub async fn gone(pid: Pid) {
    eventually("the Redis is gone", async || {
        // A zombie process counts as gone, too.
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        let dead = stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'));
        (dead || test_kill_process(pid).is_err()).then_some(())
    })
    .await;
}
