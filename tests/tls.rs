//! TLS to Redis and to PostgreSQL, with a certificate authority of one's own: each a real server, and the program that
//! connects to it.

use crate::support::{
    postgres::Postgres,
    program::{Home, Running, complaint},
    redis::TestRedis,
    tls::{Authority, own_address},
};
use serde_json::json;
use std::{net::Ipv4Addr, path::Path};
use tokio::process::Command;

const PORT: u16 = 6379;

/// A Redis that speaks TLS at an address, with a certificate for this host.
async fn redis_with_tls(at: Ipv4Addr, authority: &Authority, host: &str) -> TestRedis {
    let redis = TestRedis::start().await;
    let identity = authority.certify(host, redis.folder());
    let path = |path: &Path| path.to_str().expect("text").to_owned();
    let (at, port) = (at.to_string(), PORT.to_string());
    let (certificate, key) = (path(&identity.certificate), path(&identity.key));
    let settings = [
        ("bind", at.as_str()),
        ("tls-cert-file", &certificate),
        ("tls-key-file", &key),
        ("tls-auth-clients", "no"),
        ("tls-port", &port),
    ];
    redis.raw().await.run::<String>("CONFIG", ("SET", &settings[..])).await;
    redis
}

fn with_redis(home: &Home, url: &str, authorities: Option<&Path>) -> Command {
    let mut command = home.serve_with_data();
    command.args(["--redis", url]);
    if let Some(file) = authorities {
        command.arg("--redis-ca").arg(file);
    }
    command
}

