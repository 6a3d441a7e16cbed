//! The command line. Every flag can also be set by an environment variable; the flag takes precedence.

use crate::server::telemetry::LogFormat;
use clap::{
    Arg, ArgGroup, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum,
    builder::{OsStr, PathBufValueParser, Resettable, TypedValueParser},
};
use http::uri::Authority;
use ipnet::IpNet;
use model::{
    crowd::{Behavior, MAX_PER_S},
    error::shell_word,
};
use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    time::Duration,
};
use store::embedded::Fsync;
use web::{base_path::BasePath, components::StoreFlags};

/// Decides who gets what when demand exceeds supply, and gives every item away exactly once.
#[derive(Debug, Parser)]
#[command(name = "stampede", version, about)]
pub struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the command line and the environment. An empty variable is none: so Docker Compose, for one, hands on a
    /// variable that is not set. Ends the program if the command line is wrong or asks for help.
    pub fn read() -> Self {
        let is_empty = |name: &std::ffi::OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
        let without_empty = |arg: Arg| {
            if arg.get_env().is_some_and(is_empty) { arg.env(Resettable::<OsStr>::Reset) } else { arg }
        };
        // A command may have commands of its own.
        let command = Self::command().mut_subcommands(|command| {
            command.mut_args(without_empty).mut_subcommands(|command| command.mut_args(without_empty))
        });
        Self::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
    }
}

/// The commands of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start the server.
    Serve(Serve),
    /// Check that nothing is lost, doubled or oversold: exit code 0 holds, 1 broken, 2 unknown.
    Audit(Audit),
    /// Let simulated users loose on a sale: exit code 0 it held and every limit was kept, 1 broken or a limit missed, 2
    /// unknown.
    Crowd(Crowd),
    /// Rebuild a sale that Redis has lost, or all of them, from the ledger.
    Recover(Recover),
    /// Back the ledger up into a new folder, with everything that was answered before, while servers go on: exit code 0
    /// complete, 1 the dump of a PostgreSQL ledger is still to be run, 2 failed.
    Backup(Backup),
    /// Restore a backup, without its webhooks, into an empty data folder and an empty Redis: exit code 0 all audits
    /// hold, 1 broken, 2 unknown.
    Restore(Restore),
    /// Manage the addresses to which a running server sends what is recorded.
    #[command(subcommand)]
    Webhook(WebhookCommand),
    /// Print the description of the API as OpenAPI 3.1.
    Api,
}

