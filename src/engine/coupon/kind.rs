//! Coupons, for the registry.

use crate::{
    closing,
    coupon::{
        scripts::{Attempt, Basis, CLAIM, CLOSE, KIND, SCRIPTS, claim_args, key},
        service::Coupons,
        summaries::summaries,
    },
    hub::LiveSource,
    kind::{AttemptCall, KindService, Registration},
};
use model::{
    Answer, EventId, KindInfo, OfKind, SaleState,
    closing::Closed,
    coupon::{CouponApi, DEFAULT_TIME_ZONE, INFO, Lists, Outcome, SUGGESTED_LIMITS, Terms, Validity},
    error::{Error, Result},
    form::{FormValues, REQUEST_ID, USER},
    life::Plan,
    list::SaleSummary,
    snapshot::SaleSnapshot,
};
use std::{cmp::Reverse, sync::Arc};
use store::reply::ReplyCode;

/// The next own codes that an explained attempt hides.
const HIDDEN_CODES: usize = 256;

/// The registration of this kind with the server.
pub const REGISTRATION: Registration = Registration {
    info: &INFO,
    scripts: &SCRIPTS,
    parts: &crate::coupon::scripts::PARTS,
    // A closed sale has nothing left to settle: users can redeem their coupons as long as the sale is in Redis.
    unsettled: "crowd_lock",
    refunds_at_end: false,
    connect: |resources| Arc::new(Coupons::new(resources)),
};

impl OfKind for Coupons {
    fn info(&self) -> &'static KindInfo {
        &INFO
    }
}

impl KindService for Coupons {
    type Outcome = Answer<Outcome>;
    type Api = dyn CouponApi;

    fn api(&self) -> Arc<dyn CouponApi> {
        Arc::new(self.clone())
    }

    async fn summaries(&self, sales: &[String]) -> Result<Vec<SaleSummary>> {
        summaries(self, sales).await
    }

    /// Closes a sale: no more coupons can be claimed. Claimed coupons can still be redeemed or given back.
    async fn close(&self, sale: &str) -> Result<Closed> {
        closing::close(&CLOSE, (KIND, sale), &self.store, &self.ledger, &*self.clock).await
    }

    /// The call that decides a user's next attempt.
    async fn attempt_call(&self, sale: &str, user: String) -> Result<AttemptCall> {
        let (basis, lists): (Option<String>, Option<String>) =
            self.store.query("HMGET", (key(sale, "meta"), "basis", "lists")).await?;
        let basis = basis.ok_or_else(|| ReplyCode::UnknownSale.refusal(&CLAIM, sale))?;
        let attempt = Attempt { user, request_id: self.ids.id() };
        let basis = Basis::read(&basis)?;
        let args = claim_args(&*self.clock, self.clock.now(), &basis, &[attempt])?;
        // With the key of the codes or a code, a reader could redeem coupons of others.
        // An own code that is given is one of the next ones; others may be given before the sale is copied.
        let next: Vec<String> = match lists {
            Some(_) => self.store.query("LRANGE", (key(sale, "pending"), 0, HIDDEN_CODES - 1)).await?,
            None => Vec::new(),
        };
        // The longest first, as a code may be part of another one.
        let mut codes: Vec<String> = next.iter().flat_map(|entry| entry.split(' ')).map(str::to_owned).collect();
        codes.sort_by_key(|code| Reverse(code.len()));
        let hide =
            move |text: String| basis.hide_in(&codes.iter().fold(text, |text, code| text.replace(code.as_str(), "…")));
        Ok(AttemptCall { script: &CLAIM, args, hide: Box::new(hide) })
    }

    /// Claims a coupon.
    async fn attempt_by_form(&self, sale: &str, form: &FormValues) -> Result<Answer<Outcome>> {
        CouponApi::claim(self, sale, form.text(USER), form.optional(REQUEST_ID)).await
    }

    /// Opens a demonstration sale: 10,000 coupons, five for each user, two of them a day.
    async fn open_demo(&self, sale: String, plan: Plan) -> Result<SaleState> {
        let terms = Terms {
            sale,
            limits: SUGGESTED_LIMITS,
            time_zone: DEFAULT_TIME_ZONE.to_owned(),
            given_back_counts: false,
            validity: Validity::default(),
            lists: Lists::default(),
            plan,
        };
        let sale = self.open(terms).await?.sale;
        Ok(self.snapshot(&sale).await?.sale_state())
    }
}

impl LiveSource for Coupons {
    type Frame = String;

    async fn frame(&self, sale: &str) -> Result<(EventId, String)> {
        let snapshot = self.snapshot(sale).await?;
        let json = serde_json::to_string(&snapshot).map_err(Error::internal)?;
        Ok((snapshot.event_id, json))
    }

    fn encode(frame: &String, _seen: Option<&String>) -> Result<String> {
        Ok(frame.clone())
    }
}
