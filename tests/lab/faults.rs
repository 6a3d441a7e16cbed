//! Faults, injected into the program itself: each is felt while it lasts, heals, and its timeline tells what happened.

use crate::support::{
    api,
    app::TestApp,
    eventually,
    program::{Home, Running, embedded, gone},
    redis::{Raw, TestRedis},
};
use engine::{
    red_packet::scripts::CLAIM,
    stock::scripts::{DEDUCT, key},
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use store::script::Script;

/// As long as a test needs it to last; ended early.
const LONG_MS: u64 = 15_000;

struct Server {
    running: Running,
    home: Home,
}

impl Server {
    /// With a Redis of its own.
    async fn start() -> Self {
        Self::with(&[]).await
    }

    async fn with(options: &[&str]) -> Self {
        let home = Home::new();
        let mut command = home.serve_with_data();
        command.arg("--faults").args(options);
        Self { running: Running::start(command).await, home }
    }

    /// Status and body, which must be as the API is described.
    async fn ask(&self, path: &str, body: Value) -> (u16, Value) {
        let (status, answer) = self.running.post(path, &body).await;
        api::check(path, &body, status, &answer);
        (status, answer)
    }

    async fn must(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.ask(path, body.clone()).await;
        assert_eq!(status, 200, "{path} {body}: {answer}");
        answer
    }

    /// The id of the incident.
    async fn inject(&self, fault: Value) -> String {
        self.must("/api/lab/inject", fault).await["incident"].as_str().expect("an id").to_owned()
    }

    async fn incident(&self, id: &str) -> Value {
        let faults = self.must("/api/lab/faults", json!({})).await;
        let incidents = faults["incidents"].as_array().expect("incidents");
        incidents.iter().find(|one| one["incident"] == id).unwrap_or_else(|| panic!("{faults}")).clone()
    }

    /// Waits until this stands in the timeline.
    async fn noticed(&self, id: &str, what: &str) -> Value {
        eventually(what, async || steps(&self.incident(id).await).into_iter().find(|step| step["what"] == what)).await
    }

    async fn end(&self, id: &str) {
        self.must("/api/lab/end-fault", json!({ "incident": id })).await;
    }

    async fn healed(&self, id: &str) -> Value {
        eventually("it heals", async || {
            let incident = self.incident(id).await;
            (incident["phase"] == "healed").then_some(incident)
        })
        .await
    }

    async fn open_packets(&self) {
        let terms = json!({ "id": "s", "total_cents": 100_000, "count": 1_000, "splitter": "equal" });
        self.must("/api/red-packet/open", terms).await;
    }

    async fn claim(&self, user: &str) -> (u16, Value) {
        self.ask("/api/red-packet/claim", json!({ "sale": "s", "user": user })).await
    }

    async fn won(&self, user: &str) -> Value {
        let (_, answer) = self.claim(user).await;
        assert_eq!(answer["outcome"], "won", "{answer}");
        answer["packet"].clone()
    }

    /// Starts a run of the lab.
    async fn lab_run(&self, settings: Value) -> Value {
        self.must("/api/lab/start", settings).await
    }

    async fn lab_over(&self, run: &Value) -> Value {
        eventually("the run is over", async || {
            let found = self.must("/api/lab/run", run.clone()).await;
            (found["phase"] != "running").then_some(found)
        })
        .await
    }

    /// How many events wait for the ledger, of all sales.
    async fn lag(&self) -> u64 {
        let status = self.must("/api/ledger/status", json!({})).await;
        status["sales"]
            .as_array()
            .expect("sales")
            .iter()
            .map(|sale| sale["lag_events"].as_u64().expect("a count"))
            .sum()
    }

    /// Beside all of the program's own connections.
    async fn raw(&self) -> Raw {
        let (_, socket) = embedded(&self.home.data()).await;
        Raw::at(&format!("redis+unix://{}", socket.display())).await
    }
}

fn steps(incident: &Value) -> Vec<Value> {
    incident["steps"].as_array().expect("steps").clone()
}

/// The timeline in short.
fn course(incident: &Value) -> Vec<String> {
    steps(incident).iter().map(|step| step["what"].as_str().expect("a word").to_owned()).collect()
}

async fn knows(raw: &Raw, script: &Script) -> bool {
    raw.run::<Vec<bool>>("SCRIPT", ("EXISTS", script.sha())).await == [true]
}

#[tokio::test]
async fn without_the_flag_every_fault_is_refused_and_the_page_says_how_to_start() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let (status, faults) = server.post("/api/lab/faults", &json!({})).await;
    assert_eq!((status, &faults["enabled"], &faults["incidents"]), (200, &json!(false), &json!([])));
    let known = faults["faults"].as_array().expect("faults");
    assert!(known.len() == 6 && known.iter().all(|fault| fault["obstacle"] == "disabled"), "{faults}");
    for (path, request) in
        [("/api/lab/inject", json!({ "fault": "scripts_flushed" })), ("/api/lab/end-fault", json!({ "incident": "x" }))]
    {
        let (status, answer) = server.post(path, &request).await;
        assert_eq!((status, &answer["error"]["code"]), (403, &json!("faults_disabled")), "{path}: {answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|message| message.contains("--faults")), "{answer}");
    }
    assert!(knows(&redis.raw().await, &CLAIM).await, "nothing was done");
    let (status, page) = server.get("/lab/faults").await;
    let page = page.as_str().expect("a page");
    assert!(status == 200 && page.contains("stampede serve --demo --faults"), "{status}");
    let main = page.split("<main").nth(1).expect("its content");
    assert!(main.contains("Kill Redis") && !main.contains("<button"), "{main}");
}

#[tokio::test]
async fn scripts_that_redis_forgets_are_sent_again_by_the_calls_that_need_them() {
    let server = Server::start().await;
    server.open_packets().await;
    server.won("ann").await;
    let raw = server.raw().await;
    assert!(knows(&raw, &CLAIM).await);
    let id = server.inject(json!({ "fault": "scripts_flushed" })).await;
    assert!(!knows(&raw, &CLAIM).await, "nobody has claimed since");
    server.won("bob").await;
    assert!(knows(&raw, &CLAIM).await);
    let incident = server.healed(&id).await;
    let (first, reloaded) =
        steps(&incident).split_first().map(|(first, rest)| (first.clone(), rest.to_vec())).expect("steps");
    assert_eq!(first["what"], "scripts_forgotten");
    assert!(first["figure"].as_u64() > Some(20), "{first}");
    assert!(!reloaded.is_empty() && reloaded.iter().all(|step| step["what"] == "script_reloaded"), "{incident}");
    assert!(reloaded.iter().all(|step| step["name"].as_str().is_some_and(|name| name.ends_with(".lua"))), "{incident}");
    // Another script is reloaded later, while a second fault is looked at as often.
    server.must("/api/stock/open", json!({ "id": "t", "quantity": 10 })).await;
    server.must("/api/stock/deduct", json!({ "sale": "t", "user": "ann", "quantity": 1 })).await;
    assert!(knows(&raw, &DEDUCT).await);
    let later = server.inject(json!({ "fault": "writer_stopped", "ms": 1_000 })).await;
    server.healed(&later).await;
    assert_eq!(server.incident(&id).await, incident, "what is healed is not added to");
}

#[tokio::test]
async fn a_quantity_that_expires_is_loaded_by_the_next_deduction() {
    let server = Server::start().await;
    server.must("/api/stock/open", json!({ "id": "s", "quantity": 10 })).await;
    let deduct = async |user: &str| {
        server.must("/api/stock/deduct", json!({ "sale": "s", "user": user, "quantity": 1 })).await["left"].clone()
    };
    assert_eq!(deduct("ann").await, 9);
    let raw = server.raw().await;
    let cached = async || raw.run::<u64>("EXISTS", key("s", "quantity")).await == 1;
    let id = server.inject(json!({ "fault": "stock_expired", "sale": "s" })).await;
    assert!(!cached().await);
    let incident = server.incident(&id).await;
    assert_eq!((&incident["phase"], &incident["sale"]), (&json!("healing"), &json!("s")));
    assert_eq!((&steps(&incident)[0]["what"], &steps(&incident)[0]["figure"]), (&json!("quantity_expired"), &json!(9)));
    // Injected once more before anybody has bought: nobody looks at the first any more.
    let again = server.inject(json!({ "fault": "stock_expired", "sale": "s" })).await;
    eventually("the first is given up", async || (server.incident(&id).await["phase"] == "unwatched").then_some(()))
        .await;
    assert_eq!(steps(&server.incident(&again).await)[0]["figure"], Value::Null, "there was none to expire");
    assert_eq!(deduct("bob").await, 8);
    assert!(cached().await);
    let loaded = server.healed(&again).await;
    let loaded = &steps(&loaded)[1];
    assert_eq!((&loaded["what"], &loaded["figure"]), (&json!("quantity_loaded"), &json!(9)));
    let writer = server.must("/api/ledger/status", json!({})).await["writer"].clone();
    assert_eq!(loaded["name"], writer, "the process that loads, by the name that it has everywhere");
    for (request, status, field) in [
        (json!({ "fault": "stock_expired" }), 400, "sale"),
        (json!({ "fault": "stock_expired", "sale": "nope" }), 404, "sale"),
        (json!({ "fault": "stock_expired", "sale": "s", "ms": 1_000 }), 400, "ms"),
        (json!({ "fault": "scripts_flushed", "sale": "s" }), 400, "sale"),
        (json!({ "fault": "writer_stopped", "ms": 60_001 }), 400, "ms"),
        (json!({ "fault": "wire_cut", "delay_ms": 5 }), 400, "delay_ms"),
        (json!({ "fault": "wire_slow", "delay_ms": 1_001 }), 400, "delay_ms"),
        (json!({ "fault": "sabotage" }), 400, ""),
    ] {
        let (found, answer) = server.ask("/api/lab/inject", request.clone()).await;
        assert_eq!(found, status, "{request}: {answer}");
        assert!(field.is_empty() || answer["error"]["field"] == field, "{request}: {answer}");
    }
    server.must("/api/sales/close", json!({ "kind": "stock", "sale": "s" })).await;
    let (status, answer) = server.ask("/api/lab/inject", json!({ "fault": "stock_expired", "sale": "s" })).await;
    assert_eq!((status, &answer["error"]["field"]), (400, &json!("sale")), "nobody would load it: {answer}");
    let incidents = server.must("/api/lab/faults", json!({})).await["incidents"].clone();
    assert_eq!(incidents.as_array().map(Vec::len), Some(2), "what was refused is no incident");
}

#[tokio::test]
async fn while_the_writer_is_stopped_events_wait_and_afterwards_they_are_recorded() {
    let server = Server::start().await;
    server.open_packets().await;
    let id = server.inject(json!({ "fault": "writer_stopped", "ms": LONG_MS })).await;
    server.won("ann").await;
    server.noticed(&id, "events_wait").await;
    assert!(server.lag().await > 0);
    assert_eq!(server.must("/api/ledger/status", json!({})).await["writer"], Value::Null, "it gave its lease back");
    let (status, answer) = server.ask("/api/lab/inject", json!({ "fault": "writer_stopped" })).await;
    assert_eq!((status, &answer["error"]["code"]), (409, &json!("fault_active")));
    server.end(&id).await;
    let incident = server.healed(&id).await;
    assert_eq!(course(&incident), ["writer_stopped", "events_wait", "ended_early", "writer_runs", "caught_up"]);
    assert!(steps(&incident)[4]["figure"].as_u64() > Some(0), "{incident}");
    assert_eq!(server.lag().await, 0);
    // It ends by itself, too, and can be injected again.
    let id = server.inject(json!({ "fault": "writer_stopped", "ms": 100 })).await;
    let incident = server.healed(&id).await;
    assert!(course(&incident).contains(&"ended".to_owned()), "{incident}");
    server.end(&id).await;
    assert_eq!(server.incident(&id).await, incident, "what is over is not changed");
    let (status, answer) = server.ask("/api/lab/end-fault", json!({ "incident": "nope" })).await;
    assert_eq!((status, &answer["error"]["code"]), (404, &json!("unknown_incident")));
}

#[tokio::test]
async fn on_a_slow_wire_an_attempt_takes_as_much_longer() {
    const DELAY: Duration = Duration::from_millis(400);
    let server = Server::start().await;
    server.open_packets().await;
    server.won("ann").await;
    let delay_ms = DELAY.as_millis() as u64;
    let id = server.inject(json!({ "fault": "wire_slow", "ms": LONG_MS, "delay_ms": delay_ms })).await;
    let began = Instant::now();
    server.won("bob").await;
    assert!(began.elapsed() >= DELAY, "{:?}", began.elapsed());
    server.noticed(&id, "round_trip").await;
    server.end(&id).await;
    let incident = server.healed(&id).await;
    assert_eq!(course(&incident), ["wire_slow", "round_trip", "ended_early", "round_trip"]);
    let took = [1, 3].map(|place| steps(&incident)[place]["figure"].as_u64().expect("milliseconds"));
    assert!(took[0] >= delay_ms && took[1] < delay_ms, "{took:?}");
}

#[tokio::test]
async fn while_the_wire_is_cut_nobody_is_answered_and_afterwards_the_same_request_is() {
    let server = Server::start().await;
    server.open_packets().await;
    let packet = server.won("ann").await;
    let id = server.inject(json!({ "fault": "wire_cut", "ms": LONG_MS })).await;
    let (status, answer) = server.claim("bob").await;
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("unavailable")));
    server.noticed(&id, "unanswered").await;
    assert_eq!(server.running.get("/readyz").await, 503);
    server.end(&id).await;
    let incident = server.healed(&id).await;
    assert_eq!(course(&incident), ["wire_cut", "unanswered", "ended_early", "answered", "writer_runs", "caught_up"]);
    server.won("bob").await;
    let (_, answer) = server.claim("ann").await;
    assert_eq!((&answer["outcome"], &answer["packet"]), (&json!("repeat"), &packet));
}

