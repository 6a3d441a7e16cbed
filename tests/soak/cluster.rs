//! A crowd at sales of all kinds on a cluster, of which one part after another fails. Nothing is acknowledged that no
//! replica has, so nothing that users were told may be lost, whatever fails.

use super::{
    crowd::{Felt, Users},
    harness::Harness,
    kinds::{Days, Kind, Terms},
    verdict::{Ends, Verdict},
};
use crate::{KINDS, support::eventually};
use rustix::process::Signal;
use std::time::Duration;
use store::{keys, slot::slot_of};

/// Sales of each kind.
const EACH: usize = 3;
/// Answers at each sale before and after each fault.
const ANSWERS: u64 = 30;
/// The same of the long run, whose users are as fast as they can be: hundreds of thousands of answers in all.
const MANY_ANSWERS: u64 = 140;
/// The least time between two users in a place.
const EVERY: Duration = Duration::from_millis(50);
/// How long a server hangs.
const HANGS_FOR: Duration = Duration::from_secs(5);
const LIFE_S: u64 = 30 * 86_400;

#[derive(Clone, Copy, Debug)]
enum Fault {
    /// A master is killed, and started again once its replica has taken over.
    Killed,
    /// A replica takes over from a living master.
    Promoted,
    /// A slot moves to another master, and back.
    Moved,
    /// A master hangs, and goes on later.
    Hung,
    /// The servers with the list of all sales are killed, and started again.
    WithoutList,
}

/// Users of a sale.
struct Crowd {
    kind: &'static dyn Kind,
    sale: String,
    /// A key of it.
    key: String,
    users: Box<dyn Users>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_fails_of_a_cluster_nothing_acknowledged_is_lost_and_nothing_else_appears() {
    go_on(ANSWERS, EVERY).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long"]
async fn whatever_fails_of_a_cluster_under_load_nothing_acknowledged_is_lost_and_nothing_else_appears() {
    go_on(MANY_ANSWERS, Duration::ZERO).await;
}

async fn go_on(answers: u64, every: Duration) {
    let mut harness = Harness::on_cluster(every).await;
    let mut crowds = Vec::new();
    for (number, kind) in (0..KINDS.len() * EACH).zip(KINDS.into_iter().cycle()) {
        let (kind, sale) = (kind.soak, format!("s{number}"));
        let terms = Terms { sale: sale.clone(), size: 800, opens_in_s: None, life_s: LIFE_S, days: Days::default() };
        harness.open(kind, &terms).await;
        let mut users = kind.users(&terms, harness.doors());
        users.let_loose("u", number as u64);
        crowds.push(Crowd { kind, key: kind.key(&sale, "events"), sale, users });
    }
    for fault in [Fault::Killed, Fault::Promoted, Fault::Moved, Fault::Hung, Fault::WithoutList] {
        for crowd in &crowds {
            crowd.users.course().hears(answers).await;
            crowd.users.course().felt();
        }
        let of_fault = bring_about(&mut harness, fault, &crowds, answers).await;
        for crowd in &crowds {
            crowd.users.course().hears(answers).await;
        }
        harness.cluster.as_ref().expect("a cluster").is_whole().await;
        let (theirs, others): (Vec<_>, Vec<_>) = crowds.iter().partition(|crowd| of_fault.contains(&crowd.sale));
        println!("{fault:?}: {}; elsewhere {}", felt(&theirs), felt(&others));
    }

    let mut verdict = Verdict::default();
    for Crowd { kind, sale, users, .. } in &mut crowds {
        users.stop().await;
        harness.ledger_has_all(*kind, sale).await;
        users.judge(&harness, Ends::Nothing, None, &mut verdict).await;
        eventually("an audit", async || {
            let audit = harness.audit(*kind, sale).await;
            assert_ne!(audit["verdict"], "broken", "{sale}: {audit}");
            (audit["verdict"] == "holds").then_some(())
        })
        .await;
    }
    println!("{verdict}");
    assert!(verdict.faults.is_empty(), "{:#?}", verdict.faults.iter().take(20).collect::<Vec<_>>());
    assert!(verdict.acknowledged > 0 && verdict.unknown > 0, "the faults were felt");
    assert_eq!(harness.audit_of_all().await, (crowds.len(), Vec::new()));
}

/// Has something fail, and work again. Returns the sales that were on the servers concerned.
async fn bring_about(harness: &mut Harness, fault: Fault, crowds: &[Crowd], answers: u64) -> Vec<String> {
    let list = keys::SALES.cluster;
    let cluster = harness.cluster.as_mut().expect("a cluster");
    let master = match fault {
        Fault::WithoutList => cluster.master_of(list).await,
        _ => cluster.master_of(&crowds[0].key).await,
    };
    let mut of_fault = Vec::new();
    let mut others = Vec::new();
    for crowd in crowds {
        if cluster.master_of(&crowd.key).await == master {
            of_fault.push(crowd.sale.clone());
        } else {
            others.push(crowd);
        }
    }
    let others_go_on = async || {
        for crowd in &others {
            crowd.users.course().hears(answers).await;
        }
    };
    match fault {
        Fault::Killed => {
            cluster.kill(master);
            others_go_on().await;
            cluster.master_of(&crowds[0].key).await;
            cluster.begin(master);
        }
        Fault::Promoted => {
            let replica = cluster.replica_of(master).await;
            cluster.promote(replica).await;
        }
        Fault::Moved => {
            let slot = slot_of(crowds[0].key.as_bytes());
            let to = cluster.master_of(&others[0].key).await;
            for (from, to) in [(master, to), (to, master)] {
                cluster.begin_to_move(slot, from, to).await;
                others_go_on().await;
                cluster.finish_moving(slot, from, to).await;
                crowds[0].users.course().hears(answers).await;
            }
        }
        Fault::Hung => {
            cluster.signal(master, Signal::STOP);
            tokio::time::sleep(HANGS_FOR).await;
            others_go_on().await;
            cluster.signal(master, Signal::CONT);
        }
        Fault::WithoutList => {
            let replica = cluster.replica_of(master).await;
            cluster.kill(replica);
            cluster.kill(master);
            others_go_on().await;
            cluster.begin(master);
            cluster.begin(replica);
        }
    }
    of_fault
}

/// What the users of some sales felt, in words.
fn felt(crowds: &[&Crowd]) -> String {
    let mut all = Felt { answers: 0, unknown: 0, untried: 0, longest: Duration::ZERO };
    for crowd in crowds {
        let felt = crowd.users.course().felt();
        all.answers += felt.answers;
        all.unknown += felt.unknown;
        all.untried += felt.untried;
        all.longest = all.longest.max(felt.longest);
    }
    format!(
        "{} answers, {} unknown, {} refused untried, at most {} ms without an answer at one of {} sales",
        all.answers,
        all.unknown,
        all.untried,
        all.longest.as_millis(),
        crowds.len()
    )
}
