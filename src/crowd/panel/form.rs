//! The crowd's orders: who comes, how many at a time, how fast, how stubborn.

use super::Crowd;
use crate::{
    crowd::{Arrival, ArrivalKind, MAX_OVER_S, MAX_PER_S, api},
    error::{Error, Result},
    nodes,
    ui::{
        ask::ask,
        field::{Field, button, choice, field, number, optional, submit},
        format::parse_count,
        icons::{Icon, icon},
        node::{El, el},
        notice::notice,
        platform,
    },
    words::words,
};
use leptos::prelude::*;

const FIELDS: &[&str] = &["users", "concurrency", "repeat_rate", "seed", "per_s", "over_s"];
const KINDS: [ArrivalKind; 3] = [ArrivalKind::Burst, ArrivalKind::Ramp, ArrivalKind::Constant];

fn kind(place: usize) -> ArrivalKind {
    KINDS.get(place).copied().unwrap_or(ArrivalKind::Burst)
}

struct Typed {
    users: u32,
    concurrency: u32,
    repeat_rate: f64,
    arrival: Arrival,
    seed: Option<u64>,
}

/// What was typed, as far as it is numbers; the server knows the limits.
fn typed() -> Result<Typed> {
    let small = |name: &'static str| {
        number(name, name, parse_count).and_then(|number| u32::try_from(number).map_err(|_| Error::bad(name, "")))
    };
    // For the server these two are one field, `arrival`; here each has its own place.
    let within = |name: &'static str, most: u32| {
        small(name).and_then(|figure| if (1..=most).contains(&figure) { Ok(figure) } else { Err(Error::bad(name, "")) })
    };
    let kind = kind(platform::chosen("arrival"));
    let Arrival { per_s, over_s, .. } = Arrival::BURST;
    let arrival = Arrival {
        kind,
        per_s: if kind == ArrivalKind::Burst { per_s } else { within("per_s", MAX_PER_S)? },
        over_s: if kind == ArrivalKind::Ramp { within("over_s", MAX_OVER_S)? } else { over_s },
    };
    Ok(Typed {
        users: small("users")?,
        concurrency: small("concurrency")?,
        repeat_rate: f64::from(small("repeat_rate")?) / 100.0,
        arrival,
        seed: optional("seed")?,
    })
}

pub fn form(sale: String, crowd: Crowd) -> El {
    let words = words();
    let chosen = RwSignal::new(0);
    let error = RwSignal::new(None::<Error>);
    let waiting = RwSignal::new(false);
    let start = move || {
        if waiting.get_untracked() || crowd.is_running() {
            return;
        }
        let orders = match typed() {
            Ok(orders) => orders,
            Err(why) => return error.set(Some(why)),
        };
        error.set(None);
        waiting.set(true);
        let sale = sale.clone();
        let Typed { users, concurrency, repeat_rate, arrival, seed } = orders;
        ask(api::StartRequest { sale, users, concurrency, repeat_rate, arrival, seed }, move |started| {
            error.set(started.err());
            waiting.set(false);
        });
    };
    let stop = move || {
        let run = crowd.read(|status| status.run.clone());
        waiting.set(true);
        ask(api::StopRequest { run }, move |stopped| {
            error.set(stopped.err());
            waiting.set(false);
        });
    };
    let line = |name, label, value, hint| field(Field { name, label, value, hint, numeric: true }, error);
    let names = KINDS.map(words.arrival_name);
    let means = move |place| (words.arrival_means)(kind(place));
    let is = move |wanted: ArrivalKind| kind(chosen.get()) == wanted;
    el("form")
        .class("orders")
        .on("submit", move |event| {
            event.prevent_default();
            start();
        })
        .with(nodes![
            line("users", words.users, "10000", words.users_hint),
            line("concurrency", words.concurrency, "500", words.concurrency_hint),
            line("repeat_rate", words.repeat_rate, "20", words.repeat_rate_hint),
            line("seed", words.seed, "", words.seed_hint),
            choice("arrival", words.arrival, &names, chosen, means),
            line("per_s", words.per_s, "5000", words.per_s_hint).when("hidden", move || is(ArrivalKind::Burst)),
            line("over_s", words.over_s, "10", words.over_s_hint).when("hidden", move || !is(ArrivalKind::Ramp)),
            el("div").class("actions").with(nodes![
                submit("strong", move || waiting.get() || crowd.is_running())
                    .with(nodes![icon(Icon::Crowd), words.start]),
                button("", move || waiting.get() || !crowd.is_running(), stop)
                    .with(nodes![icon(Icon::Stop), words.stop]),
            ]),
            notice(error, FIELDS),
        ])
}
