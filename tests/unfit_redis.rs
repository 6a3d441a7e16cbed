//! A Redis that is full, evicts, is a replica or forbids: what is refused is reported as such, nothing is half done, and what
//! was begun can be ended.

use crate::support::{
    app::TestApp,
    eventually,
    program::{Home, Running},
    redis::{Raw, TestRedis},
    sale::{clock, terms},
};
use model::{
    Verdict,
    error::Code,
    red_packet,
    ticket::{
        self, Cancelled, HallChoice, Outcome, Paid, Pick, SeatRequest,
        hall::{Layout, Section},
    },
};
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet},
    process::Stdio,
};
use store::{
    Store,
    fitness::{COMMANDS, COMMANDS_OF_CLUSTERS},
};
use tokio::{io::AsyncReadExt, process::Command};

async fn set(raw: &Raw, name: &str, value: &str) {
    raw.run::<String>("CONFIG", ("SET", name, value)).await;
}

/// Every key of Redis, with what it holds.
async fn everything(raw: &Raw) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    for key in raw.run::<Vec<String>>("KEYS", "*").await {
        let value = raw.run("DUMP", &key).await;
        all.insert(key, value);
    }
    all
}

async fn connect_error(redis: &TestRedis) -> String {
    let connected = Store::connect(&redis.url(), stampede::server::scripts()).await;
    connected.err().expect("a refusal").to_string()
}

async fn open_seats(app: &TestApp, sale: &str) {
    let section = Section { id: "A".into(), category: "all".into(), rows: vec![9_u16.into()], ..Section::default() };
    let terms = ticket::Terms {
        sale: sale.to_owned(),
        hall: HallChoice::Layout(Layout {
            categories: vec!["all".into()],
            sections: vec![section],
            ..Layout::default()
        }),
        prices: BTreeMap::from([("all".to_owned(), 100)]),
        limit_per_user: 6,
        hold_s: 5,
        extendable: false,
        plan: model::life::Plan::default(),
    };
    app.tickets.open(terms).await.expect("a sale");
}

