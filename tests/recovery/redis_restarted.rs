//! Redis ends and comes back, with all of its data or without the latest.

use super::*;
use crate::support::{
    app::TestApp,
    program::{embedded, gone},
    redis::{TestRedis, lose_the_end},
    sale::terms,
};
use futures::StreamExt;
use model::{error::Code, red_packet::Outcome};
use std::fs;
use tokio::runtime::Handle;

#[tokio::test]
async fn killed_with_always_it_has_all_that_was_acknowledged() {
    killed_under_load_nothing_is_lost(TestRedis::durable().await).await;
}

/// Everything answered has reached the operating system, which keeps running.
#[tokio::test]
async fn killed_with_everysec_it_has_all_that_was_acknowledged() {
    killed_under_load_nothing_is_lost(TestRedis::start().await).await;
}

async fn killed_under_load_nothing_is_lost(mut redis: TestRedis) {
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    open(&server, "s", 400).await;
    let mut reported = BTreeMap::new();
    let claims = (0..300).map(|number| {
        let (server, user) = (&server, format!("u-{number}"));
        async move { (user.clone(), try_claim(server, "s", &user).await) }
    });
    let mut claims = futures::stream::iter(claims).buffer_unordered(16);
    let mut unknown = Vec::new();
    let mut killed = false;
    while let Some((user, (status, answer))) = claims.next().await {
        match status {
            200 => _ = reported.insert(user, packet(&answer, "won")),
            _ => {
                assert_eq!(answer["error"]["code"], "unavailable", "{answer}");
                unknown.push(user);
            }
        }
        if reported.len() == 100 && !killed {
            killed = true;
            // All that was on its way may have been answered by now. These come while Redis is gone.
            let late = (0..16).map(|number| {
                let (server, user) = (&server, format!("late-{number}"));
                async move { (user.clone(), try_claim(server, "s", &user).await) }
            });
            let ((), late) = tokio::join!(redis.crash_and_restart(), futures::future::join_all(late));
            for (user, (status, answer)) in late {
                match status {
                    200 => _ = reported.insert(user, packet(&answer, "won")),
                    _ => unknown.push(user),
                }
            }
        }
    }
    drop(claims);
    assert!(!unknown.is_empty(), "the kill was felt");

    all_get_the_original(&server, "s", &reported).await;
    for user in &unknown {
        let answer = claim_until_answered(&server, "s", user).await;
        assert!(answer["outcome"] == "won" || answer["outcome"] == "repeat", "{answer}");
    }
    stand.agrees(&server, "s", 316).await;
}

/// The connection was given up while Redis could not be reached: the attempt itself connects again.
#[tokio::test]
async fn the_first_attempt_after_an_outage_is_answered() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 10_000, 100)).await.expect("a sale");
    let claim = || app.red_packet.claim("s", "ann".into(), Some("one".into()));
    let (socket, away) = (redis.socket(), redis.socket().with_extension("away"));
    let raw = redis.raw().await;
    fs::rename(&socket, &away).expect("a socket");
    let _killed: i64 = raw.run("CLIENT", ("KILL", "TYPE", "normal", "SKIPME", "yes")).await;
    // The first notices that the connection is gone, the second that there is no other.
    for _ in 0..2 {
        assert_eq!(claim().await.expect_err("no answer").code, Code::Unavailable);
    }
    // The second leaves a task behind that tries to connect, beside that of its batch, which ends when others have run.
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    let trying = Handle::current().metrics().num_alive_tasks();
    eventually("it gives up", async || (Handle::current().metrics().num_alive_tasks() < trying).then_some(())).await;
    fs::rename(&away, &socket).expect("a socket");
    let outcome = claim().await.expect("an outcome");
    assert!(matches!(outcome, Outcome::Won { .. }), "{outcome:?}");
}

/// The machine crashed with `everysec`: the ledger is ahead of Redis.
#[tokio::test]
async fn without_its_end_the_sale_is_suspended_before_anybody_may_claim_and_a_recovery_brings_it_back() {
    let home = Home::new();
    let server = Running::start(home.serve_with_data()).await;
    open(&server, "s", 100).await;
    let mut reported = win(&server, "s", "early", 0..10).await;
    caught_up(&server, "s").await;
    // Everything in the file from this command on is lost.
    reported.extend(win(&server, "s", "late", 0..1).await);
    reported.extend(win(&server, "s", "last", 0..9).await);
    caught_up(&server, "s").await;
    let (redis, socket) = embedded(&home.data()).await;
    server.kill().await;
    gone(redis).await;
    lose_the_end(&home.data(), "late-0");

    let server = Running::start(home.serve_with_data()).await;
    let stand = Stand { home, ..Stand::on(&format!("redis+unix://{}", socket.display())) };
    let raw = Raw::at(&stand.redis).await;
    assert_eq!(holdings(&raw, "s").await.len(), 10, "Redis has forgotten ten");
    assert_eq!(snapshot(&server, "s").await["state"], "suspended");
    for user in ["early-0", "late-0", "new"] {
        let (status, answer) = try_claim(&server, "s", user).await;
        assert_eq!((status, &answer["error"]["code"]), (503, &json!("sale_suspended")), "{answer}");
    }
    assert_eq!(holdings(&raw, "s").await.len(), 10, "nobody was given anything");
    let audit = stand.audit("s").await;
    assert_eq!((audit.code, audit.invariant("ledger_ahead")), (1, (0, 10)));

    let said = stand.recover("s").await;
    said.assert_back();
    let figures = ["won", "waiting", "unseen"].map(|name| said.report[name].as_u64());
    assert_eq!(figures, [Some(20), Some(80), Some(0)], "{said:?}");
    all_get_the_original(&server, "s", &reported).await;
    let new = packet(&claim(&server, "s", "new").await, "won");
    assert!(!reported.values().any(|packet| *packet == new), "{new} is somebody's");
    stand.agrees(&server, "s", 21).await;
}