#[tokio::test]
async fn a_redis_that_is_killed_comes_back_as_another_process_with_all_it_had() {
    // Otherwise what was answered while the disk was busy is lost with Redis.
    let server = Server::with(&["--fsync", "always"]).await;
    server.open_packets().await;
    let packet = server.won("ann").await;
    let (before, _) = embedded(&server.home.data()).await;
    let id = server.inject(json!({ "fault": "redis_killed", "ms": LONG_MS })).await;
    gone(before).await;
    let (status, answer) = server.claim("bob").await;
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("unavailable")));
    server.noticed(&id, "unanswered").await;
    server.end(&id).await;
    let incident = server.healed(&id).await;
    assert_eq!(
        course(&incident),
        [
            "redis_killed",
            "unanswered",
            "ended_early",
            "redis_started",
            "answered",
            "nothing_lost",
            "writer_runs",
            "caught_up"
        ]
    );
    let (after, _) = embedded(&server.home.data()).await;
    assert_ne!(before, after);
    let named = |place: usize| steps(&incident)[place]["name"].as_str().expect("a process").to_owned();
    assert_eq!(
        [named(0), named(3)],
        [before, after].map(|process| process.as_raw_nonzero().to_string()),
        "the timeline names them"
    );
    let (_, answer) = server.claim("ann").await;
    assert_eq!((&answer["outcome"], &answer["packet"]), (&json!("repeat"), &packet));
    server.won("bob").await;
    // And it ends with the server.
    server.running.stop().await;
    gone(after).await;
}

