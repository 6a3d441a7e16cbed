//! A sale on its page: the latest snapshot, and its view for the frame of the page.

use crate::{
    components::{advance_server_clock, format::money, provide_currency, server_now, use_request_ids, use_time_left},
    crowd::panel::{CrowdControl, CrowdKindForm, CrowdSale, Newest, OpenFresh},
    i18n::{self, KindWords},
    life::{PageLife, next_turn},
    live::event_stream::use_event_stream,
    open_form::OpenSaleRequest,
    stage::{
        StageSale,
        copy::{next_id, open_copy},
    },
};
use futures::FutureExt;
use leptos::prelude::*;
use leptos_use_fn_debounce_throttle::use_throttle_fn;
use model::{
    Cents, Millis, SaleState,
    crowd::Status,
    error::Code,
    life::{Currency, Life},
    snapshot::SaleSnapshot,
};
use serde::de::DeserializeOwned;

/// The shortest interval between two changes of a figure, in milliseconds: nobody reads faster, and text layout takes
/// longer than painting a picture.
const FIGURES_MS: f64 = 100.0;

/// A sale on its page, shared by all parts.
pub struct LiveSale<S: Send + Sync + 'static> {
    /// The latest snapshot, for parts that are painted with each frame.
    pub snapshot: RwSignal<S>,
    /// The snapshot for figures: updated less often, and the same for all of them.
    figures: RwSignal<S>,
    /// The latest crowd at the sale. A memo of its own, so that its followers do not run with every snapshot.
    pub crowd: Memo<Option<Status>>,
    /// The sale is closed, so nothing can be changed any more. A memo of its own likewise.
    pub is_closed: Memo<bool>,
    /// The currency of all amounts, which never changes.
    pub currency: Currency,
    /// The latest time, by the server's clock, at which the start or the end has come; 0 before.
    turned_at: RwSignal<Millis>,
}

// Derived, they would require the same of the snapshot.
impl<S: Send + Sync> Copy for LiveSale<S> {}

impl<S: Send + Sync> Clone for LiveSale<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: SaleSnapshot> LiveSale<S> {
    /// Makes the sale of this snapshot.
    pub fn new(snapshot: S) -> Self {
        let currency = snapshot.life().currency;
        provide_currency(currency);
        let figures = RwSignal::new(snapshot.clone());
        let snapshot = RwSignal::new(snapshot);
        let crowd = Memo::new(move |_| figures.with(|sale| sale.crowd().cloned()));
        let is_closed = Memo::new(move |_| figures.with(|sale| sale.sale_state() == SaleState::Closed));
        // (leptos-use's `signal_throttled` would copy every snapshot, not only the shown ones.)
        let follow = use_throttle_fn(
            move || {
                if let Some(latest) = snapshot.try_get_untracked() {
                    figures.set(latest);
                }
            },
            FIGURES_MS,
        );
        // An effect owns it, which does not exist on the server: there, a throttled function may not change threads.
        Effect::watch(move || snapshot.track(), move |(), _, _| _ = follow(), false);
        Self { snapshot, figures, crowd, is_closed, currency, turned_at: RwSignal::new(0) }
    }

    /// Returns the life of the sale, whose start and end come by the server's clock: without any message, in every window
    /// at the same moment.
    fn follow_life(self) -> PageLife {
        let life = Memo::new(move |_| self.read(|sale| Life { now: 0, ..sale.life().clone() }));
        let next = Memo::new(move |_| self.at_now(|sale, now| next_turn(sale.life(), now)));
        let time_left = use_time_left(next);
        Effect::new(move || {
            if time_left.get() == Some(0) {
                self.turned_at.set(server_now());
            }
        });
        let phase = Memo::new(move |_| self.at_now(|sale, now| sale.life().phase(now)));
        // On the server and in the first render, by the time of the snapshot: nothing moves when the browser takes over.
        let at_first = move || next.get().map(|at| self.at_now(|_, now| (at - now).max(0)));
        let time_left = Signal::derive(move || time_left.get().or_else(at_first));
        PageLife { life, phase, time_left }
    }

    /// Returns what follows from the snapshot for a figure and from its time, or from a later start or end.
    fn at_now<T>(self, read: impl FnOnce(&S, Millis) -> T) -> T {
        let turned_at = self.turned_at.get();
        self.read(|sale| read(sale, sale.life().now.max(turned_at)))
    }

