//! The scripts of stock, each in a state in which it writes.

use crate::{
    scripts::cases::{Call, Case, Concat, Step, TOKEN, UNSEEN, being_recovered, command, pack},
    support::sale::START,
};
use engine::stock::scripts::{ADJUST, CLOSE, DEDUCT, GIVE_BACK, KIND, LOAD, OPEN, RECOVER, RESUME, key};
use redis::ToRedisArgs;
use store::script::Script;

fn call(script: &'static Script, args: impl ToRedisArgs) -> Call {
    Call::new(KIND, script, args)
}

/// Of ten, one gets six, so that few are left, sends it again, and is refused more.
pub fn cases() -> Vec<Case> {
    let open = || Step::Call(call(&OPEN, (START, 10, 300_000, 5, "")));
    let lock = || command(&["SET", &key("s", "rebuild"), TOKEN]);
    let load = || call(&LOAD, (UNSEEN, START, TOKEN, 0, "0-0", "server"));
    let cached = || vec![open(), lock(), Step::Call(load())];
    let deduct = || {
        let attempts = pack(("ann", "r1", 6, "ann", "r1", 6, "bob", "r2", 9));
        call(&DEDUCT, (UNSEEN, START, 3, attempts))
    };
    let deducted = || [cached(), vec![Step::Call(deduct())]].concat_steps();
    let record = |user: &str| pack((user, 1, "deducted", 9));
    let recover = |chunk: u32| call(&RECOVER, (TOKEN, chunk, format!("r{chunk}"), record(&format!("u{chunk}"))));
    let resume = ((TOKEN, START, 1, 0, "5-3", 17, "5-4", 0, 2), ("state", "open", "sum", 9), ("won", 1));
    vec![
        Case::new(vec![], call(&OPEN, (START, 10, 300_000, "", ""))),
        Case::new(vec![open(), lock()], load()),
        Case::new(cached(), deduct()).replacing(&[6]),
        Case::new(deducted(), call(&GIVE_BACK, (UNSEEN, START, "r1", "r1", "r9"))),
        Case::new(cached(), call(&ADJUST, (UNSEEN, START, "a", "corrected", 4, ""))),
        Case::new(cached(), call(&CLOSE, (UNSEEN, START))),
        Case::new([deducted(), vec![being_recovered(KIND)]].concat_steps(), recover(0)).replacing(&[2, 3, 4, 5]),
        // It neither reads nor writes the quantity, counts of attempts and events.
        Case::new(vec![being_recovered(KIND), Step::Call(recover(0))], recover(1)).replacing(&[2, 4, 5]),
        Case::new(vec![being_recovered(KIND), Step::Call(recover(0))], call(&RESUME, resume)),
    ]
}