/// The settings of `stampede serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Address to listen on, such as 127.0.0.1:3000, localhost:3000 or just 3000. Any other than a loopback address also
    /// requires --allow-remote.
    #[arg(long, env = "STAMPEDE_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:3000", value_parser = address)]
    pub listen: SocketAddr,
    /// Address at which Prometheus gets the metrics of this server, by GET /metrics, such as 127.0.0.1:9101 or just 9101
    /// [default: none]. Any other than a loopback address also requires --allow-remote.
    #[arg(long, env = "STAMPEDE_METRICS_LISTEN", value_name = "ADDRESS", value_parser = address)]
    pub metrics_listen: Option<SocketAddr>,
    /// PEM file with the certificate of this server, followed by the intermediate certificates: connections are
    /// encrypted, and browsers use HTTP/2. Also requires --tls-key.
    #[arg(long, env = "STAMPEDE_TLS_CERT", value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// PEM file with the private key of the certificate.
    #[arg(long, env = "STAMPEDE_TLS_KEY", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// The locations of the data.
    #[command(flatten)]
    pub stores: Stores,
    /// Continue with this ledger although Redis has fed another one, whose history this one lacks.
    #[arg(long, env = "STAMPEDE_NEW_LEDGER", value_parser = switch)]
    pub new_ledger: bool,
    /// Show an alarm when more events of one sale wait for the ledger.
    #[arg(long, env = "STAMPEDE_STREAM_ALARM", value_name = "EVENTS", default_value = "10000", value_parser = count)]
    pub stream_alarm: u64,
    /// Who recovers a sale of which Redis has lost the newest events, as after a failover: the server that writes the
    /// ledger, or a person with `stampede recover` [default: auto with redis+cluster://, otherwise manual].
    #[arg(long, env = "STAMPEDE_RECOVER", value_enum)]
    pub recover: Option<RecoveryMode>,
    /// How long a closed sale stays in Redis before it is archived automatically, such as 7d, 12h, 30m or 45s.
    #[arg(long, env = "STAMPEDE_KEEP_CLOSED", value_name = "DURATION", default_value = "7d", value_parser = duration)]
    pub keep_closed: Duration,
    /// Folder with the built browser side [default: ../site, relative to the program].
    #[arg(long, env = "STAMPEDE_SITE_DIR", value_name = "FOLDER")]
    pub site_dir: Option<PathBuf>,
    /// Allow listening beyond loopback, although there is no sign-in yet.
    #[arg(long, env = "STAMPEDE_ALLOW_REMOTE", value_parser = switch)]
    pub allow_remote: bool,
    /// Another host name that this server answers to, besides localhost and every IP address; can be repeated.
    #[arg(long, env = "STAMPEDE_HOST", value_name = "NAME", value_delimiter = ',', value_parser = host_name)]
    pub host: Vec<String>,
    /// The path under which a proxy passes requests on, with this path, such as /sale.
    #[arg(long, env = "STAMPEDE_BASE_PATH", value_name = "PATH", default_value = "/")]
    pub base_path: BasePath,
    /// A proxy, or a network of proxies, such as 10.0.0.0/8: from there, X-Forwarded-For, X-Forwarded-Proto and
    /// X-Forwarded-Host say who asked, and for what; can be repeated.
    #[arg(long, env = "STAMPEDE_TRUSTED_PROXY", value_name = "NETWORK", value_delimiter = ',', value_parser = network)]
    pub trusted_proxy: Vec<IpNet>,
    /// How long the server goes on serving after it was told to stop, and says that it is not ready, such as 10s or 1m
    /// [default: 0s on loopback, otherwise 10s].
    #[arg(long, env = "STAMPEDE_DRAIN", value_name = "DURATION", value_parser = duration)]
    pub drain: Option<Duration>,
    /// Open a demonstration sale of each kind, and another one when nothing is left of it.
    #[arg(long, env = "STAMPEDE_DEMO", value_parser = switch)]
    pub demo: bool,
    /// Let /lab/faults and the API break things on purpose, to rehearse an outage.
    #[arg(long, env = "STAMPEDE_FAULTS", value_parser = switch)]
    pub faults: bool,
    /// Redis for the lab alone, such as redis://127.0.0.1:6379/2 [default: the database after that of the sales; with a
    /// cluster, an embedded one].
    #[arg(long, env = "STAMPEDE_LAB_REDIS", hide_env_values = true, value_name = "URL")]
    pub lab_redis: Option<String>,
    /// Open the browser if there is a screen.
    #[arg(long, env = "STAMPEDE_OPEN", value_parser = switch)]
    pub open: bool,
    /// The format of the log.
    #[arg(long, env = "STAMPEDE_LOG_FORMAT", default_value = "text")]
    pub log_format: LogFormat,
}

/// Who recovers a sale of which Redis has lost the newest events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RecoveryMode {
    /// The server that writes the ledger, at once.
    Auto,
    /// A person.
    Manual,
}

impl Serve {
    /// Whether the server recovers such sales by itself. In a cluster, losing the newest events is normal.
    pub fn recovers(&self, is_cluster: bool) -> bool {
        self.recover.map_or(is_cluster, |mode| mode == RecoveryMode::Auto)
    }

    /// How long the server goes on serving after it was told to stop. Nobody balances the load of servers on loopback.
    pub fn drain(&self) -> Duration {
        const DRAIN: Duration = Duration::from_secs(10);
        self.drain.unwrap_or(if self.listen.ip().is_loopback() { Duration::ZERO } else { DRAIN })
    }
}

