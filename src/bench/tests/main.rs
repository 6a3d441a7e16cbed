//! `stampede-bench` as a process.

mod compared;
mod strategies;

use std::process::Stdio;
use tempfile::TempDir;
use tokio::process::Command;

/// An empty folder.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::Builder::new().prefix("stampede-test-").tempdir().expect("a temporary folder"))
    }

    /// `stampede-bench`, in an environment without our variables.
    fn bench(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stampede-bench"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("STAMPEDE_")) {
            command.env_remove(name);
        }
        command
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }
}

/// The error message of the program, after its name.
async fn complaint(mut command: Command) -> String {
    let output = command.output().await.expect("it ran");
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(output.stdout.is_empty(), "{:?}", String::from_utf8_lossy(&output.stdout));
    let last = stderr.lines().last().unwrap_or_default();
    last.strip_prefix("stampede-bench: ").unwrap_or_else(|| panic!("{stderr:?}")).to_owned()
}
