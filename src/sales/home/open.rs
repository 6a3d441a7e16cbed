//! The form that opens a sale and goes to its page.

use crate::{
    error::{Error, Result},
    sales::{
        Cents,
        red_packet::{Splitter, api},
    },
    ui::{
        field::{Field, field, typed},
        format::{parse_count, parse_money, segment},
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
use leptos_router::hooks::use_navigate;

const FIELDS: &[&str] = &["count", "total_cents", "expires_in_s", "seed", "id"];

#[derive(Clone, Copy)]
struct Inputs {
    count: NodeRef<Input>,
    total: NodeRef<Input>,
    hours: NodeRef<Input>,
    minutes: NodeRef<Input>,
    seed: NodeRef<Input>,
    id: NodeRef<Input>,
    splitter: NodeRef<Select>,
}

struct Typed {
    id: Option<String>,
    count: u64,
    total: Cents,
    splitter: Splitter,
    expires_in_s: u64,
    seed: Option<u64>,
}

impl Inputs {
    fn splitter(self) -> Splitter {
        let place = self.splitter.get_untracked().map_or(0, |select| select.selected_index());
        Splitter::ALL.get(usize::try_from(place).unwrap_or_default()).copied().unwrap_or(Splitter::DoubleMean)
    }

    /// What was typed, as far as it is numbers; the server knows the limits.
    fn read(self) -> Result<Typed> {
        let whole = |name: &str, text: &str| match text {
            "" => Ok(0),
            text => parse_count(text).filter(|number| *number <= u64::from(u32::MAX)).ok_or_else(|| Error::bad(name, "")),
        };
        let (seed, id) = (typed(self.seed), typed(self.id));
        Ok(Typed {
            id: (!id.is_empty()).then_some(id),
            count: whole("count", &typed(self.count))?,
            total: parse_money(&typed(self.total)).ok_or_else(|| Error::bad("total_cents", ""))?,
            splitter: self.splitter(),
            expires_in_s: whole("expires_in_s", &typed(self.hours))? * 3_600 + whole("expires_in_s", &typed(self.minutes))? * 60,
            seed: match seed.as_str() {
                "" => None,
                seed => Some(seed.parse().map_err(|_| Error::bad("seed", ""))?),
            },
        })
    }
}

pub fn form() -> AnyView {
    let words = words();
    let ready = ready();
    let navigate = use_navigate();
    let inputs = Inputs {
        count: NodeRef::new(),
        total: NodeRef::new(),
        hours: NodeRef::new(),
        minutes: NodeRef::new(),
        seed: NodeRef::new(),
        id: NodeRef::new(),
        splitter: NodeRef::new(),
    };
    let splitter = RwSignal::new(Splitter::DoubleMean);
    let error = RwSignal::new(None::<Error>);
    let waiting = RwSignal::new(false);
    let open = move |event: SubmitEvent| {
        event.prevent_default();
        if waiting.get_untracked() {
            return;
        }
        let terms = match inputs.read() {
            Ok(terms) => terms,
            Err(why) => return error.set(Some(why)),
        };
        error.set(None);
        waiting.set(true);
        let navigate = navigate.clone();
        spawn_local(async move {
            let Typed { id, count, total, splitter, expires_in_s, seed } = terms;
            let opened = api::open(id, total, count, splitter, Some(expires_in_s), seed).await;
            waiting.set(false);
            match opened {
                Ok(opened) => navigate(&["/red-packets/", &segment(&opened.sale)].concat(), Default::default()),
                Err(why) => error.set(Some(why)),
            }
        });
    };
    let line = |name, label, value, hint, numeric, input| field(Field { name, label, value, hint, numeric }, input, error);
    let splitters = Splitter::ALL.map(|splitter| view! { <option>{(words.splitter_name)(splitter)}</option> }).collect_view();
    view! {
        <section class="card open" aria-labelledby="open-title">
            <h2 id="open-title">{words.open_title}</h2>
            <form class="orders" on:submit=open>
                {line("count", words.packets, "1000", words.count_hint, true, inputs.count)}
                {line("total_cents", words.total_yuan, "10000.00", words.total_hint, true, inputs.total)}
                <div class="field wide">
                    <label for="splitter">{words.splitter}</label>
                    <select
                        id="splitter"
                        name="splitter"
                        node_ref=inputs.splitter
                        aria-describedby="splitter-hint"
                        on:change=move |_| splitter.set(inputs.splitter())
                    >
                        {splitters}
                    </select>
                    <span class="hint" id="splitter-hint">{move || (words.splitter_means)(splitter.get())}</span>
                </div>
                {line("expires_in_s", words.hours, "24", words.expiry_hint, true, inputs.hours)}
                {line("minutes", words.minutes, "0", "", true, inputs.minutes)}
                {line("seed", words.seed, "", words.seed_hint, true, inputs.seed)}
                {line("id", words.sale_id, "", words.id_hint, false, inputs.id)}
                <div class="actions">
                    <button type="submit" class="strong" disabled=move || !ready.get() || waiting.get()>
                        {icon(Icon::Packet)} {words.open}
                    </button>
                </div>
                {notice(error, FIELDS)}
            </form>
        </section>
    }
    .into_any()
}
