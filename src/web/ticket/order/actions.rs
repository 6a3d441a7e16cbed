//! What an operator can do about an order as it is in Redis: end it, take a part back, extend its hold.

use crate::{
    components::{Alert, ConfirmButton, ConfirmWords, FormErrors, focus_next_frame, format::money, reason_for_ledger},
    ticket::{
        api,
        order::{facts::OrderFacts, words::words},
    },
};
use leptos::{html, prelude::*};
use model::{
    Cents,
    error::Result,
    life::Currency,
    ticket::{Cancellation, Cancelled, Extended, Order, OrderState},
};

/// The order on the page.
#[derive(Clone, Copy)]
pub struct Shown {
    pub facts: RwSignal<OrderFacts>,
    /// The seats that the operator has selected, by their ids.
    pub selected: RwSignal<Vec<String>>,
    /// Loads it again.
    pub reload: Callback<()>,
}

/// Shows what an operator can do about the order as it is in Redis. It comes after a question, with a field for the
/// reason.
#[component]
pub fn Actions(
    /// The order on the page.
    shown: Shown,
) -> impl IntoView {
    let words = words();
    let Shown { facts, selected, reload } = shown;
    let errors = FormErrors::default();
    let done = NodeRef::<html::P>::new();
    let result = RwSignal::new(None::<String>);
    let state = Memo::new(move |_| facts.with(|facts| facts.now.as_ref().map(|order| order.state)));
    let is_extendable =
        Memo::new(move |_| facts.with(|facts| facts.now.as_ref().is_some_and(|order| order.extendable)));
    let cost = Memo::new(move |_| facts.with(|facts| money(facts.cents(), facts.currency())));
    let part = Memo::new(move |_| facts.with(|facts| selected.with(|selected| Part::of(facts, selected))));
    let take = move |answer: Result<(String, Order)>| {
        // The page may be left by now.
        if facts.is_disposed() {
            return;
        }
        match answer {
            Ok((sentence, order)) => {
                result.set(Some(sentence));
                selected.set(Vec::new());
                facts.update(|facts| facts.now = Some(order));
                focus_next_frame(done);
                reload.run(());
            }
            Err(error) => errors.set(Some(error)),
        }
    };
    let of_page = move || facts.with_untracked(|facts| (facts.sale.clone(), facts.order.clone(), facts.currency()));
    let end = Action::new(move |(seats, reason): &(Option<Vec<String>>, Option<String>)| {
        let ((sale, order, currency), seats, reason) = (of_page(), seats.clone(), reason.clone());
        async move { take(api::cancel(sale, order, seats, reason, None).await.map(|answer| ended(answer, currency))) }
    });
    let extend = Action::new(move |reason: &Option<String>| {
        let ((sale, order, _), reason) = (of_page(), reason.clone());
        async move { take(api::extend(sale, order, reason, None).await.map(|answer| extended(answer.outcome))) }
    });
    let cancel = move |seats, reason| {
        errors.clear();
        end.dispatch((seats, reason_for_ledger(reason)));
    };
    let confirm = move |label| ConfirmWords { label, yes: words.confirm, no: words.leave };
    let button = move |label, question: Signal<String>| {
        let reason = RwSignal::new(String::new());
        let on_confirm = move || cancel(None, reason);
        view! { <ConfirmButton words=confirm(label) question reason pending=end.pending() on_confirm /> }
    };
    let extend_button = move || {
        let reason = RwSignal::new(String::new());
        let on_confirm = move || {
            errors.clear();
            extend.dispatch(reason_for_ledger(reason));
        };
        let question = words.extend_question.to_owned();
        view! { <ConfirmButton words=confirm(words.extend) question reason pending=extend.pending() on_confirm /> }
    };
    let refund_question = Signal::derive(move || (words.refund_question)(cost.get()));
    let is_paid = Memo::new(move |_| state.get() == Some(OrderState::Paid));
    let part_question = Signal::derive(move || {
        let Part { seats, cost } = part.get().unwrap_or_default();
        let names = seats.join(", ");
        match (is_paid.get(), cost) {
            (true, Some(cost)) => (words.refund_part_question)(cost, names),
            (true, None) => (words.refund_part_of_unknown_price)(names),
            (false, _) => (words.release_part_question)(names),
        }
    });
    let has_part = Memo::new(move |_| part.with(Option::is_some));
    view! {
        <div class="order-actions">
            {move || match state.get() {
                Some(OrderState::Held) => Some(button(words.release, words.release_question.to_owned().into())),
                Some(OrderState::Paid) => Some(button(words.refund, refund_question)),
                _ => None,
            }}
            {move || {
                let label = if is_paid.get() { words.refund_part } else { words.release_part };
                let reason = RwSignal::new(String::new());
                let on_confirm = move || cancel(part.get_untracked().map(|part| part.seats), reason);
                let question = part_question;
                has_part
                    .get()
                    .then(|| {
                        view! { <ConfirmButton words=confirm(label) question reason pending=end.pending() on_confirm /> }
                    })
            }}
            {move || is_extendable.get().then(extend_button)}
            <Alert errors />
            <p role="status" tabindex="-1" node_ref=done>
                {result}
            </p>
        </div>
    }
}

/// Some of the seats that an order has, but not all.
#[derive(Clone, Default, PartialEq)]
struct Part {
    /// Their ids.
    seats: Vec<String>,
    /// Their price; `None` while the ledger does not have it.
    cost: Option<String>,
}

impl Part {
    /// The part that these seats are; `None` if they are none or all of those that the order has.
    fn of(facts: &OrderFacts, selected: &[String]) -> Option<Self> {
        let mut left = facts.seats();
        left.retain(|seat| !seat.is_returned && facts.is_live());
        let all = left.len();
        left.retain(|seat| selected.contains(&seat.seat));
        let cents: Option<Cents> = left.iter().map(|seat| seat.cents).sum();
        let seats: Vec<String> = left.into_iter().map(|seat| seat.seat).collect();
        (!seats.is_empty() && seats.len() < all)
            .then(|| Self { seats, cost: cents.map(|cents| money(cents, facts.currency())) })
    }
}

/// Returns the sentence for what was done, and the order as it is now.
fn ended(answer: Cancelled, currency: Currency) -> (String, Order) {
    let words = words();
    let sentence = match &answer {
        Cancelled::Cancelled(Cancellation { order, cancelled_seats, .. }) if !order.state.is_over() => {
            (words.released_part)(cancelled_seats.join(", "))
        }
        Cancelled::Refunded(Cancellation { order, cancelled_seats, cancelled_cents }) if !order.state.is_over() => {
            (words.refunded_part)(money(*cancelled_cents, currency), cancelled_seats.join(", "))
        }
        Cancelled::Repeat(Cancellation { order, .. }) if !order.state.is_over() => words.was_returned.to_owned(),
        Cancelled::Cancelled(_) => words.released.to_owned(),
        Cancelled::Refunded(_) => words.refunded.to_owned(),
        Cancelled::Repeat(_) => words.was_over.to_owned(),
    };
    (sentence, answer.order())
}

/// The same for an extension.
fn extended(answer: Extended) -> (String, Order) {
    let words = words();
    let sentence = match &answer {
        Extended::Extended(_) => words.extended,
        Extended::Repeat(_) | Extended::AlreadyExtended(_) => words.already_extended,
        Extended::NotExtendable(_) => words.not_extendable,
        Extended::Late(_) => words.too_late,
    };
    (sentence.to_owned(), answer.order())
}
