//! Red packets, for the registry.

use crate::{
    closing,
    hub::LiveSource,
    kind::{AttemptCall, KindService, Registration},
    red_packet::{
        scripts::{Attempt, CLAIM, CLOSE, ClaimArgs, KIND, SCRIPTS},
        service::RedPackets,
        summaries::summaries,
    },
};
use model::{
    Answer, EventId, KindInfo, OfKind, SaleState,
    closing::Closed,
    error::{Error, Result},
    form::{FormValues, REQUEST_ID, USER},
    life::{Plan, When},
    list::SaleSummary,
    red_packet::{DEFAULT_EXPIRES_IN_S, INFO, Outcome, RedPacketApi, Splitter, Terms},
    snapshot::SaleSnapshot,
};
use redis::ToRedisArgs;
use std::{convert::identity, sync::Arc};

/// The registration of this kind with the server.
pub const REGISTRATION: Registration = Registration {
    info: &INFO,
    scripts: &SCRIPTS,
    parts: &crate::red_packet::scripts::PARTS,
    unsettled: "pending",
    refunds_at_end: true,
    connect: |resources| Arc::new(RedPackets::new(resources)),
};

impl OfKind for RedPackets {
    fn info(&self) -> &'static KindInfo {
        &INFO
    }
}

impl KindService for RedPackets {
    type Outcome = Answer<Outcome>;
    type Api = dyn RedPacketApi;

    fn api(&self) -> Arc<dyn RedPacketApi> {
        Arc::new(self.clone())
    }

    async fn summaries(&self, sales: &[String]) -> Result<Vec<SaleSummary>> {
        summaries(self, sales).await
    }

    /// Closes a sale early: it accepts no more claims, and the unclaimed money is refunded, once.
    async fn close(&self, sale: &str) -> Result<Closed> {
        closing::close(&CLOSE, (KIND, sale), &self.store, &self.ledger, &*self.clock).await
    }

    /// The call that decides a user's next attempt.
    async fn attempt_call(&self, _sale: &str, user: String) -> Result<AttemptCall> {
        let attempts = [Attempt { user, request_id: self.ids.id() }];
        let args = ClaimArgs { now: &self.clock.script_time(), attempts: &attempts }.to_redis_args();
        Ok(AttemptCall { script: &CLAIM, args, hide: Box::new(identity) })
    }

    /// Claims a packet.
    async fn attempt_by_form(&self, sale: &str, form: &FormValues) -> Result<Answer<Outcome>> {
        RedPacketApi::claim(self, sale, form.text(USER), form.optional(REQUEST_ID)).await
    }

    /// Opens a demonstration sale: 1,000 packets.
    async fn open_demo(&self, sale: String, plan: Plan) -> Result<SaleState> {
        let expires_in_s = match plan.ends {
            Some(When::InSeconds(seconds)) => seconds,
            _ => DEFAULT_EXPIRES_IN_S,
        };
        let terms = Terms {
            sale,
            total_cents: 888_800,
            count: 1_000,
            splitter: Splitter::DoubleMean,
            expires_in_s,
            seed: None,
            plan: Plan { ends: None, ..plan },
        };
        let sale = self.open(terms).await?.sale;
        Ok(self.snapshot(&sale).await?.sale_state())
    }
}

impl LiveSource for RedPackets {
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
