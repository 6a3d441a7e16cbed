//! The crowd's orders: who comes, how many at a time, how fast, how stubborn.

use super::Crowd;
use crate::{
    crowd::{Arrival, ArrivalKind, Behavior, MAX_OVER_S, MAX_PER_S, api, words::words},
    error::{Error, Result},
    i18n, nodes,
    ui::{
        ask::ask,
        field::{Field, button, choice, field, number, optional, submit},
        format::parse_count,
        icons::{Icon, icon},
        node::{El, Node, el},
        notice::notice,
        platform,
    },
};
use leptos::prelude::*;

const FIELDS: &[&str] = &["users", "concurrency", "repeat_rate", "seed", "per_s", "over_s"];

/// What a kind of sale asks beside what all ask.
pub struct Questions {
    pub fields: Vec<Field>,
    /// Puts what was typed into them into the request.
    pub typed: fn(&mut api::StartRequest) -> Result<()>,
    /// The names of all fields, so that an error of one is shown beside it.
    pub names: &'static [&'static str],
}

impl Questions {
    pub const NONE: Self = Self { fields: Vec::new(), typed: |_| Ok(()), names: FIELDS };
}
const KINDS: [ArrivalKind; 3] = [ArrivalKind::Burst, ArrivalKind::Ramp, ArrivalKind::Constant];

fn kind(place: usize) -> ArrivalKind {
    KINDS.get(place).copied().unwrap_or(ArrivalKind::Burst)
}

/// A whole number that was typed; the server knows the limits.
pub fn small(name: &'static str) -> Result<u32> {
    number(name, name, parse_count).and_then(|number| u32::try_from(number).map_err(|_| Error::bad(name, "")))
}

/// A share that was typed, in percent.
pub fn percent(name: &'static str) -> Result<f64> {
    Ok(f64::from(small(name)?) / 100.0)
}

/// What was typed, as far as it is numbers.
fn typed(
    sale: String,
    kind_of_sale: &'static str,
    more: fn(&mut api::StartRequest) -> Result<()>,
) -> Result<api::StartRequest> {
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
    let mut request = api::StartRequest {
        sale,
        users: small("users")?,
        concurrency: small("concurrency")?,
        repeat_rate: percent("repeat_rate")?,
        arrival,
        seed: optional("seed")?,
        kind: Some(kind_of_sale.to_owned()),
        behavior: Behavior::new(),
    };
    more(&mut request)?;
    Ok(request)
}

pub fn form(sale: String, kind_of_sale: &'static str, questions: Questions, crowd: Crowd) -> El {
    let (words, shared) = (words(), i18n::words());
    let Questions { fields, typed: more, names: known } = questions;
    let chosen = RwSignal::new(0);
    let error = RwSignal::new(None::<Error>);
    let waiting = RwSignal::new(false);
    let start = move || {
        if waiting.get_untracked() || crowd.is_running() {
            return;
        }
        let request = match typed(sale.clone(), kind_of_sale, more) {
            Ok(request) => request,
            Err(why) => return error.set(Some(why)),
        };
        error.set(None);
        waiting.set(true);
        ask(request, move |started| {
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
    let line = |name, words, value| field(Field { name, words, value, numeric: true }, error);
    let names = KINDS.map(words.arrival_name);
    let means = move |place| (words.arrival_hint)(kind(place));
    let is = move |wanted: ArrivalKind| kind(chosen.get()) == wanted;
    let asked: Vec<Node> = fields.into_iter().map(|one| field(one, error).into()).collect();
    el("form")
        .class("orders")
        .on("submit", move |event| {
            event.prevent_default();
            start();
        })
        .with(nodes![
            line("users", words.users, "10000"),
            line("concurrency", words.concurrency, "500"),
            line("repeat_rate", words.repeat_rate, "20"),
            line("seed", shared.seed, ""),
            asked,
            choice("arrival", words.arrival, &names, chosen, means),
            line("per_s", words.per_s, "5000").when("hidden", move || is(ArrivalKind::Burst)),
            line("over_s", words.over_s, "10").when("hidden", move || !is(ArrivalKind::Ramp)),
            el("div").class("actions").with(nodes![
                submit("strong", move || waiting.get() || crowd.is_running())
                    .with(nodes![icon(Icon::Crowd), words.start]),
                button("", move || waiting.get() || !crowd.is_running(), stop)
                    .with(nodes![icon(Icon::Stop), words.stop]),
            ]),
            notice(error, known),
        ])
}