/// The locations of the data, the same for every command.
#[derive(Debug, Args)]
pub struct Stores {
    // Help would show the passwords of the environment.
    /// A running Redis 7.0 or newer, such as redis://127.0.0.1:6379 [default: an embedded one].
    #[arg(long, env = "STAMPEDE_REDIS", hide_env_values = true, value_name = "URL")]
    pub redis: Option<String>,
    /// File with the certificate authorities to trust, for a rediss:// URL [default: the usual public ones].
    #[arg(long, env = "STAMPEDE_REDIS_CA", value_name = "FILE")]
    pub redis_ca: Option<PathBuf>,
    /// Acknowledge an attempt only when so many replicas of its Redis have it.
    #[arg(long, env = "STAMPEDE_REPLICAS", value_name = "NUMBER", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=9))]
    pub replicas: u8,
    /// The ledger, such as postgres://user:password@127.0.0.1:5432/stampede [default: SQLite in the data folder].
    #[arg(long, env = "STAMPEDE_DATABASE", hide_env_values = true, value_name = "URL")]
    pub database: Option<String>,
    /// Folder for the data of the embedded Redis and of the ledger.
    #[arg(long, env = "STAMPEDE_DATA_DIR", value_name = "FOLDER", default_value = "data", value_parser = folder())]
    pub data_dir: PathBuf,
    /// When the embedded Redis writes to disk.
    #[arg(long, env = "STAMPEDE_FSYNC", default_value = "everysec")]
    pub fsync: Fsync,
}

impl Stores {
    /// The flags by which another command finds the same data, from any folder. Pages show them, so `PASSWORD` replaces
    /// a password.
    pub fn flags(&self) -> StoreFlags {
        let path = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone()).display().to_string();
        let is_beside = self.redis.is_none() || self.database.is_none();
        let flags = [
            ("--redis", self.redis.as_deref().map(without_password)),
            ("--redis-ca", self.redis_ca.as_ref().map(path)),
            ("--database", self.database.as_deref().map(without_password)),
            ("--data-dir", is_beside.then(|| path(&self.data_dir))),
        ];
        let given = flags.into_iter().filter_map(|(flag, value)| Some(format!("{flag} {}", shell_word(&value?))));
        StoreFlags(given.collect::<Vec<_>>().join(" "))
    }

    /// The URL of the ledger, if it is PostgreSQL, with `PASSWORD` in place of its password.
    pub(super) fn database_without_password(&self) -> Option<String> {
        self.database.as_deref().map(without_password)
    }
}

/// A URL with `PASSWORD` in place of its password, before the host or among the parameters. Every parameter that is not
/// known to be harmless is replaced as well, because a name may be spelled in many ways (`p%61ssword`).
fn without_password(url: &str) -> String {
    const HIDDEN: &str = "PASSWORD";
    const HARMLESS: [&str; 17] = [
        "application_name",
        "db",
        "dbname",
        "host",
        "hostaddr",
        "port",
        "protocol",
        "ssl-ca",
        "ssl-cert",
        "ssl-key",
        "ssl-mode",
        "ssl-root-cert",
        "sslcert",
        "sslkey",
        "sslmode",
        "sslrootcert",
        "user",
    ];
    let (address, query) = url.split_once('?').map_or((url, None), |(address, query)| (address, Some(query)));
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let rest = match rest.rsplit_once('@') {
        Some((login, host)) => match login.split_once(':') {
            Some((user, _)) => format!("{user}:{HIDDEN}@{host}"),
            None => rest.to_owned(),
        },
        None => rest.to_owned(),
    };
    let parameter = |parameter: &str| match parameter.split_once('=') {
        Some((name, _)) if HARMLESS.contains(&name) => parameter.to_owned(),
        Some((name, _)) => format!("{name}={HIDDEN}"),
        None => HIDDEN.to_owned(),
    };
    let query = query.map(|query| format!("?{}", query.split('&').map(parameter).collect::<Vec<_>>().join("&")));
    format!("{scheme}://{rest}{}", query.unwrap_or_default())
}