    /// Formats an amount in the currency of the sale.
    pub fn money(self, cents: Cents) -> String {
        money(cents, self.currency)
    }

    /// Returns its id.
    pub fn id(self) -> String {
        self.snapshot.with_untracked(|sale| sale.sale().to_owned())
    }

    /// Returns the state of the sale, which distinguishes "sold out".
    pub fn state(self) -> SaleState {
        self.at_now(S::sale_state_at)
    }

    /// Returns a part of the snapshot for a figure: at most a tenth of a second behind the latest.
    pub fn read<T>(self, read: impl FnOnce(&S) -> T) -> T {
        self.figures.with(read)
    }

    /// Shows a frame of the live view. Frames come in order and the latest is right, whatever its event id. A suspended
    /// sale keeps its event id, and a sale that lost events in Redis has gone back to an earlier one.
    pub fn show(self, frame: S) {
        advance_server_clock(frame.life().now);
        self.snapshot.set(frame);
    }
}

/// Connects a sale to its live view, for the frame of its page.
pub fn use_stage_sale<S, R>(
    sale: LiveSale<S>,
    kind: &'static KindWords,
    crowd: CrowdKindForm,
    // The reason why nothing is left to get in this state; a suspension is explained for every kind.
    ended: impl Fn(SaleState) -> Option<&'static str> + Send + Sync + 'static,
    // Shows a frame of the live view.
    show: impl Fn(S) + 'static,
    // Returns the newest users of a snapshot.
    newest: fn(&S) -> Newest,
    // Returns a request that opens another sale on the same terms.
    copy: impl Fn() -> R + Send + Sync + 'static,
) -> StageSale
where
    S: SaleSnapshot + DeserializeOwned,
    R: OpenSaleRequest + Clone + Send + 'static,
    R::Output: Send,
{
    let id = sale.id();
    let shown = move || sale.snapshot.with_untracked(S::event_id);
    let stream = use_event_stream(kind.info, &id, shown, show);
    let connection = stream.connection;
    let life = sale.follow_life();
    let state = Memo::new(move |_| sale.state());
    let total = Memo::new(move |_| sale.read(S::total));
    let left = Memo::new(move |_| sale.read(S::left)).into();
    let ended = Memo::new(move |_| match state.get() {
        SaleState::Suspended => Some((i18n::words().error)(Code::SaleSuspended)),
        state => ended(state),
    });
    let is_scheduled = Signal::derive(move || state.get() == SaleState::Scheduled);
    let items = total.get_untracked().unwrap_or(u64::MAX);
    let newest = Memo::new(move |_| sale.read(newest)).into();
    let (request_ids, name) = (use_request_ids::<Option<u64>>(), id.clone());
    // The id of a copy whose opening had no answer: the same is asked for again.
    let unanswered = StoredValue::new(None::<String>);
    let open_fresh: OpenFresh = Callback::new(move |opens_in_s| {
        let (mut request, name) = (copy(), name.clone());
        request.set_opens_in_s(opens_in_s);
        request.set_request_id(request_ids.id(opens_in_s));
        async move {
            let asked = unanswered.try_get_value().flatten();
            let was_asked = asked.is_some();
            let id = if was_asked { asked } else { next_id(kind.info, &name).await? };
            let note = |id: &str| _ = unanswered.try_set_value(Some(id.to_owned()));
            let opened = open_copy(request, id, was_asked, note).await;
            if request_ids.settle(&opened) {
                _ = unanswered.try_set_value(None);
            }
            opened
        }
        .boxed()
    });
    StageSale {
        kind,
        id: StoredValue::new(id.clone()),
        event_id: Signal::derive(move || sale.snapshot.with(|sale| sale.event_id().to_string())),
        state: state.into(),
        life,
        refused: life.refused(ended.into()),
        left,
        total: total.into(),
        held: Signal::derive(move || sale.read(S::held)),
        connection,
        stream,
        ended: ended.into(),
        crowd: CrowdControl::new(
            CrowdSale { id, total: items, left, ended: ended.into(), is_scheduled, open_fresh, newest },
            sale.crowd.into(),
            connection,
            crowd,
        ),
        duplicate: Action::new(move |()| open_fresh.run(None)),
    }
}
