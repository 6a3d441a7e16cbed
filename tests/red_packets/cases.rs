//! The scripts of red packets, each in a state in which it writes.

use crate::{
    scripts::cases::{Call, Case, Step, TOKEN, UNSEEN, being_recovered},
    support::sale::{Chunk, END, START, claim_args},
};
use engine::red_packet::scripts::{CLAIM, CLOSE, KIND, OPEN, RECOVER, REFUND, RESUME};
use redis::ToRedisArgs;
use store::script::Script;

fn call(script: &'static Script, args: impl ToRedisArgs) -> Call {
    Call::new(KIND, script, args)
}

pub fn open() -> Step {
    Step::Call(call(&OPEN, Chunk::whole(&[4, 3, 3]).args()))
}

fn recover(chunk: u32) -> Call {
    call(&RECOVER, (TOKEN, chunk, 2, format!("{}:3", 2 * chunk + 2), "9:4", format!("u{chunk}"), "1:4"))
}

pub fn cases() -> Vec<Case> {
    let chunk = Chunk::whole(&[4, 3, 3]);
    let (first, second) = (chunk.part(1, 2).args(), chunk.part(3, 3).args());
    let claim = || Step::Call(call(&CLAIM, claim_args(START, &["ann", "ann", "bob"])));
    let meta = ("state", "open", "total_cents", "10", "expires_at", END);
    let resume = ((TOKEN, START, 2, 1, "5-3", 17, "5-4", 0, 3), meta, ("won", 1));
    let recovered = || vec![being_recovered(KIND), Step::Call(recover(0))];
    vec![
        // The stream is only needed for the last chunk.
        Case::new(vec![], call(&OPEN, first.clone())).replacing(&[3]),
        Case::new(vec![Step::Call(call(&OPEN, first))], call(&OPEN, second)),
        Case::new(vec![open()], call(&CLAIM, claim_args(START, &["ann", "ann", "bob"]))).replacing(&[6]),
        Case::new(vec![open(), claim()], call(&REFUND, (UNSEEN, END))).due(),
        Case::new(vec![open(), claim()], call(&CLOSE, (UNSEEN, START))),
        Case::new(vec![open(), claim(), being_recovered(KIND)], recover(0)).replacing(&[1, 2, 4, 5]),
        // It neither reads nor writes counts and events.
        Case::new(recovered(), recover(1)).replacing(&[4, 5]),
        Case::new(recovered(), call(&RESUME, resume)),
    ]
}