/// The settings of `stampede audit`.
#[derive(Debug, Args)]
pub struct Audit {
    /// Sales to audit [default: all].
    pub sales: Vec<String>,
    /// The locations of the data.
    #[command(flatten)]
    pub stores: Stores,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    pub json: bool,
}

/// The settings of `stampede crowd`.
#[derive(Debug, Args)]
pub struct Crowd {
    /// The sale.
    pub sale: String,
    /// The kind, such as red_packet, if several kinds have a sale with this id.
    #[arg(long)]
    pub kind: Option<String>,
    /// How many users come.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    pub users: u32,
    /// How many users come a second [default: all at once].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_PER_S)))]
    pub rate: Option<u32>,
    /// The most users that wait for an answer at a time.
    #[arg(long, value_name = "NUMBER", default_value_t = 500)]
    pub concurrency: u32,
    /// The share of users who click twice, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub repeat_rate: f64,
    /// Determines who clicks twice and what each user wants [default: drawn].
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// What users do beside that, as JSON fields of /api/crowd/start, such as '{"redeem": 0.5}' for coupons [default:
    /// that of the kind].
    #[arg(long, value_name = "JSON", value_parser = behavior)]
    pub behavior: Option<Behavior>,
    /// Also fail if 1 in 100 attempts takes this long, such as 50ms, 800us or 1s.
    #[arg(long, value_name = "LATENCY", value_parser = latency)]
    pub p99_below: Option<Duration>,
    /// The locations of the data.
    #[command(flatten)]
    pub stores: Stores,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// The settings of `stampede recover`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("which").args(["sale", "all"]).required(true)))]
pub struct Recover {
    /// The sale that Redis has lost.
    pub sale: Option<String>,
    /// Every sale that Redis has lost, or that is suspended.
    #[arg(long)]
    pub all: bool,
    /// The kind, such as red_packet, if several kinds have a sale with this id; with --all, only sales of this kind.
    #[arg(long)]
    pub kind: Option<String>,
    /// Rebuild the sale even if it is live, because its data in Redis is damaged: it accepts no attempts meanwhile.
    #[arg(long, conflicts_with = "all")]
    pub suspend: bool,
    /// Rebuild a sale although the ledger could not record some of its events: users lose the items in those events to
    /// others.
    #[arg(long, conflicts_with = "all")]
    pub without_dead_letters: bool,
    /// The locations of the data.
    #[command(flatten)]
    pub stores: Stores,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// The settings of `stampede backup`.
#[derive(Debug, Args)]
pub struct Backup {
    /// The folder to write to. It is made; if it exists, it must be empty.
    #[arg(value_parser = folder())]
    pub folder: PathBuf,
    /// The locations of the data.
    #[command(flatten)]
    pub stores: Stores,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// The settings of `stampede restore`.
#[derive(Debug, Args)]
pub struct Restore {
    /// The folder of the backup.
    #[arg(value_parser = folder())]
    pub folder: PathBuf,
    /// The locations to restore to.
    #[command(flatten)]
    pub stores: Stores,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// The commands of `stampede webhook`.
#[derive(Debug, Subcommand)]
pub enum WebhookCommand {
    /// Send every row of the change feed to an address from now on, and show the secret of the signatures.
    Add(AddWebhook),
    /// List the webhooks, how far each has come, and what holds it up.
    List(ListWebhooks),
    /// Send nothing more to a webhook, and forget its dead letters.
    Remove(RemoveWebhook),
    /// Send dead letters again.
    Retry(RetryWebhooks),
}

/// The settings of `stampede webhook add`.
#[derive(Debug, Args)]
pub struct AddWebhook {
    /// The address, such as https://shop.example/stampede.
    pub url: String,
    /// Only rows of sales of these kinds, such as red_packet,ticket [default: all].
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub kinds: Vec<String>,
    /// Only rows with these outcomes, such as won,refunded [default: all].
    #[arg(long, value_name = "OUTCOMES", value_delimiter = ',')]
    pub outcomes: Vec<String>,
    /// Begin after this place in the order of recording, 0 for the beginning [default: after the last row].
    #[arg(long, value_name = "PLACE")]
    pub after: Option<u64>,
    /// The locations of the data.
    #[command(flatten)]
    pub stores: Stores,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
}

/// The settings of `stampede webhook list`.
#[derive(Debug, Args)]
pub struct ListWebhooks {
    /// The locations of the data.
    #[command(flatten)]
    pub stores: Stores,
    /// Print one JSON list instead of text.
    #[arg(long)]
    pub json: bool,
}

/// The settings of `stampede webhook remove`.
#[derive(Debug, Args)]
pub struct RemoveWebhook {
    /// The id of the webhook.
    pub id: String,
    /// The locations of the data.
    #[command(flatten)]
    pub stores: Stores,
}

/// The settings of `stampede webhook retry`.
#[derive(Debug, Args)]
pub struct RetryWebhooks {
    /// The id of the webhook [default: all webhooks].
    pub id: Option<String>,
    /// The locations of the data.
    #[command(flatten)]
    pub stores: Stores,
}

/// An address to listen on. A port alone, and `localhost`, are of loopback.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':')).unwrap_or(text);
    let of_loopback = port.parse().ok().map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    of_loopback.or_else(|| text.parse().ok()).ok_or_else(|| {
        "use an IP address and a port, such as 127.0.0.1:3000, [::1]:3000 or, for every address of this machine, \
         0.0.0.0:3000"
            .to_owned()
    })
}

/// A host name, possibly with a port.
fn host_name(text: &str) -> Result<String, String> {
    let is_of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    let name = text.parse::<Authority>().ok().filter(|name| !name.host().is_empty() && text.bytes().all(is_of_a_name));
    name.map(|_| text.to_owned()).ok_or_else(|| {
        "use a whole name without a scheme or a path, such as sale.example; its letters beyond ASCII are written as in \
         xn--bcher-kva.example"
            .to_owned()
    })
}

/// A network, or a single address.
fn network(text: &str) -> Result<IpNet, String> {
    let address = || text.parse::<IpAddr>().ok().map(IpNet::from);
    text.parse().ok().or_else(address).ok_or_else(|| {
        "use an IP address, or a network as an address and the number of bits that its addresses share, such as \
         10.0.0.0/8, 192.168.1.5 or fd00::/8"
            .to_owned()
    })
}

/// A flag in the environment.
fn switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => Err("use true or false".to_owned()),
    }
}

fn count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "use a whole number, such as 10000".to_owned())
}

