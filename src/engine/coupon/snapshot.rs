//! Consistent snapshots of coupon sales.

use crate::{
    coupon::{
        history::claims,
        scripts::{Basis, KIND, SNAPSHOT},
        service::Coupons,
    },
    life::fields::{OF_SNAPSHOTS, life},
    runs,
};
use ledger::absence::archived_or_lost;
use model::{
    EventId, Millis, check_id,
    coupon::{
        Claim, Declined, DeclinedAttempt, LIMITS, LimitName, Lists, MINUTES, Minute, Outcomes, Refusals, Snapshot,
        State, Validity,
        codes::GROUP,
        limits::{ByLimit, Window},
    },
    error::Result,
};
use store::{
    fields::Fields,
    reply::ReplyCode,
    stream::{Entry, number_field, packed},
};

/// The number of newest claims, and of sampled attempts, in a snapshot.
const LATEST: usize = 32;
const SAMPLE: usize = 16;
const MINUTE: Millis = 60_000;

impl Coupons {
    /// A consistent snapshot of all data of the page.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn snapshot(&self, sale: &str) -> Result<Snapshot> {
        check_id("sale", sale)?;
        let limits_in_force = LIMITS.map(|limit| limit_field(limit.name));
        let days = LIMITS.into_iter().filter(|limit| limit.window == Window::Day);
        let days: Vec<String> = days.map(|limit| window_field(limit.name)).collect();
        let of_terms = ["basis", "given_back_counts", "validity", "lists", "opened_at"];
        let fields = (of_terms.as_slice(), limits_in_force.as_slice(), days.as_slice(), OF_SNAPSHOTS.as_slice());
        let mut reply = self.store.eval(&SNAPSHOT, (KIND, sale), (LATEST, SAMPLE, fields)).await?;
        if reply.code != ReplyCode::Done {
            return archived_or_lost(Err(reply.code.refusal(&SNAPSHOT, sale)), &self.store, &self.ledger, KIND, sale)
                .await;
        }
        let meta: Fields = reply.next_value()?;
        let stats: Fields = reply.next_value()?;
        let of_sale: Option<String> = reply.next_value()?;
        let event_id: EventId = reply.next_value::<String>()?.parse()?;
        let events: Vec<Entry> = reply.next_value()?;
        let attempts: Vec<Entry> = reply.next_value()?;
        let crowd: Option<String> = reply.next_value()?;

        let now = self.clock.now();
        let life = life(&meta, now);
        let won = stats.count("won");
        let lists = meta.get("lists").and_then(Lists::from_text).unwrap_or_default();
        // A sale that is being recovered has no terms yet.
        let day = Basis::read(meta.text("basis")).ok();
        let time_zone = day.as_ref().map_or(model::coupon::DEFAULT_TIME_ZONE, |basis| basis.zone().name()).to_owned();
        // If the clock went back past midnight, claims count towards the day that has already begun.
        let in_day = days.iter().map(|day| meta.number(day)).fold(now, Millis::max);
        let day_ends_at = day.map_or(Ok(now), |basis| basis.zone().day_end(in_day))?;
        Ok(Snapshot {
            sale: sale.to_owned(),
            state: State::of(meta.text("state"), life.phase(now), lists),
            life,
            limits: limits(|field| meta.get(field)),
            time_zone,
            given_back_counts: meta.text("given_back_counts") == "1",
            validity: meta.get("validity").and_then(Validity::from_text).unwrap_or_default(),
            lists,
            opened_at: meta.number("opened_at"),
            day_ends_at,
            counted: counted(of_sale.as_deref(), LimitName::Total.name()),
            claimed: won,
            redeemed: stats.count("redeemed"),
            returned: stats.count("returned"),
            outcomes: Outcomes {
                won,
                repeat: stats.count("repeat"),
                refused: Refusals::of(|limit| stats.count(&format!("refused:{}", limit.name()))),
                closed: stats.count("closed"),
                not_open: stats.count("not_open"),
                paused: stats.count("paused"),
                ended: stats.count("ended"),
                not_invited: stats.count("not_invited"),
            },
            minutes: minutes(&stats, now),
            latest: latest(&events),
            declined: declined(&attempts),
            calls: stats.count("calls"),
            crowd: crowd.map(|json| runs::read(&json, now)).transpose()?,
            event_id,
        })
    }
}

