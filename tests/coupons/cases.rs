//! The scripts of coupons, each in a state in which it writes.

use crate::{
    scripts::cases::{Call, Case, Concat, Step, TOKEN, UNSEEN, being_recovered, pack},
    support::sale::START,
};
use engine::coupon::scripts::{CLAIM, CLOSE, GIVE_BACK, KIND, OPEN, RECOVER, REDEEM, RESUME, SET_LIMITS, UPLOAD, VOID};
use redis::ToRedisArgs;
use std::collections::BTreeMap;
use store::script::Script;

fn call(script: &'static Script, args: impl ToRedisArgs) -> Call {
    Call::new(KIND, script, args)
}

/// One gets two coupons, sends a request again, and is refused a third; another is refused for the sale.
pub fn cases() -> Vec<Case> {
    const DAY: i64 = 86_400_000;
    let table = pack([("total", "sale", "ever"), ("per_user", "user", "day")]);
    let opening = |lists: &str| {
        let limits = ("total", 2, "per_user", "");
        call(&OPEN, (START, "UTC", "key", 0, " ", table.clone(), "", lists.to_owned(), limits))
    };
    let open = || Step::Call(opening("0 0"));
    // Three own codes, for two users.
    let upload = |list: &str, entries: [&str; 2]| {
        let packed = pack(entries.map(|entry| entry.split(' ').next_back().unwrap_or_default()));
        call(&UPLOAD, (UNSEEN, START, list.to_owned(), 1, packed, entries.map(str::to_owned).to_vec()))
    };
    let codes = || upload("codes", ["OWN1 Own-1", "OWN2"]);
    let users = || upload("users", ["ann", "bob"]);
    let with_lists = || vec![Step::Call(opening("2 2")), Step::Call(codes()), Step::Call(users())];
    // Reaching beyond the time of any Redis.
    let windows = pack(BTreeMap::from([("day", [START - DAY, START, START + DAY, 2 * START])]));
    let claim = || {
        let attempts = ["ann", "r1", "C1", "ann", "r2", "C2", "ann", "r1", "C1", "bob", "r3", "C3"];
        call(&CLAIM, (UNSEEN, START, "UTC key", windows.clone(), 4, pack(attempts)))
    };
    let claimed = || vec![open(), Step::Call(claim())];
    let own = || [with_lists(), vec![Step::Call(claim())]].concat_steps();
    let redeem = || call(&REDEEM, (UNSEEN, START, "C1", "e1", "C1", "e1", "C2", "e2", "C9", "e3"));
    let redeem_own = || call(&REDEEM, (UNSEEN, START, "OWN1", "e1", "OWN1", "e1", "OWN2", "e2", "OWN9", "e3"));
    let back = |code: &'static str, request: &'static str, why: &'static str| (code, request, why);
    let both = (back("C1", "e1", "Ill"), back("C1", "e1", ""), back("C2", "e2", ""), back("C9", "e3", ""));
    let both_own = (back("OWN1", "e1", "Ill"), back("OWN1", "e1", ""), back("OWN2", "e2", ""), back("OWN9", "e3", ""));
    let set = |request: &str, total: i64| call(&SET_LIMITS, (UNSEEN, START, request, "total", total));
    let record = |user: &str| pack((user, "claimed", START, "", "", [""; 0]));
    let recover = |chunk: u32| {
        let (code, user) = (format!("C{chunk}"), format!("u{chunk}"));
        let count = (format!("user:{user}"), format!("{code} per_user=1"));
        let own = (format!("OWN{chunk}"), &code, format!("OWN{}", chunk + 5));
        call(&RECOVER, (TOKEN, chunk, "1 1 1 1 1", (&code, record(&user)), count, own, (&user, "")))
    };
    let resume =
        ((TOKEN, START, 1, 1, "5-3", 17, "5-4", 0, "1 1 1", 2), ("state", "open", "basis", "UTC key"), ("won", 1));
    vec![
        Case::new(vec![], opening("0 0")),
        Case::new(vec![Step::Call(opening("2 2"))], codes()).replacing(&[4]),
        Case::new(vec![Step::Call(opening("2 2"))], users()).replacing(&[2, 3]),
        // A sale without lists does not look at theirs.
        Case::new(vec![open()], claim()).replacing(&[6, 7, 8, 9]),
        Case::new(with_lists(), claim()).replacing(&[6]),
        Case::new(claimed(), redeem()).replacing(&[5]),
        Case::new(own(), redeem_own()),
        Case::new(claimed(), call(&GIVE_BACK, (UNSEEN, START, both))).replacing(&[6, 7]),
        Case::new(own(), call(&GIVE_BACK, (UNSEEN, START, both_own))),
        // One is taken back, and once more; another was redeemed by another request.
        Case::new(
            [claimed(), vec![Step::Call(redeem())]].concat_steps(),
            call(&VOID, (UNSEEN, START, back("C1", "e1", "Ill"), back("C1", "e1", ""), back("C2", "e1", ""))),
        )
        .replacing(&[5]),
        Case::new([claimed(), vec![Step::Call(set("a", 3))]].concat_steps(), set("b", 5)),
        Case::new(claimed(), call(&CLOSE, (UNSEEN, START))),
        Case::new([claimed(), vec![being_recovered(KIND)]].concat_steps(), recover(0))
            .replacing(&[2, 3, 4, 5, 6, 7, 8]),
        // It neither reads nor writes counts of attempts and events.
        Case::new(vec![being_recovered(KIND), Step::Call(recover(0))], recover(1)).replacing(&[4, 5]),
        Case::new(vec![being_recovered(KIND), Step::Call(recover(0))], call(&RESUME, resume)),
    ]
}
