//! Coupon sales: opening, uploading lists, claiming, redeeming, giving back, and changing the limits.

use crate::{
    archiving_schedule::schedule_end,
    audit::audit,
    coupon::{
        codes::own_code,
        scripts::{
            Attempt, Basis, BasisCache, CLAIM, ClaimScript, CouponRecord, EndAttempt, EndScript, GIVE_BACK, KIND, OPEN,
            REDEEM, SET_LIMITS, UPLOAD, USER, VOID, Word, key, left_of, maxima, maxima_args, maximum_arg, other_terms,
            pack, unpack,
        },
        windows::Zone,
    },
    kind::Resources,
    life::plan::{check_times, packed, too_late},
    recovery::recover,
    recovery_guards::{confirm_opened, refuse_gone_meanwhile, refuse_lost, taken_on_other_terms},
};
use ledger::{
    absence::archived_or_lost,
    database::Ledger,
    kind::{DeadLetters, Recovered},
};
use model::{
    Audit, Checks, ScriptInfo, check_id, check_new_id,
    coupon::{
        ByLimit, Coupon, CouponState, End, LIMITS, LimitName, LimitsSet, List, Lists, MOST_LISTED, Opened, Outcome,
        Part, Terms, Uploaded, UserCoupons, codes::read_code, limits::Table, named_twice,
    },
    error::{Code, Error, Result},
    life::check_reason,
    sale::IdOrigin,
};
use std::sync::Arc;
use store::{
    Store,
    batcher::Batcher,
    listing,
    reply::ReplyCode,
    runtime::{Clock, Ids},
    stream::protocol_error,
};

/// The number of tries of a call that assumes the time zone and the key of another sale.
const TRIES: usize = 3;

/// The service for coupon sales on one Redis. Any number of instances, in any number of processes, act as one.
#[derive(Clone)]
pub struct Coupons {
    pub(super) store: Store,
    pub(super) ledger: Ledger,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<Ids>,
    bases: BasisCache,
    claims: Arc<Batcher<ClaimScript>>,
    redemptions: Arc<Batcher<EndScript>>,
    returns: Arc<Batcher<EndScript>>,
    voids: Arc<Batcher<EndScript>>,
}

impl Coupons {
    pub fn new(resources: &Resources) -> Self {
        let Resources { store, ledger, clock, ids } = resources.clone();
        let bases = BasisCache::default();
        let claim = ClaimScript { store: store.clone(), clock: clock.clone(), bases: bases.clone() };
        let end = |script, done| {
            let end = EndScript { store: store.clone(), clock: clock.clone(), script, done };
            Arc::new(Batcher::new(end, store.waiting_room(KIND)))
        };
        let (redemptions, returns) = (end(&REDEEM, End::Redeemed), end(&GIVE_BACK, End::Returned));
        let voids = end(&VOID, End::Voided);
        let claims = Arc::new(Batcher::new(claim, store.waiting_room(KIND)));
        Self { store, ledger, clock, ids, bases, claims, redemptions, returns, voids }
    }

    /// Opens a sale. Opening it again on the same terms changes nothing, also after its limits were changed.
    ///
    /// # Errors
    /// `bad_request`; `sale_exists` or `request_reused` for different terms; `unavailable`.
    pub async fn open(&self, terms: Terms) -> Result<Opened> {
        self.open_as(terms, IdOrigin::Client).await
    }

    /// Like [`Self::open`], with an id of this origin.
    pub(super) async fn open_as(&self, terms: Terms, origin: IdOrigin) -> Result<Opened> {
        let mut checks = Checks::default();
        checks.note(terms.check());
        let zone = checks.finish(Zone::named(&terms.time_zone))?;
        let Terms { sale, limits, given_back_counts, validity, lists, plan, .. } = terms;
        refuse_lost(&self.store, &self.ledger, KIND, &sale, origin).await?;
        check_times(&plan, &self.store, (KIND, &sale), self.clock.now()).await?;
        let args = [
            self.clock.script_time(),
            zone.name().to_owned(),
            self.ids.id(),
            u8::from(given_back_counts).to_string(),
            validity.to_text(),
        ];
        let mut args: Vec<Vec<u8>> = args.into_iter().map(String::into_bytes).collect();
        let table = Table::new(LIMITS);
        args.extend([pack(&table), packed(&plan), lists.to_text().into_bytes()]);
        args.extend(maxima_args(&table, &limits).into_iter().map(String::into_bytes));
        let now = self.clock.now();
        listing::list(&self.store, KIND, &sale, now).await?;
        let code = self.store.eval(&OPEN, (KIND, &sale), &args).await?.code;
        if matches!(code, ReplyCode::Repeat | ReplyCode::Exists) {
            refuse_gone_meanwhile(&self.store, KIND, &sale).await?;
        }
        match code {
            ReplyCode::Done | ReplyCode::Repeat => {
                confirm_opened(&self.store, &self.ledger, KIND, &sale, now, origin).await?;
                if plan.ends.is_some() {
                    schedule_end(&self.store, KIND, &sale).await?;
                }
                Ok(Opened { sale, existed: code == ReplyCode::Repeat })
            }
            ReplyCode::Exists => Err(taken_on_other_terms(&sale)),
            ReplyCode::TooLate => Err(too_late(&plan, self.clock.now())),
            code => Err(code.unexpected(&OPEN)),
        }
    }

