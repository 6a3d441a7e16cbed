//! The audit board: for each sale whether its invariants hold, and how far the ledger is behind.

mod dead_letters;
mod filter;
mod sale_card;
mod summary;
mod webhooks;

use crate::{
    base_path::under_base,
    components::{
        Alert, Answered, Button, FirstCall, FormErrors, LoadAlert, Notice, OutageBanner, PageData, use_entry,
        use_freshness, use_now, use_page_search, use_polling,
    },
    i18n,
    ledger::{
        api,
        audit_board::{
            filter::{Filter, FilterForm},
            sale_card::SaleCard,
            summary::Summary,
            webhooks::Webhooks,
        },
        words::words,
    },
};
use leptos::prelude::*;
use leptos_meta::Title;
use model::{
    error::{Error, Result},
    ledger::{Audited, Board, SaleName},
};
use std::time::Duration;

const INTERVAL: Duration = Duration::from_secs(2);

/// `/audit`
#[component]
pub fn AuditBoardPage() -> impl IntoView {
    let search = use_page_search();
    let filter = Memo::new(move |_| search.with(|search| Filter::parse(search)));
    let skip = Memo::new(move |_| filter.with(|filter| filter.skip));
    let board = PageData::new(move || skip.get(), api::board);
    view! {
        <Answered data=board let:first>
            <AuditBoard first filter />
        </Answered>
    }
}

#[component]
fn AuditBoard(
    /// What was loaded with the page.
    first: Result<Board>,
    /// What the address asks for.
    filter: Memo<Filter>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let is_bad = Memo::new(move |_| filter.with(Filter::is_bad));
    let applied = Memo::new(move |_| if is_bad.get() { Filter::default() } else { filter.get() });
    let freshness = use_freshness(first.is_ok());
    let audits = Audits::new(first, applied);
    let skip = filter.with_untracked(|filter| filter.skip);
    use_polling(
        INTERVAL,
        FirstCall::AfterInterval,
        move || api::board(skip),
        move |answer| {
            freshness.note(&answer);
            audits.update(answer);
        },
    );
    let now = use_now();
    let cluster = Memo::new(move |_| audits.board.with(|board| board.cluster));
    let is_empty = move || audits.board.with(|board| board.sales.is_empty()) && audits.load_error.read().is_none();
    view! {
        <Title text=words.board_title />
        <main id="main" class="board" tabindex="-1">
            <div class="intro">
                <div class="bar">
                    <h1>{words.board_title}</h1>
                    <span class="aside" role="status">
                        {audits.announcement}
                    </span>
                    <Button pending=audits.audits.pending() on_click=move || audits.audit(audits.listed())>
                        {words.audit_all}
                    </Button>
                </div>
                <p>{words.board_intro}</p>
                <Summary board=audits.board />
                <WriterStatus audits />
            </div>
            <FilterForm filter />
            <div role="status">
                <Show when=move || is_bad.get()>
                    <Notice>{words.bad_filter}</Notice>
                </Show>
            </div>
            <OutageBanner outage=freshness.outage() />
            <div role="status">
                {move || cluster.get().map(|cluster| view! { <Notice>{(shared.partial_cluster)(cluster)}</Notice> })}
            </div>
            <LoadAlert error=Signal::derive(move || freshness.unexplained(audits.load_error.get())) />
            <Alert errors=audits.audit_errors />
            <Show when=is_empty>
                <p class="empty">
                    {words.board_empty} " " <a href=under_base("/")>{shared.back_to_sales}</a>
                </p>
            </Show>
            <Show when=move || !is_empty() && audits.shown.with(Vec::is_empty) && audits.load_error.read().is_none()>
                <p class="empty">{words.board_no_match}</p>
            </Show>
            <ul class="entries">
                <For
                    each=move || audits.shown.get()
                    key=|audited| audited.name()
                    let:first
                >
                    <SaleCard audits first now />
                </For>
            </ul>
            <nav class="pages" aria-label=words.pages>
                {move || {
                    let to_newest = || view! { <a href=under_base(applied.get().of_page(None))>{words.newest_sales}</a> };
                    applied.get().skip.map(|_| to_newest())
                }}
                {move || {
                    let older = |next| view! { <a href=under_base(applied.get().of_page(Some(next)))>{words.older_sales}</a> };
                    audits.board.with(|board| board.next).map(older)
                }}
            </nav>
            <Webhooks />
        </main>
    }
}

