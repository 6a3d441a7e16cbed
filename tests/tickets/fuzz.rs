//! Requests about tickets.

use super::kind::KIND;
use crate::fuzz::requests::{Call, Fuzz, Values, body, maybe, one_of};
use model::ticket::{
    Pick,
    hall::{
        Layout, Section,
        marks::{Mark, Marking},
        rows::RowLayout,
    },
    halls::HallName,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::collections::BTreeMap;
use web::ticket::api::{
    BlockRequest, CancelRequest, ExtendRequest, HallRequest, OpenTicketsRequest, OrderRequest, PayRequest,
    ReserveRequest, SeatInfoRequest, TicketAuditRequest, TicketScriptRequest, TicketSnapshotRequest, UnblockRequest,
};

pub const FUZZ: Fuzz = Fuzz { open, call, behavior: |share| json!({ "choosers": 0.5, "pay": share }) };

fn open(_: &Values, id: Option<String>, random: &mut ChaCha8Rng) -> Call {
    let own = random.random_bool(0.8);
    let hall = if random.random_ratio(1, 20) { HallName::Stadium } else { HallName::Theatre };
    body(OpenTicketsRequest {
        id,
        request_id: Some(format!("o{}", random.random_range(0..20))),
        hall: (!own).then_some(hall),
        layout: own.then(|| layout(random)),
        prices: own.then(|| BTreeMap::from([("A".to_owned(), random.random_range(0..10_000))])),
        limit_per_user: maybe(random, |random| random.random_range(1..10)),
        hold_s: maybe(random, |random| random.random_range(1..60)),
        extendable: maybe(random, Rng::random),
        opens_at: None,
        opens_in_s: None,
        ends_at: None,
        ends_in_s: None,
        title: None,
        description: None,
        currency: None,
    })
}

fn layout(random: &mut ChaCha8Rng) -> Layout {
    let rows = (0..random.random_range(1..5)).map(|_| row(random)).collect();
    let section = Section { id: "A".to_owned(), category: "A".to_owned(), rows, ..Section::default() };
    let marking = Marking { mark: Some(Mark::Blocked), seats: vec![front_seat(random)], note: None, category: None };
    let marks = if random.random_ratio(1, 3) { vec![marking] } else { Vec::new() };
    Layout { categories: vec!["A".to_owned()], sections: vec![section], marks }
}

fn row(random: &mut ChaCha8Rng) -> RowLayout {
    let seats: u16 = random.random_range(1..12);
    if random.random_ratio(2, 3) {
        return seats.into();
    }
    let (from, step) = (random.random_range(0..30), random.random_range(-2..4));
    RowLayout { from, step, gaps: maybe(random, |_| vec![from]).unwrap_or_default(), ..seats.into() }
}

fn call(values: &Values, random: &mut ChaCha8Rng) -> Call {
    let sale = values.sale(&KIND);
    let order = values.learned("order", random);
    let request_id = maybe(random, |random| values.request_id(random));
    let reason = maybe(random, |_| "fuzz".to_owned());
    match random.random_range(0..31) {
        0 => body(TicketSnapshotRequest { sale }),
        1 => body(HallRequest { sale }),
        2 => body(SeatInfoRequest { sale, seat: seat(random) }),
        3 => body(TicketAuditRequest { sale }),
        4 => body(TicketScriptRequest {}),
        5 | 6 => body(OrderRequest { sale, order }),
        7..10 => body(CancelRequest { sale, order, seats: None, reason, request_id }),
        10 => {
            let seats = Some((0..random.random_range(0..3)).map(|_| seat(random)).collect());
            body(CancelRequest { sale, order, seats, reason, request_id })
        }
        11 => body(ExtendRequest { sale, order, reason, request_id }),
        12..16 => body(PayRequest { sale, order, request_id }),
        16 | 17 => body(BlockRequest { sale, seats: vec![front_seat(random)], reason, request_id }),
        18 => body(UnblockRequest { sale, seats: vec![front_seat(random)], reason, request_id }),
        _ => reserve(sale, request_id, values, random),
    }
}

fn reserve(sale: String, request_id: Option<String>, values: &Values, random: &mut ChaCha8Rng) -> Call {
    let chooses = random.random();
    let mut seats: Vec<String> = (0..random.random_range(1..4)).map(|_| seat(random)).collect();
    seats.sort_unstable();
    seats.dedup();
    let holders = seats.iter().map(|seat| format!("for {seat}")).collect();
    body(ReserveRequest {
        sale,
        user: values.user(random),
        request_id,
        seats: if chooses { Some(seats) } else { None },
        pick: if chooses { None } else { Some(vec![pick(random)]) },
        holders: if chooses { maybe(random, |_| holders) } else { None },
    })
}

fn pick(random: &mut ChaCha8Rng) -> Pick {
    let category = one_of(random, &["stalls", "circle", "balcony", "A"]).to_owned();
    Pick { category, count: random.random_range(1..=4), adjacent: random.random(), strict: random.random() }
}

fn seat(random: &mut ChaCha8Rng) -> String {
    format!("A-{:02}-{:02}", random.random_range(1..4), random.random_range(1..12))
}

/// One of the few seats that are blocked now and then, so that those that are unblocked often are blocked.
fn front_seat(random: &mut ChaCha8Rng) -> String {
    format!("A-01-{:02}", random.random_range(1..4))
}
