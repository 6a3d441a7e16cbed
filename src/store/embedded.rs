//! An embedded Redis: a child process on a unix socket inside the data folder, with an append-only file. It stops with
//! the server that started it.

pub mod append_only;
pub mod room;

use crate::{embedded::room::Room, file_lock::lock_file, runtime::create_private_folder};
use anyhow::{Context, Result, bail, ensure};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use std::{
    fs::{self, DirBuilder, File, TryLockError},
    io::{Read, Seek, SeekFrom, Write},
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, MetadataExt},
    },
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    process::{Child, Command},
    sync::{mpsc, oneshot},
    time::{Instant, sleep},
};

/// The accepted programs. The first one found is started.
const BINARIES: [&str; 2] = ["redis-server", "valkey-server"];
/// The longest path of a socket, in bytes. A deeper data folder gets its socket in the temporary folder.
const LONGEST_SOCKET_PATH: usize = 107;
/// The time limit for the lock of a folder: a process that checks whether the folder is in use ([`Embedded::running`])
/// holds the lock for a moment.
const LOOKED_AT_FOR: Duration = Duration::from_millis(500);

/// The time that a stop gives to a server that cannot write its file.
const WRITTEN_WITHIN: Duration = Duration::from_secs(5);
/// The number of bytes of the log that are read after a failed start.
const LOG_READ: u64 = 2_048;

/// The polling interval, for conditions without a notification.
const POLL: Duration = Duration::from_millis(10);

/// When the append-only file is synced to disk. This decides what a crash of the machine loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Fsync {
    /// Once a second: a crash loses at most the last second.
    Everysec,
    /// Before each answer: a crash loses nothing, but answers are slower.
    Always,
}

/// The time limits of a start.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The limit for the first answer. Reading a large append-only file takes time.
    pub start: Duration,
    /// The limit for the end of a killed server's Redis. It ends by itself once it has written its file to disk.
    pub predecessor: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { start: Duration::from_secs(120), predecessor: Duration::from_secs(30) }
    }
}

/// A running server. Dropping it kills the server at once; [`Embedded::stop`] lets it save first.
pub struct Embedded {
    child: Child,
    socket: PathBuf,
    /// The program, for a restart.
    binary: String,
    data_dir: PathBuf,
    fsync: Option<Fsync>,
    patience: Patience,
    /// The length of the log before this start.
    logged: u64,
    /// Held while this process runs the server: one Stampede per data folder.
    _lock: File,
}

impl Embedded {
    /// Starts a server on `data_dir`. Creates the folder if it is missing.
    ///
    /// Must be called from a thread that lives as long as the server: the kernel stops the child when the thread that
    /// started it ends, for whatever reason.
    ///
    /// # Errors
    /// One sentence each: folder in use, folder not writable, no program, program too old, no start.
    pub async fn start(data_dir: &Path, fsync: Fsync) -> Result<Self> {
        Self::start_within(Patience::default(), data_dir, fsync).await
    }

    /// Like [`Embedded::start`], with other time limits.
    ///
    /// # Errors
    /// As [`Embedded::start`].
    pub async fn start_within(patience: Patience, data_dir: &Path, fsync: Fsync) -> Result<Self> {
        Self::start_for(Holder::Server, patience, data_dir, Some(fsync)).await
    }

    /// Starts a server that writes nothing to disk: it begins empty.
    ///
    /// # Errors
    /// As [`Embedded::start`].
    pub async fn start_in_memory(data_dir: &Path) -> Result<Self> {
        Self::start_for(Holder::Server, Patience::default(), data_dir, None).await
    }

    /// Starts a server for a command, which ends by itself: others who want to start one wait for it.
    ///
    /// # Errors
    /// As [`Embedded::start`].
    pub async fn start_for_command(data_dir: &Path, fsync: Fsync) -> Result<Self> {
        Self::start_for(Holder::Command, Patience::default(), data_dir, Some(fsync)).await
    }

    /// Without `fsync`, it has no append-only file.
    async fn start_for(holder: Holder, patience: Patience, data_dir: &Path, fsync: Option<Fsync>) -> Result<Self> {
        let dir = data_dir.join("redis");
        create_private_folder(&dir).with_context(|| {
            format!("The data folder {} cannot be made; choose another with --data-dir", dir.display())
        })?;
        let dir = dir.canonicalize()?;
        let lock = lock_folder(data_dir, holder).await?;
        let (binary, socket) = (binary().await?, socket(&dir)?);
        let logged = length_of(&log_file(&dir));
        let child = spawn(&binary, data_dir, &dir, &socket, fsync, patience).await?;
        let data_dir = data_dir.to_owned();
        let mut server = Self { child, socket, binary, data_dir, fsync, patience, logged, _lock: lock };
        server.wait_until_ready().await?;
        server.room()?.reserve()?;
        Ok(server)
    }

