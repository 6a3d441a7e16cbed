//! Each script alone, against a real Redis: reply, stored state, event, repeat, wrong calls.

mod ack_and_trim;
mod audit;
pub mod cases;
mod claim;
mod claim_ids;
mod claim_once;
mod crowd;
mod fence;
mod keep_audit;
mod lease;
mod life;
mod open;
mod recover;
mod refund;
mod resume;
mod schedule;
mod snapshot;
mod stream_position;
mod suspend;
mod time;
mod writes;

use crate::support::redis::TestRedis;

#[tokio::test]
async fn a_call_with_other_numbers_of_keys_or_arguments_changes_nothing() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    for script in stampede::server::scripts() {
        let keys: Vec<String> = (0..script.parts().len()).map(|nth| format!("key:{nth}")).collect();
        let args = vec![b"1".to_vec(); 99];
        // The right number, but one; a script without keys gets one.
        let one = ["key".to_owned()];
        let mut wrong = match keys.split_first() {
            Some((_, others)) => vec![others, &[]],
            None => vec![&one[..]],
        };
        if !script.source().contains("#ARGV >=") {
            wrong.push(&keys);
        }
        for keys in wrong {
            let error = redis.script(script, keys, &args).await.expect_err("wrong numbers");
            assert!(error.to_string().contains("expects #KEYS"), "{}: {error}", script.name);
        }
    }
    assert_eq!(redis.keys().await, 0);
}
