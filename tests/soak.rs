//! The soak: users claim packets and buy seats over HTTP, and round after round something fails under them: a server, the
//! server that writes the ledger, Redis, its memory, its clock, the primary, the database. In the end, everything that
//! users were told is compared with what is stored, as Jepsen does, and every audit must say what is true.
//!
//! `STAMPEDE_SOAK_ROUNDS` sets the number of rounds. `STAMPEDE_SOAK_SEED` determines what fails in each, at which kind of
//! sale, after how many answers, and how often users retry. The timing depends on the machine, so no two runs are the
//! same. `STAMPEDE_SOAK_FENCED=1` also requires that a promoted replica gives nothing away again before its sale is
//! suspended.

mod buying;
mod claiming;
mod crowd;
mod fault;
mod harness;
mod nodes;
mod packets;
mod seats;
mod verdict;

use crate::support::eventually;
use buying::Buying;
use claiming::Claiming;
use crowd::{Crowd, Doors};
use fault::Fault;
use harness::{Harness, Kind, OFFSETS_S};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};
use verdict::{Loss, Verdict};

/// The default number of rounds: each fault once.
const ROUNDS: u32 = 8;
/// Sales that are open all the time, at which nothing happens.
const IDLE: u32 = 64;
/// Answers that must follow in each round after everything is up again.
const AFTERWARDS: u64 = 60;
/// Faults that are printed in detail.
const FAULTS: usize = 20;
/// One sale in this many expires, or its orders do, after a second.
const SHORT_LIVED: u32 = 4;
const LONG_S: u64 = 30 * 86_400;
/// What happens at a sale before the clock jumps takes less.
const BEFORE_THE_JUMP_S: u64 = 120;
/// Servers ask Redis for the time every five seconds.
const FOLLOWED_WITHIN: Duration = Duration::from_secs(6);
/// Rounds that may wait to be compared until the ledger has caught up: a killed writer is replaced after seconds.
const WAITING: usize = 8;

pub fn asked_for<T: std::str::FromStr>(name: &str, otherwise: T) -> T {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}, which is not a number")),
        Err(_) => otherwise,
    }
}

/// A crowd at a sale of either kind.
enum Users {
    Packets(Crowd<Claiming>),
    Seats(Crowd<Buying>),
}

/// What its users heard.
enum Heard {
    Packets(BTreeMap<String, packets::Heard>),
    Seats(BTreeMap<String, seats::Heard>),
}

impl Users {
    fn let_loose(doors: Doors, kind: Kind, sale: &str, names: &str, seed: u64) -> Self {
        let sale = sale.to_owned();
        match kind {
            Kind::RedPacket => Self::Packets(Crowd::let_loose(doors, &Claiming { sale }, names, seed)),
            Kind::Ticket => {
                Self::Seats(Crowd::let_loose(doors, &Buying { sale, seats: Harness::seats() }, names, seed))
            }
        }
    }

    async fn hears(&self, more: u64) {
        match self {
            Self::Packets(crowd) => crowd.hears(more).await,
            Self::Seats(crowd) => crowd.hears(more).await,
        }
    }

    async fn is_refused(&self, more: u64) {
        match self {
            Self::Packets(crowd) => crowd.is_refused(more).await,
            Self::Seats(crowd) => crowd.is_refused(more).await,
        }
    }

    async fn hears_or_is_refused(&self, more: u64) {
        match self {
            Self::Packets(crowd) => crowd.hears_or_is_refused(more).await,
            Self::Seats(crowd) => crowd.hears_or_is_refused(more).await,
        }
    }

    async fn stop(self) -> Heard {
        match self {
            Self::Packets(crowd) => Heard::Packets(crowd.stop().await),
            Self::Seats(crowd) => Heard::Seats(crowd.stop().await),
        }
    }
}

impl Heard {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Packets(mut one), Self::Packets(other)) => {
                one.extend(other);
                Self::Packets(one)
            }
            (Self::Seats(mut one), Self::Seats(other)) => {
                one.extend(other);
                Self::Seats(one)
            }
            _ => panic!("sales of two kinds"),
        }
    }
}

