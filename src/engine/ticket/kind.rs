//! Tickets, for the registry.

use crate::{
    closing,
    hub::LiveSource,
    kind::{AttemptCall, KindService, Registration},
    ticket::{
        attempts::Attempt,
        scripts::{CLOSE, KIND, RESERVE, SCRIPTS, pack},
        service::Tickets,
        snapshot,
        summaries::summaries,
    },
};
use model::{
    Answer, EventId, KindInfo, OfKind, SaleState,
    closing::Closed,
    error::{Error, Result},
    form::{FormValues, REQUEST_ID, USER},
    life::Plan,
    list::SaleSummary,
    snapshot::SaleSnapshot,
    ticket::{
        DEFAULT_HOLD_S, DEFAULT_LIMIT, HallChoice, INFO, Outcome, Pick, SeatRequest, Terms, TicketApi, halls::HallName,
    },
};
use std::{collections::BTreeMap, convert::identity, sync::Arc};

/// The registration of this kind with the server.
pub const REGISTRATION: Registration = Registration {
    info: &INFO,
    scripts: &SCRIPTS,
    parts: &crate::ticket::scripts::PARTS,
    unsettled: "deadlines",
    refunds_at_end: false,
    connect: |resources| Arc::new(Tickets::new(resources)),
};

impl OfKind for Tickets {
    fn info(&self) -> &'static KindInfo {
        &INFO
    }
}

impl KindService for Tickets {
    type Outcome = Answer<Outcome>;
    type Api = dyn TicketApi;

    fn api(&self) -> Arc<dyn TicketApi> {
        Arc::new(self.clone())
    }

    async fn summaries(&self, sales: &[String]) -> Result<Vec<SaleSummary>> {
        summaries(self, sales).await
    }

    /// Closes a sale: no more seats can be held. Held orders can still be paid or cancelled, and expire as usual.
    async fn close(&self, sale: &str) -> Result<Closed> {
        closing::close(&CLOSE, (KIND, sale), &self.store, &self.ledger, &*self.clock).await
    }

    /// The call that decides a user's next attempt: the best seat of the first category.
    async fn attempt_call(&self, sale: &str, user: String) -> Result<AttemptCall> {
        let venue = self.venues.get(sale).await?;
        let category = venue.hall.layout.categories.first().cloned().unwrap_or_default();
        let pick = vec![Pick { category, count: 1, adjacent: true, strict: false }];
        let request = SeatRequest { seats: Vec::new(), pick, holders: Vec::new() };
        let attempt = Attempt::new(&venue.hall, user, self.ids.id(), self.ids.id(), request)?;
        let args = vec![self.clock.script_time().into_bytes(), venue.categories.clone(), pack(&[attempt])];
        Ok(AttemptCall { script: &RESERVE, args, hide: Box::new(identity) })
    }

    /// Holds the best available seats.
    async fn attempt_by_form(&self, sale: &str, form: &FormValues) -> Result<Answer<Outcome>> {
        let request = SeatRequest { pick: vec![Pick::of_form(form)?], ..SeatRequest::default() };
        TicketApi::reserve(self, sale, form.text(USER), form.optional(REQUEST_ID), request).await
    }

    /// Opens a demonstration sale: the seats of a stadium.
    async fn open_demo(&self, sale: String, plan: Plan) -> Result<SaleState> {
        let terms = Terms {
            sale,
            hall: HallChoice::Hall(HallName::Stadium),
            prices: BTreeMap::new(),
            limit_per_user: DEFAULT_LIMIT,
            hold_s: DEFAULT_HOLD_S,
            extendable: false,
            plan,
        };
        let sale = self.open(terms).await?.sale;
        Ok(self.snapshot(&sale).await?.sale_state())
    }
}

impl LiveSource for Tickets {
    type Frame = snapshot::Frame;

    async fn frame(&self, sale: &str) -> Result<(EventId, snapshot::Frame)> {
        let frame = self.snapshot_frame(sale).await?;
        Ok((frame.snapshot.event_id, frame))
    }

    fn encode(frame: &snapshot::Frame, seen: Option<&snapshot::Frame>) -> Result<String> {
        serde_json::to_string(&frame.since(seen)).map_err(Error::internal)
    }
}
