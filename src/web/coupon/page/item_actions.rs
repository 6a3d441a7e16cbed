//! What an operator can do about a coupon on the page of its user.

use crate::{
    components::ConfirmWords,
    coupon::{api, words::words},
    kind::{ItemActions, ItemsAtSale},
    people::item_action::item_action,
};
use leptos::prelude::*;
use model::{coupon::outcome, ledger::OwnedItem};

/// Renders what can be done about a coupon: one that is claimed is given back, and the redemption of one that is redeemed
/// is taken back.
pub fn item_actions(ItemsAtSale { sale, done, .. }: ItemsAtSale) -> ItemActions {
    let words = words();
    let confirm = move |label, yes| ConfirmWords { label, yes, no: words.void_no };
    Box::new(move |OwnedItem { outcome, item, changed_by, .. }: &OwnedItem| {
        let (sale, Some(code)) = (sale.clone(), item.clone()) else { return ().into_any() };
        match (outcome.as_str(), changed_by.clone()) {
            (outcome::WON | outcome::VOIDED, _) => {
                let question = (words.give_back_question)(code.clone());
                let act = move |reason| {
                    let answer = api::give_back(sale.clone(), code.clone(), reason, None);
                    async move { answer.await.map(|answer| (words.ended)(answer.outcome)) }
                };
                let words = confirm(words.give_back, words.give_back_yes);
                item_action(words, question, act, done)
            }
            (outcome::REDEEMED, Some(redemption)) => {
                let question = (words.void_question)(code.clone());
                let act = move |reason| {
                    let answer = api::void(sale.clone(), code.clone(), reason, redemption.clone());
                    async move { answer.await.map(|answer| (words.ended)(answer.outcome)) }
                };
                let words = confirm(words.void, words.void_yes);
                item_action(words, question, act, done)
            }
            _ => ().into_any(),
        }
    })
}
