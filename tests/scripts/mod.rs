//! Each script alone, against a real Redis: reply, stored state, event, repeat, wrong calls.

mod ack_and_trim;
mod audit;
mod cases;
mod claim;
mod claim_ids;
mod claim_once;
mod crowd;
mod fence;
mod lease;
mod open;
mod recover;
mod refund;
mod resume;
mod schedule;
mod snapshot;
mod stream_position;
mod suspend;
mod tickets_of_users;
mod time;
mod writes;

use crate::support::redis::Raw;
use store::script::Script;

/// Every number of keys and arguments but the right ones is an error that writes nothing.
async fn refuses_other_numbers(redis: &Raw, script: &Script, keys: &[String], args: &[Vec<u8>], wrong_args: &[usize]) {
    let before = redis.keys().await;
    let offset: i64 = redis.info("persistence", "aof_current_size").await;
    let one_more: Vec<String> = keys.iter().cloned().chain(["one:more".to_owned()]).collect();
    for wrong in [&keys[..keys.len() - 1], &one_more, &[]] {
        let error = redis.script(script, wrong, args).await.expect_err("a wrong number of keys");
        assert!(error.to_string().contains(&format!("takes {} keys", keys.len())), "{error}");
    }
    for &number in wrong_args {
        let wrong: Vec<Vec<u8>> = args.iter().cycle().take(number).cloned().collect();
        redis.script(script, keys, &wrong).await.expect_err("a wrong number of arguments");
    }
    assert_eq!(redis.keys().await, before);
    // Whatever writes goes to the append-only file.
    assert_eq!(redis.info::<i64>("persistence", "aof_current_size").await, offset);
}