    /// Starts the ended server again, on the files that it has written. Must be called from the same thread as the
    /// first start.
    ///
    /// # Errors
    /// One sentence if it does not start.
    async fn restart(&mut self) -> Result<()> {
        let dir = self.dir()?;
        self.logged = length_of(&log_file(&dir));
        self.child = spawn(&self.binary, &self.data_dir, &dir, &self.socket, self.fsync, self.patience).await?;
        self.wait_until_ready().await?;
        self.room()?.reserve()?;
        Ok(())
    }

    /// The folder of its files.
    fn dir(&self) -> Result<PathBuf> {
        Ok(self.data_dir.join("redis").canonicalize()?)
    }

    /// The disk space of the server's files.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn room(&self) -> Result<Room> {
        Ok(Room::of(self.dir()?))
    }

    /// The URL of a server that another Stampede runs on `data_dir`. `None` if there is none, or only one that will end
    /// with a command.
    ///
    /// # Errors
    /// One sentence if the folder cannot be read.
    pub fn running(data_dir: &Path) -> Result<Option<String>> {
        let in_use = match File::open(data_dir.join("lock")) {
            Ok(lock) => {
                let is_locked = matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock));
                is_locked && Holder::of(&data_dir.join("lock")) == Holder::Server
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
            Err(error) => {
                return Err(error).with_context(|| format!("The data folder {} cannot be read.", data_dir.display()));
            }
        };
        let dir = data_dir.join("redis").canonicalize()?;
        in_use.then(|| socket(&dir).map(|socket| url_of(&socket))).transpose()
    }

    pub fn url(&self) -> String {
        url_of(&self.socket)
    }

    /// The socket. Its folder is private.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Waits until the server ends. It should not end by itself.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub async fn ended(&mut self) -> std::io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Like [`Embedded::ended`], but kills and restarts the server on request. Must be called from the thread that
    /// started it.
    ///
    /// # Errors
    /// Errors of the operating system; one sentence if the server cannot be restarted.
    pub async fn ended_unasked(&mut self, restarts: &mut Restarts) -> Result<ExitStatus> {
        loop {
            tokio::select! {
                status = self.ended() => return Ok(status?),
                Some(Restart { killed, start }) = restarts.0.recv() => {
                    self.child.kill().await?;
                    killed.send(()).ok();
                    // Ends in any case: if nothing is sent, the sender is dropped.
                    start.await.ok();
                    self.restart().await.context("The embedded Redis was killed, and could not be started again")?;
                }
            }
        }
    }

    /// Stops the server and waits until its files are closed. If it cannot write them, it gets a few seconds first.
    ///
    /// # Errors
    /// One sentence if some answers were not written; errors of the operating system.
    pub async fn stop(mut self) -> Result<()> {
        let (unwritten, room) = (self.unwritten().await, self.room()?);
        if unwritten.is_some_and(|bytes| bytes > 0) {
            room.note_unwritten()?;
        }
        if let Some(pid) = self.child.id().and_then(|pid| rustix::process::Pid::from_raw(pid.cast_signed())) {
            rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        }
        let status = self.child.wait().await?;
        fs::remove_file(&self.socket).ok();
        if let Some(bytes) = unwritten.filter(|bytes| *bytes > 0) {
            bail!(
                "Redis could not write the last {bytes} bytes of its append-only file (is its disk full?), so what was \
             answered last is kept only as far as the ledger has it. The next start suspends all sales; run `stampede recover \
             --all` then."
            );
        }
        ensure!(status.success(), ended_unexpectedly(status));
        if unwritten.is_some() {
            room.forget_answers()?;
        }
        Ok(())
    }

    /// The number of answered but unwritten bytes, if writes fail. Waits a while for writes to succeed again. `None` if
    /// the server does not answer.
    async fn unwritten(&self) -> Option<u64> {
        let deadline = Instant::now() + WRITTEN_WITHIN;
        loop {
            let info = self.persistence().await.ok()?;
            let field = |name: &str| crate::info_field(&info, name).unwrap_or_default();
            if field("aof_last_write_status") != "err" {
                return Some(0);
            }
            if Instant::now() >= deadline {
                return field("aof_buffer_length").parse().ok();
            }
            sleep(POLL).await;
        }
    }

    async fn persistence(&self) -> Result<String> {
        let config = redis::AsyncConnectionConfig::new().set_response_timeout(Some(crate::RESPONSE_TIMEOUT));
        let mut connection = crate::client(&self.url())?.get_multiplexed_async_connection_with_config(&config).await?;
        Ok(crate::command("INFO").arg("persistence").query_async(&mut connection).await?)
    }

    async fn wait_until_ready(&mut self) -> Result<()> {
        let log = &log_file(&self.dir()?);
        let client = crate::client(&self.url())?;
        let ready = async {
            loop {
                let config = redis::AsyncConnectionConfig::new();
                if let Ok(mut connection) = client.get_multiplexed_async_connection_with_config(&config).await
                    && crate::command("PING").query_async::<String>(&mut connection).await.is_ok()
                {
                    return;
                }
                sleep(POLL).await;
            }
        };
        tokio::select! {
            () = ready => Ok(()),
            status = self.child.wait() => {
                let (status, end) = (status?, read_from(log, self.logged));
                let line = last_line(&end);
                if append_only::is_blamed_by(&end) {
                    bail!(append_only::cannot_be_read(&self.dir()?, line));
                }
                bail!("The embedded Redis ended at once ({status}): {line}");
            }
            () = sleep(self.patience.start) => {
                bail!("The embedded Redis was not ready within {} s: {}", self.patience.start.as_secs(), last_line(&read_from(log, self.logged)));
            }
        }
    }
}

