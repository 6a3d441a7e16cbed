//! The program itself: how it starts, what it says when it cannot, and what it leaves behind.

use crate::support::{
    eventually,
    program::{Home, Running, complaint, embedded, gone},
    proxy::{FaultProxy, Hold},
    redis::{Raw, TestRedis},
    within,
};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::json;
use std::{fs::Permissions, os::unix::fs::PermissionsExt, process::Stdio};
use store::keys;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    process::Command,
};

#[tokio::test]
async fn it_serves_until_it_is_told_to_end_and_leaves_nothing_behind() {
    let home = Home::new();
    let mut running = Running::start(home.serve_with_data()).await;
    assert_eq!((running.get("/healthz").await, running.get("/readyz").await), (200, 200));
    let mode = std::fs::metadata(home.data()).expect("a folder").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "nobody else may enter the data folder");
    let (redis, socket) = embedded(&home.data()).await;
    running.signal(Signal::TERM);
    let status = within("the program ends", running.child.wait()).await.expect("a status");
    assert!(status.success(), "{status}");
    assert!(test_kill_process(redis).is_err(), "its Redis ended before it did");
    assert!(!socket.exists(), "the socket is gone");
}

/// A shell's limit is 1,024 as a rule; connections that send nothing must not take the place of everything else.
#[tokio::test]
async fn it_may_have_more_files_open_than_a_shell_allows() {
    let home = Home::new();
    let serve = home.serve_with_data();
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -S -n 256 && exec \"$0\" \"$@\""])
        .arg(serve.as_std().get_program())
        .args(serve.as_std().get_args())
        .current_dir(home.folder())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    for (name, _) in serve.as_std().get_envs().filter(|(_, value)| value.is_none()) {
        limited.env_remove(name);
    }
    let running = Running::start(limited).await;
    let address = running.url.strip_prefix("http://").expect("an address").to_owned();
    let mut silent = Vec::new();
    for _ in 0..300 {
        silent.push(TcpStream::connect(&address).await.expect("a connection"));
    }
    assert_eq!(within("an answer", running.get("/readyz")).await, 200);
    running.stop().await;
}

/// The desktop's own way to open an address is a program; here it notes what it is asked for.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_browser_is_opened_at_its_address_where_there_is_a_screen() {
    let home = Home::new();
    let (opener, opened) = (home.folder().join("xdg-open"), home.folder().join("opened"));
    // Renamed, so that what is there is whole.
    let script = "#!/bin/sh\nprintf %s \"$1\" > \"$OPENED.new\" && mv \"$OPENED.new\" \"$OPENED\"\n";
    std::fs::write(&opener, script).expect("a script");
    std::fs::set_permissions(&opener, Permissions::from_mode(0o700)).expect("a program");
    let path = format!("{}:{}", home.folder().display(), std::env::var("PATH").expect("a path"));
    let start = |screen: &[(&str, &str)]| {
        let mut command = home.serve_with_data();
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"] {
            command.env_remove(name);
        }
        command.arg("--open").env("PATH", &path).env("OPENED", &opened).envs(screen.iter().copied());
        command
    };

    let running = Running::start(start(&[("DISPLAY", ":0")])).await;
    let address = eventually("the browser is opened", async || std::fs::read_to_string(&opened).ok()).await;
    assert_eq!(address, running.url);
    running.stop().await;

    std::fs::remove_file(&opened).expect("it was written");
    let mut running = Running::start(start(&[])).await;
    let mut log = BufReader::new(running.child.stderr.take().expect("its log")).lines();
    loop {
        let line = within("the log", log.next_line()).await.expect("text").expect("a line");
        if line.contains("there is no screen to open a browser on") {
            break;
        }
    }
    assert!(!opened.exists(), "a text browser might take the terminal over");
    running.stop().await;
}

