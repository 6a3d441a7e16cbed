//! Services of a running server: time, ids and seeds. They are injected, so that a test can move the clock and a run
//! can be repeated.

use model::{
    Millis, check_id,
    error::{Error, Result},
    sale::{IdOrigin, IdSource},
};

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustix::fs::Mode;
use std::{
    fs::DirBuilder,
    io,
    os::unix::fs::DirBuilderExt,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

/// Locks a mutex. Its content is complete at any time, so a thread that panicked has left nothing half done.
pub fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a folder for data, with its missing parents. Only the owner may enter them.
///
/// # Errors
/// As [`DirBuilder::create`].
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Lets only the owner of this process read the files that it and its children create from now on: the ledger has the
/// codes of coupons, and whoever opens the lock of a data folder can hold it.
pub fn create_private_files() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
}

/// A clock: Redis' time in a server, a manual one in tests.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Millis;

    /// The time argument of a script: this clock's time, or empty for Redis' own.
    fn script_time(&self) -> String {
        self.now().to_string()
    }
}

/// A clock that stands still until it is moved. For tests.
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows `now`.
    pub fn new(now: Millis) -> Self {
        Self(AtomicI64::new(now))
    }

    /// Moves the clock forward, or back if `millis` is negative.
    pub fn advance(&self, millis: Millis) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Millis {
        self.0.load(Ordering::SeqCst)
    }
}

/// Generates ids (UUIDv7) and seeds, and names this process.
pub struct Ids {
    clock: Arc<dyn Clock>,
    random: Mutex<ChaCha8Rng>,
    process: String,
}

impl Ids {
    /// Creates a source seeded by the operating system.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self::of(clock, ChaCha8Rng::from_os_rng())
    }

    /// Creates a source with a fixed seed. It gives the same ids in the same order.
    pub fn seeded(clock: Arc<dyn Clock>, seed: u64) -> Self {
        Self::of(clock, ChaCha8Rng::seed_from_u64(seed))
    }

    fn of(clock: Arc<dyn Clock>, random: ChaCha8Rng) -> Self {
        let host = rustix::system::uname().nodename().to_string_lossy().replace(char::is_whitespace, "-");
        let own = random.clone().next_u32() >> 8;
        let process = format!("{host}/{}/{own:06x}", std::process::id());
        Self { clock, random: Mutex::new(random), process }
    }

    /// The name of this process, for people and other processes: host, process id and a random number. It contains no
    /// whitespace, because `load.lua` separates words by blanks.
    pub fn process(&self) -> &str {
        &self.process
    }

    /// A new UUIDv7.
    pub fn id(&self) -> String {
        let mut random = [0; 10];
        locked(&self.random).fill_bytes(&mut random);
        let millis = u64::try_from(self.clock.now()).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid().to_string()
    }

    /// The request id of an attempt: the client's, or a new one.
    ///
    /// # Errors
    /// `bad_request`.
    pub fn request_id(&self, given: Option<String>) -> Result<String> {
        match given {
            Some(request_id) => {
                check_id("request_id", &request_id)?;
                Ok(request_id)
            }
            None => Ok(self.id()),
        }
    }

    /// The id of the object that this request creates. It is the same whenever the request is repeated.
    ///
    /// # Errors
    /// `bad_request`.
    fn id_of_request(&self, request_id: &str) -> Result<String> {
        check_id("request_id", request_id)?;
        let hash = hash(request_id);
        let bytes = std::array::from_fn(|at| hash[at]);
        Ok(uuid::Builder::from_sha1_bytes(bytes).into_uuid().to_string())
    }
}

impl IdSource for Ids {
    fn id(&self) -> String {
        self.id()
    }

    fn seed(&self) -> u64 {
        u64::from(locked(&self.random).next_u32())
    }

    fn seed_of_request(&self, request_id: &str) -> u64 {
        // The end of the hash: the id uses the beginning.
        let hash = hash(request_id);
        u64::from(u32::from_be_bytes(std::array::from_fn(|at| hash[16 + at])))
    }

    fn id_of_sale(&self, id: Option<String>, request_id: Option<&str>) -> Result<(String, IdOrigin)> {
        match (id, request_id) {
            (Some(id), request_id) => {
                request_id.map_or(Ok(()), |request_id| check_id("request_id", request_id))?;
                Ok((id, IdOrigin::Client))
            }
            (None, Some(request_id)) => Ok((self.id_of_request(request_id)?, IdOrigin::Client)),
            (None, None) => Ok((self.id(), IdOrigin::Generated)),
        }
    }
}

fn hash(request_id: &str) -> [u8; 20] {
    sha1_smol::Sha1::from(request_id).digest().bytes()
}

/// Runs longer work on a thread of its own, so that no other request waits for it.
///
/// # Errors
/// Those of the work; `internal` if it panics.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::internal(error)))
}

/// Whether an id was derived from a request id ([`Ids::id_of_sale`]).
pub fn is_of_request(id: &str) -> bool {
    uuid::Uuid::parse_str(id).is_ok_and(|id| id.get_version_num() == 5)
}

/// When an id of [`Ids::id`] was generated, on any server: the id contains its time.
pub fn generated_at(id: &str) -> Option<Millis> {
    let id = uuid::Uuid::parse_str(id).ok().filter(|id| id.get_version_num() == 7)?;
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    Some(seconds as Millis * 1_000 + Millis::from(nanos) / 1_000_000)
}
