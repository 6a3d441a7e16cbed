//! The form by which an operator takes seats off sale, and puts them on sale again.

use crate::{
    components::{Alert, FormErrors, SubmitButton, TextField, use_request_ids},
    ticket::{api, page::Sale, words::words},
};
use leptos::{ev::SubmitEvent, html, prelude::*};
use model::{
    error::Result,
    form::FormValues,
    ticket::{Blocked, SeatInState, Unblocked, check_blocked},
};

const SEATS: &str = "seats";
const REASON: &str = "reason";
/// What the button that unblocks has as its value.
const UNBLOCK: &str = "unblock";

/// Seats to block or to unblock, and why.
#[derive(Clone, PartialEq)]
struct Change {
    unblocks: bool,
    seats: Vec<String>,
    reason: String,
}

impl Change {
    fn read(values: &FormValues, unblocks: bool) -> Result<Self> {
        let is_between = |c: char| c.is_whitespace() || ",;，；、".contains(c);
        let seats = values.text(SEATS).split(is_between).filter(|seat| !seat.is_empty()).map(str::to_owned).collect();
        let change = Self { unblocks, seats, reason: values.text(REASON).trim().to_owned() };
        check_blocked(&change.seats, &change.reason).map(|()| change)
    }

    /// Makes the change. Returns a sentence that says what came of it.
    async fn send(self, sale: String, request_id: String) -> Result<String> {
        let words = words();
        let Self { unblocks, seats, reason } = self;
        let (reason, id) = (Some(reason), Some(request_id));
        Ok(if unblocks {
            match api::unblock(sale, seats, reason, id).await?.outcome {
                Unblocked::Unblocked { seats } | Unblocked::Repeat { seats } => (words.unblocked_now)(seats.join(", ")),
                Unblocked::NotBlocked { seats } => (words.not_blocked)(with_states(&seats)),
            }
        } else {
            match api::block(sale, seats, reason, id).await?.outcome {
                Blocked::Blocked { seats } | Blocked::Repeat { seats } => (words.blocked_now)(seats.join(", ")),
                Blocked::NotFree { seats } => (words.not_free)(with_states(&seats)),
            }
        })
    }
}

fn with_states(seats: &[SeatInState]) -> String {
    let words = words();
    let named = |seat: &SeatInState| (words.seat_in_state)(&seat.seat, (words.state)(seat.state));
    seats.iter().map(named).collect::<Vec<_>>().join(", ")
}

/// Shows the form. The seats that are selected on the page are filled in; those of the latest change stay, so that it can
/// be taken back.
#[component]
pub fn BlockSeats(
    /// The sale, with the selection.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let errors = FormErrors::default();
    let request_ids = use_request_ids::<Change>();
    let action =
        Action::new(move |(change, request_id): &(Change, String)| change.clone().send(sale.id(), request_id.clone()));
    errors.follow(action);
    let (pending, answer) = (action.pending(), action.value());
    Effect::new(move || {
        answer.with(|answer| _ = answer.as_ref().map(|answer| request_ids.settle(answer)));
    });
    let field = NodeRef::<html::Input>::new();
    Effect::new(move || {
        let names: Vec<String> =
            sale.selection.with(|selection| selection.iter().map(|seat| sale.seat_name(*seat)).collect());
        if let Some(field) = field.get().filter(|_| !names.is_empty()) {
            field.set_value(&names.join(", "));
        }
    });
    let submit = move |event: SubmitEvent| {
        let unblocks =
            event.submitter().is_some_and(|button| button.get_attribute("value").as_deref() == Some(UNBLOCK));
        if let Some(change) = errors.read(&event, |values| Change::read(values, unblocks)) {
            action.clear();
            let request_id = request_ids.id(change.clone());
            action.dispatch((change, request_id));
        }
    };
    let recheck = |values: &FormValues| Change::read(values, false);
    view! {
        <section class="card" aria-labelledby="block-title">
            <h2 id="block-title">{words.block_title}</h2>
            <form
                class="form-grid"
                aria-labelledby="block-title"
                on:submit=submit
                on:input=move |event| errors.recheck(&event, recheck)
                on:focusin=move |event| errors.recheck(&event, recheck)
            >
                <TextField name=SEATS id="blocked-seats" words=words.blocked_seats node_ref=field errors />
                <TextField name=REASON id="block-reason" words=words.block_reason errors />
                <div class="actions">
                    <SubmitButton class="" pending>
                        {words.block}
                    </SubmitButton>
                    <SubmitButton class="" pending {..} value=UNBLOCK>
                        {words.unblock}
                    </SubmitButton>
                </div>
            </form>
            <p role="status">{move || answer.get().and_then(Result::ok)}</p>
            <Alert errors />
        </section>
    }
    .into_any()
}
