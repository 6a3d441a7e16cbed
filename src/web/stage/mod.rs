//! The frame of a sale's page, whatever its kind. At the top is the strip with its figures and the crowd's buttons.
//! Below it is the stage, where the rush is watched and which never moves, with tabs beside it. The details follow at
//! the bottom.

mod archived;
mod attempt_card;
mod attempt_controls;
mod attempts;
mod banners;
mod copy;
mod live_sale;
mod loaded;
mod presenting;
mod strip;
mod stuck;
mod terms;
mod words;

use crate::stage::banners::Banners;
use crate::stage::loaded::FirstFacts;
use crate::stage::strip::Strip;
use crate::stage::stuck::use_stuck;
use crate::stage::words::words;
use crate::{
    closing::SaleActions,
    components::{CopyButton, TabPanel, Tabs, live_title, sale_url},
    crowd::{
        panel::{CrowdControl, CrowdPanel},
        runs::CrowdRuns,
    },
    explain::Explain,
    i18n::{self, KindWords},
    ledger::{
        audit_section::AuditSection,
        status::{LedgerCard, use_sale_ledger},
    },
    life::{Description, PageLife, StartAnnouncement},
    live::{
        ConnectionBadge,
        event_stream::{Connection, LiveStream},
    },
    notes::NotesCard,
};
pub use attempt_card::{AttemptAnswer, AttemptAnswers, AttemptCard, Waiting};
pub use attempt_controls::{PauseButton, UserFilter, use_attempt_controls};
pub use attempts::{AttemptRow, AttemptTable, AttemptsCard, RefusedAttempts, SaleFigure};
use leptos::prelude::*;
use leptos_meta::Title;
pub use live_sale::{LiveSale, use_stage_sale};
pub use loaded::LoadedSale;
use model::{KindInfo, SaleState, error::Result};
pub use presenting::{PresentLink, use_presenting};
pub use terms::{OpenedAt, TermsCard};

/// A sale of any kind, as the frame shows it.
#[derive(Clone, Copy)]
pub struct StageSale {
    /// The texts of its kind.
    pub kind: &'static KindWords,
    /// The id.
    pub id: StoredValue<String>,
    /// The last event of the latest snapshot; figures are at most a tenth of a second behind it.
    pub event_id: Signal<String>,
    /// The state of the sale.
    pub state: Signal<SaleState>,
    /// The life of the sale: its start and end, a pause, its texts.
    pub life: PageLife,
    /// The reason why nothing can be attempted now; `None` while something can.
    pub refused: Signal<Option<String>>,
    /// The number of items that are left; `None` if there is no limit.
    pub left: Signal<Option<u64>>,
    /// The number of all items; `None` if there is no limit.
    pub total: Signal<Option<u64>>,
    /// The number of items that users hold and may still lose.
    pub held: Signal<u64>,
    /// The state of the live view's connection.
    pub connection: Signal<Connection>,
    /// The live view.
    pub stream: LiveStream,
    /// The reason why nothing is left to get; `None` while something is.
    pub ended: Signal<Option<&'static str>>,
    /// The crowd at the sale.
    pub crowd: CrowdControl,
    /// Opens another sale on the same terms, and returns its id.
    pub duplicate: Action<(), Result<String>>,
}

/// The tab of the crowd.
const CROWD_TAB: &str = "crowd";

/// Returns the address of the crowd's tab on a sale's page.
pub fn crowd_url(kind: &KindInfo, sale: &str) -> String {
    format!("{}?tab={CROWD_TAB}", sale_url(kind, sale))
}

/// The main picture of the sale.
#[slot]
pub struct Scene {
    /// The large picture of the kind.
    children: Children,
}

/// The reader's own part in the sale.
#[slot]
pub struct TakePart {
    /// The kind's forms for the reader's own attempt.
    children: Children,
}

/// The results of attempts.
#[slot]
pub struct Attempts {
    /// Counts and tables of attempts.
    children: Children,
}

/// The script that decides attempts.
#[slot]
pub struct Source {
    /// The script, or a way to load it.
    children: Children,
}

/// Further information, as cards.
#[slot]
pub struct Details {
    /// Cards below the stage, such as the terms.
    children: Children,
}