/// A round that is over, and not compared yet.
struct Round {
    fault: Fault,
    kind: Kind,
    sale: String,
    heard: Heard,
    /// What a promoted replica lacked.
    loss: Option<Loss>,
    /// Neither the sale nor its holds can have ended by themselves.
    is_open: bool,
}

/// The whole run.
struct Soak {
    random: ChaCha8Rng,
    pair: Harness,
    alone: Harness,
    is_fenced: bool,
    waiting: VecDeque<Round>,
    /// Sales of the pair that end by themselves, and may not have done so yet.
    ending: Vec<(Kind, String)>,
    verdict: Verdict,
    /// Sales of which two were told the same: their audits are broken, and nothing makes that good.
    broken: Vec<String>,
    opened: usize,
    /// When the clock of Redis last jumped.
    jumped: Option<Instant>,
}

impl Soak {
    async fn round(&mut self, number: u32, fault: Fault) {
        let kind = if self.random.random() { Kind::RedPacket } else { Kind::Ticket };
        let sale = format!("soak-{number}");
        let packets = self.random.random_range(200..=800);
        // As long as a server may go by the clock from before a jump, what ends in a second may end after hours, and the
        // other way round.
        let is_settled = self.jumped.is_none_or(|jumped| jumped.elapsed() > FOLLOWED_WITHIN);
        let is_short = self.random.random_ratio(1, SHORT_LIVED) && fault.lets_sales_end() && is_settled;
        let before = self.random.random_range(1..=150);
        let without_ledger = fault.is_without_ledger(&mut self.random);
        let jumps_to = *OFFSETS_S.choose(&mut self.random).expect("an offset");
        let life_of_jump =
            if fault == Fault::Clock && is_settled { self.life_within_a_jump_to(jumps_to) } else { None };
        // Of tickets, holds end by themselves: those that were made after the jump would end much later.
        let kind = if life_of_jump.is_some() { Kind::RedPacket } else { kind };
        println!(
            "round {number}: {kind:?}, {} after {before} answers{}",
            match life_of_jump {
                Some(life_s) => format!("{fault:?} beyond the end in {life_s} s"),
                None if is_short => format!("short-lived, {fault:?}"),
                None => format!("{fault:?}"),
            },
            if without_ledger { ", without the database" } else { "" }
        );

        // A hold of two hours can end when the clock jumps.
        if fault == Fault::Clock {
            self.waiting.iter_mut().for_each(|round| round.is_open = false);
        }
        let harness = if fault == Fault::AtOnce { &self.alone } else { &self.pair };
        if !fault.lets_sales_end() {
            for (kind, sale) in self.ending.drain(..) {
                eventually("it has ended", async || harness.has_ended(kind, &sale).await.then_some(())).await;
            }
        }
        let life_s = if is_short { 1 } else { life_of_jump.unwrap_or(LONG_S) };
        harness.open(kind, &sale, packets, life_s).await;
        if (is_short && fault != Fault::AtOnce) || life_of_jump.is_some() {
            self.ending.push((kind, sale.clone()));
        }
        self.opened += 1;
        let users = Users::let_loose(harness.doors(), kind, &sale, "u", self.random.random());
        users.hears(before).await;
        let lock = if without_ledger { Some(harness.ledger_away().await) } else { None };
        let (random, pair) = (&mut self.random, &mut self.pair);
        match fault {
            Fault::Server => pair.kill_server(pair.any_server(random), 1, random).await,
            Fault::Writer => pair.kill_server(pair.writer().await, 1, random).await,
            Fault::AtOnce => self.alone.kill_server(0, 3, random).await,
            Fault::Redis => pair.redis.as_mut().expect("a Redis").crash_and_restart().await,
            Fault::Full => {
                pair.redis.as_ref().expect("a Redis").fill(true).await;
                users.is_refused(40).await;
                // A server also starts there, if it finds its ledger.
                if !without_ledger && random.random() {
                    pair.kill_server(pair.any_server(random), 1, random).await;
                }
                pair.redis.as_ref().expect("a Redis").fill(false).await;
            }
            Fault::Clock => {
                pair.redis.as_mut().expect("a Redis").jump_to(jumps_to).await;
                self.jumped = Some(Instant::now());
            }
            Fault::Failover => {
                pair.redis.as_mut().expect("a Redis").add_replica().await;
                if random.random() {
                    pair.redis.as_ref().expect("a Redis").promote().await;
                    users.hears(random.random_range(1..=100)).await;
                    if !without_ledger {
                        pair.ledger_goes_ahead_of_the_replica(kind, &sale).await;
                    }
                }
                pair.redis.as_mut().expect("a Redis").fail_over().await;
                users.hears_or_is_refused(AFTERWARDS).await;
            }
            Fault::Ledger => users.hears(AFTERWARDS).await,
        }
        if let Some(lock) = lock {
            if fault != Fault::Failover {
                users.hears(1).await;
            }
            Harness::ledger_back(lock).await;
        }
        let (heard, loss) = if fault == Fault::Failover {
            let (heard, loss) = self.after_failover(kind, &sale, users).await;
            (heard, Some(loss))
        } else {
            users.hears(AFTERWARDS).await;
            (users.stop().await, None)
        };
        let is_open = !is_short && fault != Fault::Clock && is_settled;
        self.waiting.push_back(Round { fault, kind, sale, heard, loss, is_open });
        self.compare(WAITING).await;
    }

