//! The scripts of tickets, each in a state in which it writes.

use crate::{
    scripts::cases::{Call, Case, Concat, Step, TOKEN, UNSEEN, being_recovered, pack},
    support::sale::START,
};
use engine::ticket::scripts::{BLOCK, CANCEL, CLOSE, EXPIRE, EXTEND, KIND, OPEN, PAY, RECOVER, RESERVE, RESUME};
use model::ticket::{
    hall::{Hall, Layout, Section},
    index,
};
use redis::ToRedisArgs;
use store::script::Script;

pub fn call(script: &'static Script, args: impl ToRedisArgs) -> Call {
    Call::new(KIND, script, args)
}

fn hall() -> Hall {
    let section = Section {
        id: "A".into(),
        category: "all".into(),
        rows: vec![4_u16.into(), 4_u16.into()],
        ..Section::default()
    };
    Hall::new(Layout { categories: vec!["all".into()], sections: vec![section], ..Layout::default() }).expect("a hall")
}

/// Seats, layout and index, as stored.
fn of_hall() -> [Vec<u8>; 3] {
    let hall = hall();
    let seats = vec![b'0'; 8];
    let free = index::free(&hall, &index::categories(&hall, &[500]), &seats);
    [seats, index::layout(&hall), free]
}

pub fn categories() -> Vec<u8> {
    pack(index::categories(&hall(), &[500]))
}

fn open() -> Call {
    let [seats, layout, free] = of_hall();
    let terms = ("{}", "[500]", 4, 60_000, "", "", "1", "", "1", 8, 0);
    let args = [START.to_redis_args(), vec![seats, layout, free], terms.to_redis_args()].concat();
    call(&OPEN, args)
}

/// One holds the best two seats, another chooses a seat, a third one that is taken.
fn reserve() -> Call {
    let none: [u32; 0] = [];
    let wanted = (
        ("ann", "r-ann", "o-ann", none, [1, 2, 1], [""; 0]),
        ("bob", "r-bob", "o-bob", [1, 1, 0], none, [""; 0]),
        ("cid", "r-cid", "o-cid", [1, 1, 0], none, [""; 0]),
    );
    call(&RESERVE, (UNSEEN, START, categories(), pack(wanted)))
}

pub fn held() -> Vec<Step> {
    vec![Step::Call(open()), Step::Call(reserve())]
}

fn recover(chunk: u32) -> Call {
    let (order, request, user) = (format!("o{chunk}"), format!("r{chunk}"), format!("u{chunk}"));
    let record = (&user, "held", 500, START + 60_000, [0, chunk], [""; 0], [""; 0], [0; 0]);
    let orders = pack([(order, request, record, [chunk])]);
    call(&RECOVER, (TOKEN, chunk, orders, pack((&user, 1))))
}

pub fn cases() -> Vec<Case> {
    let paid = || {
        let pay = call(&PAY, (UNSEEN, START, categories(), "o-ann", "p-ann"));
        [held(), vec![Step::Call(pay)]].concat_steps()
    };
    let [seats, layout, free] = of_hall();
    let resume = (
        (TOKEN, START, 1, 1, "5-3", 17, "5-4", 0),
        (seats, layout, free),
        (pack(("free:1", 7, "held:1", 1)), pack(("held", 1))),
        ("state", "open", "limit", "4", "hold_ms", "60000"),
    );
    let both = (UNSEEN, START, categories(), ("o-ann", "", "", ""), ("o-bob", "", "", "Rain"));
    // Of the first order, a part.
    let part = (UNSEEN, START, categories(), ("o-ann", "c-1", pack([0, 1]), "Rain"), ("o-bob", "", "", ""));
    let extensions =
        (UNSEEN, START, categories(), ("o-ann", "e-1", "Rain"), ("o-ann", "e-2", ""), ("o-bob", "e-3", ""));
    // A payment, and another of the same order, which is refunded.
    let payments = (UNSEEN, START, categories(), "o-ann", "p-1", "o-ann", "p-2", "o-bob", "p-3", "o-bob", "p-3");
    vec![
        Case::new(vec![], open()).replacing(&[2, 3, 4, 5]),
        Case::new(vec![Step::Call(open())], reserve()).replacing(&[14]),
        Case::new(held(), call(&PAY, payments)),
        Case::new(held(), call(&EXTEND, extensions)).replacing(&[4, 5]),
        Case::new(paid(), call(&CANCEL, both)),
        Case::new(paid(), call(&CANCEL, part)),
        Case::new(held(), call(&EXPIRE, (UNSEEN, START + 60_000, categories(), 64))).due(),
        // A free seat of a row in which others are held, and one of the other row.
        Case::new(held(), call(&BLOCK, (UNSEEN, START, categories(), "b-1", "blocked", "Camera", pack([0, 3, 1, 3])))),
        Case::new(held(), call(&CLOSE, (UNSEEN, START))),
        Case::new([held(), vec![being_recovered(KIND)]].concat_steps(), recover(0))
            .replacing(&[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        // It neither reads nor writes the hall, the counts and the events.
        Case::new(vec![being_recovered(KIND), Step::Call(recover(0))], recover(1)).replacing(&[2, 3, 4, 5, 11, 12]),
        Case::new(vec![being_recovered(KIND), Step::Call(recover(0))], call(&RESUME, resume)).replacing(&[2, 3, 4]),
    ]
}
