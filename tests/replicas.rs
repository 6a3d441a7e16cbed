//! Attempts that are acknowledged only when a replica has them.

use crate::support::{app::TestApp, cluster::TestCluster, eventually, ledger::Base, sale::terms};
use engine::red_packet::scripts::key;
use model::{error::Code, red_packet::Outcome};
use rustix::process::Signal;

#[tokio::test]
async fn what_no_replica_has_is_unknown_and_known_as_soon_as_one_has_it() {
    let (cluster, base) = (TestCluster::start().await, Base::sqlite());
    let app = TestApp::with_replicas(&cluster.url(), base.connect().await.expect("a ledger"), 1).await;
    app.red_packet.open(terms("s", 10_000, 100)).await.expect("a sale");
    let claim = async || app.red_packet.claim("s", "ann".to_owned(), Some("r".to_owned())).await;
    let replica = cluster.replica_of(cluster.master_of(&key("s", "meta")).await).await;
    cluster.signal(replica, Signal::STOP);
    let unknown = claim().await.expect_err("no answer");
    assert_eq!(unknown.code, Code::Unavailable);
    assert!(unknown.message.contains("too few replicas"), "{}", unknown.message);
    cluster.signal(replica, Signal::CONT);
    let told = eventually("it is known", async || claim().await.ok()).await;
    assert!(matches!(told, Outcome::Repeat { .. }), "{told:?}");
}

#[tokio::test]
async fn a_master_without_its_replica_is_given_nothing_new() {
    let (mut cluster, base) = (TestCluster::start().await, Base::sqlite());
    let app = TestApp::with_replicas(&cluster.url(), base.connect().await.expect("a ledger"), 1).await;
    app.red_packet.open(terms("s", 10_000, 100)).await.expect("a sale");
    let replica = cluster.replica_of(cluster.master_of(&key("s", "meta")).await).await;
    cluster.kill(replica);
    let refusal = eventually("it is noticed", async || {
        app.store.check_fitness().await.expect("a Redis that is fit");
        app.red_packet
            .claim("s", "ann".to_owned(), Some("r".to_owned()))
            .await
            .err()
            .filter(|error| error.code == Code::StoreRefused)
    })
    .await;
    assert!(refusal.message.contains("0 replicas") && refusal.message.contains("Nothing was tried"), "{refusal}");
    cluster.begin(replica);
    let told = eventually("it is back", async || {
        app.store.check_fitness().await.expect("a Redis that is fit");
        app.red_packet.claim("s", "ben".to_owned(), None).await.ok()
    })
    .await;
    // One that was made while nothing was known of the replica's end may have been carried out.
    assert!(matches!(told, Outcome::Won { .. } | Outcome::Repeat { .. }), "{told:?}");
}