/// Which process writes the ledger; or that none does, or that the ledger is unreachable.
#[component]
fn WriterStatus(
    /// The board, loaded again every two seconds.
    audits: Audits,
) -> impl IntoView {
    #[derive(Clone, PartialEq)]
    enum Writer {
        /// Nothing is known yet: the page says why elsewhere.
        Unknown,
        Unreachable,
        Nobody,
        Process(String),
    }
    let words = words();
    let writer = Memo::new(move |_| {
        audits.board.with(|Board { writer, unreachable, .. }| match writer {
            _ if unreachable.is_some() => Writer::Unreachable,
            Some(process) => Writer::Process(process.clone()),
            None if audits.load_error.read().is_some() => Writer::Unknown,
            None => Writer::Nobody,
        })
    });
    view! {
        <div role="status">
            {move || match writer.get() {
                Writer::Unknown => ().into_any(),
                Writer::Unreachable => view! { <Notice>{words.unreachable}</Notice> }.into_any(),
                Writer::Nobody => view! { <Notice>{words.no_writer}</Notice> }.into_any(),
                Writer::Process(process) => {
                    view! {
                        <p class="aside">
                            {words.writer} " " <code>{process}</code>
                        </p>
                    }
                        .into_any()
                }
            }}
        </div>
    }
}

/// What the board shows.
#[derive(Clone, Copy)]
struct Audits {
    board: RwSignal<Board>,
    /// Its sales that the filter shows.
    shown: Memo<Vec<Audited>>,
    /// Why the board could not be loaded or updated.
    load_error: RwSignal<Option<Error>>,
    /// The result of the last audit that the reader asked for; or why there is none.
    announcement: RwSignal<String>,
    audit_errors: FormErrors,
    audits: Action<Vec<SaleName>, ()>,
}

impl Audits {
    fn new(first: Result<Board>, filter: Memo<Filter>) -> Self {
        let load_error = RwSignal::new(first.as_ref().err().cloned());
        let board = RwSignal::new(first.unwrap_or_default());
        let shown = move |filter: &Filter| {
            board.with(|board| board.sales.iter().filter(|sale| filter.shows(sale)).cloned().collect())
        };
        let (announcement, audit_errors) = (RwSignal::new(String::new()), FormErrors::default());
        let audits =
            Action::new(move |sales: &Vec<SaleName>| audit_each(sales.clone(), board, announcement, audit_errors));
        Self { board, shown: Memo::new(move |_| filter.with(shown)), load_error, announcement, audit_errors, audits }
    }

    /// Shows an answer. One to a question from before the reader's own audit may come after it, so the newer audit of each
    /// sale is kept.
    fn update(self, answer: Result<Board>) {
        // The server is back: what it did not answer meanwhile is on the board, or can be asked again.
        if answer.is_ok() && self.load_error.with_untracked(Option::is_some) {
            self.audit_errors.clear();
        }
        self.load_error.set(answer.as_ref().err().cloned());
        if let Ok(mut newest) = answer {
            self.board.update(|board| {
                for before in board.sales.drain(..) {
                    let name = before.name();
                    let Some(ours) = before.audit else { continue };
                    let same = newest.sales.iter_mut().find(|audited| audited.name() == name);
                    let is_older =
                        |audited: &&mut Audited| audited.audit.as_ref().is_some_and(|theirs| ours.at > theirs.at);
                    if let Some(audited) = same.filter(is_older) {
                        audited.audit = Some(ours);
                    }
                }
                *board = newest;
            });
        }
    }

    /// The sales that are shown, from top to bottom.
    fn listed(self) -> Vec<SaleName> {
        self.shown.with_untracked(|sales| sales.iter().map(Audited::name).collect())
    }

    /// What is known of a sale; `first` until the board is updated.
    fn audited(self, first: Audited) -> Memo<Audited> {
        let name = first.name();
        let found = move |board: &Board| board.sales.iter().find(|audited| audited.name() == name).cloned();
        // A sale that has left the board keeps its last state until its card is gone.
        use_entry(first, move || self.board.with(&found))
    }

    /// Audits sales now, one after the other.
    fn audit(self, sales: Vec<SaleName>) {
        self.audit_errors.clear();
        self.audits.dispatch(sales);
    }
}

/// Audits these sales one after the other, and shows each answer on the board.
async fn audit_each(sales: Vec<SaleName>, board: RwSignal<Board>, announcement: RwSignal<String>, errors: FormErrors) {
    for name in sales {
        let answer = api::audit(name.kind.clone(), name.sale.clone()).await;
        // The reader may have left the page by then.
        if board.is_disposed() {
            return;
        }
        match answer {
            Ok(audit) => {
                let label = i18n::sale_name(&name.sale)
                    .map_or_else(|| name.sale.clone(), |called| format!("{called} ({})", name.sale));
                announcement.set(format!("{label}: {}", (i18n::words().verdict)(audit.verdict)));
                board.update(|board| {
                    if let Some(audited) = board.sales.iter_mut().find(|audited| audited.name() == name) {
                        audited.audit = Some(audit);
                    }
                });
            }
            Err(error) => {
                let is_gone = error.code.is_sale_gone();
                errors.set(Some(error));
                // Anything else would prevent the other audits too.
                if !is_gone {
                    return;
                }
            }
        }
    }
}
