//! The crowd's orders: who comes, how many at a time, how fast, how stubborn.

use super::part;
use crate::{
    crowd::{Arrival, ArrivalKind, Status, api},
    error::{Error, Result},
    ui::{
        field::{Field, field, typed, wrong},
        format::parse_count,
        icons::{Icon, icon},
        notice::notice,
        ready::ready,
    },
    words::words,
};
use leptos::{
    ev::SubmitEvent,
    html::{Input, Select},
    prelude::*,
    task::spawn_local,
};

const FIELDS: &[&str] = &["users", "concurrency", "repeat_rate", "arrival", "seed", "per_s", "over_s"];
const KINDS: [ArrivalKind; 3] = [ArrivalKind::Burst, ArrivalKind::Ramp, ArrivalKind::Constant];

#[derive(Clone, Copy)]
struct Inputs {
    users: NodeRef<Input>,
    concurrency: NodeRef<Input>,
    repeat: NodeRef<Input>,
    per_s: NodeRef<Input>,
    over_s: NodeRef<Input>,
    seed: NodeRef<Input>,
    arrival: NodeRef<Select>,
}

struct Typed {
    users: u32,
    concurrency: u32,
    repeat_rate: f64,
    arrival: Arrival,
    seed: Option<u64>,
}

impl Inputs {
    fn kind(self) -> ArrivalKind {
        let place = self.arrival.get_untracked().map_or(0, |select| select.selected_index());
        KINDS.get(usize::try_from(place).unwrap_or_default()).copied().unwrap_or(ArrivalKind::Burst)
    }

    /// What was typed, as far as it is numbers; the server knows the limits.
    fn read(self) -> Result<Typed> {
        let number = |name: &str, input: NodeRef<Input>| {
            let number = parse_count(&typed(input)).and_then(|number| u32::try_from(number).ok());
            number.ok_or_else(|| Error::bad(name, ""))
        };
        let kind = self.kind();
        let of_kind = |wanted: bool, name: &str, input, usual: u32| if wanted { number(name, input) } else { Ok(usual) };
        let seed = typed(self.seed);
        Ok(Typed {
            users: number("users", self.users)?,
            concurrency: number("concurrency", self.concurrency)?,
            repeat_rate: f64::from(number("repeat_rate", self.repeat)?) / 100.0,
            arrival: Arrival {
                kind,
                per_s: of_kind(kind != ArrivalKind::Burst, "per_s", self.per_s, Arrival::BURST.per_s)?,
                over_s: of_kind(kind == ArrivalKind::Ramp, "over_s", self.over_s, Arrival::BURST.over_s)?,
            },
            seed: match seed.as_str() {
                "" => None,
                seed => Some(seed.parse().map_err(|_| Error::bad("seed", ""))?),
            },
        })
    }
}

pub fn form(sale: String, status: Memo<Option<Status>>) -> AnyView {
    let words = words();
    let ready = ready();
    let inputs = Inputs {
        users: NodeRef::new(),
        concurrency: NodeRef::new(),
        repeat: NodeRef::new(),
        per_s: NodeRef::new(),
        over_s: NodeRef::new(),
        seed: NodeRef::new(),
        arrival: NodeRef::new(),
    };
    let kind = RwSignal::new(ArrivalKind::Burst);
    let error = RwSignal::new(None::<Error>);
    let waiting = RwSignal::new(false);
    let run = part(status, |status| status.run.clone());
    let running = Memo::new(move |_| status.with(|status| status.as_ref().is_some_and(|status| !status.phase.is_over())));
    let start = move |event: SubmitEvent| {
        event.prevent_default();
        if waiting.get_untracked() || running.get_untracked() {
            return;
        }
        let orders = match inputs.read() {
            Ok(orders) => orders,
            Err(why) => return error.set(Some(why)),
        };
        error.set(None);
        waiting.set(true);
        let sale = sale.clone();
        spawn_local(async move {
            let Typed { users, concurrency, repeat_rate, arrival, seed } = orders;
            if let Err(why) = api::start(sale, users, concurrency, repeat_rate, arrival, seed).await {
                error.set(Some(why));
            }
            waiting.set(false);
        });
    };
    let stop = move |_| {
        let run = run.get_untracked();
        waiting.set(true);
        spawn_local(async move {
            if let Err(why) = api::stop(run).await {
                error.set(Some(why));
            }
            waiting.set(false);
        });
    };
    let plain = |name, label, value, hint, input| field(Field { name, label, value, hint, numeric: true }, input, error);
    let wrong = wrong("arrival", error);
    let kinds = KINDS.map(|kind| view! { <option>{(words.arrival_name)(kind)}</option> }).collect_view();
    view! {
        <form class="orders" on:submit=start>
            {plain("users", words.users, "10000", words.users_hint, inputs.users)}
            {plain("concurrency", words.concurrency, "500", words.concurrency_hint, inputs.concurrency)}
            {plain("repeat_rate", words.repeat_rate, "20", words.repeat_rate_hint, inputs.repeat)}
            {plain("seed", words.seed, "", words.seed_hint, inputs.seed)}
            <div class="field">
                <label for="arrival">{words.arrival}</label>
                <select id="arrival" name="arrival" node_ref=inputs.arrival on:change=move |_| kind.set(inputs.kind())>
                    {kinds}
                </select>
                <span class="hint">{move || (words.arrival_means)(kind.get())}</span>
                <span class="wrong">{move || wrong.get()}</span>
            </div>
            <div class="split" hidden=move || kind.get() == ArrivalKind::Burst>
                {plain("per_s", words.per_s, "5000", words.per_s_hint, inputs.per_s)}
            </div>
            <div class="split" hidden=move || kind.get() != ArrivalKind::Ramp>
                {plain("over_s", words.over_s, "10", words.over_s_hint, inputs.over_s)}
            </div>
            <div class="actions">
                <button type="submit" class="strong" disabled=move || !ready.get() || waiting.get() || running.get()>
                    {icon(Icon::Crowd)} {words.start}
                </button>
                <button type="button" disabled=move || waiting.get() || !ready.get() || !running.get() on:click=stop>
                    {icon(Icon::Stop)} {words.stop}
                </button>
            </div>
            {notice(error, FIELDS)}
        </form>
    }
    .into_any()
}
