//! PostgreSQL: connections, with TLS if wanted, and limits on the wait for answers.
//!
//! A host that vanishes closes no connection: no answer arrives, and TCP keeps trying for a quarter of an hour. So
//! every wait here has a limit, and a connection without an answer is dropped. sqlx gives no access to its sockets, so
//! keepalive is set at the server. The server thereby notices a vanished client and releases its locks.

mod fitness;

use crate::schema::{migration, migrator};
use sqlx::{
    ConnectOptions, Connection, PgConnection, PgPool, Postgres,
    pool::PoolConnection,
    postgres::{PgConnectOptions, PgPoolOptions, PgSslMode},
};
use std::{io, path::PathBuf, time::Duration};
use store::tls::{self, Fault};
use tokio::{
    runtime::Handle,
    time::{sleep, timeout},
};

/// The time limit for the answer to a statement. Together with the wait for a connection, a vanished host delays
/// nothing for more than 10 s.
pub const ANSWER: Duration = Duration::from_secs(6);
/// The time limit for the migration of the schema. Another process may be migrating it, too.
const MIGRATION: Duration = Duration::from_secs(10 * 60);
/// PostgreSQL's own limits. It ends statements a little before we stop waiting, and transactions whose client fell
/// silent. In its units.
const LIMITS: [(&str, &str); 2] = [("statement_timeout", "5s"), ("idle_in_transaction_session_timeout", "10s")];
/// PostgreSQL's limits for connections to clients whose host vanished. It then ends them, and releases their locks. In
/// its units.
const KEEPALIVE: [(&str, &str); 4] = [
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "2"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "10s"),
];

/// Connects, and brings the schema up to date. Opens one connection to write and `readers` to read. Each must be
/// available `within` this time.
pub(super) async fn connect(url: &str, readers: u32, within: Duration) -> anyhow::Result<(PgPool, PgPool)> {
    let options = options(url)?;
    let address = format!("{}:{}", options.get_host(), options.get_port());
    let out_of_reach = |error: sqlx::Error| out_of_reach(&address, &error);
    // A single connection first: a pool retries until its timeout, and then reports only the timeout.
    let mut first = answered(options.connect()).await.map_err(out_of_reach)?;
    fitness::check(&mut first, &address).await?;
    let mut second = answered(options.connect()).await.map_err(out_of_reach)?;
    // A migration may take longer than other statements, as long as the host is there.
    let migrator = migrator(|migration| migration.3);
    let migrated = tokio::select! {
        migrated = timeout(MIGRATION, migrator.run(&mut first)) => migrated,
        error = silence(&mut second) => return Err(out_of_reach(error)),
    };
    let migrated = migrated.map_err(|_| {
        anyhow::anyhow!(
            "The ledger {address} was not brought up to date within {} minutes; see what PostgreSQL is doing, and start \
             again.",
            MIGRATION.as_secs() / 60
        )
    })?;
    migrated.map_err(|error| migration(error, &address))?;
    fitness::check_rights(&mut first, &address).await?;
    drop((first, second));
    let options = options.options(LIMITS);
    let pool = |connections| PgPoolOptions::new().max_connections(connections).acquire_timeout(within);
    let write = pool(1).connect_with(options.clone()).await.map_err(out_of_reach)?;
    let read = pool(readers).connect_with(options).await.map_err(out_of_reach)?;
    Ok((write, read))
}

/// Connects only for reading, and changes nothing: no schema, no row. Also returns the address.
pub(super) async fn connect_to_read(url: &str, readers: u32, within: Duration) -> anyhow::Result<(PgPool, String)> {
    let options = options(url)?.options(LIMITS).options([("default_transaction_read_only", "on")]);
    let address = format!("{}:{}", options.get_host(), options.get_port());
    // A pool retries until its timeout, and then reports only the timeout.
    let first = answered(options.connect()).await.map_err(|error| out_of_reach(&address, &error))?;
    drop(first);
    let pool = PgPoolOptions::new().max_connections(readers).acquire_timeout(within);
    let pool = pool.connect_with(options).await.map_err(|error| out_of_reach(&address, &error))?;
    Ok((pool, address))
}

pub(super) fn options(url: &str) -> anyhow::Result<PgConnectOptions> {
    const LOOKS_LIKE: &str = "one looks like postgres://user:password@127.0.0.1:5432/stampede";
    // Without the URL itself: nobody can tell which part of a malformed URL is the password.
    anyhow::ensure!(
        url.starts_with("postgres://") || url.starts_with("postgresql://"),
        "What --database gives is not a PostgreSQL URL; {LOOKS_LIKE}. Without --database, the ledger is SQLite in the \
         data folder."
    );
    let mut options: PgConnectOptions = with_known_parameters(url)
        .parse()
        .map_err(|error| anyhow::anyhow!("What --database gives is not a PostgreSQL URL ({error}); {LOOKS_LIKE}."))?;
    if let Some(file) = root_certificate(url) {
        // Read here, because sqlx takes a file without certificates for one that trusts nobody.
        options = options.ssl_root_cert_from_pem(tls::certificates(&file, "sslrootcert in --database")?);
        // As in PostgreSQL's own clients: a URL that names an authority wants certificates to be verified.
        if matches!(options.get_ssl_mode(), PgSslMode::Require) {
            options = options.ssl_mode(PgSslMode::VerifyCa);
        }
    }
    // Each query reads a range of one index, in its order. With outdated statistics, as after a crowd, PostgreSQL would
    // otherwise fetch and sort a million rows for a page of a hundred. For a table of one row without an index, it
    // would spend 45 ms on compiling a query that runs in one.
    Ok(options
        .application_name("stampede")
        .options([("enable_bitmapscan", "off"), ("enable_seqscan", "off"), ("jit", "off")])
        // Committed must mean on disk, because the streams are trimmed up to there.
        .options([("synchronous_commit", "on")])
        .options(KEEPALIVE)
        .disable_statement_logging())
}

