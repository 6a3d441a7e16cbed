//! Rebuilds a coupon sale from the ledger.
//!
//! The rows record who has claimed which coupon, the state of each coupon, and the limits in force. The counts of the
//! limits follow from the rows and their times. Only the last day with a claim matters. If rows contradict each other,
//! the earlier one wins.

use crate::{
    coupon::{
        history::StoredTerms,
        replay::{KeptEdit, ReplayedCoupon, ReplayedSale},
        scripts::{KIND, PARTS, RECOVER, RESUME, maxima_args, maximum_arg, pack},
        service::Coupons,
        windows::Zone,
    },
    life::replay::ReplayedLife,
    recovery::{Rebuilt, Recoverable, number, part},
    terms::RecordedTerms,
};
use ledger::{database::Ledger, replay::HistoryVisitor, sale::LedgerSale};
use model::{
    EventId, Millis,
    coupon::{CouponState, LimitName, limits::SALE},
    error::Result,
};
use store::script::Script;

/// The coupons, or counts, restored at a time.
const AT_A_TIME: usize = 1_024;

impl Recoverable for Coupons {
    const KIND: &str = KIND;
    const PARTS: &'static [&'static str] = &PARTS;
    const WINS: &'static str = "won";
    const RECOVER: &'static Script = &RECOVER;
    const RESUME: &'static Script = &RESUME;
    type Terms = StoredTerms;
    type Rebuilt = RebuiltSale;

    fn opened_at(terms: &StoredTerms) -> Millis {
        terms.opened_at
    }

    async fn rebuild(&self, ledger: &Ledger, known: &LedgerSale, terms: &StoredTerms) -> Result<RebuiltSale> {
        let StoredTerms { table, limits, time_zone, given_back_counts, .. } = terms;
        let mut replay = ReplayedSale::new(Zone::named(time_zone)?, *given_back_counts, table.clone(), *limits);
        // A coupon that ended without a claim in the ledger is restored, so that it cannot be claimed and ended again.
        replay.restores_unclaimed = true;
        let upto = known.position.event_id;
        replay.rows(ledger, known, EventId::default(), upto).await?;
        Ok(RebuiltSale::new(replay, terms.clone()))
    }
}

/// A sale rebuilt from the ledger.
pub struct RebuiltSale {
    terms: StoredTerms,
    replay: ReplayedSale,
    /// The coupons, in no order.
    coupons: Vec<(String, ReplayedCoupon)>,
    /// The fields and values of `counts`.
    counts: Vec<(String, String)>,
    /// The fields and values of `codes`.
    codes: Vec<(String, String)>,
    /// The entries of `pending`.
    pending: Vec<String>,
    /// The fields of `invited`.
    invited: Vec<String>,
    /// The coupons that count against the limit for the sale.
    counted: i64,
    conflicts: Vec<String>,
}

impl RebuiltSale {
    fn new(mut replay: ReplayedSale, terms: StoredTerms) -> Self {
        let counts = std::mem::take(&mut replay.counts);
        let counted = counts.get(&SALE.field("")).map_or(0, |counts| counts.count(LimitName::Total));
        let counts = counts.into_iter().map(|(field, counts)| (field, counts.stored(&terms.table))).collect();
        let mut conflicts: Vec<String> = Vec::new();
        let holder = |id: &String| replay.coupons.get(id).map_or("", |coupon| coupon.user.as_str());
        // An own code, in a sale with such.
        let code_of =
            |id: &String| replay.coupons.get(id).and_then(|coupon| coupon.own.clone()).unwrap_or_else(|| id.clone());
        for id in &replay.doubled {
            let (code, user) = (code_of(id), holder(id));
            conflicts.push(format!("coupon {code} stays with {user}; it was also confirmed to somebody else"));
        }
        for id in &replay.second {
            conflicts.push(format!("coupon {} of {} is a second one of the same request", code_of(id), holder(id)));
        }
        for id in &replay.ended_twice {
            let state = replay.coupons.get(id).map(ReplayedCoupon::state);
            let state = if state == Some(CouponState::Redeemed) { "redeemed" } else { "given back" };
            let (code, user) = (code_of(id), holder(id));
            conflicts.push(format!("coupon {code} of {user} stays {state}; it was ended once more after that"));
        }
        for id in &replay.unclaimed {
            let (code, user) = (code_of(id), holder(id));
            conflicts.push(format!("coupon {code} of {user} is back as it ended; that it was claimed is not recorded"));
        }
        for (id, limit) in &replay.beyond_limits {
            let (code, user, limit) = (code_of(id), holder(id), limit.name());
            conflicts.push(format!("coupon {code} stays with {user}; the limit {limit} allowed no more by then"));
        }
        let coupons = std::mem::take(&mut replay.coupons).into_iter().collect();
        let codes =
            std::mem::take(&mut replay.lists.codes).into_iter().map(|(field, named)| (field, named.id)).collect();
        let pending = std::mem::take(&mut replay.lists.pending).into();
        let invited = std::mem::take(&mut replay.lists.invited).into_keys().collect();
        Self { terms, replay, coupons, counts, codes, pending, invited, counted, conflicts }
    }

