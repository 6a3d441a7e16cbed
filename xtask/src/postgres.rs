//! A private PostgreSQL in a temporary folder, on a unix socket without a port. Dropping it removes it.
//!
//! The tests and the benchmark share this file.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, geteuid, kill_process, set_parent_process_death_signal};
use tempfile::TempDir;

/// The time limit for it to be ready.
const START_WITHIN: Duration = Duration::from_secs(60);
/// The folder of the programs that Debian does not put on the PATH, with a subfolder for each version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// Whether committed data is on disk.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "the benchmark measures the disk, the tests do not wait for it")]
pub enum Fsync {
    On,
    Off,
}

/// Names and values.
type Settings = Vec<(&'static str, String)>;

/// A running server.
pub struct Postgres {
    server: Child,
    fsync: Fsync,
    /// Settings on its command line, in addition to ours.
    settings: Settings,
    dir: TempDir,
}

impl Postgres {
    /// Creates an empty PostgreSQL and starts it.
    ///
    /// The kernel stops it when the thread that called this function ends, for whatever reason.
    pub fn start(fsync: Fsync) -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("stampede-postgres-").tempdir()?;
        let owner = Owner::find()?;
        owner.own(dir.path())?;
        let mut initdb = owner.command("initdb")?;
        initdb.args(["--auth=trust", "--username=stampede", "--encoding=UTF8", "--locale=C", "--no-sync", "--pgdata"]);
        let made = initdb.arg(data(dir.path())).current_dir(dir.path()).output().context("initdb does not start")?;
        ensure!(made.status.success(), "initdb failed: {}", String::from_utf8_lossy(&made.stderr).trim());
        let server = serve(dir.path(), fsync, &[])?;
        let mut postgres = Self { server, fsync, settings: Settings::new(), dir };
        postgres.wait_until_ready()?;
        Ok(postgres)
    }

    /// The URL of the server.
    pub fn url(&self) -> String {
        format!("postgres://stampede@localhost/postgres?host={}", self.dir.path().display())
    }

    /// The content of its log.
    #[allow(dead_code, reason = "the benchmark does not ask")]
    pub fn log(&self) -> String {
        fs::read_to_string(log(self.dir.path())).unwrap_or_default()
    }

    /// Stops it at once, like a crash. Its data stays.
    pub fn stop(&mut self) {
        kill_process(Pid::from_child(&self.server), Signal::QUIT).ok();
        self.server.wait().ok();
    }

    /// Starts it again on its existing data.
    #[allow(dead_code, reason = "the benchmark needs it once")]
    pub fn start_again(&mut self) -> Result<()> {
        self.stop();
        self.server = serve(self.dir.path(), self.fsync, &self.settings)?;
        self.wait_until_ready()
    }

    /// Like [`Postgres::start_again`], with these settings from now on.
    #[allow(dead_code, reason = "the benchmark needs no others")]
    pub fn start_again_with(&mut self, settings: Settings) -> Result<()> {
        self.settings = settings;
        self.start_again()
    }

    /// The folder of its data, owned by the user that it runs as.
    #[allow(dead_code, reason = "the benchmark does not ask")]
    pub fn folder(&self) -> &Path {
        self.dir.path()
    }

    /// The socket that it listens on.
    #[allow(dead_code, reason = "the benchmark does not ask")]
    pub fn socket(&self) -> PathBuf {
        self.dir.path().join(".s.PGSQL.5432")
    }

    /// Waits until it is ready: the server writes its state into a file during the start.
    fn wait_until_ready(&mut self) -> Result<()> {
        let deadline = Instant::now() + START_WITHIN;
        let state = data(self.dir.path()).join("postmaster.pid");
        loop {
            let said = fs::read_to_string(&state).unwrap_or_default();
            let mut lines = said.lines();
            let ours = lines.next() == Some(&self.server.id().to_string());
            if ours && lines.next_back().is_some_and(|line| line.trim() == "ready") {
                return Ok(());
            }
            if let Some(status) = self.server.try_wait()? {
                bail!("PostgreSQL ended at once ({status}): {}", last_line(self.dir.path()));
            }
            ensure!(Instant::now() < deadline, "PostgreSQL is not ready: {}", last_line(self.dir.path()));
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The path of a PostgreSQL program, if it is on this machine: on the PATH, or in Debian's folder of the newest
/// version.
pub fn program(name: &str) -> Option<PathBuf> {
    let on_path = std::env::var_os("PATH")
        .and_then(|path| std::env::split_paths(&path).map(|dir| dir.join(name)).find(|program| program.is_file()));
    on_path.or_else(|| {
        let versions = fs::read_dir(DEBIAN).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut versions: Vec<(u32, PathBuf)> = versions
            .filter_map(|version| Some((version.parse().ok()?, Path::new(DEBIAN).join(version).join("bin").join(name))))
            .filter(|(_, program)| program.is_file())
            .collect();
        versions.sort();
        versions.pop().map(|(_, program)| program)
    })
}

fn data(dir: &Path) -> PathBuf {
    dir.join("data")
}

fn log(dir: &Path) -> PathBuf {
    dir.join("log")
}

fn serve(dir: &Path, fsync: Fsync, settings: &[(&str, String)]) -> Result<Child> {
    let log = fs::File::options().create(true).append(true).open(log(dir))?;
    let mut command = Owner::of(dir)?.command("postgres")?;
    command.arg("-D").arg(data(dir)).arg("-k").arg(dir).args(["-p", "5432", "-c", "listen_addresses="]);
    if fsync == Fsync::Off {
        command.args(["-c", "fsync=off", "-c", "full_page_writes=off"]);
    }
    // Later arguments on the command line win.
    for (name, value) in settings {
        command.arg("-c").arg(format!("{name}={value}"));
    }
    command.current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    // Ctrl-C goes to the whole process group of the terminal. This child is stopped by us, last.
    command.process_group(0);
    // SAFETY: one async-signal-safe system call between fork and exec, after the change of user, which would undo it.
    #[allow(unsafe_code, reason = "the kernel stops the child with us, even when we are killed")]
    unsafe {
        command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::QUIT))?));
    }
    command.spawn().context("PostgreSQL does not start")
}