/// A folder to write to. After `=` and in files, no shell replaces `~`, and a folder of that name would be made.
fn folder() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        if path.to_string_lossy().starts_with('~') {
            return Err("the shell did not replace ~ by your home folder; use the whole path, such as /home/me/data");
        }
        Ok(path)
    })
}

/// Reads a duration: a whole number and a unit.
fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.char_indices().last().and_then(|(end, unit)| {
        let number: u64 = text[..end].parse().ok()?;
        number.checked_mul(seconds_of(unit)?)
    });
    seconds
        .map(Duration::from_secs)
        .ok_or_else(|| "use a whole number and a unit, such as 7d, 12h, 30m or 45s".to_owned())
}

/// Reads a latency: a whole number and a unit.
fn latency(text: &str) -> Result<Duration, String> {
    let unit = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let number = text[..text.len() - unit.len()].parse();
    match (number, unit) {
        (Ok(number), "ns") => Ok(Duration::from_nanos(number)),
        (Ok(number), "us" | "µs") => Ok(Duration::from_micros(number)),
        (Ok(number), "ms") => Ok(Duration::from_millis(number)),
        (Ok(number), "s") => Ok(Duration::from_secs(number)),
        _ => Err("use a whole number and a unit, such as 50ms, 800us or 1s".to_owned()),
    }
}

