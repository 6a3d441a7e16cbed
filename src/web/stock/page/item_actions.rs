//! What an operator can do about the units of a deduction on the page of their user.

use crate::{
    components::{ConfirmWords, use_latest},
    kind::{ItemActions, ItemsAtSale},
    people::item_action::item_action,
    stock::{api, words::words},
};
use leptos::prelude::*;
use model::{
    error::Result,
    ledger::OwnedItem,
    stock::{Snapshot, outcome},
};

/// Renders what can be done about a deduction: all of it or one unit is given back, and a reservation is confirmed.
pub fn item_actions(ItemsAtSale { sale, done, request_ids }: ItemsAtSale) -> ItemActions {
    let words = words();
    let confirm = move |label| ConfirmWords { label, yes: words.operator_yes, no: words.operator_no };
    let holds = use_holds(sale.clone());
    Box::new(move |OwnedItem { outcome, quantity, request_id, .. }: &OwnedItem| {
        let (Some(quantity), Some(request)) = (*quantity, request_id.clone()) else { return ().into_any() };
        let units = (words.kind.item_name)(&quantity.to_string());
        let all = {
            let (sale, request) = (sale.clone(), request.clone());
            let act = move |reason| {
                let answer = api::give_back(Some(sale.clone()), None, request.clone(), None, None, reason);
                async move { answer.await.map(|answer| (words.returned_sentence)(answer.outcome)) }
            };
            let question = (words.give_back_question)(units.clone());
            item_action(confirm(words.give_back), question, act, done)
        };
        let one = (quantity > 1).then(|| {
            let (sale, request) = (sale.clone(), request.clone());
            // Another press, after an answer that was lost, gives back no other unit.
            let return_ids = request_ids.run(request.clone());
            let act = move |reason| {
                let return_id = Some(return_ids.id(()));
                let answer = api::give_back(Some(sale.clone()), None, request.clone(), Some(1), return_id, reason);
                async move {
                    let answer = answer.await;
                    return_ids.settle(&answer);
                    answer.map(|answer| (words.returned_sentence)(answer.outcome))
                }
            };
            let question = (words.give_one_back_question)(units.clone());
            item_action(confirm(words.give_one_back), question, act, done)
        });
        let is_unconfirmed = outcome == outcome::WON;
        let sale = sale.clone();
        let confirmation = move || {
            (is_unconfirmed && holds.get()).then(|| {
                let (sale, request) = (sale.clone(), request.clone());
                let act = move |reason| {
                    let answer = api::confirm(Some(sale.clone()), None, reason, request.clone());
                    async move { answer.await.map(|answer| (words.confirm_sentence)(answer.outcome)) }
                };
                let question = (words.confirm_question)(units.clone());
                item_action(confirm(words.confirm), question, act, done)
            })
        };
        view! { {confirmation} {all} {one} }.into_any()
    })
}

/// Returns whether deductions of a sale have to be confirmed. The ledger does not say it of each; the sale is asked.
fn use_holds(sale: String) -> RwSignal<bool> {
    let (holds, latest) = (RwSignal::new(false), use_latest());
    Effect::new(move || {
        let sale = sale.clone();
        latest.ask(
            move || api::snapshot(sale),
            move |answer: Result<Snapshot>| holds.set(answer.is_ok_and(|sale| sale.hold_s.is_some())),
        );
    });
    holds
}