/// Shows the page of a sale.
#[component]
pub fn Stage(
    /// The sale, as the stage sees it.
    sale: StageSale,
    /// The text while there has been no audit.
    not_audited: &'static str,
    /// An operator's actions that only this kind of sale has.
    #[prop(into, optional)]
    actions: ViewFnOnce,
    /// In the middle, always visible.
    scene: Scene,
    /// The first tab.
    take_part: TakePart,
    /// The tab after the crowd's.
    attempts: Attempts,
    /// The last tab.
    source: Source,
    /// Below the stage.
    details: Details,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let StageSale { kind, crowd, .. } = sale;
    let first: FirstFacts = use_context().unwrap_or_default();
    let place = NodeRef::new();
    let ledger = use_sale_ledger(kind.info.id, sale.id.get_value(), first.ledger);
    view! {
        <main
            id="main"
            class=format!("stage-page {}", kind.info.pages)
            class:presenting=use_presenting()
            class:stale=move || sale.connection.get().is_broken()
            tabindex="-1"
            data-event-id=sale.event_id
        >
            <Head sale actions />
            <StartAnnouncement life=sale.life />
            <Strip sale ledger />
            <div class="stage" class:stuck=use_stuck(place) translate="no" node_ref=place>
                {(scene.children)()} <Banners sale ledger stage=place />
            </div>
            <Tabs label=words.tabs>
                <TabPanel slot:tab_panel id="take-part" label=words.take_part>
                    {(take_part.children)()}
                </TabPanel>
                <TabPanel slot:tab_panel id=CROWD_TAB label=words.crowd>
                    <CrowdPanel crowd />
                </TabPanel>
                <TabPanel slot:tab_panel id="attempts" label=words.attempts>
                    {(attempts.children)()}
                </TabPanel>
                <TabPanel slot:tab_panel id="audit" label=shared.audit>
                    <AuditSection
                        kind=kind.info.id
                        sale=sale.id.get_value()
                        first=first.audit
                        empty=not_audited
                        crowd_running=Signal::derive(move || crowd.is_running())
                    />
                </TabPanel>
                <TabPanel slot:tab_panel id="script" label=shared.script>
                    {(source.children)()} <Explain kind=kind.info.id sale=sale.id.get_value() />
                </TabPanel>
            </Tabs>
            <div class="details">
                <Description life=sale.life />
                <CrowdRuns
                    sale=sale.id.get_value()
                    form=crowd.form
                    status=crowd.status
                    is_open=Signal::derive(move || sale.ended.get().is_none())
                />
                {(details.children)()} <LedgerCard ledger sale=sale.id.get_value() />
                <NotesCard kind=kind.info.id sale=sale.id.get_value() />
            </div>
        </main>
    }
    .into_any()
}

/// Shows the sale's name, the state of the connection, and the operator's actions.
#[component]
fn Head(
    /// The sale, as the stage sees it.
    sale: StageSale,
    /// An operator's actions that only this kind of sale has.
    actions: ViewFnOnce,
) -> impl IntoView {
    let StageSale { kind, state, held, connection, life, .. } = sale;
    let id = sale.id.get_value();
    // A chosen id is the name itself, unless the sale has a title.
    let title = Memo::new({
        let id = id.clone();
        move |_| life.life.with(|life| i18n::sale_title(&id, &life.title)).unwrap_or_else(|| id.clone())
    });
    let lang = move || life.life.with(|life| i18n::shown_text(&life.title).map(|(lang, _)| lang.tag()));
    let page_title = live_title(move || format!("{} {}", kind.name, title.get()));
    let shown_id = {
        let id = id.clone();
        move || (*title.read() != id).then(|| view! { <span class="id" translate="no">{id.clone()}</span> })
    };
    view! {
        <Title text=page_title />
        <header class="head">
            <h1>
                <span translate="no" lang=lang>
                    {title}
                </span>
                " "
                <small class="kind">{kind.name}</small>
            </h1>
            {shown_id}
            <CopyButton label=i18n::words().copy_id text=id.clone() />
            <ConnectionBadge connection />
            <PresentLink />
            {actions.run()}
            <SaleActions kind=kind.info.id sale=id state life held />
        </header>
    }
}