/// Somebody's request never ends, so the first Ctrl-C has to wait.
#[tokio::test]
async fn a_second_interrupt_ends_it_at_once_and_its_redis_with_it_and_loses_nothing() {
    let home = Home::new();
    let mut running = Running::start(home.serve_with_data()).await;
    let terms = json!({ "id": "s", "total_cents": 100, "count": 100, "splitter": "equal" });
    assert_eq!(running.post("/api/red-packet/open", &terms).await.0, 200);
    let claim = async |server: &Running, user: u32| {
        let claim = json!({ "sale": "s", "user": format!("u{user}") });
        server.post("/api/red-packet/claim", &claim).await.1
    };
    let mut given = Vec::new();
    for user in 0..20 {
        given.push(claim(&running, user).await);
    }
    assert!(given.iter().all(|answer| answer["outcome"] == "won"), "{given:?}");
    let (redis, _) = embedded(&home.data()).await;
    let address = running.url.trim_start_matches("http://").to_owned();
    let mut slow = tokio::net::TcpStream::connect(address).await.expect("a connection");
    slow.write_all(b"POST /api/ping HTTP/1.1\r\ncontent-length: 2\r\n").await.expect("half a request");
    let mut log = BufReader::new(running.child.stderr.take().expect("its log")).lines();
    running.signal(Signal::INT);
    loop {
        let line = within("the log", log.next_line()).await.expect("text").expect("a line");
        if line.contains("Ctrl-C again ends at once") {
            break;
        }
    }
    running.signal(Signal::INT);
    let status = within("the program ends", running.child.wait()).await.expect("a status");
    assert_eq!(status.code(), Some(130));
    gone(redis).await;
    let redis_log = || std::fs::read_to_string(home.data().join("redis/redis.log")).expect("the log of Redis");
    assert!(redis_log().contains("bye bye"), "Redis was killed instead of stopped:\n{}", redis_log());

    let again = Running::start(home.serve_with_data()).await;
    for (user, given) in (0..).zip(given) {
        let answer = claim(&again, user).await;
        let is_kept = answer["outcome"] == "repeat" && answer["packet"] == given["packet"];
        assert!(is_kept, "{answer} instead of {given}; the Redis wrote:\n{}", redis_log());
    }
    again.stop().await;
}

/// As behind a disk that is slow for a while.
#[tokio::test]
async fn a_start_waits_for_a_redis_that_does_not_answer_yet() {
    // From the first connection on; while the server looks whether this Redis is fit; afterwards.
    let silences: [fn(&FaultProxy); 3] = [
        FaultProxy::vanish,
        |proxy| proxy.hold(Hold::Command, keys::FORMAT.one),
        |proxy| proxy.hold(Hold::Command, "*1\r\n$4\r\nTIME"),
    ];
    for silence in silences {
        let redis = TestRedis::start().await;
        let proxy = FaultProxy::before(&redis).await;
        silence(&proxy);
        let home = Home::new();
        let mut starting = home.serve("127.0.0.1:0");
        let mut child = starting.args(["--redis", &proxy.url]).spawn().expect("the program starts");
        let mut log = BufReader::new(child.stderr.take().expect("its log")).lines();
        loop {
            let line = within("the log", log.next_line()).await.expect("text").expect("it goes on");
            if line.contains("does not answer yet") {
                break;
            }
        }
        proxy.heal();
        let mut stdout = BufReader::new(child.stdout.take().expect("its output")).lines();
        let line = within("the address", stdout.next_line()).await.expect("text").expect("a line");
        assert!(line.starts_with("Stampede is at "), "{line}");
        child.kill().await.expect("a signal");
    }
}

#[tokio::test]
async fn a_start_waits_for_a_redis_that_still_loads_its_data() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let redis = |more: &[&str]| {
        let mut command = Command::new("redis-server");
        command.args(["--port", "0", "--save", "", "--unixsocket", "redis.sock"]).args(more);
        command.current_dir(folder.path()).stdout(Stdio::null()).kill_on_drop(true).spawn().expect("a Redis")
    };
    let url = format!("redis+unix://{}", folder.path().join("redis.sock").display());
    let mut full = redis(&[]);
    let raw = Raw::at(&url).await;
    let values: Vec<(String, String)> = (0..5_000).map(|n| (n.to_string(), "x".repeat(64))).collect();
    raw.run::<String>("MSET", values).await;
    raw.run::<String>("SAVE", None::<&str>).await;
    full.kill().await.expect("a signal");

    // For each key it takes 20 ms, until it is told otherwise.
    let _loading = redis(&["--key-load-delay", "20000", "--loading-process-events-interval-bytes", "1024"]);
    let raw = Raw::at(&url).await;
    let home = Home::new();
    let mut starting = home.serve("127.0.0.1:0");
    let mut child = starting.args(["--redis", &url]).spawn().expect("the program starts");
    let mut log = BufReader::new(child.stderr.take().expect("its log")).lines();
    loop {
        let line = within("the log", log.next_line()).await.expect("text").expect("it goes on");
        if line.contains("does not answer yet") && line.contains("Redis is not ready yet") {
            break;
        }
    }
    raw.run::<String>("CONFIG", ("SET", "key-load-delay", 0)).await;
    let mut stdout = BufReader::new(child.stdout.take().expect("its output")).lines();
    let line = within("the address", stdout.next_line()).await.expect("text").expect("a line");
    assert!(line.starts_with("Stampede is at "), "{line}");
    child.kill().await.expect("a signal");
}

