//! The metrics of a server, and what is made of them in `deploy/prometheus`.

use crate::support::{
    app::TestApp,
    balancer::free_port,
    eventually,
    program::{Home, Running, complaint},
    redis::TestRedis,
    sale::terms,
    within,
};
use serde_json::{Value, json};
use stampede::server::metrics;
use std::{fs, path::PathBuf, process::Stdio};
use tempfile::TempDir;
use tokio::{
    io::AsyncWriteExt,
    process::{Child, Command},
};

fn deploy() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("deploy/prometheus")
}

fn promtool(args: &[&str]) -> Command {
    let mut command = Command::new("promtool");
    command.args(args).current_dir(deploy()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true);
    command
}

/// Runs promtool, which must find nothing.
async fn nothing_to_say_of(args: &[&str], input: &str) {
    let mut child = promtool(args).spawn().expect("`cargo xtask test` installs Prometheus");
    let mut stdin = child.stdin.take().expect("its input");
    stdin.write_all(input.as_bytes()).await.expect("it reads");
    drop(stdin);
    let output = within("promtool ends", child.wait_with_output()).await.expect("a status");
    assert!(output.status.success(), "{args:?}: {output:?}");
}

/// The value of a series.
fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{series}: {text}")).parse().expect("a number")
}

#[tokio::test]
async fn what_happens_is_counted_once_by_batch() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let claims = (0..30).map(|user| app.red_packet.claim("s", format!("u{user}"), None));
    futures::future::try_join_all(claims).await.expect("outcomes");
    app.red_packet.claim("s", "u0".into(), None).await.expect("an outcome");
    app.red_packet.claim("none", "u0".into(), None).await.expect_err("there is no such sale");
    let mut writer = app.writer("another process");
    writer.catch_up().await.expect("recorded");

    let text = metrics::text(&app).await;
    let value = |series: &str| value(&text, series) as u64;
    let attempts =
        |outcome: &str| value(&format!(r#"stampede_attempts_total{{kind="red_packet",outcome="{outcome}"}}"#));
    assert_eq!((attempts("won"), attempts("sold_out"), attempts("repeat")), (10, 20, 1));
    assert_eq!(attempts("unknown_sale"), 1);
    assert_eq!(value(r#"stampede_attempt_seconds_count{kind="red_packet"}"#), 32);
    assert_eq!(value(r#"stampede_batch_attempts_sum{script="red_packet/claim.lua"}"#), 32);
    let batches = value(r#"stampede_batch_attempts_count{script="red_packet/claim.lua"}"#);
    let calls = value(&format!(
        r#"stampede_script_seconds_count{{script="red_packet/claim.lua",node="{}"}}"#,
        app.store.address()
    ));
    assert!((3..=32).contains(&batches) && calls == batches, "{batches} batches in {calls} calls");
    assert_eq!((value("stampede_unknown_outcomes_total"), value("stampede_waiting_attempts")), (0, 0));
    assert_eq!((value("stampede_ledger_rows_total"), value("stampede_ledger_lag_events")), (11, 0));
    assert_eq!((value("stampede_writer"), value("stampede_dead_letters")), (0, 0));
    assert!(value("process_open_fds") > 2 && value("process_start_time_seconds") > 1_700_000_000);
    assert!(!text.contains("stampede_sales"), "nobody has looked for missing sales yet: {text}");
    app.missing.look().await.expect("a look");
    let text = metrics::text(&app).await;
    assert_eq!(self::value(&text, "stampede_sales_missing") as u64, 0);
    nothing_to_say_of(&["check", "metrics"], &text).await;

    redis.raw().await.run::<()>("SCRIPT", "FLUSH").await;
    app.red_packet.claim("s", "u0".into(), None).await.expect("an outcome");
    assert_eq!(self::value(&metrics::text(&app).await, "stampede_script_reloads_total") as u64, 1);
}

#[tokio::test]
async fn the_rules_say_what_they_should() {
    nothing_to_say_of(&["check", "rules", "rules.yml"], "").await;
    nothing_to_say_of(&["test", "rules", "rules_test.yml"], "").await;
    nothing_to_say_of(&["check", "config", "prometheus.yml"], "").await;
}

#[tokio::test]
async fn metrics_beyond_loopback_have_to_be_allowed() {
    let home = Home::new();
    let mut command = home.serve("127.0.0.1:0");
    command.args(["--metrics-listen", "0.0.0.0:0"]);
    let complaint = complaint(command).await;
    assert!(complaint.contains("0.0.0.0:0 is not a loopback address"), "{complaint}");
    assert!(complaint.contains("--allow-remote"), "{complaint}");
}

/// A Prometheus with the configuration of `deploy/prometheus`, which scrapes other addresses, and every second.
struct Prometheus {
    url: String,
    _folder: TempDir,
    _process: Child,
}

impl Prometheus {
    async fn of(targets: &[u16]) -> Self {
        let folder = tempfile::Builder::new().prefix("stampede-test-").tempdir().expect("a temporary folder");
        let mut configuration = fs::read_to_string(deploy().join("prometheus.yml")).expect("a configuration");
        for (documented, port) in ["9101", "9102", "9103"].into_iter().zip(targets) {
            let (documented, port) = (format!("127.0.0.1:{documented}"), format!("127.0.0.1:{port}"));
            assert!(configuration.contains(&documented), "{configuration}");
            configuration = configuration.replace(&documented, &port);
        }
        fs::write(folder.path().join("prometheus.yml"), configuration.replace("15s", "1s")).expect("a file");
        fs::copy(deploy().join("rules.yml"), folder.path().join("rules.yml")).expect("a file");
        let address = format!("127.0.0.1:{}", free_port());
        let process = Command::new("prometheus")
            .args(["--config.file=prometheus.yml", "--storage.tsdb.path=data", "--log.level=error"])
            .arg(format!("--web.listen-address={address}"))
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("`cargo xtask test` installs Prometheus");
        let url = format!("http://{address}");
        eventually("Prometheus is ready", async || {
            let ready = reqwest::get(format!("{url}/-/ready")).await.ok()?;
            ready.status().is_success().then_some(())
        })
        .await;
        Self { url, _folder: folder, _process: process }
    }

    async fn get(&self, path: &str, query: &[(&str, &str)]) -> Value {
        let request = reqwest::Client::new().get(format!("{}/api/v1/{path}", self.url)).query(query);
        let answer: Value = within("an answer", request.send()).await.expect("an answer").json().await.expect("JSON");
        assert_eq!(answer["status"], "success", "{query:?}: {answer}");
        answer["data"].clone()
    }

    /// The series of an expression now.
    async fn series(&self, expression: &str) -> Vec<Value> {
        let data = self.get("query", &[("query", expression)]).await;
        data["result"].as_array().expect("series").clone()
    }
}

/// The value that an alert compares with a bound.
fn compared(expression: &str) -> &str {
    let (value, _) = expression.rsplit_once(" > ").or_else(|| expression.rsplit_once(" < ")).expect("a comparison");
    value
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prometheus_finds_everything_that_rules_and_dashboard_ask_for() {
    const CLAIMS: usize = 30;
    let (home, redis) = (Home::new(), TestRedis::start().await);
    let ports = [free_port(), free_port(), free_port()];
    let mut servers = Vec::new();
    for port in ports {
        let mut command = home.serve("127.0.0.1:0");
        command.args(["--redis", &redis.url(), "--metrics-listen", &port.to_string(), "--data-dir"]).arg(home.data());
        servers.push(Running::start(command).await);
    }
    let prometheus = Prometheus::of(&ports).await;
    // A rate needs a value before the first attempts, and one after them.
    eventually("all three are scraped", async || (prometheus.series("up == 1").await.len() == 3).then_some(())).await;
    let sale = json!({ "id": "s", "total_cents": 1_000, "count": 1_000, "splitter": "equal" });
    assert_eq!(servers[0].post("/api/red-packet/open", &sale).await.0, 200);
    for claim in 0..CLAIMS {
        let body = json!({ "sale": "s", "user": format!("u{claim}") });
        assert_eq!(servers[claim % 3].post("/api/red-packet/claim", &body).await.1["outcome"], "won");
    }
    eventually("each claim is counted by one server", async || {
        let won = prometheus.series(r#"sum(stampede_attempts_total{outcome="won"})"#).await;
        (won.first()?["value"][1].as_str()?.parse() == Ok(CLAIMS)).then_some(())
    })
    .await;
    eventually("one of them writes", async || {
        let writers = prometheus.series("sum(stampede_writer)").await;
        (writers.first()?["value"][1] == "1").then_some(())
    })
    .await;

    let groups = prometheus.get("rules", &[]).await;
    let rules: Vec<Value> = groups["groups"].as_array().expect("groups").iter().flat_map(all_of("rules")).collect();
    let text = fs::read_to_string(deploy().join("dashboard.json")).expect("a dashboard");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let targets: Vec<Value> = panels.iter().flat_map(all_of("targets")).collect();
    assert!(rules.len() > 10 && targets.len() > 20, "{} rules, {} targets", rules.len(), targets.len());
    let text_of = |value: &Value, field: &str| value[field].as_str().expect("text").to_owned();
    let alerts = rules.iter().map(|rule| compared(&text_of(rule, "query")).to_owned());
    for expression in alerts.chain(targets.iter().map(|target| text_of(target, "expr"))) {
        let what = format!("a series of {expression}");
        eventually(&what, async || (!prometheus.series(&expression).await.is_empty()).then_some(())).await;
    }
    for server in servers {
        server.stop().await;
    }
}

/// The values in a list that a field has, if it has one.
fn all_of(field: &str) -> impl Fn(&Value) -> Vec<Value> {
    move |value| value[field].as_array().cloned().unwrap_or_default()
}