#[tokio::test]
async fn a_redis_of_somebody_else_is_not_killed_but_can_be_cut_off() {
    let redis = TestRedis::start().await;
    let server = Server::with(&["--redis", &redis.url()]).await;
    let faults = server.must("/api/lab/faults", json!({})).await;
    let obstacles: Vec<&Value> =
        faults["faults"].as_array().expect("faults").iter().map(|one| &one["obstacle"]).collect();
    let free = &Value::Null;
    assert_eq!(obstacles, [free, free, free, free, free, &json!("external_redis")]);
    let (status, answer) = server.ask("/api/lab/inject", json!({ "fault": "redis_killed" })).await;
    assert_eq!((status, &answer["error"]["field"]), (400, &json!("fault")), "{answer}");
    let id = server.inject(json!({ "fault": "wire_cut", "ms": LONG_MS })).await;
    server.noticed(&id, "unanswered").await;
    assert!(knows(&redis.raw().await, &DEDUCT).await, "others reach it");
    server.end(&id).await;
    server.healed(&id).await;
}

/// The lab's own connections were idle meanwhile, and nobody has used them since.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_an_outage_the_first_run_and_the_first_play_of_the_lab_are_as_ever() {
    let server = Server::start().await;
    for fault in ["wire_cut", "redis_killed"] {
        for strategy in ["script", "batched-script"] {
            let run =
                server.lab_run(json!({ "users": 50, "stock": 5, "concurrency": 4, "strategies": [strategy] })).await;
            assert_eq!(server.lab_over(&run).await["phase"], "done", "{strategy} before {fault}");
        }
        let outage = async || {
            let id = server.inject(json!({ "fault": fault, "ms": LONG_MS })).await;
            server.noticed(&id, "unanswered").await;
            server.end(&id).await;
            server.healed(&id).await;
        };
        outage().await;
        let run = server
            .lab_run(json!({ "users": 50, "stock": 5, "concurrency": 4, "strategies": ["batched-script"] }))
            .await;
        let run = server.lab_over(&run).await;
        assert_eq!((&run["phase"], &run["strategies"][0]["given"]), (&json!("done"), &json!(5)), "{fault}: {run}");
        outage().await;
        let play = json!({ "strategy": "batched-script", "attempts": 2, "schedule": "12" });
        assert_eq!(server.must("/api/lab/step", play).await["outcome"], json!([]), "{fault}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_an_outage_ends_says_why_and_leaves_nothing_behind() {
    let server = Server::start().await;
    for strategy in ["setnx-lock", "batched-script"] {
        let settings =
            json!({ "users": 100_000, "stock": 10_000, "concurrency": 4, "delay_ms": 50, "strategies": [strategy] });
        let run = server.lab_run(settings).await;
        eventually("attempts are answered", async || {
            let found = server.must("/api/lab/run", run.clone()).await;
            (found["now"]["answered"].as_u64() > Some(0)).then_some(())
        })
        .await;
        let id = server.inject(json!({ "fault": "wire_cut", "ms": LONG_MS })).await;
        let failed = server.lab_over(&run).await;
        assert_eq!(server.incident(&id).await["phase"], "active", "it is told while Redis is away");
        let reason = failed["reason"].as_str().expect("a reason");
        assert_eq!(failed["phase"], "failed", "{failed}");
        assert!(reason.starts_with(&format!("`{strategy}` failed. Redis did not answer")), "{reason}");
        server.end(&id).await;
        server.healed(&id).await;
        // Other servers learn of it when Redis is back.
        let raw = server.raw().await;
        let key = format!("lab:{}", run["run"].as_str().expect("an id"));
        let told = async || {
            let published: String = raw.run("GET", &key).await;
            let published: Value = serde_json::from_str(&published).expect("JSON");
            (published["phase"] == "failed").then_some(published)
        };
        assert_eq!(eventually("it is published", told).await["reason"], failed["reason"]);
        let (_, socket) = embedded(&server.home.data()).await;
        let of_lab = Raw::at(&format!("redis+unix://{}?db=1", socket.display())).await;
        eventually("nothing is left", async || (of_lab.keys().await == 0).then_some(())).await;
        let kept = eventually("the run is kept", async || {
            let runs = server.must("/api/lab/runs", json!({})).await["runs"].clone();
            runs.as_array().expect("runs").iter().find(|entry| entry["run"] == run["run"]).cloned()
        });
        assert_eq!(kept.await["phase"], "failed");
    }
}

#[tokio::test]
async fn the_page_does_not_say_that_no_sale_is_open_where_nobody_knows() {
    let server = Server::start().await;
    server.must("/api/stock/open", json!({ "id": "phones", "quantity": 10 })).await;
    let page = async || {
        let answer = reqwest::get(format!("{}/lab/faults", server.running.url)).await.expect("an answer");
        answer.text().await.expect("a page")
    };
    assert!(page().await.contains("Inject at phones"));
    let id = server.inject(json!({ "fault": "wire_cut", "ms": LONG_MS })).await;
    server.noticed(&id, "unanswered").await;
    let away = page().await;
    assert!(away.contains("The open stock sales could not be loaded"), "{away}");
    assert!(!away.contains("No stock sale is open"), "{away}");
}

/// As an operator would rehearse it: one fault after the other, while a crowd buys.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_verdict_of_a_crowd_holds_through_every_fault() {
    // Otherwise what was answered while the disk was busy is lost with Redis.
    let server = Server::with(&["--fsync", "always"]).await;
    server.must("/api/stock/open", json!({ "id": "s", "quantity": 1_000_000 })).await;
    let crowd = json!({
        "sale": "s", "kind": "stock", "users": 1_000_000, "concurrency": 64, "repeat_rate": 0.2,
        "arrival": { "kind": "constant", "per_s": 500 }, "seed": 3,
    });
    let run = server.must("/api/crowd/start", crowd).await;
    for fault in [
        json!({ "fault": "scripts_flushed" }),
        json!({ "fault": "stock_expired", "sale": "s" }),
        json!({ "fault": "writer_stopped", "ms": 500 }),
        json!({ "fault": "wire_slow", "ms": 500 }),
        json!({ "fault": "wire_cut", "ms": 500 }),
        json!({ "fault": "redis_killed", "ms": 500 }),
    ] {
        let before = won(&server).await;
        let id = server.inject(fault).await;
        server.healed(&id).await;
        eventually("the crowd goes on buying", async || (won(&server).await > before).then_some(())).await;
    }
    server.must("/api/crowd/stop", run.clone()).await;
    let over = eventually("the crowd is verified", async || {
        let status = server.must("/api/crowd/status", run.clone()).await;
        (status["phase"] == "stopped").then_some(status)
    })
    .await;
    assert_eq!(over["verdict"], "holds", "{over}");
    assert!(over["unknown"].as_u64() > Some(0), "the outages were felt: {over}");
}

/// How many deductions there were.
async fn won(server: &Server) -> u64 {
    server.must("/api/stock/snapshot", json!({ "sale": "s" })).await["outcomes"]["won"].as_u64().expect("a count")
}