#[tokio::test]
async fn a_start_does_not_wait_for_ever() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    proxy.vanish();
    let home = Home::new();
    let mut command = home.serve("127.0.0.1:0");
    command.args(["--redis", &proxy.url]);
    let complaint = complaint(command).await;
    let why = format!("Redis could not be used for 20 s: Redis at {} does not answer", proxy.address);
    assert!(complaint.starts_with(&why), "{complaint}");
}

#[tokio::test]
async fn what_was_sold_is_there_again_after_a_restart() {
    let home = Home::new();
    let post = async |running: &Running, path: &str, body: &'static str| {
        let request = reqwest::Client::new().post(format!("{}{path}", running.url)).body(body);
        let answer = request.header("content-type", "application/json").send().await.expect("an answer");
        answer.json::<serde_json::Value>().await.expect("JSON")
    };
    let open = r#"{"id":"s","total_cents":10,"count":3,"splitter":"equal"}"#;
    let claim = r#"{"sale":"s","user":"ann"}"#;
    let mut running = Running::start(home.serve_with_data()).await;
    post(&running, "/api/red-packet/open", open).await;
    assert_eq!(post(&running, "/api/red-packet/claim", claim).await["outcome"], "won");
    running.signal(Signal::TERM);
    within("the program ends", running.child.wait()).await.expect("a status");

    let running = Running::start(home.serve_with_data()).await;
    assert_eq!(post(&running, "/api/red-packet/claim", claim).await["outcome"], "repeat");
}

#[tokio::test]
async fn killed_it_takes_its_redis_along() {
    let home = Home::new();
    let mut running = Running::start(home.serve_with_data()).await;
    let (redis, _) = embedded(&home.data()).await;
    running.signal(Signal::KILL);
    within("the program ends", running.child.wait()).await.expect("a status");
    gone(redis).await;
    // And the folder is free for the next.
    let running = Running::start(home.serve_with_data()).await;
    assert_eq!(running.get("/readyz").await, 200);
}

/// Faults restart a Redis that they have killed, and no other.
#[tokio::test]
async fn a_redis_that_dies_ends_the_program_with_a_sentence() {
    for options in [&[][..], &["--faults"]] {
        let home = Home::new();
        let mut command = home.serve_with_data();
        command.args(options);
        let running = Running::start(command).await;
        let (redis, _) = embedded(&home.data()).await;
        kill_process(redis, Signal::KILL).expect("a signal");
        let output = within("the program ends", running.child.wait_with_output()).await.expect("a status");
        assert_eq!(output.status.code(), Some(1));
        let stderr = String::from_utf8(output.stderr).expect("text");
        assert!(stderr.contains("The embedded Redis ended unexpectedly"), "{options:?}: {stderr}");
    }
}

/// While the server still waits for its database.
#[tokio::test]
async fn a_redis_that_dies_during_the_start_is_not_waited_for() {
    let home = Home::new();
    let database = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("postgres://stampede@{}/stampede", database.local_addr().expect("an address"));
    let mut command = home.serve_with_data();
    let child = command.args(["--database", &url]).spawn().expect("the program starts");
    let _silent = within("the server connects", database.accept()).await.expect("a connection");
    let (redis, _) = embedded(&home.data()).await;
    kill_process(redis, Signal::KILL).expect("a signal");
    let output = within("the program ends", child.wait_with_output()).await.expect("a status");
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert!(stderr.contains("The embedded Redis ended unexpectedly"), "{stderr}");
}