    fn meta(&self, life: &ReplayedLife) -> Result<Vec<Vec<u8>>> {
        let mut fields = Vec::new();
        let table = &self.terms.table;
        for limit in table.limits() {
            let name = limit.name.name();
            fields.push((format!("limit:{name}"), maximum_arg(self.replay.limits.get(limit.name))));
            fields.extend(self.replay.window(limit.name).map(|window| (format!("window:{name}"), window.to_string())));
        }
        let mut fields: Vec<Vec<u8>> =
            fields.into_iter().flat_map(|(name, value)| [name.into_bytes(), value.into_bytes()]).collect();
        fields.extend(self.terms.fields()?.into_iter().flat_map(|(name, value)| [name.into(), value]));
        fields.extend(life.meta().into_iter().flat_map(|(name, value)| [name.into_bytes(), value]));
        let lists = self.replay.lists.lists;
        if !lists.is_none() {
            fields.extend([b"lists".to_vec(), lists.to_meta().into_bytes()]);
        }
        if !self.replay.edits.is_empty() {
            let edit = |(request_id, edit, limits): &KeptEdit| {
                let words = edit.iter().flat_map(|(name, most)| [name.name().to_owned(), maximum_arg(*most)]);
                (request_id.clone(), words.collect(), maxima_args(table, limits))
            };
            let edits: Vec<(String, Vec<String>, Vec<String>)> = self.replay.edits.iter().map(edit).collect();
            fields.extend([b"edits".to_vec(), pack(&edits)]);
        }
        Ok(fields)
    }
}

impl Rebuilt for RebuiltSale {
    fn chunks(&self) -> usize {
        let Self { coupons, counts, codes, pending, invited, .. } = self;
        let longest = [coupons.len(), counts.len(), codes.len(), pending.len(), invited.len()].into_iter().max();
        longest.unwrap_or_default().div_ceil(AT_A_TIME).max(1)
    }

    fn chunk(&self, chunk: usize) -> Vec<Vec<u8>> {
        let coupons = &self.coupons[part(chunk, AT_A_TIME, self.coupons.len())];
        let counts = &self.counts[part(chunk, AT_A_TIME, self.counts.len())];
        let codes = &self.codes[part(chunk, AT_A_TIME, self.codes.len())];
        let pending = &self.pending[part(chunk, AT_A_TIME, self.pending.len())];
        let invited = &self.invited[part(chunk, AT_A_TIME, self.invited.len())];
        let sizes = [coupons.len(), counts.len(), codes.len(), pending.len(), invited.len()];
        let mut args = vec![sizes.map(|size| size.to_string()).join(" ").into_bytes()];
        for (id, coupon) in coupons {
            args.extend([id.clone().into_bytes(), coupon.record(&self.terms.table).packed()]);
        }
        for (field, value) in counts.iter().chain(codes) {
            args.extend([field.clone().into_bytes(), value.clone().into_bytes()]);
        }
        args.extend(pending.iter().map(|entry| entry.clone().into_bytes()));
        args.extend(invited.iter().flat_map(|user| [user.clone().into_bytes(), Vec::new()]));
        args
    }

    fn expected(&self) -> [usize; 2] {
        [self.coupons.len(), self.counts.len()]
    }

    fn rest(&self, life: &ReplayedLife) -> Result<Vec<Vec<u8>>> {
        let meta = self.meta(life)?;
        let ReplayedSale { claimed, redeemed, returned, voided, .. } = &self.replay;
        let stats = [("won", claimed), ("redeemed", redeemed), ("returned", returned), ("voided", voided)];
        let listed = [self.codes.len(), self.pending.len(), self.invited.len()].map(|length| length.to_string());
        let mut args = vec![listed.join(" ").into_bytes(), number(meta.len() / 2)];
        args.extend(meta);
        args.extend(stats.into_iter().flat_map(|(name, count)| [name.into(), number(count)]));
        Ok(args)
    }

    fn recorded_wins(&self) -> u64 {
        self.replay.claimed.max(0).cast_unsigned()
    }

    /// The coupons claimed, and how many more the limit for the sale allows; 0 without such a limit.
    fn won_and_waiting(&self) -> [usize; 2] {
        let counted = self.counted.max(0).cast_unsigned();
        let waiting =
            self.replay.lists.lists.most(self.replay.limits.total).map_or(0, |most| most.saturating_sub(counted));
        [self.coupons.len(), usize::try_from(waiting).unwrap_or(usize::MAX)]
    }

    fn conflicts(self) -> Vec<String> {
        self.conflicts
    }
}
