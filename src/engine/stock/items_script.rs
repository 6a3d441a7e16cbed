//! The script of attempts at several sales of one group: its arguments and replies.

use crate::stock::scripts::{DEDUCT_ITEMS, KIND, refusal, refused_outcome, state_of_deduction};
use futures::future::join_all;
use model::{
    Millis,
    error::Result,
    stock::{DeductAnswer, DeductedItem, Item, ItemsWon},
};
use std::sync::Arc;
use store::{
    Store, batcher::BatchCall, reply::ReplyCode, runtime::Clock, several::SeveralReply, stream::protocol_error,
};

/// An attempt at several items that waits for its call.
#[derive(Clone)]
pub struct ItemsAttempt {
    pub user: String,
    pub request_id: String,
    pub items: Arc<[Item]>,
}

/// The answer to such an attempt.
pub enum Tried {
    Answered(DeductAnswer),
    /// The quantity of the sale with this index is not cached. Nothing was tried.
    NotCached(usize),
}

/// The binding of `deduct_items.lua`. Its attempts wait by group.
pub(super) struct DeductItemsScript {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
}

impl BatchCall for DeductItemsScript {
    type Attempt = ItemsAttempt;
    type Reply = Result<Tried>;

    /// Each attempt is a call of its own, as each may be at other sales. These leave together.
    const ROOM: usize = 16;

    async fn call(&self, _group: &str, attempts: Vec<ItemsAttempt>) -> Result<Vec<Result<Tried>>> {
        Ok(join_all(attempts.iter().map(|attempt| self.deduct(attempt))).await)
    }
}

impl DeductItemsScript {
    async fn deduct(&self, ItemsAttempt { user, request_id, items }: &ItemsAttempt) -> Result<Tried> {
        let sales: Vec<&str> = items.iter().map(|item| item.sale.as_str()).collect();
        let args = [self.clock.script_time(), request_id.clone(), user.clone()];
        let quantities: Vec<Option<String>> = items.iter().map(|item| Some(item.quantity.to_string())).collect();
        let reply = self.store.attempt_several(&DEDUCT_ITEMS, KIND, &sales, &args, &quantities).await?;
        let Some(index) = reply.refused_by else {
            return Ok(Tried::Answered(granted(&reply, items)?));
        };
        let sale = sales.get(index).ok_or_else(|| protocol_error("no such item"))?;
        if reply.code == ReplyCode::NotCached {
            return Ok(Tried::NotCached(index));
        }
        match refused_outcome(reply.code, || reply.text(0))? {
            Some(outcome) => Ok(Tried::Answered(DeductAnswer::Refused { refused_by: (*sale).to_owned(), outcome })),
            None => Err(refusal(reply.code, &DEDUCT_ITEMS, sale)),
        }
    }
}

/// What an attempt has got, now or before.
fn granted(reply: &SeveralReply, items: &[Item]) -> Result<DeductAnswer> {
    let outcome = match reply.code {
        ReplyCode::Done => ItemsWon::Won,
        ReplyCode::Repeat => ItemsWon::Repeat,
        code => return Err(code.unexpected(&DEDUCT_ITEMS)),
    };
    let item = |(index, Item { sale, quantity }): (usize, &Item)| -> Result<DeductedItem> {
        let mut values = reply.text(index)?.split(' ');
        let mut next = || values.next().unwrap_or_default();
        let left = next().parse().map_err(protocol_error)?;
        let state = state_of_deduction(next())?;
        let due: Millis = next().parse().map_err(protocol_error)?;
        let due = (due > 0).then_some(due);
        Ok(DeductedItem { sale: sale.clone(), quantity: *quantity, left, state, due })
    };
    let items = items.iter().enumerate().map(item).collect::<Result<Vec<DeductedItem>>>()?;
    Ok(DeductAnswer::Items { outcome, items })
}