/// Sells something, and waits until it is in the ledger.
async fn sells(server: &Running) {
    let open = json!({ "id": "s", "total_cents": 10, "count": 3, "splitter": "equal" });
    assert_eq!(server.post("/api/red-packet/open", &open).await, (200, json!({ "sale": "s", "existed": false })));
    let (_, won) = server.post("/api/red-packet/claim", &json!({ "sale": "s", "user": "ann" })).await;
    assert_eq!(won["outcome"], "won");
    crate::support::eventually("the win is in the ledger", async || {
        let (_, page) = server.post("/api/ledger/search", &json!({ "sale": "s", "outcome": "won" })).await;
        (page["total"] == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_redis_with_a_private_authority_is_trusted_by_its_file_and_by_nothing_else() {
    let (at, home, authority) = (own_address(), Home::new(), Authority::new());
    let _redis = redis_with_tls(at, &authority, &at.to_string()).await;
    let url = &format!("rediss://{at}:{PORT}");
    let server = Running::start(with_redis(&home, url, Some(&authority.file()))).await;
    sells(&server).await;
    server.stop().await;

    let stranger = Authority::new();
    for file in [None, Some(stranger.file())] {
        let why = complaint(with_redis(&home, url, file.as_deref())).await;
        assert!(why.starts_with(&format!("Redis at {at}:{PORT} has a certificate that is not trusted (")), "{why}");
        assert!(why.ends_with("; name the file of its certificate authority with --redis-ca."), "{why}");
    }
    // Without TLS there is nobody to talk to.
    let plain = format!("redis://{at}:{PORT}");
    let why = complaint(with_redis(&home, &plain, None)).await;
    assert!(why.starts_with(&format!("Redis at {at}:{PORT} cannot be reached")), "{why}");
    let why = complaint(with_redis(&home, &plain, Some(&authority.file()))).await;
    assert!(why.starts_with("--redis-ca is for a Redis with TLS"), "{why}");
}

#[tokio::test]
async fn a_redis_with_the_certificate_of_another_host_is_refused() {
    let (at, home, authority) = (own_address(), Home::new(), Authority::new());
    let _redis = redis_with_tls(at, &authority, "redis.example").await;
    let why = complaint(with_redis(&home, &format!("rediss://{at}:{PORT}"), Some(&authority.file()))).await;
    assert!(why.starts_with(&format!("Redis at {at}:{PORT} has a certificate for another host (")), "{why}");
    assert!(why.contains("redis.example"), "{why}");
    assert!(why.ends_with("; correct the host in --redis."), "{why}");
}

#[tokio::test]
async fn a_redis_without_tls_and_a_file_without_certificates_are_told_as_such() {
    let (at, home) = (own_address(), Home::new());
    let redis = TestRedis::start().await;
    let (bind, port) = (at.to_string(), PORT.to_string());
    redis.raw().await.run::<String>("CONFIG", ("SET", &[("bind", &bind), ("port", &port)][..])).await;
    let url = format!("rediss://{at}:{PORT}");
    let why = complaint(with_redis(&home, &url, None)).await;
    assert!(why.starts_with(&format!("Redis at {at}:{PORT} cannot be reached with TLS (")), "{why}");
    assert!(why.ends_with("; start it, or use redis:// if it has no TLS."), "{why}");

    let empty = home.folder().join("empty.pem");
    std::fs::write(&empty, "nothing").expect("a file");
    let why = complaint(with_redis(&home, &url, Some(&empty))).await;
    assert!(why.contains("empty.pem, in which there is no certificate"), "{why}");
    let why = complaint(with_redis(&home, &url, Some(Path::new("/nowhere/ca.pem")))).await;
    assert!(why.starts_with("--redis-ca names /nowhere/ca.pem, which cannot be read"), "{why}");
}

/// A PostgreSQL at an address, with a certificate for this host, or without TLS.
fn postgres_at(at: Ipv4Addr, certified: Option<(&Authority, &str)>) -> Postgres {
    let mut postgres = Postgres::start();
    let mut settings = vec![("listen_addresses", at.to_string())];
    if let Some((authority, host)) = certified {
        let identity = authority.certify(host, postgres.folder());
        settings.push(("ssl", "on".to_owned()));
        settings.push(("ssl_cert_file", identity.certificate.display().to_string()));
        settings.push(("ssl_key_file", identity.key.display().to_string()));
    }
    postgres.start_again_with(settings).expect("it starts");
    postgres
}

fn with_database(home: &Home, at: Ipv4Addr, parameters: &str, authorities: Option<&Path>) -> Command {
    let mut url = format!("postgres://stampede@{at}:5432/postgres?{parameters}");
    if let Some(file) = authorities {
        url += &format!("&sslrootcert={}", file.display());
    }
    let mut command = home.serve_with_data();
    command.args(["--database", &url]);
    command
}

/// Whether each of the program's connections has TLS.
async fn encrypted(postgres: &Postgres) -> Vec<bool> {
    const TLS: &str =
        "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'stampede'";
    let mut connection = crate::support::ledger::postgres(postgres).await;
    sqlx::query_scalar(TLS).fetch_all(&mut connection).await.expect("rows")
}

#[tokio::test]
async fn a_postgresql_with_a_private_authority_is_verified_in_full() {
    let (at, home, authority, stranger) = (own_address(), Home::new(), Authority::new(), Authority::new());
    let postgres = postgres_at(at, Some((&authority, &at.to_string())));
    let server = Running::start(with_database(&home, at, "sslmode=verify-full", Some(&authority.file()))).await;
    sells(&server).await;
    let connections = encrypted(&postgres).await;
    assert!(!connections.is_empty() && connections.iter().all(|tls| *tls), "{connections:?}");
    server.stop().await;

    let refused = [
        ("sslmode=verify-full", None),
        ("sslmode=verify-full", Some(stranger.file())),
        ("sslmode=verify-ca", Some(stranger.file())),
        // Who names an authority wants it to be asked.
        ("sslmode=require", Some(stranger.file())),
    ];
    for (mode, file) in refused {
        let why = complaint(with_database(&home, at, mode, file.as_deref())).await;
        let begin = format!("PostgreSQL at {at}:5432 has a certificate that is not trusted (");
        assert!(why.starts_with(&begin), "{mode}: {why}");
        assert!(why.ends_with("; name the file of its certificate authority with sslrootcert in --database."), "{why}");
    }
    let why = complaint(with_database(&home, at, "sslmode=verify-full", Some(Path::new("/nowhere/ca.pem")))).await;
    assert!(why.starts_with("sslrootcert in --database names /nowhere/ca.pem, which cannot be read"), "{why}");

    // Encrypted, for whoever asks for no more.
    let server = Running::start(with_database(&home, at, "sslmode=require", None)).await;
    assert!(encrypted(&postgres).await.iter().all(|tls| *tls));
    server.stop().await;
}

#[tokio::test]
async fn a_postgresql_with_the_certificate_of_another_host_is_refused_where_the_host_counts() {
    let (at, home, authority) = (own_address(), Home::new(), Authority::new());
    let _postgres = postgres_at(at, Some((&authority, "db.example")));
    let why = complaint(with_database(&home, at, "sslmode=verify-full", Some(&authority.file()))).await;
    assert!(why.starts_with(&format!("PostgreSQL at {at}:5432 has a certificate for another host (")), "{why}");
    assert!(why.contains("db.example"), "{why}");
    assert!(why.ends_with("; correct the host in --database."), "{why}");
    Running::start(with_database(&home, at, "sslmode=verify-ca", Some(&authority.file()))).await.stop().await;
}

#[tokio::test]
async fn a_postgresql_without_tls_is_refused_by_those_who_require_it() {
    let (at, home) = (own_address(), Home::new());
    let _postgres = postgres_at(at, None);
    let why = complaint(with_database(&home, at, "sslmode=require", None)).await;
    assert!(why.starts_with(&format!("PostgreSQL at {at}:5432 cannot be reached with TLS (")), "{why}");
    assert!(why.ends_with("; turn it on there, or correct sslmode in --database."), "{why}");
    Running::start(with_database(&home, at, "", None)).await.stop().await;
}