async fn hold(app: &TestApp, user: &str) -> model::error::Result<String> {
    let pick = vec![Pick { category: "all".into(), count: 1, adjacent: true, strict: false }];
    match app.tickets.reserve("t", user.into(), None, SeatRequest { pick, ..SeatRequest::default() }).await? {
        Outcome::Held(order) => Ok(order.order),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_full_redis_sells_nothing_new_and_ends_what_was_begun() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    app.red_packet.open(terms("over", 100, 10)).await.expect("a sale");
    app.red_packet.claim("s", "ann".into(), None).await.expect("an outcome");
    open_seats(&app, "t").await;
    let mut orders = Vec::new();
    for user in ["ann", "bob", "cid"] {
        orders.push(hold(&app, user).await.expect("an order"));
    }
    let mut writer = app.writer("one");
    writer.catch_up().await.expect("the ledger");

    set(&raw, "maxmemory", "1mb").await;
    let before = everything(&raw).await;
    let refused = app.red_packet.claim("s", "bob".into(), None).await.expect_err("full");
    assert_eq!(refused.code, Code::Busy);
    assert!(refused.message.contains("nothing was tried") && !refused.message.contains("OOM"), "{refused}");
    assert_eq!(hold(&app, "dan").await.expect_err("full").code, Code::Busy);
    assert_eq!(app.red_packet.open(terms("new", 100, 10)).await.expect_err("full").code, Code::Busy);
    assert_eq!(everything(&raw).await, before, "what is refused leaves nothing");
    assert_eq!(app.store.ready().await, Ok(true), "payments go on, so it is ready; and it says that it is full");

    // Who has a seat can pay for it or give it back; what is due ends; the ledger goes on and frees memory.
    assert!(matches!(app.tickets.pay("t", orders[0].clone(), None).await, Ok(Paid::Paid(_))));
    assert!(matches!(
        app.tickets.cancel("t", orders[1].clone(), String::new(), None).await,
        Ok(Cancelled::Cancelled(_))
    ));
    app.closing.close("red_packet", "over").await.expect("closed");
    app.time.advance(6_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(1), "the third order has expired");
    writer.catch_up().await.expect("the ledger");
    let status = app.ledger_service.status(None).await.expect("a status");
    assert!(status.sales.iter().all(|sale| sale.lag_events == 0), "{status:?}");

    set(&raw, "maxmemory", "0").await;
    assert_eq!(app.store.ready().await, Ok(false));
    assert!(matches!(app.red_packet.claim("s", "bob".into(), None).await, Ok(red_packet::Outcome::Won { .. })));
    hold(&app, "dan").await.expect("an order");
    assert_eq!(app.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    assert_eq!(app.tickets.audit("t").await.expect("an audit").verdict, Verdict::Holds);
}

/// Payments and cancellations need a server, and so does archiving, which makes room.
#[tokio::test]
async fn a_server_starts_on_a_full_redis_and_so_does_a_recovery() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let home = Home::new();
    let with_data = |mut command: Command| {
        command.args(["--redis", &redis.url(), "--data-dir"]).arg(home.data());
        command
    };
    let serve = || {
        let mut command = with_data(home.serve("127.0.0.1:0"));
        command.arg("--demo");
        command
    };
    // One that has never been used, and one that has.
    for full in ["1mb", "0", "1mb"] {
        set(&raw, "maxmemory", full).await;
        let server = Running::start(serve()).await;
        assert_eq!(server.get("/readyz").await, 200, "{full}");
        server.stop().await;
    }
    let output = with_data(home.command("recover")).arg("--all").output().await.expect("it ran");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A log of all that a full Redis refuses would fill the disk.
#[tokio::test]
async fn that_redis_is_full_is_logged_once_and_so_is_its_end() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let home = Home::new();
    let mut command = home.serve("127.0.0.1:0");
    command.args(["--redis", &redis.url(), "--data-dir"]).arg(home.data());
    let mut server = Running::start(command).await;
    let terms = json!({ "id": "s", "total_cents": 100, "count": 100, "splitter": "equal" });
    assert_eq!(server.post("/api/red-packet/open", &terms).await.0, 200);
    let claim = async |user: u32| {
        let claim = json!({ "sale": "s", "user": format!("u{user}") });
        server.post("/api/red-packet/claim", &claim).await
    };
    set(&raw, "maxmemory", "1mb").await;
    for user in 0..50 {
        assert_eq!(claim(user).await.1["error"]["code"], "busy");
    }
    assert_eq!(server.post("/api/red-packet/audit", &json!({ "sale": "s" })).await.1["verdict"], "holds");
    set(&raw, "maxmemory", "0").await;
    assert_eq!(claim(50).await.1["outcome"], "won");
    assert_eq!(server.get("/readyz").await, 200);
    let mut log = server.child.stderr.take().expect("its log");
    server.stop().await;
    let mut text = String::new();
    log.read_to_string(&mut text).await.expect("text");
    let lines = |part: &str| text.lines().filter(|line| line.contains(part)).count();
    assert_eq!((lines("Redis is full"), lines("Redis has memory again"), lines("OOM")), (1, 1, 0), "{text}");
}

#[tokio::test]
async fn a_redis_that_evicts_is_refused_with_the_setting_to_change_and_noticed_later() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    open_seats(&app, "t").await;
    let (paid, cancelled) = (hold(&app, "ann").await.expect("an order"), hold(&app, "bob").await.expect("an order"));
    for policy in ["allkeys-lru", "allkeys-random", "volatile-ttl"] {
        set(&raw, "maxmemory-policy", policy).await;
        let why = connect_error(&redis).await;
        assert!(why.contains(policy) && why.contains("set maxmemory-policy noeviction"), "{why}");
        assert_eq!(app.store.ready().await.expect_err("not ready").code, Code::StoreRefused);
        // It may drop what was sold, and who has it.
        let refused = app.red_packet.claim("s", "ann".into(), None).await.expect_err("nothing new");
        assert!(refused.code == Code::StoreRefused && refused.message.contains("Nothing was tried"), "{refused}");
    }
    let before = everything(&raw).await;
    assert_eq!(app.red_packet.open(terms("new", 100, 10)).await.expect_err("refused").code, Code::StoreRefused);
    assert_eq!(everything(&raw).await, before, "not even the name of a sale that was not opened");
    // What was begun ends.
    assert!(matches!(app.tickets.pay("t", paid, None).await, Ok(Paid::Paid(_))));
    assert!(matches!(app.tickets.cancel("t", cancelled, String::new(), None).await, Ok(Cancelled::Cancelled(_))));
    set(&raw, "maxmemory-policy", "noeviction").await;
    assert_eq!(app.store.ready().await, Ok(false));
    app.red_packet.claim("s", "ann".into(), None).await.expect("won");
}

