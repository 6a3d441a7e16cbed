//! The soak: users make attempts at sales of every kind over HTTP, and in each round something fails: a server, the
//! server that writes the ledger, Redis, its memory, its clock, the primary, the database; an operator pauses each sale
//! and lets it go on meanwhile, and some start only after a second. In the end, everything that
//! users were told is compared with what is stored, as Jepsen does, and every audit must hold, except where a recovery
//! said otherwise.
//!
//! `STAMPEDE_SOAK_ROUNDS` sets the number of rounds. `STAMPEDE_SOAK_SEED` determines what fails in each, at which kind of
//! sale, after how many answers, and how often users retry. The timing depends on the machine, so no two runs are the
//! same. `STAMPEDE_SOAK_FENCED=1` also requires that a promoted replica gives nothing away again before its sale is
//! suspended.

mod cluster;
pub mod crowd;
mod fault;
pub mod harness;
pub mod kinds;
mod nodes;
pub mod operator;
pub mod verdict;

use crate::{KINDS, support::eventually};
use crowd::{Users, When};
use fault::Fault;
use harness::{Harness, OFFSETS_S};
use kinds::{Days, Kind, Terms};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};
use verdict::{Ends, Loss, Verdict};

/// The default number of rounds: each fault once.
const ROUNDS: u32 = 8;
/// How many rounds are enough for every fault to happen at every kind of sale.
const MANY: u32 = 40;
/// Idle sales that are open all the time.
const IDLE: u32 = 64;
/// Answers that must arrive in each round after everything is up again.
const AFTERWARDS: u64 = 60;
/// Faults that are printed in detail.
const FAULTS: usize = 20;
/// One sale in this many expires, or its orders do, after a second.
const SHORT_LIVED: u32 = 4;
/// One sale in this many starts after a second.
const SCHEDULED: u32 = 3;
const LONG_S: u64 = 30 * 86_400;
/// Longer than anything that happens at a sale before the clock jumps.
const BEFORE_THE_JUMP_S: i64 = 120;
const HOUR_MS: i64 = 3_600_000;
/// Servers ask Redis for the time every five seconds.
const FOLLOWED_WITHIN: Duration = Duration::from_secs(6);
/// How many rounds may wait for the ledger before they are compared: a killed writer is replaced only after seconds.
const WAITING: usize = 8;

pub fn asked_for<T: std::str::FromStr>(name: &str, otherwise: T) -> T {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}, which is not a number")),
        Err(_) => otherwise,
    }
}

/// A round that is over, but not yet compared.
struct Round {
    fault: Fault,
    kind: &'static dyn Kind,
    sale: String,
    users: Box<dyn Users>,
    /// What a promoted replica lacked.
    loss: Option<Loss>,
    ends: Ends,
}

/// A jump of the clock, and what it is to bring about.
#[derive(Clone, Copy, Debug, Default)]
struct Jump {
    to_s: i64,
    /// The lifetime of the sale, or of the holds in it, if it is to end within the jump.
    life_s: Option<u64>,
    /// Whether a day begins within the jump, in the time zone of `days`.
    is_over_midnight: bool,
    days: Days,
}