    /// A life for a sale that ends within a jump of the clock, half of the times where it jumps far enough ahead. Until the
    /// jump, the sale lives on.
    fn life_within_a_jump_to(&mut self, offset_s: i64) -> Option<u64> {
        let by = u64::try_from(offset_s - self.pair.redis.as_ref()?.offset_s).ok()?;
        let ends_within = self.random.random() && by > 2 * BEFORE_THE_JUMP_S;
        ends_within.then(|| self.random.random_range(BEFORE_THE_JUMP_S..by))
    }

    /// The sale is suspended and recovered if it lacks anything, and goes on.
    async fn after_failover(&mut self, kind: Kind, sale: &str, users: Users) -> (Heard, Loss) {
        let mut loss = Loss::default();
        let is_suspended = self.pair.is_suspended(kind, sale).await;
        let heard = users.stop().await;
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
        let more = Users::let_loose(self.pair.doors(), kind, sale, "v", self.random.random());
        more.hears(AFTERWARDS).await;
        (heard.and(more.stop().await), loss)
    }

    /// Compares the rounds of which the ledger has everything; at most so many are left.
    async fn compare(&mut self, left: usize) {
        for round in std::mem::take(&mut self.waiting) {
            let harness = if round.fault == Fault::AtOnce { &self.alone } else { &self.pair };
            if self.waiting.len() < left && !harness.is_recorded(round.kind, &round.sale).await {
                self.waiting.push_back(round);
                continue;
            }
            harness.ledger_has_all(round.kind, &round.sale).await;
            let before = self.verdict.faults.len();
            match (&round.heard, &round.loss) {
                (Heard::Packets(heard), loss) => {
                    let found = harness.packets(&round.sale, round.is_open).await;
                    match loss {
                        Some(loss) => self.verdict.judge_after(loss, heard, &found),
                        None => self.verdict.judge(heard, &found),
                    }
                }
                (Heard::Seats(heard), loss) => {
                    let found = harness.orders(&round.sale, round.is_open).await;
                    match loss {
                        Some(loss) => self.verdict.judge_seats_after(loss, heard, &found),
                        None => self.verdict.judge_seats(heard, &found),
                    }
                }
            }
            let faults = &self.verdict.faults[before..];
            assert!(
                faults.is_empty(),
                "{} {:?}: {:#?}",
                round.sale,
                round.fault,
                faults.iter().take(FAULTS).collect::<Vec<_>>()
            );
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
    let rounds: u32 = asked_for("STAMPEDE_SOAK_ROUNDS", ROUNDS);
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
    for number in 0..IDLE {
        let kind = if number % 2 == 0 { Kind::RedPacket } else { Kind::Ticket };
        soak.pair.open(kind, &format!("idle-{number}"), 10, LONG_S).await;
    }
    let began = Instant::now();
    let mut faults: BTreeMap<Fault, u32> = BTreeMap::new();
    let mut turns = Vec::new();
    for number in 1..=rounds {
        // Each has its turn, in any order.
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
