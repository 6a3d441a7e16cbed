//! Changes the limits; asks first where one is lowered below what is claimed, since it then refuses everybody.

use crate::{
    components::{Alert, Button, FormErrors, SubmitButton, TextField, focus_next_frame, use_request_ids},
    coupon::{api::SetLimitsRequest, page::Sale, words::words},
};
use leptos::{ev::SubmitEvent, html, prelude::*};
use model::{
    Answer, Checks,
    coupon::{ByLimit, LIMITS, Limit, LimitName, LimitsSet},
    error::Result,
    form::FormValues,
};

/// The limits of the sale, to be changed.
#[component]
pub fn LimitsForm(
    /// The sale, whose limits in force fill the fields.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let set = ServerAction::<SetLimitsRequest>::new();
    let (pending, answer) = (set.pending(), set.value());
    let (request_ids, errors) = (use_request_ids::<(ByLimit, Vec<LimitName>)>(), FormErrors::default());
    errors.follow(set.into());
    Effect::new(move || {
        answer.with(|answer| _ = answer.as_ref().map(|answer| request_ids.settle(answer)));
    });
    // Nothing that would be sent differs from what is in force.
    let is_same = RwSignal::new(false);
    // The change that waits for confirmation.
    let asked = RwSignal::new(None::<ByLimit>);
    let confirm = NodeRef::<html::Button>::new();
    // What the fields hold unless somebody types: only what differs is sent, so that nobody undoes what another
    // operator has changed meanwhile.
    let shown = StoredValue::new(sale.snapshot.with_untracked(|sale| sale.limits));
    let sent = StoredValue::new(shown.get_value());
    let is_changed = move |name: LimitName, limits: &ByLimit| limits.get(name) != shown.get_value().get(name);
    Effect::new(move || {
        // Until it is known that they are in force, they are sent again.
        let are_in_force = |answer: &Answer<LimitsSet>| !matches!(answer.outcome, LimitsSet::Closed);
        if answer.with(|answer| matches!(answer, Some(Ok(answer)) if are_in_force(answer))) {
            shown.set_value(sent.get_value());
        }
    });
    let fields = LIMITS.map(|_| NodeRef::<html::Input>::new());
    let in_force = Memo::new(move |_| sale.read(|sale| sale.limits));
    // A field in which nobody has typed follows what another operator sets.
    Effect::new(move || {
        let limits = in_force.get();
        for (name, field) in LIMITS.map(|limit| limit.name).into_iter().zip(fields) {
            let (before, now) = (shown.get_value().get(name), limits.get(name));
            if let Some(field) = field.get().filter(|field| now != before && field.value() == limit_text(before)) {
                field.set_value(&limit_text(now));
                shown.update_value(|shown| shown.set(name, now));
            }
        }
    });
    let send = move |limits: ByLimit| {
        set.clear();
        let changed = || LIMITS.into_iter().map(|limit| limit.name).filter(|name| is_changed(*name, &limits));
        is_same.set(changed().next().is_none());
        if is_same.get_untracked() {
            return;
        }
        let unlimited: Vec<LimitName> = changed().filter(|name| limits.get(*name).is_none()).collect();
        let mut edit = ByLimit::default();
        changed().for_each(|name| edit.set(name, limits.get(name)));
        sent.set_value(limits);
        let request_id = Some(request_ids.id((edit, unlimited.clone())));
        set.dispatch(SetLimitsRequest::new(sale.id(), edit, unlimited, request_id));
    };
    let submit = move |event: SubmitEvent| {
        asked.set(None);
        let Some(limits) = errors.read(&event, read_edit) else { return };
        let refuses_all = untrack(|| sale.read(|sale| limits.total.is_some_and(|most| most <= sale.counted)));
        if refuses_all && is_changed(LimitName::Total, &limits) {
            asked.set(Some(limits));
            focus_next_frame(confirm);
        } else {
            send(limits);
        }
    };
    let question = move || {
        let most = asked.with(|limits| limits.and_then(|limits| limits.total))?;
        Some((words.limits_question)(most, sale.read(|sale| sale.counted)))
    };
    let sentence = move || {
        if is_same.get() {
            return Some(words.limits_same);
        }
        answer.get().and_then(Result::ok).map(|answer| match answer.outcome {
            LimitsSet::Set { .. } => words.limits_set,
            LimitsSet::Repeat { .. } => words.limits_same,
            LimitsSet::Closed => words.sale_closed,
        })
    };
    let limits = shown.get_value();
    let field = move |(Limit { name, .. }, node_ref): (Limit, NodeRef<html::Input>)| {
        let value = limit_text(limits.get(name));
        view! { <TextField name=name.name() words=(words.changed_limit)(name) value numeric=true node_ref errors /> }
    };
    let [total, ..] = fields;
    view! {
        <section class="card limits-form" aria-labelledby="edit-limits-title">
            <h2 id="edit-limits-title">{words.edit_limits}</h2>
            <form
                class="form-grid"
                on:submit=submit
                on:input=move |event| errors.recheck(&event, read_edit)
                on:focusin=move |event| errors.recheck(&event, read_edit)
            >
                {LIMITS.into_iter().zip(fields).map(field).collect_view()}
                <div class="actions">
                    <SubmitButton class="" disabled=sale.is_closed pending>
                        {words.set_limits}
                    </SubmitButton>
                </div>
            </form>
            <div class="actions confirm" hidden=move || asked.with(Option::is_none)>
                <span>{question}</span>
                <Button
                    class="strong"
                    node_ref=confirm
                    on_click=move || {
                        if let Some(limits) = asked.get_untracked() {
                            asked.set(None);
                            focus_next_frame(total);
                            send(limits);
                        }
                    }
                >
                    {words.limits_yes}
                </Button>
                <Button on_click=move || {
                    asked.set(None);
                    focus_next_frame(total);
                }>{words.limits_no}</Button>
            </div>
            <p role="status">{sentence}</p>
            <Alert errors />
        </section>
    }
    .into_any()
}

/// A limit as its field has it.
pub fn limit_text(limit: Option<u64>) -> String {
    limit.map(|most| most.to_string()).unwrap_or_default()
}

/// The typed limits of a sale that is opened, all checked.
pub fn read_limits(values: &FormValues) -> Result<ByLimit> {
    typed_limits(values, ByLimit::check)
}

/// The typed limits of a sale that is open, all checked.
fn read_edit(values: &FormValues) -> Result<ByLimit> {
    typed_limits(values, ByLimit::check_edit)
}

fn typed_limits(values: &FormValues, check: fn(&ByLimit) -> Result<()>) -> Result<ByLimit> {
    let mut checks = Checks::default();
    let mut limits = ByLimit::default();
    for Limit { name, .. } in LIMITS {
        limits.set(name, checks.value(values.optional_number(name.name())));
    }
    checks.finish(check(&limits).map(|()| limits))
}