/// The whole run.
struct Soak {
    random: ChaCha8Rng,
    pair: Harness,
    alone: Harness,
    is_fenced: bool,
    waiting: VecDeque<Round>,
    /// Sales of the pair that end on their own, and may not have ended yet.
    ending: Vec<(&'static dyn Kind, String)>,
    verdict: Verdict,
    /// Sales at which two users were given the same thing: their audits are broken for good.
    broken: Vec<String>,
    opened: usize,
    /// When the clock of Redis last jumped.
    jumped: Option<Instant>,
}

impl Soak {
    async fn round(&mut self, number: u32, fault: Fault) {
        let kind = KINDS.choose(&mut self.random).expect("a kind").soak;
        let sale = format!("soak-{number}");
        let size = self.random.random_range(200..=800);
        // As long as a server may use the time from before a jump, a sale that is to end in a second may last for
        // hours, and the other way round.
        let is_settled = self.jumped.is_none_or(|jumped| jumped.elapsed() > FOLLOWED_WITHIN);
        let may_be_short = kind.ends_by_itself() && fault.lets_sales_end() && is_settled;
        let is_short = self.random.random_ratio(1, SHORT_LIVED) && may_be_short;
        let before = self.random.random_range(1..=150);
        let without_ledger = fault.is_without_ledger(&mut self.random);
        let jump = if fault == Fault::Clock { self.jump(kind, is_settled).await } else { Jump::default() };
        println!(
            "round {number}: {kind:?}, {} after {before} answers{}",
            match jump {
                Jump { life_s: Some(life_s), .. } => format!("{fault:?} beyond the end in {life_s} s"),
                Jump { is_over_midnight: true, .. } if !kind.ends_by_itself() => format!("{fault:?} over midnight"),
                _ if is_short => format!("short-lived, {fault:?}"),
                _ => format!("{fault:?}"),
            },
            if without_ledger { ", without the database" } else { "" }
        );

        // A hold of two hours can end when the clock jumps.
        if fault == Fault::Clock {
            self.waiting.iter_mut().for_each(|round| round.ends = Ends::Anything);
        }
        let harness = if fault == Fault::AtOnce { &self.alone } else { &self.pair };
        if !fault.lets_sales_end() {
            for (kind, sale) in self.ending.drain(..) {
                eventually("it has ended", async || kind.has_ended(harness, &sale).await.then_some(())).await;
            }
        }
        // The fault may come before the start.
        let opens_in_s = self.random.random_ratio(1, SCHEDULED).then_some(1);
        let life_s = if is_short { 1 } else { jump.life_s.unwrap_or(LONG_S) };
        let terms = Terms { sale: sale.clone(), size, opens_in_s, life_s, days: jump.days };
        harness.open(kind, &terms).await;
        if (is_short && fault != Fault::AtOnce) || jump.life_s.is_some() {
            self.ending.push((kind, sale.clone()));
        }
        self.opened += 1;
        let mut users = kind.users(&terms, harness.doors());
        users.let_loose("u", self.random.random());
        users.course().hears(before).await;
        let lock = if without_ledger { Some(harness.ledger_away().await) } else { None };
        let (random, pair) = (&mut self.random, &mut self.pair);
        match fault {
            Fault::Server => pair.kill_server(pair.any_server(random), 1, random).await,
            Fault::Writer => pair.kill_server(pair.writer().await, 1, random).await,
            Fault::AtOnce => self.alone.kill_server(0, 3, random).await,
            Fault::Redis => pair.redis.as_mut().expect("a Redis").crash_and_restart().await,
            Fault::Full => {
                pair.redis.as_ref().expect("a Redis").fill(true).await;
                users.course().is_refused(40).await;
                // A server also starts with a full Redis, if it finds its ledger.
                if !without_ledger && random.random() {
                    pair.kill_server(pair.any_server(random), 1, random).await;
                }
                pair.redis.as_ref().expect("a Redis").fill(false).await;
            }
            Fault::Clock => {
                users.course().is_now(When::Meanwhile);
                pair.redis.as_mut().expect("a Redis").jump_to(jump.to_s).await;
                users.course().is_now(When::After);
                self.jumped = Some(Instant::now());
            }
            Fault::Failover => {
                // What it acknowledges may then have ids before the ledger's last entry.
                let behind_s = random.random_range(0..=5);
                pair.redis.as_mut().expect("a Redis").add_replica(behind_s).await;
                if random.random() {
                    pair.redis.as_ref().expect("a Redis").promote().await;
                    users.course().hears(random.random_range(1..=100)).await;
                    if !without_ledger {
                        pair.ledger_goes_ahead_of_the_replica(kind, &sale).await;
                    }
                }
                pair.redis.as_mut().expect("a Redis").fail_over().await;
                users.course().hears_or_is_refused(AFTERWARDS).await;
            }
            Fault::Ledger => users.course().hears(AFTERWARDS).await,
        }
        if let Some(lock) = lock {
            if fault != Fault::Failover {
                users.course().hears(1).await;
            }
            Harness::ledger_back(lock).await;
        }
        let loss = if fault == Fault::Failover {
            Some(self.after_failover(kind, &sale, &mut *users).await)
        } else {
            users.course().hears(AFTERWARDS).await;
            users.stop().await;
            None
        };
        let ends = match jump.life_s {
            Some(_) => Ends::WithTheJump,
            None if is_short || fault == Fault::Clock || !is_settled => Ends::Anything,
            None => Ends::Nothing,
        };
        self.waiting.push_back(Round { fault, kind, sale, users, loss, ends });
        // Before the next jump, which may end what came after this one.
        self.compare(if ends == Ends::WithTheJump { 0 } else { WAITING }).await;
    }

    /// Chooses where the clock jumps to. If that is far enough ahead, in half of the cases the sale, or the holds in
    /// it, are made to end within the jump, and not before. If a day can begin within the jump (or once more, when the
    /// clock goes back), the time zone is chosen so that one does.
    async fn jump(&mut self, kind: &dyn Kind, is_settled: bool) -> Jump {
        let to_s = *OFFSETS_S.choose(&mut self.random).expect("an offset");
        let by_s = to_s - self.pair.redis.as_ref().expect("a Redis").offset_s;
        let ends_within = self.random.random() && kind.ends_by_itself() && is_settled && by_s > 2 * BEFORE_THE_JUMP_S;
        let life_s = ends_within.then(|| self.random.random_range(BEFORE_THE_JUMP_S..by_s).unsigned_abs());
        let now = self.pair.redis_time().await;
        let (from, to) = if by_s > 0 {
            (now + 1_000 * BEFORE_THE_JUMP_S, now + 1_000 * by_s)
        } else {
            (now + 1_000 * (by_s + BEFORE_THE_JUMP_S), now)
        };
        // With every hour, a day begins in one of the zones, from 11 hours behind UTC to 12 ahead.
        let hour = to.div_euclid(HOUR_MS);
        let is_over_midnight = hour * HOUR_MS > from;
        let days = Days {
            ahead_h: if is_over_midnight { 12 - (hour + 12).rem_euclid(24) } else { 0 },
            begun_by_a_jump: (is_over_midnight && by_s > 0).then_some(hour * HOUR_MS),
        };
        Jump { to_s, life_s, is_over_midnight, days }
    }

