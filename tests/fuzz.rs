//! The fuzz test: requests made from their types and then mutated, at a running program with a Redis and a ledger of
//! its own. None may break it: no fault of the server, nothing that hangs, no answer that is not the API's, steady
//! memory, and in the end nothing lost or doubled.
//!
//! `STAMPEDE_FUZZ_REQUESTS` sets the number of requests, `STAMPEDE_FUZZ_SEED` which they are. Request n of a seed is
//! the same in every run, but for the ids of orders and runs in it, which come from earlier answers.

mod mutation;
pub mod requests;
mod wire;

use crate::{
    soak::asked_for,
    support::program::{Home, Running},
};
use mutation::mutate;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use requests::{Generator, Request};
use std::{
    collections::BTreeMap,
    fs,
    process::Stdio,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{task::JoinSet, time::Instant};
use wire::Answer;

/// How many requests every change is tested with.
const REQUESTS: u64 = 3_000;
/// How many are enough to see what grows.
const MANY: u64 = 12_000;
/// Where an endpoint has done nothing good by then, which depends on what was answered before, up to so many times as
/// many are sent.
const AT_MOST_TIMES: u64 = 4;
/// Requests at the same time.
const AT_A_TIME: usize = 16;
/// An answer that takes longer is none.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// How often the server's memory is looked at, after so many equal parts of the requests; and the looks after a tenth, after a
/// quarter and after half of them.
const LOOKS: u64 = 20;
const TENTH: usize = 1;
/// By then the server has what it needs for itself: every thread its share of the memory, and full caches.
const QUARTER: usize = 4;
const HALF: usize = 9;
/// How much the server's memory may grow from the first tenth of the requests to the last, in KiB.
const MAX_GROWTH_KIB: u64 = 64 * 1024;
/// How much the least memory of the second half may be above that of the second quarter: what grows with each request would
/// take more there.
const MAX_LATE_GROWTH_KIB: u64 = 24 * 1024;
/// Faults that are printed.
const FAULTS: usize = 20;

/// What the requests came to.
#[derive(Default)]
struct Tally {
    /// By status, and code where there is one.
    answers: BTreeMap<String, u64>,
    /// How often each path of the API answered something good.
    good: BTreeMap<String, u64>,
    slowest: Duration,
    faults: Vec<String>,
}

struct Fuzz {
    seed: u64,
    requests: u64,
    next: AtomicU64,
    address: String,
    generator: Generator,
    tally: Mutex<Tally>,
}

impl Fuzz {
    /// Sends requests until there are no more, up to `end`.
    async fn work(self: Arc<Self>, end: u64) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= end {
                return;
            }
            let mut random = ChaCha8Rng::seed_from_u64(self.seed);
            random.set_stream(number);
            let mut request = self.generator.request(number, &mut random);
            mutate(&mut request, &mut random);
            let begun = Instant::now();
            let answer = tokio::time::timeout(ANSWER_WITHIN, wire::send(&self.address, &request)).await;
            let took = begun.elapsed();
            let fault = match &answer {
                Err(_) => Some("no answer within 10 s".to_owned()),
                Ok(Err(error)) => Some(format!("no answer: {error}")),
                Ok(Ok(None)) if request.is_framed() => Some("the connection was closed without an answer".to_owned()),
                Ok(Ok(None)) => None,
                Ok(Ok(Some(answer))) => judge(&request, answer),
            };
            let answer = answer.ok().and_then(Result::ok).flatten();
            if let Some(json) = answer.as_ref().and_then(|answer| answer.json.as_ref()) {
                self.generator.learn(json);
            }
            let mut tally = self.tally.lock().expect("no panic");
            *tally.answers.entry(answer.as_ref().map_or_else(|| "none".to_owned(), Answer::name)).or_default() += 1;
            if answer.is_some_and(|answer| answer.status == 200) {
                *tally.good.entry(request.path.clone()).or_default() += 1;
            }
            tally.slowest = tally.slowest.max(took);
            if let Some(fault) = fault {
                tally.faults.push(format!("request {number} of seed {}: {fault}\n{request}", self.seed));
            }
        }
    }

    /// The endpoints that have done nothing good yet.
    fn missed(&self) -> Vec<String> {
        let tally = self.tally.lock().expect("no panic");
        let endpoints = leptos::server_fn::axum::server_fn_paths().map(|(path, _)| path.to_owned());
        // A duel needs the lab for itself, in which a run takes place nearly all the time here. `tests/lab/duel.rs` has
        // some.
        endpoints.filter(|path| path != "/api/lab/duel" && !tally.good.contains_key(path)).collect()
    }

    async fn send_until(self: &Arc<Self>, end: u64) {
        let mut workers: JoinSet<()> = (0..AT_A_TIME).map(|_| self.clone().work(end)).collect();
        while let Some(worker) = workers.join_next().await {
            worker.expect("no panic");
        }
        self.next.store(end, Ordering::Relaxed);
    }
}

