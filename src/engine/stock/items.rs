//! Attempts at several sales of one group: all items or none.
//!
//! Each item is a deduction of its own in its sale, with the request id of the attempt. So everything else about a sale
//! is as without groups: its events and rows, its audit, expiry and recovery.

use crate::stock::{
    items_script::{ItemsAttempt, Tried},
    rebuild::PATIENCE,
    scripts::{CONFIRM_ITEMS, KIND, RequestState, not_cached, refusal},
    service::Stock,
};
use model::{
    Checks, check_id,
    error::{Code, Error, Result},
    life::check_reason,
    stock::{
        ConfirmAnswer, Confirmed, DeductAnswer, GivenBack, Item, ItemsConfirmed, ItemsReturned, Return, ReturnAnswer,
        check_attempt, check_items, check_sales,
    },
};
use std::sync::Arc;
use store::{reply::ReplyCode, stream::protocol_error};
use tokio::time::{Instant, timeout_at};

impl Stock {
    /// Attempts to deduct items of several sales of one group for a user: all of them, or none.
    ///
    /// # Errors
    /// As [`Stock::deduct`]; `bad_request` if the sales are not of one group.
    pub async fn deduct_items(
        &self,
        items: Vec<Item>,
        user: String,
        request_id: Option<String>,
    ) -> Result<DeductAnswer> {
        let mut checks = Checks::default();
        checks.note(check_items(&items));
        checks.note(check_attempt(&user, 1));
        let request_id = checks.finish(self.ids.request_id(request_id))?;
        let sales: Vec<&str> = items.iter().map(|item| item.sale.as_str()).collect();
        let group = self.group_of_all("items", &sales).await?;
        let attempt = ItemsAttempt { user, request_id, items: items.iter().cloned().collect() };
        let until = Instant::now() + PATIENCE;
        loop {
            match self.of_several.submit(&group, attempt.clone()).await? {
                Ok(Tried::Answered(answer)) => return Ok(answer),
                Ok(Tried::NotCached(index)) => {
                    let sale = sales[index];
                    timeout_at(until, self.rebuilder.ensure_cached(sale)).await.map_err(|_| not_cached(sale))??;
                }
                Err(error) => return self.of_gone(error, &sales).await,
            }
        }
    }

    /// Confirms what a request has reserved in several sales of one group: all of it, or nothing. The reason, which may
    /// be empty, is for the ledger.
    ///
    /// # Errors
    /// As [`Stock::confirm`]; `bad_request` if the sales are not of one group.
    pub async fn confirm_items(&self, sales: &[String], reason: String, request_id: String) -> Result<ConfirmAnswer> {
        let mut checks = Checks::default();
        checks.note(check_sales(sales));
        checks.note(check_reason(&reason));
        checks.finish(check_id("request_id", &request_id))?;
        let sales: Vec<&str> = sales.iter().map(String::as_str).collect();
        self.group_of_all("sales", &sales).await?;
        let args = [self.clock.script_time(), request_id, reason];
        let nothing = vec![None; sales.len()];
        let reply = match self.store.attempt_several(&CONFIRM_ITEMS, KIND, &sales, &args, &nothing).await {
            Ok(reply) => reply,
            Err(error) => return self.of_gone(error, &sales).await,
        };
        let Some(index) = reply.refused_by else {
            let outcome = match reply.code {
                ReplyCode::Done => ItemsConfirmed::Confirmed,
                ReplyCode::Repeat => ItemsConfirmed::Repeat,
                code => return Err(code.unexpected(&CONFIRM_ITEMS)),
            };
            let item = |(index, sale): (usize, &&str)| -> Result<Item> {
                let quantity = reply.text(2 * index + 1)?.parse().map_err(protocol_error)?;
                Ok(Item { sale: (*sale).to_owned(), quantity })
            };
            let items = sales.iter().enumerate().map(item).collect::<Result<Vec<Item>>>()?;
            return Ok(ConfirmAnswer::Items { outcome, user: reply.text(0)?.to_owned(), items });
        };
        let sale = sales.get(index).ok_or_else(|| protocol_error("no such sale"))?;
        let user = || reply.text(0).map(str::to_owned);
        let outcome = match reply.code {
            ReplyCode::Ended => Confirmed::Late { user: user()?, due: reply.text(1)?.parse().map_err(protocol_error)? },
            ReplyCode::Returned => Confirmed::Returned { user: user()? },
            ReplyCode::UnknownRequest => Confirmed::UnknownRequest,
            code => return self.of_gone(refusal(code, &CONFIRM_ITEMS, sale), &[sale]).await,
        };
        Ok(ConfirmAnswer::Refused { refused_by: (*sale).to_owned(), outcome })
    }

