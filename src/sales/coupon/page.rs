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

use super::{INFO, MAX_LIMIT, Snapshot, UserCoupons, api, api::CouponUserRequest, words::words};
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
use leptos::prelude::*;
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
    /// Looks up what a user holds.
    look_up: ServerAction<CouponUserRequest>,
    /// The user who was looked up last.
    user: RwSignal<Option<UserCoupons>>,
    /// Why nobody could be looked up.
    look_up_errors: FormErrors,
}

impl Sale {
    fn new(mut snapshot: Snapshot) -> Self {
        let crowd = RwSignal::new(snapshot.crowd.take());
        let look_up = ServerAction::<CouponUserRequest>::new();
        let (user, look_up_errors) = (RwSignal::new(None), FormErrors::default());
        look_up_errors.follow(look_up.into());
        let found = look_up.value();
        Effect::new(move || {
            if let Some(Ok(found)) = found.get() {
                user.set(Some(found));
            }
        });
        let snapshot = RwSignal::new(snapshot);
        // What is left to a user follows from the limits and the day.
        let terms = Memo::new(move |_| snapshot.with(|sale| (sale.sale.clone(), sale.limits, sale.day_ends_at)));
        Effect::watch(
            move || terms.get(),
            move |(sale, ..), _, _| {
                if let Some(user) =
                    user.with_untracked(|user| user.as_ref().map(|user: &UserCoupons| user.user.clone()))
                {
                    look_up.dispatch(CouponUserRequest { sale: sale.clone(), user });
                }
            },
            false,
        );
        Self { snapshot, crowd, now: use_now(), look_up, user, look_up_errors }
    }

    fn id(self) -> String {
        self.snapshot.with_untracked(|sale| sale.sale.clone())
    }

    /// Part of the snapshot.
    fn read<T>(self, read: impl FnOnce(&Snapshot) -> T) -> T {
        self.snapshot.with(read)
    }

    /// Where the sale stands, with "sold out" told apart.
    fn state(self) -> SaleState {
        self.read(Snapshot::sale_state)
    }

    /// Why nothing can be got here any more; none while something can.
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
        self.look_up.dispatch(CouponUserRequest { sale: self.id(), user });
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

    /// Shows a frame of the live view. Frames come in order and the latest is right, also where Redis has lost events and
    /// the sale has gone back to an earlier one.
    fn show(self, mut frame: Snapshot) {
        let crowd = frame.crowd.take();
        if self.crowd.with_untracked(|shown| *shown != crowd) {
            self.crowd.set(crowd);
        }
        self.snapshot.set(frame);
    }
}

/// The page of a sale that there is.
#[component]
fn SalePage(snapshot: Snapshot, script: ScriptInfo) -> impl IntoView {
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