/// What is wrong with an answer.
fn judge(request: &Request, answer: &Answer) -> Option<String> {
    if answer.status >= 500 && !answer.is_busy() {
        return Some(format!("{}: {}", answer.status, answer.text()));
    }
    // The answer to what is no HTTP comes from below the API.
    let is_ours = request.is_framed() && request.path.starts_with("/api/") && !request.is_odd();
    let is_told = answer.code().is_some() || request.method == "HEAD" || answer.is_encoded;
    (is_ours && answer.status >= 400 && !is_told)
        .then(|| format!("{} without an error: {}", answer.status, answer.text()))
}

/// The memory of a process, in KiB.
fn memory_kib(running: &Running) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", running.pid().as_raw_nonzero())).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_breaks_the_server_or_makes_it_hang() {
    send_and_judge(REQUESTS).await;
}

/// Also looks at the memory, which says something only of a machine that does nothing else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn no_request_breaks_the_server_or_makes_it_hang_or_grow() {
    let memory = send_and_judge(asked_for("STAMPEDE_FUZZ_REQUESTS", MANY)).await;
    // Between the peaks of what takes much for a moment, such as a crowd, an opening or a run of the lab.
    let lowest = |looks: &[u64]| *looks.iter().min().expect("some");
    let (early, late) = (lowest(&memory[QUARTER..=HALF]), lowest(&memory[HALF + 1..]));
    let (before, after) = (memory[TENTH], *memory.last().expect("some"));
    assert!(after <= before + MAX_GROWTH_KIB, "memory grew from {before} to {after} KiB");
    assert!(late <= early + MAX_LATE_GROWTH_KIB, "memory grew late from {early} KiB: {memory:?}");
}

/// Sends so many requests, and expects that none does harm. Returns the memory of the server after equal parts of them.
async fn send_and_judge(requests: u64) -> Vec<u64> {
    let seed = asked_for("STAMPEDE_FUZZ_SEED", 1);
    println!("fuzz: seed {seed}, {requests} requests");
    let home = Home::new();
    let log = home.folder().join("log");
    let mut command = home.serve_with_data();
    command.arg("--faults").stderr(Stdio::from(fs::File::create(&log).expect("a file")));
    let server = Running::start(command).await;
    let fuzz = Arc::new(Fuzz {
        seed,
        requests,
        next: AtomicU64::new(0),
        address: server.url.trim_start_matches("http://").to_owned(),
        generator: Generator::default(),
        tally: Mutex::default(),
    });
    let mut memory = Vec::new();
    for nth in 1..=LOOKS {
        fuzz.send_until(fuzz.requests * nth / LOOKS).await;
        memory.push(memory_kib(&server));
    }
    let mut sent = fuzz.requests;
    while !fuzz.missed().is_empty() && sent < AT_MOST_TIMES * fuzz.requests {
        sent += fuzz.requests / 4;
        fuzz.send_until(sent).await;
    }
    memory.push(memory_kib(&server));

    let missed = fuzz.missed();
    let tally = std::mem::take(&mut *fuzz.tally.lock().expect("no panic"));
    let mut least: Vec<(u64, &String)> = tally.good.iter().map(|(path, times)| (*times, path)).collect();
    least.sort_unstable();
    println!("fuzz: {sent} requests, the least often answered with something good: {:?}", &least[..least.len().min(5)]);
    println!(
        "fuzz: slowest {:.1} s, memory {} MB after a tenth, {} MB after half and {} MB after all, answers {:?}",
        tally.slowest.as_secs_f64(),
        memory[TENTH] / 1024,
        memory[HALF] / 1024,
        memory[memory.len() - 1] / 1024,
        tally.answers
    );
    assert!(tally.faults.is_empty(), "{}", tally.faults.iter().take(FAULTS).cloned().collect::<Vec<_>>().join("\n\n"));
    let log = fs::read_to_string(&log).expect("a log");
    assert!(!log.contains("panicked"), "{log}");
    // Every endpoint was reached, and each did what it is for.
    assert!(missed.is_empty(), "nothing good came of {missed:?} in {sent} requests");
    assert_eq!(server.get("/readyz").await, 200);
    let mut audit = home.command("audit");
    let audit = audit.arg("--data-dir").arg(home.data()).output().await.expect("it runs");
    assert!(audit.status.success(), "{}", String::from_utf8_lossy(&audit.stdout));
    server.stop().await;
    memory
}
