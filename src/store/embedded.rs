//! A Redis of our own: a child process on a unix socket inside the data folder, append-only file on,
//! stopped with the server that started it.

use anyhow::{Context, Result, bail, ensure};
use std::{
    fs::{self, File, TryLockError},
    io::Read,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::process::{Child, Command};

/// The programs that will do, the first found is taken.
const BINARIES: [&str; 2] = ["redis-server", "valkey-server"];
/// A socket's path may have 107 bytes; a deeper data folder gets its socket in the temporary folder.
const LONGEST_SOCKET_PATH: usize = 107;
/// Reading a large append-only file back takes its time.
const START_WITHIN: Duration = Duration::from_secs(120);

/// When the append-only file is brought to the disk: what is lost when the machine dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Fsync {
    /// Once a second: at most the last second is lost.
    Everysec,
    /// Before each answer: nothing is lost, and it is slower.
    Always,
}

/// A running server. Dropped, it is killed at once; [`Embedded::stop`] lets it save first.
pub struct Embedded {
    child: Child,
    socket: PathBuf,
    /// Held as long as the server runs: one server per data folder.
    _lock: File,
}

impl Embedded {
    /// Starts a server on `data_dir`, which is made where it is missing.
    ///
    /// Must be called from a thread that lives as long as the server shall: the kernel stops the
    /// child when the thread that started it ends, whatever ended it.
    ///
    /// # Errors
    /// One sentence each: folder in use, folder not writable, no program, too old a program, no start.
    pub async fn start(data_dir: &Path, fsync: Fsync) -> Result<Self> {
        let dir = data_dir.join("redis");
        fs::create_dir_all(&dir).with_context(|| {
            format!("The data folder {} cannot be made; choose another by --data-dir.", dir.display())
        })?;
        let dir = dir.canonicalize()?;
        let lock = lock(&data_dir.join("lock"), data_dir)?;
        let binary = binary().await?;
        let socket = socket(&dir);
        // What a killed server left behind.
        fs::remove_file(&socket).ok();

        let log = dir.join("redis.log");
        let mut command = Command::new(&binary);
        command
            .current_dir(&dir)
            .args(["--port", "0", "--daemonize", "no", "--save", "", "--appendonly", "yes"])
            .args(["--appendfsync", if fsync == Fsync::Always { "always" } else { "everysec" }])
            .args(["--maxmemory-policy", "noeviction", "--unixsocketperm", "700"])
            .arg("--unixsocket")
            .arg(&socket)
            .arg("--dir")
            .arg(&dir)
            .arg("--logfile")
            .arg(&log)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C goes to the whole group of the terminal; this child is stopped by us, last.
            .process_group(0)
            .kill_on_drop(true);
        // SAFETY: only async-signal-safe system calls between fork and exec.
        #[expect(unsafe_code, reason = "the kernel stops the child with us, even when we are killed")]
        unsafe {
            command.pre_exec(|| {
                rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
                Ok(())
            });
        }
        let child = command.spawn().with_context(|| format!("{binary} did not start."))?;
        let mut server = Self { child, socket, _lock: lock };
        server.wait_until_ready(&log).await?;
        Ok(server)
    }

    /// The URL of a server that another process runs on `data_dir`, if one does.
    ///
    /// # Errors
    /// One sentence where the folder cannot be looked at.
    pub fn running(data_dir: &Path) -> Result<Option<String>> {
        let in_use = match File::open(data_dir.join("lock")) {
            Ok(lock) => matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
            Err(error) => {
                return Err(error).with_context(|| format!("The data folder {} cannot be read.", data_dir.display()));
            }
        };
        let dir = data_dir.join("redis").canonicalize()?;
        Ok(in_use.then(|| format!("redis+unix://{}", socket(&dir).display())))
    }

    /// The URL by which to reach it.
    pub fn url(&self) -> String {
        format!("redis+unix://{}", self.socket.display())
    }

    /// Waits until the server ends, which it should not do by itself.
    ///
    /// # Errors
    /// As the operating system gives them.
    pub async fn ended(&mut self) -> std::io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Stops the server and waits until its files are closed.
    ///
    /// # Errors
    /// As the operating system gives them.
    pub async fn stop(mut self) -> Result<()> {
        if let Some(pid) = self.child.id().and_then(|pid| rustix::process::Pid::from_raw(pid.cast_signed())) {
            rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        }
        self.child.wait().await?;
        fs::remove_file(&self.socket).ok();
        Ok(())
    }

    async fn wait_until_ready(&mut self, log: &Path) -> Result<()> {
        let client = super::client(&self.url())?;
        let ready = async {
            loop {
                let config = redis::AsyncConnectionConfig::new();
                if let Ok(mut connection) = client.get_multiplexed_async_connection_with_config(&config).await
                    && super::command("PING").query_async::<String>(&mut connection).await.is_ok()
                {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            () = ready => Ok(()),
            status = self.child.wait() => {
                bail!("The embedded Redis ended at once ({}): {}", status?, last_line(log));
            }
            () = tokio::time::sleep(START_WITHIN) => {
                bail!("The embedded Redis was not ready within {} s: {}", START_WITHIN.as_secs(), last_line(log));
            }
        }
    }
}

fn lock(path: &Path, data_dir: &Path) -> Result<File> {
    let lock = File::create(path).with_context(|| {
        format!("The data folder {} is not writable; choose another by --data-dir.", data_dir.display())
    })?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => bail!(
            "The data folder {} is in use by another Stampede; stop that one, or choose another folder by --data-dir.",
            data_dir.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("The data folder {} cannot be locked.", data_dir.display()))
        }
    }
}

/// The program to start, new enough.
async fn binary() -> Result<String> {
    for binary in BINARIES {
        let Ok(output) = Command::new(binary).arg("--version").output().await else { continue };
        // "Redis server v=7.0.15 sha=…"
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.split("v=").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or("unknown");
        let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
        let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
        let (major, minor) = super::OLDEST_REDIS;
        ensure!(
            found >= super::OLDEST_REDIS,
            "{binary} is version {version}; Stampede needs {major}.{minor} or newer."
        );
        return Ok(binary.to_owned());
    }
    bail!(
        "There is no redis-server on this machine; install the package redis-server (or valkey), \
         or name a running Redis by --redis."
    )
}

/// Where the socket goes: beside the data, or where its path is not too long.
fn socket(dir: &Path) -> PathBuf {
    let beside = dir.join("redis.sock");
    if beside.as_os_str().len() <= LONGEST_SOCKET_PATH {
        return beside;
    }
    let name = sha1_smol::Sha1::from(dir.as_os_str().as_encoded_bytes()).digest().to_string();
    let private = std::env::temp_dir().join(format!("stampede-{}", &name[..16]));
    fs::create_dir_all(&private).ok();
    fs::set_permissions(&private, fs::Permissions::from_mode(0o700)).ok();
    private.join("redis.sock")
}

fn last_line(log: &Path) -> String {
    let mut text = String::new();
    if let Ok(mut file) = File::open(log) {
        file.read_to_string(&mut text).ok();
    }
    text.lines().last().unwrap_or("it wrote no log").to_owned()
}