#[tokio::test]
async fn a_replica_is_refused_and_a_primary_that_became_one_sells_nothing() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    let before = everything(&raw).await;
    raw.run::<String>("REPLICAOF", ("127.0.0.1", "1")).await;
    assert!(connect_error(&redis).await.contains("is a replica"));
    assert_eq!(app.store.ready().await.expect_err("not ready").code, Code::StoreRefused);
    let refused = app.red_packet.claim("s", "ann".into(), None).await.expect_err("read-only");
    assert_eq!(refused.code, Code::StoreRefused);
    assert!(refused.message.contains("nothing was tried") && !refused.message.contains("READONLY"), "{refused}");
    raw.run::<String>("REPLICAOF", ("NO", "ONE")).await;
    assert_eq!(everything(&raw).await, before);
    assert!(matches!(app.red_packet.claim("s", "ann".into(), None).await, Ok(red_packet::Outcome::Won { .. })));
}

#[tokio::test]
async fn a_redis_in_cluster_mode_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let socket = folder.path().join("redis.sock");
    let mut command = Command::new("redis-server");
    command.args(["--port", "0", "--save", "", "--cluster-enabled", "yes", "--unixsocket"]).arg(&socket);
    let _redis = command.current_dir(folder.path()).stdout(Stdio::null()).kill_on_drop(true).spawn().expect("a Redis");
    let url = format!("redis+unix://{}", socket.display());
    Raw::at(&url).await;
    let why = Store::connect(&url, stampede::server::scripts()).await.err().expect("a refusal").to_string();
    assert!(why.contains("part of a cluster") && why.contains("redis+cluster://"), "{why}");
}

/// Redis refuses for itself, not for its user: too few replicas, and a disk to which it cannot write.
#[tokio::test]
async fn a_redis_that_takes_no_writes_says_why_and_nothing_was_tried() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    assert_eq!(app.store.ready().await, Ok(false));
    let before = everything(&raw).await;
    let refused = async |word: &str, raw_word: &str| {
        let refused = app.red_packet.claim("s", "ann".into(), None).await.expect_err("it takes no writes");
        assert_eq!(refused.code, Code::StoreRefused, "{refused}");
        assert!(refused.message.contains(word) && refused.message.contains("nothing was tried"), "{refused}");
        assert!(!refused.message.contains(raw_word), "{refused}");
        // Whoever spreads attempts over servers is told, too.
        let not_ready = app.store.ready().await.expect_err("it takes no writes");
        assert_eq!(not_ready.code, Code::StoreRefused, "{not_ready}");
        assert!(not_ready.message.contains(word), "{not_ready}");
    };

    set(&raw, "min-replicas-to-write", "1").await;
    refused("too few replicas", "NOREPLICAS").await;
    set(&raw, "min-replicas-to-write", "0").await;

    // Where the snapshot goes is a folder.
    let file: BTreeMap<String, String> = raw.run("CONFIG", ("GET", "dbfilename")).await;
    std::fs::create_dir(redis.folder().join("redis").join(&file["dbfilename"])).expect("a folder");
    set(&raw, "save", "3600 1").await;
    raw.run::<String>("BGSAVE", None::<&str>).await;
    eventually("the snapshot has failed", async || {
        (raw.info::<String>("persistence", "rdb_last_bgsave_status").await == "err").then_some(())
    })
    .await;
    refused("cannot write to its disk", "MISCONF").await;
    set(&raw, "stop-writes-on-bgsave-error", "no").await;

    assert_eq!(app.store.ready().await, Ok(false));
    assert_eq!(everything(&raw).await, before);
    assert!(matches!(app.red_packet.claim("s", "ann".into(), None).await, Ok(red_packet::Outcome::Won { .. })));
}

#[tokio::test]
async fn a_user_who_may_not_run_scripts_is_told_so() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    raw.run::<String>("ACL", ("SETUSER", "default", "-evalsha")).await;
    let refused = app.red_packet.claim("s", "ann".into(), None).await.expect_err("forbidden");
    assert_eq!(refused.code, Code::StoreRefused);
    assert!(refused.message.contains("nothing was tried") && !refused.message.contains("NOPERM"), "{refused}");
}

/// The commands that scripts call, each once.
fn commands_of_scripts() -> BTreeSet<String> {
    stampede::server::scripts().into_iter().flat_map(|script| script.commands().collect::<Vec<_>>()).collect()
}