    /// Gives back all that a request still has in several sales. If one of them knows no such deduction, nothing is given
    /// back. (A record stays as long as its sale, so what is known once is still known then.) Each sale is a call of its
    /// own: sent again after an error, the request gives back the rest.
    ///
    /// # Errors
    /// As [`Stock::give_back`].
    pub async fn give_back_items(&self, sales: &[String], request: Return) -> Result<ReturnAnswer> {
        let mut checks = Checks::default();
        checks.note(check_sales(sales));
        if request.quantity.is_some() || request.return_id.is_some() {
            let field = if request.quantity.is_some() { "quantity" } else { "return_id" };
            let why = format!("`{field}` is of one `sale`; several come back as a whole.");
            checks.note::<()>(Err(Error::bad(field, why)));
        }
        checks.note(check_reason(&request.reason));
        checks.finish(check_id("request_id", &request.request_id))?;
        for sale in sales {
            self.ensure_known(sale).await?;
            let records = self.records(sale, std::slice::from_ref(&request.request_id)).await?;
            let is_deduction = records
                .into_iter()
                .flatten()
                .any(|record| !matches!(record.state, RequestState::Restocked | RequestState::Corrected));
            if !is_deduction {
                return Ok(ReturnAnswer::Refused { refused_by: sale.clone(), outcome: GivenBack::UnknownRequest });
            }
        }
        let (mut outcome, mut of, mut items) = (ItemsReturned::Repeat, String::new(), Vec::with_capacity(sales.len()));
        for sale in sales {
            let (user, quantity) = match self.give_back(sale, request.clone()).await? {
                GivenBack::Returned { user, quantity, .. } => {
                    outcome = ItemsReturned::Returned;
                    (user, quantity)
                }
                // It was back before.
                GivenBack::Repeat { user, .. } | GivenBack::NotEnough { user, .. } | GivenBack::Expired { user } => {
                    (user, 0)
                }
                outcome @ GivenBack::UnknownRequest => {
                    return Ok(ReturnAnswer::Refused { refused_by: sale.clone(), outcome });
                }
            };
            of = user;
            items.push(Item { sale: sale.clone(), quantity });
        }
        Ok(ReturnAnswer::Items { outcome, user: of, items })
    }

    /// The group of all of these sales.
    ///
    /// # Errors
    /// `bad_request` if a sale has none, or another one than the first; `unknown_sale`, `unavailable`.
    async fn group_of_all(&self, field: &str, sales: &[&str]) -> Result<Arc<str>> {
        let mut of_first: Option<Arc<str>> = None;
        for sale in sales {
            self.store.find_group(KIND, sale).await?;
            let group = self.store.group_of(KIND, sale);
            let Some(group) = group else {
                self.ensure_known(sale).await?;
                let why = format!("The sale \"{sale}\" has no group; only sales of one group can be in one attempt.");
                return Err(Error::bad(field, why));
            };
            if of_first.get_or_insert_with(|| group.clone()) != &group {
                let why = format!(
                    "The sale \"{sale}\" is of the group \"{group}\", and the sale \"{}\" is not; only sales of one group \
                     can be in one attempt.",
                    sales[0]
                );
                return Err(Error::bad(field, why));
            }
        }
        of_first.ok_or_else(|| Error::bad(field, format!("`{field}` has no entries.")))
    }

    /// The error of a call at several sales; if Redis does not know one of them, what became of that.
    async fn of_gone<T>(&self, error: Error, sales: &[&str]) -> Result<T> {
        if error.code == Code::UnknownSale {
            for sale in sales {
                self.ensure_known(sale).await?;
            }
        }
        Err(error)
    }
}