    /// If the sale lacks anything, it is suspended and recovered; then it continues.
    async fn after_failover(&mut self, kind: &dyn Kind, sale: &str, users: &mut dyn Users) -> Loss {
        let mut loss = Loss::default();
        let is_suspended = self.pair.is_suspended(kind, sale).await;
        users.stop().await;
        if is_suspended {
            loss.conflicts = self.pair.recover(kind, sale).await;
            println!("  recovered, {} conflicts", loss.conflicts.len());
            if self.is_fenced {
                assert_eq!(loss.conflicts, [""; 0], "a promoted replica gave away what it had lost");
            }
            if !loss.conflicts.is_empty() {
                self.broken.push(sale.to_owned());
            }
        }
        users.let_loose("v", self.random.random());
        users.course().hears(AFTERWARDS).await;
        users.stop().await;
        loss
    }

    /// Compares the rounds of which the ledger has everything, and waits for others until at most this many are left.
    async fn compare(&mut self, left: usize) {
        for round in std::mem::take(&mut self.waiting) {
            let harness = if round.fault == Fault::AtOnce { &self.alone } else { &self.pair };
            if self.waiting.len() < left && !harness.is_recorded(round.kind, &round.sale).await {
                self.waiting.push_back(round);
                continue;
            }
            harness.ledger_has_all(round.kind, &round.sale).await;
            let before = self.verdict.faults.len();
            round.users.judge(harness, round.ends, round.loss.as_ref(), &mut self.verdict).await;
            let faults = &self.verdict.faults[before..];
            assert!(
                faults.is_empty(),
                "{} {:?}: {:#?}",
                round.sale,
                round.fault,
                faults.iter().take(FAULTS).collect::<Vec<_>>()
            );
            if round.ends == Ends::WithTheJump {
                round.kind.end(harness, &round.sale).await;
            }
            if !self.broken.contains(&round.sale) {
                eventually("an audit", async || {
                    let audit = harness.audit(round.kind, &round.sale).await;
                    assert_ne!(audit["verdict"], "broken", "{} {:?}: {audit}", round.sale, round.fault);
                    (audit["verdict"] == "holds").then_some(())
                })
                .await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_fails_nothing_acknowledged_is_lost_and_nothing_else_appears() {
    go_on_for(ROUNDS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn whatever_fails_for_many_rounds_nothing_acknowledged_is_lost_and_nothing_else_appears() {
    go_on_for(asked_for("STAMPEDE_SOAK_ROUNDS", MANY)).await;
}

async fn go_on_for(rounds: u32) {
    let seed: u64 = asked_for("STAMPEDE_SOAK_SEED", 1);
    let mut soak = Soak {
        random: ChaCha8Rng::seed_from_u64(seed),
        pair: Harness::pair().await,
        alone: Harness::alone().await,
        is_fenced: asked_for("STAMPEDE_SOAK_FENCED", 0_u8) == 1,
        waiting: VecDeque::new(),
        ending: Vec::new(),
        verdict: Verdict::default(),
        broken: Vec::new(),
        opened: 0,
        jumped: None,
    };
    if nodes::faketime().is_none() {
        println!("libfaketime is not installed: no clock jumps in this run");
    }
    for (number, kind) in (0..IDLE).zip(KINDS.into_iter().cycle()) {
        let terms =
            Terms { sale: format!("idle-{number}"), size: 10, opens_in_s: None, life_s: LONG_S, days: Days::default() };
        soak.pair.open(kind.soak, &terms).await;
    }
    let began = Instant::now();
    let mut faults: BTreeMap<Fault, u32> = BTreeMap::new();
    let mut turns = Vec::new();
    for number in 1..=rounds {
        // Every fault once, in random order, before any comes again.
        if turns.is_empty() {
            turns = Fault::shuffled(&mut soak.random);
        }
        let fault = turns.pop().expect("a fault");
        let round = Instant::now();
        soak.round(number, fault).await;
        println!("  {} ms", round.elapsed().as_millis());
        *faults.entry(fault).or_default() += 1;
    }
    soak.compare(0).await;
    let Soak { verdict, broken, .. } = &soak;
    println!(
        "soak: seed {seed}, {rounds} rounds in {} s ({faults:?}), beside {IDLE} idle sales; {verdict}",
        began.elapsed().as_secs()
    );
    assert!(verdict.unknown > 0, "the faults were felt");
    let (pair, alone) = (soak.pair.audit_of_all().await, soak.alone.audit_of_all().await);
    let mut found = pair.1;
    found.extend(alone.1);
    found.sort();
    let mut broken = broken.clone();
    broken.sort();
    assert_eq!(found, broken, "every other audit holds");
    assert_eq!(pair.0 + alone.0 + broken.len(), soak.opened + IDLE as usize, "every sale was audited");
}