/// A command that is sent and not asked for would fail while the server sells.
#[test]
fn every_command_that_the_server_sends_is_asked_for() {
    let mut sent = BTreeSet::new();
    for folder in ["store", "ledger", "engine", "server"] {
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.ends_with("embedded") {
                    // These commands go to a Redis of the server's own.
                } else if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let text = std::fs::read_to_string(path).expect("text");
                    let calls: Vec<&str> = text.split("(\"").collect();
                    for call in calls.windows(2) {
                        // query("GET"…, query::<u64>("GET"…, command("GET"…
                        let before = call[0].rsplit_once("::<").filter(|(_, rest)| !rest.contains('('));
                        let before = before.filter(|_| call[0].ends_with('>')).map_or(call[0], |(before, _)| before);
                        let verb = call[1].split('"').next().expect("a word");
                        let is_verb = verb.len() > 1 && verb.bytes().all(|byte| byte.is_ascii_uppercase());
                        if is_verb && (before.ends_with("query") || before.ends_with("command")) {
                            sent.insert(verb.to_owned());
                        }
                    }
                }
            }
        }
    }
    assert!(["XREAD", "EVALSHA", "GET", "ZRANGE"].iter().all(|verb| sent.contains(*verb)), "{sent:?}");
    let asked: BTreeSet<&str> = COMMANDS
        .iter()
        .chain(&COMMANDS_OF_CLUSTERS)
        .map(|command| command.split('|').next().expect("a verb"))
        .collect();
    sent.retain(|verb| !asked.contains(verb.as_str()));
    assert!(sent.is_empty(), "{sent:?}");
}

/// Gives a right to the user "limited", or takes it.
async fn change_rights(raw: &Raw, change: &str) {
    raw.run::<String>("ACL", ("SETUSER", "limited", change.to_lowercase())).await;
}

fn as_limited(redis: &TestRedis) -> String {
    format!("{}?user=limited&pass=limited", redis.url())
}

#[tokio::test]
async fn a_user_without_a_command_that_scripts_call_is_refused_at_the_start_and_it_is_named() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    raw.run::<String>("ACL", ("SETUSER", "limited", "on", ">limited", "~*", "+@all")).await;
    let connect = async || Store::connect(&as_limited(&redis), stampede::server::scripts()).await.map(drop);
    connect().await.expect("a user who may do all");
    let commands = commands_of_scripts();
    assert!(["LPOP", "XADD", "XGROUP|CREATE", "BITFIELD"].iter().all(|command| commands.contains(*command)));
    // Without these, the server cannot ask for its rights.
    let asks = |command: &&str| !["EVALSHA", "INFO", "SCRIPT|LOAD"].contains(command);
    for command in commands.into_iter().chain(COMMANDS.into_iter().filter(asks).map(str::to_owned)) {
        change_rights(&raw, &format!("-{command}")).await;
        let why = connect().await.expect_err(&command).to_string();
        assert!(why.contains(&format!("to run {command}, which Stampede needs")), "{why}");
        change_rights(&raw, &format!("+{command}")).await;
    }
    // Who may do nothing but what is needed need not be allowed to ask for rights.
    change_rights(&raw, "-acl").await;
    connect().await.expect("a user who may do all that is needed");
}

/// Otherwise it would sell, and record nothing.
#[tokio::test]
async fn a_server_whose_user_may_no_longer_read_streams_is_not_ready() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    raw.run::<String>("ACL", ("SETUSER", "limited", "on", ">limited", "~*", "+@all")).await;
    let app = TestApp::at(&redis, &as_limited(&redis), clock(), 1).await;
    assert_eq!(app.store.ready().await, Ok(false));
    change_rights(&raw, "-xread").await;
    let unfit = app.store.ready().await.expect_err("not ready");
    assert_eq!(unfit.code, Code::StoreRefused);
    assert!(unfit.message.contains("to run XREAD, which Stampede needs"), "{unfit}");
}

#[tokio::test]
async fn a_user_with_exactly_the_rights_that_are_asked_for_sells_records_and_audits() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    raw.run::<String>("ACL", ("SETUSER", "limited", "on", ">limited", "~*", "-@all", "+@connection")).await;
    // What is missing is named until nothing is.
    for right in ["+info", "+script|load", "+evalsha"] {
        change_rights(&raw, right).await;
    }
    let connected = Store::connect(&as_limited(&redis), stampede::server::scripts()).await;
    let why = connected.err().expect("a refusal").to_string();
    let (_, list) = why.split_once("user to run ").expect("a list");
    for command in list.split(", which").next().expect("names").split(", ") {
        change_rights(&raw, &format!("+{command}")).await;
    }
    let app = TestApp::at(&redis, &as_limited(&redis), clock(), 1).await;
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    open_seats(&app, "t").await;
    hold(&app, "ann").await.expect("an order");
    assert!(matches!(app.red_packet.claim("s", "ann".into(), None).await, Ok(red_packet::Outcome::Won { .. })));
    app.writer("one").catch_up().await.expect("the ledger");
    assert_eq!(app.ledger.sales().await.expect("the sales").len(), 2);
    assert_eq!(app.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    assert_eq!(app.tickets.audit("t").await.expect("an audit").verdict, Verdict::Holds);
    assert_eq!(app.store.ready().await, Ok(false));
}