/// The servers keep running, so nothing checks the sale before they answer.
#[tokio::test]
async fn without_its_end_under_a_running_server_the_sale_is_suspended_by_the_writer() {
    let mut redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    open(&server, "s", 100).await;
    let mut reported = win(&server, "s", "early", 0..10).await;
    caught_up(&server, "s").await;
    reported.extend(win(&server, "s", "late", 0..10).await);
    caught_up(&server, "s").await;

    redis.crash_without_its_end("late-").await;
    suspended(&redis).await;
    assert_eq!(stand.audit("s").await.invariant("ledger_ahead"), (0, 10));
    stand.recover("s").await.assert_back();
    all_get_the_original(&server, "s", &reported).await;
    stand.agrees(&server, "s", 20).await;
}

/// A sale that was recovered after claims came before the writer had checked: Redis had newer events than the ledger, but
/// lacked others.
struct HastilyClaimed {
    stand: Stand,
    server: Running,
    raw: Raw,
    /// What users were told before Redis lost its end.
    reported: BTreeMap<String, String>,
    /// The packet that each of the hasty ones was given then.
    given: Vec<String>,
    said: Said,
    conflicts: Vec<String>,
    _redis: TestRedis,
}

/// Ten users win and are recorded, ten more win, whom Redis forgets; then these ones claim, and the sale is recovered.
async fn claimed_hastily_by(users: &[&str]) -> HastilyClaimed {
    let mut redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    open(&server, "s", 100).await;
    let mut reported = win(&server, "s", "early", 0..10).await;
    caught_up(&server, "s").await;
    reported.extend(win(&server, "s", "late", 0..10).await);
    caught_up(&server, "s").await;
    server.kill().await;

    redis.crash_without_its_end("late-").await;
    let raw = redis.raw().await;
    let opened_at: i64 = raw.run("HGET", (key("s", "meta"), "opened_at")).await;
    let mut given = Vec::new();
    for user in users {
        let [(code, packet)] = &sale::claim_at(&raw, "s", opened_at, &[user]).await[..] else { panic!("one answer") };
        assert_eq!(*code, 0, "{user} won");
        given.push(packet.clone());
    }

    let server = stand.serve().await;
    suspended(&redis).await;
    let said = stand.recover("s").await;
    let conflicts = said.report["conflicts"].as_array().unwrap_or_else(|| panic!("{said:?}"));
    let conflicts = conflicts.iter().map(|conflict| conflict.as_str().expect("a sentence").to_owned()).collect();
    HastilyClaimed { stand, server, raw, reported, given, said, conflicts, _redis: redis }
}

#[tokio::test]
async fn a_claim_before_the_writer_has_looked_hides_nothing() {
    let HastilyClaimed { stand: _stand, server, raw, reported, given, said, conflicts, _redis } =
        claimed_hastily_by(&["hasty"]).await;
    let late: Vec<&String> = reported.iter().filter(|(_, packet)| **packet == given[0]).map(|(user, _)| user).collect();
    assert_eq!(late.len(), 1, "hasty was given what one has already");
    let [conflict] = conflicts.as_slice() else { panic!("{said:?}") };
    assert!(conflict.contains(late[0].as_str()) && conflict.contains("hasty"), "{conflict}");
    assert_eq!(said.code, 1, "two users won the same, which cannot be undone: {said:?}");
    // The user who was told first keeps the packet.
    all_get_the_original(&server, "s", &reported).await;
    let held = holdings(&raw, "s").await;
    assert!(held.iter().all(|(user, ..)| user != "hasty") && held.len() == 20, "{held:?}");
}

/// As above, and the winner whose packet was lost asks again in the meantime and is given another one.
#[tokio::test]
async fn a_winner_who_was_given_another_packet_keeps_the_first_and_the_recovery_ends() {
    let HastilyClaimed { stand: _stand, server, raw, reported, said, conflicts, _redis, .. } =
        claimed_hastily_by(&["hasty", "late-3"]).await;
    assert_eq!(conflicts.len(), 2, "{said:?}");
    assert!(conflicts.iter().any(|conflict| conflict.contains("hasty")), "{conflicts:?}");
    assert!(conflicts.iter().any(|conflict| conflict.starts_with("late-3 keeps packet")), "{conflicts:?}");
    all_get_the_original(&server, "s", &reported).await;
    let held = holdings(&raw, "s").await;
    assert_eq!(held.len(), 20, "{held:?}");
    // Nothing is in the way of the next.
    win(&server, "s", "next", 0..80).await;
}

/// Waits until the sale is suspended.
async fn suspended(redis: &TestRedis) {
    let raw = redis.raw().await;
    eventually("the sale is suspended", async || {
        let state: String = raw.run("HGET", (key("s", "meta"), "state")).await;
        (state == "suspended").then_some(())
    })
    .await;
}