fn last_line(dir: &Path) -> String {
    let log = fs::read_to_string(log(dir)).unwrap_or_default();
    log.lines().last().unwrap_or("it wrote no log").to_owned()
}

/// The user that it runs as: PostgreSQL refuses to be run by root.
#[derive(Clone, Copy)]
struct Owner {
    /// `None` for the current user.
    ids: Option<(u32, u32)>,
}

impl Owner {
    fn find() -> Result<Self> {
        if !geteuid().is_root() {
            return Ok(Self { ids: None });
        }
        let users = fs::read_to_string("/etc/passwd").context("/etc/passwd cannot be read")?;
        let ids = |user: &str| {
            let mut fields = users.lines().find_map(|line| line.strip_prefix(user)?.strip_prefix(':'))?.split(':');
            Some((fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?))
        };
        let ids = ids("postgres").or_else(|| ids("nobody")).context("There is no user that PostgreSQL could run as")?;
        Ok(Self { ids: Some(ids) })
    }

    /// The user that owns a folder.
    fn of(dir: &Path) -> Result<Self> {
        let folder = fs::metadata(dir)?;
        Ok(Self { ids: geteuid().is_root().then(|| (folder.uid(), folder.gid())) })
    }

    fn own(self, dir: &Path) -> Result<()> {
        self.ids.map_or(Ok(()), |(user, group)| Ok(chown(dir, Some(user), Some(group))?))
    }

    /// A PostgreSQL program, run by this user and without our environment.
    fn command(self, name: &str) -> Result<Command> {
        let program = program(name).with_context(|| {
            format!("There is no {name} on this machine: install PostgreSQL (on Debian the package postgresql).")
        })?;
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        if let Some((user, group)) = self.ids {
            command.uid(user).gid(group);
        }
        Ok(command)
    }
}