/// A Redis with these settings, on a socket in the folder.
async fn configured(folder: &std::path::Path, settings: &[&str]) -> (tokio::process::Child, String) {
    let socket = folder.join("redis.sock");
    let mut command = Command::new("redis-server");
    command.args(["--port", "0", "--save", "", "--unixsocket"]).arg(&socket).args(settings);
    let child = command.current_dir(folder).stdout(Stdio::null()).kill_on_drop(true).spawn().expect("a Redis");
    let url = format!("redis+unix://{}", socket.display());
    Raw::at(&url).await;
    (child, url)
}

#[tokio::test]
async fn a_redis_with_renamed_commands_is_refused_with_the_true_reason() {
    for renamed in ["XREAD", "HSET", "HMGET", "EVALSHA", "INFO", "SCRIPT"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (_redis, url) = configured(folder.path(), &["--rename-command", renamed, "other"]).await;
        let why = Store::connect(&url, stampede::server::scripts()).await.err().expect("a refusal").to_string();
        assert!(why.contains(renamed) && why.contains("rename-command"), "{renamed}: {why}");
        assert!(!why.contains("request id"), "{renamed}: {why}");
    }
}

#[tokio::test]
async fn a_command_that_is_renamed_under_a_server_is_no_unknown_outcome() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut child, url) = configured(folder.path(), &[]).await;
    let ledger = tempfile::tempdir().expect("a temporary folder");
    let ledger = ledger::database::Ledger::connect(ledger::database::Place::Folder(ledger.path())).await;
    let app = TestApp::with(&url, ledger.expect("a ledger"), clock(), 1, 10_000).await;
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    // One that a claim writes with, one that it reads with.
    for renamed in ["HSET", "HMGET"] {
        let stopped = Raw::at(&url).await.try_run::<()>("SHUTDOWN", "SAVE").await;
        assert!(stopped.is_err(), "it is gone before it answers");
        child.wait().await.expect("it is gone");
        (child, _) = configured(folder.path(), &["--rename-command", renamed, "other"]).await;
        let refused = eventually("it answers", async || {
            let refused = app.red_packet.claim("s", "ann".into(), None).await.expect_err("no such command");
            (!refused.message.contains("did not answer")).then_some(refused)
        })
        .await;
        assert_eq!(refused.code, Code::StoreRefused, "{renamed}: {refused}");
        assert!(
            refused.message.contains("rename-command") && refused.message.contains("othing was tried"),
            "{refused}"
        );
        let unfit = eventually("it is reached again", async || {
            let unfit = app.store.ready().await.expect_err("not ready");
            (unfit.code != Code::Unavailable).then_some(unfit)
        })
        .await;
        assert!(unfit.message.contains(renamed), "{unfit}");
    }
}

#[tokio::test]
async fn a_right_that_is_taken_away_later_is_noticed_and_nothing_is_half_done_meanwhile() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    raw.run::<String>("ACL", ("SETUSER", "limited", "on", ">limited", "~*", "+@all")).await;
    let app = TestApp::at(&redis, &as_limited(&redis), clock(), 1).await;
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    let before = everything(&raw).await;
    // The first command that claiming writes with is still allowed.
    change_rights(&raw, "-hset").await;
    let refused = app.red_packet.claim("s", "ann".into(), None).await.expect_err("forbidden");
    assert_eq!(refused.code, Code::StoreRefused);
    assert!(refused.message.contains("nothing was tried") && !refused.message.contains("UNTRIED"), "{refused}");
    assert_eq!(everything(&raw).await, before);
    let unfit = app.store.ready().await.expect_err("not ready");
    assert_eq!(unfit.code, Code::StoreRefused);
    assert!(unfit.message.contains("HSET"), "{unfit}");
    change_rights(&raw, "+hset").await;
    assert_eq!(app.store.ready().await, Ok(false));
    assert!(matches!(app.red_packet.claim("s", "ann".into(), None).await, Ok(red_packet::Outcome::Won { .. })));

    // Keys are asked for by Redis itself, before the script.
    for pattern in ["~stampede:*", "%R~*"] {
        raw.run::<String>("ACL", ("SETUSER", "limited", "resetkeys", pattern)).await;
        let before = everything(&raw).await;
        let refused = app.red_packet.claim("s", "bob".into(), None).await.expect_err("forbidden");
        assert_eq!(refused.code, Code::StoreRefused, "{pattern}");
        assert_eq!(everything(&raw).await, before, "{pattern}");
    }
}