#[tokio::test]
async fn demonstration_sales_are_opened_where_asked_for() {
    let home = Home::new();
    let mut command = home.serve_with_data();
    command.arg("--demo");
    let running = Running::start(command).await;
    let client = reqwest::Client::new();
    let ask = async |path: &str, body: &'static str| -> serde_json::Value {
        let request = client.post(format!("{}{path}", running.url)).body(body);
        let answer = request.header("content-type", "application/json").send().await.expect("an answer");
        answer.json().await.expect("JSON")
    };
    let packets = ask("/api/red-packet/snapshot", r#"{"sale":"demo"}"#).await;
    assert_eq!((&packets["pending"], &packets["state"]), (&1_000.into(), &"open".into()));
    let seats = ask("/api/ticket/snapshot", r#"{"sale":"stadium"}"#).await;
    let remaining = seats["remaining"].as_object().expect("categories");
    assert_eq!(remaining.values().filter_map(serde_json::Value::as_u64).sum::<u64>(), 60_000);
    let scheduled = ask("/api/stock/snapshot", r#"{"sale":"phone-scheduled"}"#).await;
    assert_eq!(scheduled["life"]["title"]["zh"], "定时开抢", "{scheduled}");
    let closed = ask("/api/sales/close", r#"{"kind":"stock","sale":"phone"}"#).await;
    assert_eq!(closed["outcome"], "closed", "{closed}");
    eventually("another one is open", async || {
        (ask("/api/stock/snapshot", r#"{"sale":"phone-2"}"#).await["state"] == "open").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let home = Home::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let mut command = home.bare();
    command.env("STAMPEDE_LISTEN", &address);
    let complaint = complaint(command).await;
    assert!(complaint.starts_with(&format!("Cannot listen on {address}")), "{complaint}");
    assert!(complaint.contains("--listen"), "{complaint}");
    assert!(!home.data().join("redis").exists(), "nothing was started");
}

#[tokio::test]
async fn flags_beat_the_environment_and_the_environment_beats_the_default() {
    let home = Home::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let mut command = home.serve("127.0.0.1:0");
    command.env("STAMPEDE_LISTEN", &address).env("STAMPEDE_DATA_DIR", home.folder().join("elsewhere"));
    let running = Running::start(command).await;
    assert_ne!(running.url, format!("http://{address}"));
    assert_eq!(running.get("/readyz").await, 200);
    assert!(home.folder().join("elsewhere/redis/redis.sock").exists());
    assert!(!home.data().exists());
}

/// Docker Compose hands on a variable that is not set as an empty one.
#[tokio::test]
async fn an_empty_variable_is_none() {
    let home = Home::new();
    let mut command = home.serve_with_data();
    for name in ["LISTEN", "REDIS", "DATABASE", "FSYNC", "DEMO", "HOST", "KEEP_CLOSED", "LOG_FORMAT", "TLS_CERT"] {
        command.env(format!("STAMPEDE_{name}"), "");
    }
    command.env("STAMPEDE_FAULTS", "no").env("RUST_LOG", "");
    let mut running = Running::start(command).await;
    assert_eq!(running.get("/readyz").await, 200);
    let mut log = BufReader::new(running.child.stderr.take().expect("its log")).lines();
    let line = within("the log", log.next_line()).await.expect("text").expect("a line");
    assert!(line.contains("INFO"), "{line}");
}

/// The folder is part of a URL, in which these characters mean something else.
#[tokio::test]
async fn a_data_folder_may_have_any_name() {
    let home = Home::new();
    let data = home.folder().join("C# 100%25?\n");
    let mut command = home.serve("127.0.0.1:0");
    command.env("STAMPEDE_DATA_DIR", &data);
    let running = Running::start(command).await;
    assert_eq!(running.get("/readyz").await, 200);
    let mut audit = home.command("audit");
    let output = audit.env("STAMPEDE_DATA_DIR", &data).output().await.expect("it ran");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[tokio::test]
async fn an_address_that_is_not_of_this_machine_is_told_from_one_in_use() {
    let home = Home::new();
    let mut command = home.bare();
    // An address for documents, which no machine has.
    command.args(["--listen", "192.0.2.1:3000", "--allow-remote"]);
    let complaint = complaint(command).await;
    assert!(complaint.contains("Cannot listen on 192.0.2.1:3000; choose an address of this machine"), "{complaint}");
}

#[tokio::test]
async fn a_database_is_named_by_the_path_of_a_redis_url() {
    let home = Home::new();
    let mut command = home.serve("127.0.0.1:0");
    command.args(["--redis", "redis://127.0.0.1:6379?db=1"]);
    let complaint = complaint(command).await;
    assert!(complaint.contains("redis://127.0.0.1:6379/1"), "{complaint}");
}

#[tokio::test]
async fn a_redis_that_asks_for_a_password_is_told_from_one_that_forbids_something() {
    let (home, redis) = (Home::new(), TestRedis::start().await);
    redis.raw().await.run::<()>("CONFIG", ("SET", "requirepass", "s3cret")).await;
    let mut command = home.serve("127.0.0.1:0");
    command.args(["--redis", &redis.url()]);
    let complaint = complaint(command).await;
    assert!(complaint.contains("redis://:PASSWORD@HOST:6379"), "{complaint}");
}

#[tokio::test]
async fn a_data_folder_in_use_is_named() {
    let home = Home::new();
    let first = Running::start(home.serve_with_data()).await;
    let complaint = complaint(home.serve_with_data()).await;
    assert!(complaint.contains("is in use by another Stampede"), "{complaint}");
    assert!(complaint.contains(&*home.data().to_string_lossy()) && complaint.contains("--data-dir"), "{complaint}");
    assert_eq!(first.get("/readyz").await, 200, "the first is not disturbed");
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_made_is_named() {
    let home = Home::new();
    std::fs::write(home.data(), "a file").expect("a file");
    let complaint = complaint(home.serve_with_data()).await;
    assert!(complaint.contains("cannot be made") && complaint.contains("--data-dir"), "{complaint}");
}

/// Whoever may enter it could put another Redis in the place of ours.
#[tokio::test]
async fn a_folder_for_the_socket_that_others_may_enter_is_refused() {
    let home = Home::new();
    // Too long for the path of a socket, which then goes to the temporary folder.
    let data = home.folder().join("d".repeat(120));
    let temporary = home.folder().join("tmp");
    std::fs::create_dir(&temporary).expect("a folder");
    let serve = || {
        let mut command = home.serve("127.0.0.1:0");
        command.env("TMPDIR", &temporary).arg("--data-dir").arg(&data);
        command
    };
    Running::start(serve()).await.stop().await;
    let mut made = std::fs::read_dir(&temporary).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (Some(folder), None) = (made.next(), made.next()) else { panic!("one folder is made") };
    let mode = |mode: u32| std::fs::set_permissions(&folder, Permissions::from_mode(mode)).expect("a mode");
    for (open, closed) in [(0o755, 0o700), (0o770, 0o700)] {
        mode(open);
        let why = complaint(serve()).await;
        assert!(why.contains("must be a folder of yours that nobody else may enter"), "{why}");
        mode(closed);
    }
    let elsewhere = home.folder().join("elsewhere");
    std::fs::rename(&folder, &elsewhere).expect("moved");
    std::os::unix::fs::symlink(&elsewhere, &folder).expect("a link");
    let why = complaint(serve()).await;
    assert!(why.contains("must be a folder of yours"), "{why}");
}

#[tokio::test]
async fn a_broken_redis_url_is_named() {
    let home = Home::new();
    let mut command = home.serve("127.0.0.1:0");
    command.args(["--redis", "http://example"]);
    let complaint = complaint(command).await;
    assert!(complaint.starts_with("What --redis gives is not a Redis URL ("), "{complaint}");
    assert!(complaint.contains("redis://127.0.0.1:6379"), "{complaint}");
}

/// However they are misspelt: nobody can tell which part of such a text is the password.
#[tokio::test]
async fn a_malformed_url_is_refused_without_its_password() {
    for (flag, urls) in [
        (
            "--redis",
            [
                "redis//me:s3cret@127.0.0.1",
                "redis:me:s3cret",
                "s3cret@127.0.0.1:6379",
                "redis://me:s3cret@127.0.0.1/first",
                "redis://127.0.0.1/?protocol=s3cret",
                "redis://me:s3cret",
            ],
        ),
        (
            "--database",
            [
                "postgres//me:s3cret@127.0.0.1/stampede",
                "postgres:me:s3cret",
                "me:s3cret@127.0.0.1/stampede",
                "postgres://me:s3cret@127.0.0.1:port/stampede",
                "postgres://127.0.0.1:port/stampede?password=s3cret",
                "postgres://me:s3cret",
            ],
        ),
    ] {
        for url in urls {
            let home = Home::new();
            let mut command = home.serve_with_data();
            command.args([flag, url]);
            let complaint = complaint(command).await;
            assert!(complaint.contains(flag) && !complaint.contains("s3cret"), "{url}: {complaint}");
        }
    }
}

/// Help tells what a flag is by default; the environment is not for others to read.
#[tokio::test]
async fn help_shows_no_password_of_the_environment() {
    for name in ["serve", "audit", "recover"] {
        let home = Home::new();
        let mut command = home.command(name);
        command
            .arg("--help")
            .env("STAMPEDE_REDIS", "redis://:s3cret@h")
            .env("STAMPEDE_DATABASE", "postgres://u:s3cret@h");
        let output = command.output().await.expect("it ran");
        let help = String::from_utf8(output.stdout).expect("text");
        assert!(help.contains("STAMPEDE_DATABASE") && !help.contains("s3cret"), "{help}");
    }
}

#[tokio::test]
async fn a_url_where_no_redis_answers_is_named_without_its_password() {
    let home = Home::new();
    let free = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("an address").to_string()
    };
    let mut command = home.serve("127.0.0.1:0");
    command.args(["--redis", &format!("redis://:secret@{free}")]);
    let complaint = complaint(command).await;
    assert!(complaint.starts_with(&format!("Redis at {free} cannot be reached")), "{complaint}");
    assert!(complaint.contains("--redis") && !complaint.contains("secret"), "{complaint}");
}

#[tokio::test]
async fn a_missing_redis_server_is_named_with_its_package() {
    let home = Home::new();
    let empty = tempfile::tempdir().expect("a temporary folder");
    let mut command = home.serve_with_data();
    command.env("PATH", empty.path());
    let complaint = complaint(command).await;
    assert!(complaint.contains("install the package redis-server"), "{complaint}");
    assert!(complaint.contains("--redis"), "{complaint}");
}

/// A redis-server that is too old is reported before anything is stored in it.
#[tokio::test]
async fn a_redis_that_is_too_old_is_named_with_its_version() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let path = tempfile::tempdir().expect("a temporary folder");
    let binary = path.path().join("redis-server");
    std::fs::write(&binary, "#!/bin/sh\necho 'Redis server v=6.2.14 sha=00000000:0 malloc=libc bits=64'\n")
        .expect("a file");
    std::fs::set_permissions(&binary, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    let mut command = home.serve_with_data();
    command.env("PATH", path.path());
    let complaint = complaint(command).await;
    assert_eq!(complaint, "redis-server is version 6.2.14; Stampede needs 7.0 or newer.");
}

#[tokio::test]
async fn a_missing_browser_side_is_named() {
    let home = Home::new();
    std::fs::remove_dir(home.folder().join("site/pkg")).expect("a folder");
    let complaint = complaint(home.serve_with_data()).await;
    assert!(complaint.contains("The browser side is not at") && complaint.contains("cargo xtask build"), "{complaint}");
}

#[tokio::test]
async fn listening_beyond_loopback_requires_allow_remote() {
    let home = Home::new();
    let complaint = complaint(home.serve("0.0.0.0:0")).await;
    assert!(complaint.starts_with("0.0.0.0:0 is not a loopback address"), "{complaint}");
    assert!(complaint.contains("no sign-in yet") && complaint.contains("--allow-remote"), "{complaint}");
    assert!(!home.data().exists(), "nothing was started");
}

#[tokio::test]
async fn with_allow_remote_it_listens_beyond_loopback_and_warns() {
    let redis = TestRedis::start().await;
    let home = Home::new();
    let mut command = home.serve("0.0.0.0:0");
    command.args(["--allow-remote", "--log-format", "json", "--redis", &redis.url()]);
    let mut child = command.spawn().expect("the program starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("its output")).lines();
    let line = within("the address", stdout.next_line()).await.expect("text").expect("a line");
    assert!(line.starts_with("Stampede is at http://0.0.0.0:"), "{line}");
    let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed())).expect("it runs");
    kill_process(pid, Signal::TERM).expect("a signal");
    let output = within("the program ends", child.wait_with_output()).await.expect("a status");
    assert!(output.status.success());
    let stderr = String::from_utf8(output.stderr).expect("text");
    // One line for each event, each of them JSON.
    let lines: Vec<serde_json::Value> =
        stderr.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line:?}"))).collect();
    let warning = lines.iter().find(|line| line["level"] == "WARN").expect("a warning");
    assert!(warning["message"].as_str().expect("text").contains("WITHOUT SIGN-IN"), "{warning}");
    assert!(!home.data().join("redis").exists(), "an external Redis takes the place of our own");
}

/// sqlx would log what it does not know, with the values.
#[tokio::test]
async fn parameters_of_the_database_that_nobody_knows_are_never_printed() {
    let home = Home::new();
    let mut command = home.serve_with_data();
    command.args(["--database", "postgres://u:p@127.0.0.1:1/db?pasword=hunter2&sslmode=disable&x=hunter2"]);
    let output = command.output().await.expect("it ran");
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("cannot be reached") && said.contains("parameters=2"), "{said}");
    assert!(!said.contains("hunter2") && !said.contains("pasword"), "{said}");
}