/// The field of `meta` that has the maximum of a limit.
pub(super) fn limit_field(limit: LimitName) -> String {
    format!("limit:{}", limit.name())
}

/// The field of `meta` that has the start of a limit's latest window.
fn window_field(limit: LimitName) -> String {
    format!("window:{}", limit.name())
}

/// The limits in force, from the fields of `meta`.
pub(super) fn limits<'a>(field: impl Fn(&str) -> Option<&'a str>) -> ByLimit {
    let mut limits = ByLimit::default();
    for limit in LIMITS {
        let maximum = field(&limit_field(limit.name));
        limits.set(limit.name, maximum.and_then(|maximum| maximum.parse().ok()));
    }
    limits
}

/// The count with this mark in the stored counts of a value.
pub(super) fn counted(stored: Option<&str>, mark: &str) -> u64 {
    let mut counts = stored.unwrap_or_default().split(' ').filter_map(|word| word.split_once('='));
    counts.find(|(name, _)| *name == mark).and_then(|(_, count)| count.parse().ok()).unwrap_or(0)
}

/// The claims of the last hour, from a ring of minutes.
fn minutes(stats: &Fields, now: Millis) -> Vec<Minute> {
    let since = now.div_euclid(MINUTE) - MINUTES as i64;
    let minute = |place| {
        let (minute, claims) = stats.get(&format!("minute:{place}"))?.split_once('=')?;
        let (minute, claims): (i64, u64) = (minute.parse().ok()?, claims.parse().ok()?);
        (minute > since).then_some(Minute { at: minute * MINUTE, claims })
    };
    let mut minutes: Vec<Minute> = (0..MINUTES).filter_map(minute).collect();
    minutes.sort_unstable_by_key(|minute| minute.at);
    minutes
}

/// The newest claims. An entry that cannot be read is left out; it is a dead letter, which the ledger reports.
fn latest(events: &[Entry]) -> Vec<Claim> {
    let mut latest = Vec::with_capacity(LATEST);
    for entry in events {
        let (Ok(at), Ok(claims)) = (number_field(entry, "at"), claims(entry)) else { continue };
        let wanted = LATEST - latest.len();
        let newest = claims.into_iter().rev().take(wanted);
        latest.extend(newest.map(|claim| Claim { code_ends: end_of(&claim.code), user: claim.user, at }));
    }
    latest
}

/// The last group of a code; of a short own code, less.
fn end_of(code: &str) -> String {
    let shown = GROUP.min(code.len() / 2);
    code.get(code.len() - shown..).unwrap_or_default().to_owned()
}

/// The newest attempts that changed nothing: user, reply code and limit of each. Entries in another form than the
/// scripts write are left out.
fn declined(entries: &[Entry]) -> Vec<DeclinedAttempt> {
    let mut declined = Vec::with_capacity(SAMPLE);
    for entry in entries {
        let (Ok(at), Ok(data)) = (number_field(entry, "at"), packed::<String>(entry, "data")) else { continue };
        for (place, words) in data.chunks_exact(3).enumerate().rev() {
            let code = words[1].parse().ok().and_then(ReplyCode::from_number);
            let outcome = match code {
                Some(ReplyCode::Repeat) => Declined::Repeat,
                Some(ReplyCode::Closed) => Declined::Closed,
                Some(ReplyCode::NotOpen) => Declined::NotOpen,
                Some(ReplyCode::Paused) => Declined::Paused,
                Some(ReplyCode::Expired) => Declined::Ended,
                Some(ReplyCode::NotInvited) => Declined::NotInvited,
                Some(ReplyCode::OtherUser) => Declined::OtherUser,
                Some(ReplyCode::LimitReached) => match LimitName::from_name(&words[2]) {
                    Some(limit) => Declined::Limit(limit),
                    None => continue,
                },
                Some(_) | None => continue,
            };
            declined.push(DeclinedAttempt { id: format!("{}/{place}", entry.0), user: words[0].clone(), outcome, at });
        }
    }
    declined.truncate(SAMPLE);
    declined
}
