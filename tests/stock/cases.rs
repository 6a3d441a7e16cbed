//! The scripts of stock, each in a state in which it writes.

use crate::{
    scripts::cases::{Call, Case, Concat, Step, TOKEN, UNSEEN, being_recovered, command, pack},
    support::sale::START,
};
use engine::stock::scripts::{
    ADJUST, CLOSE, CONFIRM, CONFIRM_ITEMS, DEDUCT, DEDUCT_ITEMS, EXPIRE, GIVE_BACK, KIND, LOAD, OPEN, RECOVER, RESUME,
    key,
};
use redis::ToRedisArgs;
use store::script::Script;

fn call(script: &'static Script, args: impl ToRedisArgs) -> Call {
    Call::new(KIND, script, args)
}

/// Of ten, one gets six, so that few are left, sends it again, and is refused more.
pub fn cases() -> Vec<Case> {
    let open = || Step::Call(call(&OPEN, (START, 10, 300_000, 5, "", "", "", "")));
    // Of another, nobody may have more than six, and what they get is held for as long as the case wants.
    let open_held = |hold_ms: u32| Step::Call(call(&OPEN, (START, 10, 300_000, 5, 6, hold_ms, "", "")));
    let lock = || command(&["SET", &key("s", "rebuild"), TOKEN]);
    let load = || call(&LOAD, (UNSEEN, START, TOKEN, 0, "0-0", "server"));
    let cached = || vec![open(), lock(), Step::Call(load())];
    let deduct = || {
        let attempts = pack(("ann", "r1", 6, "ann", "r1", 6, "bob", "r2", 9));
        call(&DEDUCT, (UNSEEN, START, 3, attempts))
    };
    let deducted = || [cached(), vec![Step::Call(deduct())]].concat_steps();
    let cached_held = |hold_ms| vec![open_held(hold_ms), lock(), Step::Call(load())];
    let held = |hold_ms| [cached_held(hold_ms), vec![Step::Call(deduct())]].concat_steps();
    let record = |user: &str| pack((user, 1, "held", 9, START + 5));
    let recover = |chunk: u32| {
        let (user, request) = (format!("u{chunk}"), format!("r{chunk}"));
        let record = record(&user);
        call(&RECOVER, ((TOKEN, chunk, 1, 1), (user, 1), (START + 5, request.clone()), (request, record)))
    };
    let resume = (
        (TOKEN, START, 1, 0, "5-3", 17, "5-4", 0, 1, 1, 4),
        ("state", "open", "sum", 9),
        ("hold_ms", 5, "held", 1),
        ("won", 1),
    );
    let items = (START, "r1", "ann", UNSEEN, 6);
    let all = |request: &'static str| (request, "", "", "");
    vec![
        Case::new(vec![], call(&OPEN, (START, 10, 300_000, "", "", "", "", ""))),
        Case::new(vec![], call(&OPEN, (START, 10, 300_000, "", 6, 5, "", "g"))),
        Case::new(vec![open(), lock()], load()),
        // Only sales with such terms have users and deadlines.
        Case::new(cached(), deduct()).replacing(&[6, 7, 8]),
        Case::new(cached_held(5), deduct()).replacing(&[6]),
        // Of one item: each further one is read and written in the same way.
        Case::new(cached(), call(&DEDUCT_ITEMS, items)).replacing(&[6, 7, 8]),
        Case::new(cached_held(5), call(&DEDUCT_ITEMS, items)).replacing(&[6]),
        Case::new(held(60_000), call(&CONFIRM_ITEMS, (START, "r1", "Ill", UNSEEN))),
        Case::new(deducted(), call(&GIVE_BACK, (UNSEEN, START, all("r1"), all("r1"), all("r9")))).replacing(&[6, 7]),
        Case::new(held(5), call(&GIVE_BACK, (UNSEEN, START, ("r1", 2, "a", "Ill"), all("r1"), all("r9")))),
        Case::new(held(60_000), call(&CONFIRM, (UNSEEN, START, ("r1", "Ill"), ("r1", ""), ("r9", "")))),
        Case::new(held(5), call(&EXPIRE, (UNSEEN, START + 5, 64))).due(),
        Case::new(cached(), call(&ADJUST, (UNSEEN, START, "a", "corrected", 4, ""))),
        Case::new(cached(), call(&CLOSE, (UNSEEN, START))),
        Case::new([deducted(), vec![being_recovered(KIND)]].concat_steps(), recover(0)).replacing(&[2, 3, 4, 5, 6, 7]),
        // It neither reads nor writes the quantity, counts of attempts and events.
        Case::new(vec![being_recovered(KIND), Step::Call(recover(0))], recover(1)).replacing(&[2, 4, 5]),
        Case::new(vec![being_recovered(KIND), Step::Call(recover(0))], call(&RESUME, resume)),
    ]
}
