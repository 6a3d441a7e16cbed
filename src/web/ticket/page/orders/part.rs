//! The choice of the seats of an order that its buyer gives back, while the order keeps the others.

use crate::{
    components::{Button, ConfirmButton, ConfirmWords, FormErrors, focus_next_frame},
    ticket::{
        api,
        page::{Sale, orders::take},
        words::words,
    },
};
use leptos::{html, prelude::*};
use model::{
    Cents,
    ticket::{Cancelled, Order, OrderState},
};

/// Shows the button that opens the choice, and the choice. It asks before anything is given back.
#[component]
pub fn PartChoice(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The errors of all orders.
    errors: FormErrors,
    /// The order as it is now. It has several seats.
    order: Order,
) -> impl IntoView {
    let words = words();
    let Order { order: id, state, seats, .. } = order;
    let (is_choosing, chosen) = (RwSignal::new(false), RwSignal::new(Vec::<String>::new()));
    let (begin, first) = (NodeRef::<html::Button>::new(), NodeRef::<html::Input>::new());
    let choose = move |chooses: bool| {
        chosen.set(Vec::new());
        is_choosing.set(chooses);
        if chooses {
            focus_next_frame(first);
        } else {
            focus_next_frame(begin);
        }
    };
    let end = Action::new(move |seats: &Vec<String>| {
        // The seats identify the part, however often the button is pressed.
        let answer = api::cancel(sale.id(), id.clone(), Some(seats.clone()), None, None);
        async move { take(answer.await.map(Cancelled::order), sale, errors) }
    });
    let has_chosen = Memo::new(move |_| !chosen.read().is_empty());
    let question = Signal::derive(move || {
        let seats = chosen.get();
        let price = |seat: &String| sale.seat_number(seat).map_or(0, |number| sale.price(number));
        let cents: Cents = seats.iter().map(price).sum();
        let names = seats.join(", ");
        match state {
            OrderState::Paid => (words.return_part_question)(names, sale.live.money(cents)),
            _ => (words.cancel_part_question)(names),
        }
    });
    let button = move || {
        let confirm = ConfirmWords { label: words.give_chosen_back, yes: words.confirm_end, no: words.keep };
        let on_confirm = move || {
            errors.clear();
            end.dispatch(chosen.get_untracked());
        };
        view! { <ConfirmButton words=confirm question pending=end.pending() on_confirm /> }
    };
    let choice = move || {
        let all = StoredValue::new(seats.clone());
        let box_of = move |(nth, seat): (usize, String)| {
            let name = seat.clone();
            let set = move |is_on: bool| {
                // In the order of the seats.
                chosen.update(|chosen| {
                    let is_chosen = |name: &String| if *name == seat { is_on } else { chosen.contains(name) };
                    *chosen = all.with_value(|all| all.iter().filter(|name| is_chosen(name)).cloned().collect());
                });
            };
            let node_ref = if nth == 0 { first } else { NodeRef::new() };
            view! {
                <label class="check">
                    <input type="checkbox" node_ref=node_ref on:change:target=move |event| set(event.target().checked()) />
                    <span translate="no">{name}</span>
                </label>
            }
        };
        view! {
            <fieldset>
                <legend>{words.choose_part}</legend>
                <div class="part-seats">{seats.clone().into_iter().enumerate().map(box_of).collect_view()}</div>
                <div class="actions">
                    {move || has_chosen.get().then(button)}
                    <Button class="quiet" on_click=move || choose(false)>
                        {words.keep_all}
                    </Button>
                </div>
            </fieldset>
        }
    };
    view! {
        <div class="part">
            <Button class="quiet" hidden=is_choosing node_ref=begin on_click=move || choose(true)>
                {words.give_some_back}
            </Button>
            {move || is_choosing.get().then(&choice)}
        </div>
    }
}