/// Starts the program on the files in `dir`.
async fn spawn(
    binary: &str,
    data_dir: &Path,
    dir: &Path,
    socket: &Path,
    fsync: Option<Fsync>,
    patience: Patience,
) -> Result<Child> {
    // The server inherits this lock, and nobody else keeps it. So no second Redis starts on these files while one
    // lives, whatever became of the process that started the first.
    let Some(redis_lock) = lock_file(&dir.join("lock"), data_dir, patience.predecessor).await? else {
        bail!(
            "The Redis of an earlier Stampede still uses {} after {} s; end that redis-server and start again.",
            dir.display(),
            patience.predecessor.as_secs()
        );
    };
    append_only::prepare(dir)?;
    // A killed server leaves its socket behind.
    fs::remove_file(socket).ok();
    let mut command = Command::new(binary);
    command
        .current_dir(dir)
        .args(["--port", "0", "--daemonize", "no", "--save", ""])
        .args(["--appendonly", if fsync.is_some() { "yes" } else { "no" }])
        .args(["--appendfsync", if fsync == Some(Fsync::Always) { "always" } else { "everysec" }])
        .args(["--auto-aof-rewrite-percentage", "0"])
        .args(["--maxmemory-policy", "noeviction", "--unixsocketperm", "700"])
        .arg("--unixsocket")
        .arg(socket)
        .arg("--dir")
        .arg(dir)
        .arg("--logfile")
        .arg(log_file(dir))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C goes to the whole process group of the terminal. This child is stopped by us, last.
        .process_group(0)
        .kill_on_drop(true);
    let parent = rustix::process::getpid();
    // SAFETY: only async-signal-safe system calls between fork and exec.
    #[expect(unsafe_code, reason = "the kernel stops the child with us, even when we are killed")]
    unsafe {
        command.pre_exec(move || {
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
            // A parent killed before this point sends no signal any more.
            if rustix::process::getppid() != Some(parent) {
                return Err(rustix::io::Errno::SRCH.into());
            }
            rustix::io::fcntl_setfd(&redis_lock, rustix::io::FdFlags::empty())?;
            Ok(())
        });
    }
    let child = command.spawn().with_context(|| format!("{binary} did not start."))?;
    // This drops our handle of the lock. From now on, the server alone holds it.
    drop(command);
    Ok(child)
}

/// The URL of a socket. A folder may have any name, such as `C#`.
fn url_of(socket: &Path) -> String {
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.');
    format!("redis+unix://{}", percent_encode(socket.as_os_str().as_bytes(), ENCODED))
}

/// The error for a server that ended although nobody stopped it.
pub fn ended_unexpectedly(status: ExitStatus) -> anyhow::Error {
    anyhow::anyhow!("The embedded Redis ended unexpectedly ({status}); its log is in the data folder.")
}

fn log_file(dir: &Path) -> PathBuf {
    dir.join("redis.log")
}

/// Kills and restarts the server of an [`Embedded`] whose owner waits in [`Embedded::ended_unasked`]. Cheap to clone.
#[derive(Clone)]
pub struct RestartSwitch(mpsc::Sender<Restart>);

/// The requests of a [`RestartSwitch`], for [`Embedded::ended_unasked`].
pub struct Restarts(mpsc::Receiver<Restart>);

