//! Cached stock, for the registry.

use crate::{
    closing,
    hub::LiveSource,
    kind::{AttemptCall, KindService, Registration},
    stock::{
        scripts::{Attempt, CLOSE, DEDUCT, KIND, SCRIPTS, attempts_list},
        service::Stock,
        summaries::summaries,
    },
};
use model::{
    Answer, EventId, KindInfo, OfKind, SaleState, check_id,
    closing::Closed,
    error::{Error, Result},
    form::{FormValues, REQUEST_ID},
    life::Plan,
    list::SaleSummary,
    snapshot::SaleSnapshot,
    stock::{DEFAULT_TTL_S, DeductAnswer, FormAttempt, INFO, StockApi, Terms},
};
use redis::ToRedisArgs;
use std::{convert::identity, sync::Arc};

/// A second in milliseconds.
const SECOND: u64 = 1_000;

/// The registration of this kind with the server.
pub const REGISTRATION: Registration = Registration {
    info: &INFO,
    scripts: &SCRIPTS,
    parts: &crate::stock::scripts::PARTS,
    // Reservations end in a closed sale, too. Units can be given back as long as the sale is in Redis.
    unsettled: "deadlines",
    refunds_at_end: false,
    connect: |resources| Arc::new(Stock::new(resources)),
};

impl OfKind for Stock {
    fn info(&self) -> &'static KindInfo {
        &INFO
    }
}

impl KindService for Stock {
    type Outcome = Answer<DeductAnswer>;
    type Api = dyn StockApi;

    fn api(&self) -> Arc<dyn StockApi> {
        Arc::new(self.clone())
    }

    async fn summaries(&self, sales: &[String]) -> Result<Vec<SaleSummary>> {
        summaries(self, sales).await
    }

    /// Closes a sale: nothing more can be deducted. Deducted units can still be given back.
    async fn close(&self, sale: &str) -> Result<Closed> {
        closing::close(&CLOSE, (KIND, sale), &self.store, &self.ledger, &*self.clock).await
    }

    /// The call that decides a user's next attempt to get one unit.
    async fn attempt_call(&self, _sale: &str, user: String) -> Result<AttemptCall> {
        let attempts = [Attempt { user, request_id: self.ids.id(), quantity: 1 }];
        let args = (self.clock.script_time(), attempts.len(), attempts_list(&attempts)).to_redis_args();
        Ok(AttemptCall { script: &DEDUCT, args, hide: Box::new(identity) })
    }

    /// Deducts a quantity.
    async fn attempt_by_form(&self, sale: &str, form: &FormValues) -> Result<Answer<DeductAnswer>> {
        let attempt = FormAttempt::read(form)?;
        let wanted = attempt.wanted(sale.to_owned());
        StockApi::deduct(self, wanted, attempt.user, form.optional(REQUEST_ID)).await
    }

    /// Opens a demonstration sale: 10,000 phones, with a low mark of 500.
    async fn open_demo(&self, sale: String, plan: Plan) -> Result<SaleState> {
        let terms = Terms {
            sale,
            quantity: 10_000,
            ttl_s: DEFAULT_TTL_S,
            low_mark: Some(500),
            limit_per_user: None,
            hold_s: None,
            group: None,
            plan,
        };
        let sale = self.open(terms).await?.sale;
        Ok(self.snapshot(&sale).await?.sale_state())
    }
}

impl LiveSource for Stock {
    type Frame = String;

    async fn frame(&self, sale: &str) -> Result<(EventId, String)> {
        check_id("sale", sale)?;
        let mut snapshot = self.snapshot_with(sale, self.recorded.latest(sale).await).await?;
        // One frame a second is enough for a countdown.
        for left in [&mut snapshot.ttl_ms, &mut snapshot.paused_ms] {
            *left = left.map(|ms| ms.div_ceil(SECOND) * SECOND);
        }
        let json = serde_json::to_string(&snapshot).map_err(Error::internal)?;
        Ok((snapshot.event_id, json))
    }

    fn encode(frame: &String, _seen: Option<&String>) -> Result<String> {
        Ok(frame.clone())
    }
}