    /// Uploads a part of a list of a sale: own codes, or users who may claim. Once all parts are there, the sale accepts
    /// claims. Uploading a part again changes nothing.
    ///
    /// # Errors
    /// `bad_request`, also if the list has an entry already, would be too long, or a part before this one is missing;
    /// `request_reused` if other entries were uploaded there; `unknown_sale`, `sale_suspended`, `unavailable`.
    pub async fn upload(&self, sale: &str, part: Part) -> Result<Uploaded> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        checks.finish(part.check())?;
        let Part { list, first, entries } = &part;
        let mut args: Vec<Vec<u8>> =
            [self.clock.script_time(), list.name().to_owned(), first.to_string()].map(String::into_bytes).into();
        args.push(pack(entries));
        args.extend(entries.iter().map(|entry| match list {
            List::Codes => own_code(entry).1.into_bytes(),
            List::Users => entry.clone().into_bytes(),
        }));
        let mut reply = self.store.change(&UPLOAD, (KIND, sale), &args).await?;
        let existed = match reply.code {
            ReplyCode::Done => false,
            ReplyCode::Repeat => true,
            ReplyCode::Exists => {
                let entry: String = reply.next_value()?;
                let spelled =
                    entry.split_once(' ').filter(|_| *list == List::Codes).map_or(entry.as_str(), |(_, own)| own);
                return Err(named_twice(*list, spelled));
            }
            ReplyCode::OutOfOrder | ReplyCode::OtherRequest | ReplyCode::OtherTerms => {
                let stored: String = reply.next_value()?;
                return Err(not_there(reply.code, &part, Lists::from_text(&stored).unwrap_or_default()));
            }
            ReplyCode::Closed => {
                let why = format!("The sale \"{sale}\" is closed, so nothing is uploaded any more.");
                return Err(Error::bad("sale", why));
            }
            code => {
                let refused = Err(code.refusal(&UPLOAD, sale));
                return archived_or_lost(refused, &self.store, &self.ledger, KIND, sale).await;
            }
        };
        let stored: String = reply.next_value()?;
        let lists = Lists::from_text(&stored).ok_or_else(|| protocol_error("the lists cannot be read"))?;
        Ok(Uploaded { lists, existed })
    }

    /// Attempts to claim a coupon for a user.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_suspended`, `request_reused`, `busy`; `unavailable` if the outcome is
    /// unknown.
    pub async fn claim(&self, sale: &str, user: String, request_id: Option<String>) -> Result<Outcome> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        checks.note(check_new_id("user", &user));
        let request_id = checks.finish(self.ids.request_id(request_id))?;
        let outcome = self.claims.submit(sale, Attempt { user, request_id }).await?;
        archived_or_lost(outcome, &self.store, &self.ledger, KIND, sale).await
    }

    /// Redeems a coupon, once.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_suspended`, `busy`; `unavailable` if the outcome is unknown.
    pub async fn redeem(&self, sale: &str, code: &str, request_id: Option<String>) -> Result<End> {
        self.end(&self.redemptions, sale, code, None, request_id).await
    }

    /// Gives a coupon back, once. The reason, which may be empty, is for the ledger.
    ///
    /// # Errors
    /// As [`Coupons::redeem`].
    pub async fn give_back(&self, sale: &str, code: &str, reason: String, request_id: Option<String>) -> Result<End> {
        self.end(&self.returns, sale, code, Some(reason), request_id).await
    }

    /// Takes the redemption of a coupon by this request back, once. The reason, which may be empty, is for the ledger.
    ///
    /// # Errors
    /// As [`Coupons::redeem`]; `bad_request` also if too many redemptions of the coupon were taken back.
    pub async fn void(&self, sale: &str, code: &str, reason: String, request_id: String) -> Result<End> {
        self.end(&self.voids, sale, code, Some(reason), Some(request_id)).await
    }

    async fn end(
        &self,
        batcher: &Batcher<EndScript>,
        sale: &str,
        code: &str,
        reason: Option<String>,
        request_id: Option<String>,
    ) -> Result<End> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        let code = checks.value(read_code("code", code));
        checks.note(reason.as_deref().map_or(Ok(()), check_reason));
        let request_id = checks.finish(self.ids.request_id(request_id))?;
        let attempt = EndAttempt { code, request_id, reason };
        let end = batcher.submit(sale, attempt).await?;
        archived_or_lost(end, &self.store, &self.ledger, KIND, sale).await
    }

    /// Changes limits: sets those in `limits`, lifts those in `unlimited`, and leaves the others as they are. A limit of 0
    /// for the sale stops claims.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_suspended`, `request_reused`, `unavailable`.
    pub async fn set_limits(
        &self,
        sale: &str,
        limits: ByLimit,
        unlimited: &[LimitName],
        request_id: Option<String>,
    ) -> Result<LimitsSet> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        let request_id = checks.value(self.ids.request_id(request_id));
        checks.note(limits.check_edit());
        for limit in unlimited.iter().filter(|limit| limits.get(**limit).is_some()) {
            let name = limit.name();
            let why = format!("`{name}` is both set and lifted; give only one of the two.");
            checks.note::<()>(Err(Error::bad(name, why)));
        }
        if unlimited.is_empty() && LIMITS.iter().all(|limit| limits.get(limit.name).is_none()) {
            let why = "No limit is given, so nothing would change. Give a limit its new maximum, or name those to lift in \
                       `unlimited`; `null` lifts none.";
            checks.note::<()>(Err(Error::bad("unlimited", why)));
        }
        checks.finish(Ok(()))?;
        let is_changed = |name: &LimitName| limits.get(*name).is_some() || unlimited.contains(name);
        let mut args = vec![self.clock.script_time(), request_id];
        for name in LIMITS.map(|limit| limit.name).into_iter().filter(is_changed) {
            args.extend([name.name().to_owned(), maximum_arg(limits.get(name))]);
        }
        let mut reply = self.store.change(&SET_LIMITS, (KIND, sale), &args).await?;
        let answer = match reply.code {
            ReplyCode::Done => |limits| LimitsSet::Set { limits },
            ReplyCode::Repeat => |limits| LimitsSet::Repeat { limits },
            ReplyCode::Closed => return Ok(LimitsSet::Closed),
            ReplyCode::OtherRequest => {
                let why = "`request_id` was used for another change of limits at this sale; nothing was changed. Use a \
                           new one.";
                return Err(Error::of_field(Code::RequestReused, "request_id", why));
            }
            ReplyCode::OtherTerms => {
                let name: String = reply.next_value()?;
                let why = format!("This sale was opened by a version of Stampede without the limit `{name}`.");
                return Err(Error::bad(&name, why));
            }
            code => {
                let refused = Err(code.refusal(&SET_LIMITS, sale));
                return archived_or_lost(refused, &self.store, &self.ledger, KIND, sale).await;
            }
        };
        let packed: Vec<u8> = reply.next_value()?;
        let words: Vec<String> = unpack(&packed)?;
        Ok(answer(maxima(&words).ok_or_else(|| protocol_error("the limits in force cannot be read"))?))
    }

    /// The coupons of a user, and how many more each limit allows. The question has no values of further scopes, so the
    /// answer leaves out limits of such scopes.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn user(&self, sale: &str, user: String) -> Result<UserCoupons> {
        let mut checks = Checks::default();
        checks.note(check_id("sale", sale));
        checks.finish(check_id("user", &user))?;
        let (mut now, mut basis) = (self.clock.now(), self.bases.get(sale)?);
        for _ in 0..TRIES {
            let args =
                (self.clock.script_time(), basis.text(), pack(&basis.zone().windows_around(now)?), &user, MOST_LISTED);
            let mut reply = self.store.eval(&USER, (KIND, sale), &args).await?;
            match reply.code {
                ReplyCode::Done => {
                    let (left, held): (Vec<u8>, Vec<Vec<u8>>) = (reply.next_value()?, reply.next_value()?);
                    let words: Vec<Word> = unpack(&left)?;
                    let coupons = held.chunks_exact(2).map(|pair| read_coupon(&pair[0], &pair[1]));
                    return Ok(UserCoupons { user, left: left_of(&words)?, coupons: coupons.collect::<Result<_>>()? });
                }
                ReplyCode::OtherTerms => (now, basis) = self.bases.learn(sale, &reply.next_value::<String>()?)?,
                code => {
                    let refused = Err(code.refusal(&USER, sale));
                    return archived_or_lost(refused, &self.store, &self.ledger, KIND, sale).await;
                }
            }
        }
        Err(other_terms(sale))
    }

    /// Checks the sale's invariants, coupon by coupon and user by user. The verdict is `unknown` if the sale could not
    /// be checked.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`.
    pub async fn audit(&self, sale: &str) -> Result<Audit> {
        audit(self, &self.ledger, sale, self.clock.now()).await
    }

    /// Rebuilds a sale that Redis has lost from the ledger.
    ///
    /// # Errors
    /// `unknown_sale` if the ledger does not have it; `sale_exists` if Redis has it; `internal` if it has dead letters
    /// and `dead_letters` refuses them; `busy` if another recovery was faster; `unavailable`, `ledger_unavailable`.
    pub async fn recover(&self, sale: &str, dead_letters: DeadLetters) -> Result<Recovered> {
        recover(self, &self.store, &self.ledger, sale, self.ids.id(), &*self.clock, dead_letters).await
    }

    /// The basis of a sale.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub(super) async fn basis(&self, sale: &str) -> Result<Basis> {
        check_id("sale", sale)?;
        let stored: (Option<String>, Option<String>) =
            self.store.query("HMGET", (key(sale, "meta"), "state", "basis")).await?;
        match stored {
            (Some(state), basis) if state != "archived" => Basis::read(&basis.unwrap_or_default()),
            _ => {
                let unknown = Err(Error::unknown_sale(sale));
                archived_or_lost(unknown, &self.store, &self.ledger, KIND, sale).await
            }
        }
    }

    /// The stored coupons with these codes, in the same order.
    ///
    /// # Errors
    /// `unavailable`.
    pub(super) async fn records(&self, sale: &str, codes: &[&str]) -> Result<Vec<Option<CouponRecord>>> {
        if codes.is_empty() {
            return Ok(Vec::new());
        }
        let stored: Vec<Option<Vec<u8>>> = self.store.query("HMGET", (key(sale, "coupons"), codes)).await?;
        stored.into_iter().map(|record| record.map(|record| unpack(&record)).transpose()).collect()
    }

    /// The script that decides a claim.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn script(&self) -> Result<ScriptInfo> {
        self.store.script_info(&CLAIM).await
    }
}

