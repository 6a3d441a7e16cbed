//! The soak: users claim over HTTP from two servers on one Redis, and round after round a server, the server that
//! writes the ledger, or Redis is killed and started again. In the end, everything that users were told is compared
//! with what is stored, as Jepsen does.
//!
//! `STAMPEDE_SOAK_ROUNDS` sets the number of rounds. `STAMPEDE_SOAK_SEED` determines what is killed in each, after how
//! many answers, and how often users retry. The timing depends on the machine, so no two runs are the same.

mod check;
mod crowd;
mod harness;

use check::{Found, Verdict};
use crowd::Crowd;
use harness::{Harness, Killed, Victim};
use rand::{Rng, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

/// The default number of rounds.
const ROUNDS: u32 = 4;
/// Answers that must follow in each round after everything is up again.
const AFTERWARDS: u64 = 200;
/// Faults that are printed in detail.
const FAULTS: usize = 20;
/// One sale in this many expires after a second and is refunded automatically.
const SHORT_LIVED: u32 = 4;

fn asked_for<T: std::str::FromStr>(name: &str, otherwise: T) -> T {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}, which is not a number")),
        Err(_) => otherwise,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_killed_nothing_acknowledged_is_lost_and_nothing_else_appears() {
    let rounds: u32 = asked_for("STAMPEDE_SOAK_ROUNDS", ROUNDS);
    let seed: u64 = asked_for("STAMPEDE_SOAK_SEED", 1);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut harness = Harness::start().await;
    let mut sales = Vec::new();
    let mut turns = Vec::new();
    for round in 1..=rounds {
        // Each has its turn, in any order.
        if turns.is_empty() {
            turns = Victim::ALL.to_vec();
            turns.shuffle(&mut random);
        }
        let victim = turns.pop().expect("a victim");
        let sale = format!("soak-{round}");
        let packets = random.random_range(500..=3_000);
        let life_s = if random.random_ratio(1, SHORT_LIVED) { 1 } else { 3_600 };
        let kill_after = random.random_range(1..=packets);
        println!("round {round}: {packets} packets for {life_s} s; after {kill_after} answers {victim:?} is killed");

        harness.open(&sale, packets, life_s).await;
        let crowd = Crowd::let_loose(harness.doors(), &sale, random.random());
        crowd.has_heard(kill_after).await;
        harness.kill(victim, &mut random).await;
        crowd.has_heard(crowd.heard() + AFTERWARDS).await;
        sales.push((sale, crowd.stop().await));
    }

    let mut verdict = Verdict::default();
    for (sale, heard) in &sales {
        harness.ledger_has_all(sale).await;
        let found = Found { claimants: harness.claimants(sale).await, rows: harness.rows(sale).await };
        verdict.judge(heard, &found);
    }
    let Killed { servers, writers, redis } = harness.killed();
    println!(
        "soak: seed {seed}, {rounds} rounds, {} kills ({servers} servers, {writers} writers, {redis} Redis), {verdict}",
        servers + writers + redis
    );
    assert!(verdict.unknown > 0, "the kills were felt");
    assert!(verdict.faults.is_empty(), "{:#?}", verdict.faults.iter().take(FAULTS).collect::<Vec<_>>());
    harness.audit_holds(sales.len()).await;
}