/// Reads the fields for the behavior of a crowd's users.
fn behavior(text: &str) -> Result<Behavior, String> {
    serde_json::from_str(text).map_err(|error| format!("use a JSON object, such as '{{\"redeem\": 0.5}}': {error}"))
}

fn seconds_of(unit: char) -> Option<u64> {
    match unit {
        'd' => Some(86_400),
        'h' => Some(3_600),
        'm' => Some(60),
        's' => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_what_a_person_would_type() {
        for (text, read) in [
            ("localhost:3000", "127.0.0.1:3000"),
            (":3000", "127.0.0.1:3000"),
            ("3000", "127.0.0.1:3000"),
            ("0.0.0.0:80", "0.0.0.0:80"),
            ("[::1]:0", "[::1]:0"),
        ] {
            assert_eq!(address(text).map(|address| address.to_string()).as_deref(), Ok(read));
        }
        for text in ["", "localhost", "127.0.0.1", "http://localhost:3000", "sale.example:80", "70000"] {
            assert!(address(text).is_err_and(|why| why.contains("127.0.0.1:3000")), "{text}");
        }
        assert!(["sale.example", "sale.example:8443", "stampede_web"].iter().all(|name| host_name(name).is_ok()));
        assert!(
            ["https://sale.example", "sale.example/x", "me@sale.example", "*.example", "*", "bücher.example", ""]
                .iter()
                .all(|name| host_name(name).is_err())
        );
    }

    fn flags(words: &[&str]) -> String {
        let cli = Cli::try_parse_from(["stampede", "audit"].iter().chain(words)).expect("settings");
        let Command::Audit(Audit { stores, .. }) = cli.command else { panic!("{words:?}") };
        stores.flags().0
    }

    #[test]
    fn another_command_finds_the_same_data_and_no_page_shows_a_password() {
        assert_eq!(flags(&["--data-dir", "/srv/my data"]), "--data-dir '/srv/my data'");
        assert_eq!(
            flags(&["--redis", "rediss://me:a:b@c@host:1/0", "--redis-ca", "/ca.pem", "--data-dir", "/d"]),
            "--redis rediss://me:PASSWORD@host:1/0 --redis-ca /ca.pem --data-dir /d"
        );
        assert_eq!(
            flags(&[
                "--redis",
                "redis+unix:///r.sock?db=1&pass=secret",
                "--database",
                "postgres://me@host/s?password=x"
            ]),
            "--redis 'redis+unix:///r.sock?db=1&pass=PASSWORD' --database 'postgres://me@host/s?password=PASSWORD'"
        );
        // Names that are spelled in another way, or wrong, may have passwords as well.
        assert_eq!(
            flags(&["--redis", "redis://h", "--database", "postgres://h/s?p%61ssword=x&pasword=y&x&sslmode=require"]),
            "--redis redis://h --database \
             'postgres://h/s?p%61ssword=PASSWORD&pasword=PASSWORD&PASSWORD&sslmode=require'"
        );
    }

    #[test]
    fn what_is_wrong_is_answered_with_an_example() {
        for (words, example) in [
            (&["serve", "--stream-alarm", "10k"][..], "such as 10000"),
            (&["serve", "--host", "*.example"], "such as sale.example"),
            (&["serve", "--trusted-proxy", "10.0.0.0/40"], "such as 10.0.0.0/8"),
            (&["serve", "--trusted-proxy", "10.0.0.1,proxy.example"], "such as 10.0.0.0/8"),
            (&["serve", "--base-path", "sale"], "such as /sale"),
            (&["serve", "--data-dir=~/data"], "such as /home/me/data"),
            (&["serve", "--listen", "localhost"], "such as 127.0.0.1:3000"),
            (&["recover"], "<SALE|--all>"),
            (&["crowd"], "<SALE>"),
            (&["crowd", "s", "--p99-below", "50"], "such as 50ms"),
            (&["crowd", "s", "--behavior", "[]"], "use a JSON object"),
            (&["backup"], "<FOLDER>"),
            (&["restore", "~/backup"], "such as /home/me/data"),
        ] {
            let error = Cli::try_parse_from(["stampede"].iter().chain(words)).expect_err("refused").to_string();
            assert!(error.contains(example), "{error}");
        }
        assert!(Cli::try_parse_from(["stampede", "recover", "a", "--all"]).is_err());
        assert!(Cli::try_parse_from(["stampede", "recover", "--all", "--kind", "ticket"]).is_ok());
    }

    #[test]
    fn a_flag_is_set_by_any_word_for_yes() {
        for (words, on) in [(["true", "yes", "On", "1"], true), (["false", "NO", "off", "0"], false)] {
            assert!(words.iter().all(|word| switch(word) == Ok(on)));
        }
        assert!(["", "banana", "2"].iter().all(|word| switch(word).is_err()));
    }

    #[test]
    fn only_a_server_that_others_reach_drains_by_itself() {
        let drain = |words: &[&str]| {
            let cli = Cli::try_parse_from(["stampede", "serve"].iter().chain(words)).expect("settings");
            let Command::Serve(settings) = cli.command else { panic!("{words:?}") };
            settings.drain().as_secs()
        };
        assert_eq!(drain(&[]), 0);
        assert_eq!(drain(&["--listen", "0.0.0.0:80"]), 10);
        assert_eq!(drain(&["--listen", "0.0.0.0:80", "--drain", "1m"]), 60);
    }

    #[test]
    fn proxies_are_trusted_by_network_or_by_address() {
        let words = ["stampede", "serve", "--trusted-proxy", "10.0.0.0/8,192.168.1.5", "--trusted-proxy", "fd00::/8"];
        let Command::Serve(settings) = Cli::try_parse_from(words).expect("settings").command else { panic!() };
        let read: Vec<_> = settings.trusted_proxy.iter().map(IpNet::to_string).collect();
        assert_eq!(read, ["10.0.0.0/8", "192.168.1.5/32", "fd00::/8"]);
    }

    #[test]
    fn a_server_recovers_sales_by_itself_in_a_cluster_unless_told_otherwise() {
        let recovers = |words: &[&str]| {
            let cli = Cli::try_parse_from(["stampede", "serve"].iter().chain(words)).expect("settings");
            let Command::Serve(settings) = cli.command else { panic!("{words:?}") };
            [settings.recovers(false), settings.recovers(true)]
        };
        assert_eq!(recovers(&[]), [false, true]);
        assert_eq!(recovers(&["--recover", "auto"]), [true, true]);
        assert_eq!(recovers(&["--recover", "manual"]), [false, false]);
    }

    #[test]
    fn a_latency_is_a_number_and_a_unit_of_less_than_a_minute() {
        let read = |text| latency(text).ok().map(|latency| latency.as_nanos());
        assert_eq!([read("1ns"), read("800us"), read("800µs")], [Some(1), Some(800_000), Some(800_000)]);
        assert_eq!([read("50ms"), read("2s")], [Some(50_000_000), Some(2_000_000_000)]);
        for odd in ["", "ms", "50", "1.5ms", "-1ms", "50 ms", "1m", "99999999999999999999ms"] {
            assert_eq!(read(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_duration_is_a_number_and_a_unit() {
        let read = |text| duration(text).ok().map(|duration| duration.as_secs());
        assert_eq!(read("7d"), Some(604_800));
        assert_eq!([read("12h"), read("30m"), read("0s")], [Some(43_200), Some(1_800), Some(0)]);
        for odd in ["", "d", "7", "7w", "-1d", "1.5h", "7天", "99999999999999999999d", "9999999999999999999d"] {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