/// The error for a part that does not belong where it is to be.
fn not_there(code: ReplyCode, part: &Part, lists: Lists) -> Error {
    let (list, first) = (part.list.name(), part.first);
    let (wanted, uploaded) = match part.list {
        List::Codes => (lists.own_codes, lists.codes_uploaded),
        List::Users => (lists.only_for, lists.users_uploaded),
    };
    match code {
        ReplyCode::OtherRequest => {
            let why = format!("Other `{list}` were uploaded from `first` = {first} on; nothing was changed.");
            Error::of_field(Code::RequestReused, list, why)
        }
        ReplyCode::OtherTerms => {
            let opened_for = if wanted == 0 { "no".to_owned() } else { wanted.to_string() };
            let why = format!("The sale was opened for {opened_for} `{list}`, and this part ends after that.");
            Error::bad(list, why)
        }
        _ => Error::bad("first", format!("`first` is {first}; the next part begins with {}.", uploaded + 1)),
    }
}

fn read_coupon(code: &[u8], record: &[u8]) -> Result<Coupon> {
    let CouponRecord { state, claimed_at, ended_at, ended_by, own, .. } = unpack(record)?;
    let code = own.unwrap_or_else(|| String::from_utf8_lossy(code).into_owned());
    let (ended_at, ended_by) = if state == CouponState::Claimed { (None, None) } else { (ended_at, ended_by) };
    Ok(Coupon { code, state, claimed_at, ended_at, ended_by })
}