/// The URL without the parameters that sqlx does not know. sqlx would log them with their values, and one may be a
/// password. So they are only counted.
fn with_known_parameters(url: &str) -> String {
    const KNOWN: [&str; 18] = [
        "sslmode",
        "ssl-mode",
        "sslrootcert",
        "ssl-root-cert",
        "ssl-ca",
        "sslcert",
        "ssl-cert",
        "sslkey",
        "ssl-key",
        "statement-cache-capacity",
        "host",
        "hostaddr",
        "port",
        "dbname",
        "user",
        "password",
        "application_name",
        "options",
    ];
    let Some((address, query)) = url.split_once('?') else { return url.to_owned() };
    let query = query.split_once('#').map_or(query, |(query, _)| query);
    let is_known = |parameter: &&str| {
        let name = form_urlencoded::parse(parameter.as_bytes()).next().map(|(name, _)| name).unwrap_or_default();
        KNOWN.contains(&&*name) || name.starts_with("options[")
    };
    let (known, unknown): (Vec<&str>, Vec<&str>) = query.split('&').partition(is_known);
    let unknown = unknown.into_iter().filter(|parameter| !parameter.is_empty()).count();
    if unknown > 0 {
        tracing::warn!(
            parameters = unknown,
            "--database has parameters that are not known and have no effect; known are {}",
            KNOWN.join(", ")
        );
    }
    format!("{address}?{}", known.join("&"))
}

/// The file named by `sslrootcert`.
fn root_certificate(url: &str) -> Option<PathBuf> {
    let (_, query) = url.split_once('?')?;
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let file = parameters.find(|(name, _)| name == "sslrootcert")?.1;
    Some(PathBuf::from(file.into_owned()))
}

/// The sentence for a PostgreSQL that cannot be reached.
fn out_of_reach(address: &str, error: &sqlx::Error) -> anyhow::Error {
    match Fault::of(error) {
        Some(Fault::Untrusted) => anyhow::anyhow!(
            "PostgreSQL at {address} has a certificate that is not trusted ({error}); name the file of its certificate \
             authority with sslrootcert in --database."
        ),
        Some(Fault::OtherHost) => anyhow::anyhow!(
            "PostgreSQL at {address} has a certificate for another host ({error}); correct the host in --database."
        ),
        Some(Fault::NoTls) => anyhow::anyhow!("PostgreSQL at {address} does not speak TLS as expected ({error})."),
        None if matches!(error, sqlx::Error::Tls(_)) => anyhow::anyhow!(
            "PostgreSQL at {address} cannot be reached with TLS ({error}); turn it on there, or correct sslmode in \
             --database."
        ),
        // PgBouncer says so, unless it is told to ignore our settings.
        None if error.to_string().contains("unsupported startup parameter") => anyhow::anyhow!(
            "PostgreSQL at {address} is behind a pooler that does not pass the settings of a connection on ({error}); name \
             PostgreSQL itself with --database."
        ),
        None => {
            anyhow::anyhow!("PostgreSQL at {address} cannot be reached ({error}); start it or correct --database.")
        }
    }
}

/// The answer to a statement, or an error if none comes in time.
pub(super) async fn answered<T>(statement: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
    answered_within(ANSWER, statement).await
}

/// Waits for the answer to a statement, at most `within`: a host that vanishes closes no connection.
pub async fn answered_within<T>(within: Duration, statement: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
    timeout(within, statement).await.unwrap_or_else(|_| {
        let why = format!("no answer within {} s", within.as_secs());
        Err(sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, why)))
    })
}

/// The interval between the probes of [`silence`]. With the wait for the answer ([`ANSWER`]), a vanished host is
/// noticed within 7 s.
pub const ASK_EVERY: Duration = Duration::from_secs(1);

/// Probes the connection every second. Returns the error once no answer comes.
pub async fn silence(connection: &mut PgConnection) -> sqlx::Error {
    loop {
        if let Err(error) = answered(connection.ping()).await {
            return error;
        }
        sleep(ASK_EVERY).await;
    }
}

/// A connection of a pool that does not block the pool for longer than necessary.
pub(super) struct Held(Option<PoolConnection<Postgres>>);

impl Held {
    /// Waits for a connection, for a limited time.
    pub(super) async fn of(pool: &PgPool) -> sqlx::Result<Self> {
        Ok(Self(Some(pool.acquire().await?)))
    }

    pub(super) fn connection(&mut self) -> &mut PgConnection {
        self.0.as_mut().expect("it is held until it is dropped")
    }

    /// Drops the connection if it gave no answer, so that the next caller gets a new one at once.
    pub(super) fn judge<T>(&mut self, answer: &sqlx::Result<T>) {
        if matches!(answer, Err(sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_))) {
            self.0.take().map(PoolConnection::detach);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let (Some(mut connection), Ok(runtime)) = (self.0.take(), Handle::try_current()) else { return };
        // It is tested before it is used again, and the test waits for an answer as well.
        runtime.spawn(timeout(ANSWER, connection.return_to_pool()));
    }
}