/// Keeps the server down until it is dropped.
pub struct Down(#[expect(dead_code, reason = "only dropped")] oneshot::Sender<()>);

struct Restart {
    killed: oneshot::Sender<()>,
    start: oneshot::Receiver<()>,
}

impl RestartSwitch {
    /// A switch and its receiver. If the switch is dropped, no request ever arrives.
    pub fn new() -> (Self, Restarts) {
        let (asks, asked) = mpsc::channel(1);
        (Self(asks), Restarts(asked))
    }

    /// Kills the server abruptly. Returns when it is gone, or `None` if the receiver was dropped.
    pub async fn kill(&self) -> Option<Down> {
        let ((killed, is_killed), (down, start)) = (oneshot::channel(), oneshot::channel());
        self.0.send(Restart { killed, start }).await.ok()?;
        is_killed.await.ok()?;
        Some(Down(down))
    }
}

/// Who holds the lock of a data folder, as its file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    /// For as long as it likes.
    Server,
    /// Until the command is done.
    Command,
}

const COMMAND: &str = "command";

impl Holder {
    fn of(lock: &Path) -> Self {
        match std::fs::read_to_string(lock) {
            Ok(holder) if holder == COMMAND => Self::Command,
            _ => Self::Server,
        }
    }
}

/// Locks the data folder for this process, once no command holds it.
async fn lock_folder(data_dir: &Path, holder: Holder) -> Result<File> {
    let path = data_dir.join("lock");
    let mut is_logged = false;
    loop {
        if let Some(mut lock) = lock_file(&path, data_dir, LOOKED_AT_FOR).await? {
            lock.set_len(0)?;
            lock.write_all(if holder == Holder::Command { COMMAND.as_bytes() } else { b"" })?;
            return Ok(lock);
        }
        ensure!(
            Holder::of(&path) == Holder::Command,
            "The data folder {} is in use by another Stampede; stop that one, or choose another folder by --data-dir.",
            data_dir.display()
        );
        if !is_logged {
            tracing::warn!(folder = %data_dir.display(), "a command, such as `stampede audit`, uses the data folder; waiting for its end");
            is_logged = true;
        }
    }
}

/// The program to start, after a check of its version.
async fn binary() -> Result<String> {
    for binary in BINARIES {
        let Ok(output) = Command::new(binary).arg("--version").output().await else { continue };
        // "Redis server v=7.0.15 sha=…"
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.split("v=").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or("unknown");
        let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
        let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
        let (major, minor) = crate::OLDEST_REDIS;
        ensure!(
            found >= crate::OLDEST_REDIS,
            "{binary} is version {version}; Stampede needs {major}.{minor} or newer."
        );
        return Ok(binary.to_owned());
    }
    bail!(
        "There is no redis-server on this machine; install the package redis-server (or valkey), \
         or name a running Redis by --redis."
    )
}

/// The path of the socket: beside the data, or in the temporary folder if the path would be too long.
///
/// # Errors
/// One sentence if the folder belongs to another user, who could put another Redis there.
fn socket(dir: &Path) -> Result<PathBuf> {
    let beside = dir.join("redis.sock");
    if beside.as_os_str().len() <= LONGEST_SOCKET_PATH {
        return Ok(beside);
    }
    let name = sha1_smol::Sha1::from(dir.as_os_str().as_encoded_bytes()).digest().to_string();
    let private = std::env::temp_dir().join(format!("stampede-{}", &name[..16]));
    match DirBuilder::new().mode(0o700).create(&private) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(error).with_context(|| format!("The folder {} cannot be made.", private.display()));
        }
        _ => {}
    }
    let found = fs::symlink_metadata(&private)?;
    ensure!(
        found.is_dir() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0,
        "{} must be a folder of yours that nobody else may enter, as Redis' socket goes there; remove it, or choose a \
         --data-dir with a shorter path.",
        private.display()
    );
    Ok(private.join("redis.sock"))
}

fn length_of(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |found| found.len())
}

/// The text of a log from `start` on, or its last [`LOG_READ`] bytes if that is less.
fn read_from(log: &Path, start: u64) -> String {
    let mut end = Vec::new();
    if let Ok(mut file) = File::open(log) {
        file.seek(SeekFrom::Start(start.max(length_of(log).saturating_sub(LOG_READ)))).ok();
        file.read_to_end(&mut end).ok();
    }
    String::from_utf8_lossy(&end).into_owned()
}

/// The last message of a log, without its process, its time and its advice.
fn last_line(log: &str) -> &str {
    let said = |line: &&str| !line.trim().is_empty();
    let last = log.lines().rev().find(said).unwrap_or("it wrote no log");
    let words = last.split_once(" # ").map_or(last, |(_, words)| words);
    words.split(": make a backup").next().unwrap_or(words)
}
