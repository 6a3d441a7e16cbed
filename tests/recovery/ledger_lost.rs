//! The database's data is gone: a new ledger is not used by accident, and the audit reports what it lacks.

use super::*;
use crate::support::redis::TestRedis;

#[tokio::test]
async fn a_new_ledger_is_used_only_on_request_and_the_audit_reports_what_it_lacks() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    open(&server, "s", 200).await;
    let mut reported = BTreeMap::new();
    // One after another, so that there are more entries than stay in the stream.
    for number in 0..100 {
        reported.extend(win(&server, "s", "u", number..number + 1).await);
    }
    caught_up(&server, "s").await;
    let raw = redis.raw().await;
    eventually("the stream is trimmed", async || {
        let entries: i64 = raw.run("XLEN", key("s", "events")).await;
        (entries == 64).then_some(())
    })
    .await;
    server.stop().await;
    for file in std::fs::read_dir(stand.home.data()).expect("the data folder") {
        std::fs::remove_file(file.expect("an entry").path()).expect("a file of the ledger");
    }

    let mut serve = stand.command(&stand.redis, "serve");
    let output = within("the program ends", serve.stderr(Stdio::piped()).output()).await.expect("it ran");
    let complaint = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert!(complaint.contains("This Redis feeds another ledger") && complaint.contains("--new-ledger"), "{complaint}");

    let mut serve = stand.command(&stand.redis, "serve");
    serve.arg("--new-ledger");
    let server = Running::start(serve).await;
    all_get_the_original(&server, "s", &reported).await;
    win(&server, "s", "v", 0..10).await;
    caught_up(&server, "s").await;
    let audit = stand.audit("s").await;
    // Entries trimmed behind the old ledger are not in the new one: the opening and 36 of 110 wins.
    assert_eq!((audit.code, audit.invariant("events")), (1, (110, 74)));
    assert_eq!(audit.invariant("ledger_rows"), (74, 74));
    // The flag is not needed again.
    server.stop().await;
    stand.serve().await;
}
