//! The page of one coupon sale. The server renders it whole; then every frame of the live view replaces the snapshot that
//! all parts read.

mod attempts;
mod claim;
mod crowd;
mod held;
mod limits;
mod meters;
mod minutes;
mod open;
mod summary;
mod terms;

pub use summary::PAGES;

use super::{INFO, MAX_LIMIT, Snapshot, UserCoupons, api, words::words};
use crate::{
    components::{FormErrors, ScriptCard, use_now},
    crowd::{Status, panel::CrowdControl},
    domain::{Millis, SaleState, ScriptInfo},
    error::{Code, Result},
    i18n,
    live::event_stream::use_event_stream,
    sales::stage::{Attempts, Details, LoadedSale, Scene, Source, Stage, StageSale, TakePart},
};
use attempts::AttemptCounts;
use claim::ClaimForm;
use futures::future;
use held::UserCard;
use leptos::{prelude::*, task::spawn_local};
use limits::LimitsForm;
use meters::Meters;
use terms::Terms;

/// `/coupons/<id>`
#[component]
pub fn CouponPage() -> impl IntoView {
    view! {
        <LoadedSale kind=&INFO load form=crowd::CROWD let:data>
            <SalePage snapshot=data.0 script=data.1 />
        </LoadedSale>
    }
}

async fn load(sale: String) -> Result<(Snapshot, ScriptInfo)> {
    future::try_join(api::snapshot(sale), api::script()).await
}

/// The sale on the page, for all of its parts.
#[derive(Clone, Copy)]
struct Sale {
    snapshot: RwSignal<Snapshot>,
    /// The latest crowd there; apart, since the figures change far more often.
    crowd: RwSignal<Option<Status>>,
    /// The browser's clock, once a second; zero before hydration.
    now: Signal<Millis>,
    /// How often a user was looked up: only the latest answer counts, whichever arrives last.
    look_ups: StoredValue<u32>,
    /// The user who was looked up last.
    user: RwSignal<Option<UserCoupons>>,
    /// Why nobody could be looked up.
    look_up_errors: FormErrors,
}

impl Sale {
    fn new(mut snapshot: Snapshot) -> Self {
        let crowd = RwSignal::new(snapshot.crowd.take());
        let snapshot = RwSignal::new(snapshot);
        let (look_ups, user, look_up_errors) = (StoredValue::new(0), RwSignal::new(None), FormErrors::default());
        let this = Self { snapshot, crowd, now: use_now(), look_ups, user, look_up_errors };
        // What is left to a user follows from the limits and the day.
        let terms = Memo::new(move |_| snapshot.with(|sale| (sale.limits, sale.day_ends_at)));
        Effect::watch(move || terms.get(), move |_, _, _| this.show_user_again(), false);
        this
    }

    fn id(self) -> String {
        self.snapshot.with_untracked(|sale| sale.sale.clone())
    }

    /// Part of the snapshot.
    fn read<T>(self, read: impl FnOnce(&Snapshot) -> T) -> T {
        self.snapshot.with(read)
    }

    /// The state of the sale, which distinguishes "sold out".
    fn state(self) -> SaleState {
        self.read(Snapshot::sale_state)
    }

    /// Why nothing can be got here any more; `None` while something can.
    fn ended(self) -> Option<&'static str> {
        match self.state() {
            SaleState::Closed => Some(words().sale_closed),
            SaleState::Suspended => Some((i18n::words().error)(Code::SaleSuspended)),
            _ => None,
        }
    }

    /// Looks up what a user holds.
    fn show_user(self, user: String) {
        self.look_up_errors.clear();
        self.look_ups.update_value(|number| *number += 1);
        let (sale, number) = (self.id(), self.look_ups.get_value());
        spawn_local(async move {
            let found = api::user(sale, user).await;
            // The page may be gone by now.
            if self.look_ups.try_get_value() == Some(number) {
                match found {
                    Ok(found) => self.user.set(Some(found)),
                    Err(error) => self.look_up_errors.set(Some(error)),
                }
            }
        });
    }

    /// Looks up again who is shown, if anybody is.
    fn show_user_again(self) {
        if let Some(user) = self.user.with_untracked(|user| user.as_ref().map(|user| user.user.clone())) {
            self.show_user(user);
        }
    }

    /// Opens another sale with the limits of this one. Returns its id.
    fn duplicate(self) -> impl Future<Output = Result<String>> + Send {
        let (limits, zone, given_back_counts) =
            self.snapshot.with_untracked(|sale| (sale.limits, sale.time_zone.clone(), sale.given_back_counts));
        async move {
            let super::ByLimit { total, per_user, per_user_per_day } = limits;
            let opened =
                api::open(None, None, total, per_user, per_user_per_day, Some(zone), Some(given_back_counts)).await?;
            Ok(opened.sale)
        }
    }

    /// Shows a frame of the live view. Frames come in order and the latest is right, even if Redis has lost events and
    /// the sale has gone back to an earlier one.
    fn show(self, mut frame: Snapshot) {
        let crowd = frame.crowd.take();
        if self.crowd.with_untracked(|shown| *shown != crowd) {
            self.crowd.set(crowd);
        }
        self.snapshot.set(frame);
    }
}

/// The page of a sale that exists.
#[component]
fn SalePage(
    /// The sale when the page was made; frames of the live view update it.
    snapshot: Snapshot,
    /// The script that decides attempts.
    script: ScriptInfo,
) -> impl IntoView {
    let words = words();
    let sale = Sale::new(snapshot);
    let id = sale.id();
    let total = Memo::new(move |_| sale.read(|sale| sale.limits.total));
    let shown = move || sale.snapshot.with_untracked(|sale| sale.event_id);
    let ended = Memo::new(move |_| sale.ended()).into();
    let connection = use_event_stream(&INFO, &id, shown, move |frame| sale.show(frame));
    let on_stage = StageSale {
        kind: &words.kind,
        id: StoredValue::new(id.clone()),
        state: Signal::derive(move || sale.state()),
        left: Memo::new(move |_| sale.read(Snapshot::left)).into(),
        total: total.into(),
        connection,
        crowd: CrowdControl::new(
            id,
            total.get_untracked().unwrap_or(MAX_LIMIT),
            sale.crowd.into(),
            connection,
            ended,
            crowd::CROWD,
        ),
        duplicate: Action::new(move |()| sale.duplicate()),
    };
    view! {
        <Stage
            sale=on_stage
            event_id=Signal::derive(move || sale.read(|sale| sale.event_id.to_string()))
            not_audited=words.not_audited
        >
            <Scene slot>
                <Meters sale />
            </Scene>
            <TakePart slot>
                <ClaimForm sale ended />
                <UserCard sale />
            </TakePart>
            <Attempts slot>
                <AttemptCounts sale />
            </Attempts>
            <Source slot>
                <ScriptCard script calls=Signal::derive(move || sale.read(|sale| sale.calls)) />
            </Source>
            <Details slot>
                <LimitsForm sale />
                <Terms sale />
            </Details>
        </Stage>
    }
}
