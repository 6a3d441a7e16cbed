//! Closing or archiving several sales at once: after one question, one after the other by the endpoints for one, with the
//! result of each.

use crate::{
    closing::{chosen::Chosen, step::Step, words::words},
    components::{
        Button, ConfirmButton, ConfirmWords, ErrorSentence, Icon, Meter, SaleLink, TypedAnswer, focus_next_frame,
    },
};
use leptos::{either::Either, html, prelude::*};
use model::{error::Error, list::SaleSummary};

/// One step of several sales, as far as it has come.
#[derive(Clone, PartialEq)]
struct Progress {
    step: Step,
    /// How many sales there are.
    all: usize,
    /// What became of the first ones.
    done: Vec<(SaleSummary, Option<Error>)>,
}

impl Progress {
    fn failed(&self) -> usize {
        self.done.iter().filter(|(_, error)| error.is_some()).count()
    }
}

/// Shows how many sales are chosen and what can be done with them; then the progress, and what became of each.
#[component]
pub fn BulkActions(
    /// The chosen sales.
    chosen: Chosen,
    /// Loads the list again.
    refresh: Callback<()>,
) -> impl IntoView {
    let words = words();
    let progress = RwSignal::new(None::<Progress>);
    let result = NodeRef::<html::Div>::new();
    let act = Action::new(move |(step, sales): &(Step, Vec<SaleSummary>)| {
        each(*step, sales.clone(), progress, chosen, move || {
            refresh.run(());
            focus_next_frame(result);
        })
    });
    let pending = act.pending();
    let sales = Memo::new(move |_| chosen.sales());
    let number = Memo::new(move |_| sales.with(Vec::len));
    // Those that are at this step.
    let at = move |step: Step| {
        sales.with(|sales| {
            let at_step = sales.iter().filter(|sale| Step::of(sale.state) == Some(step));
            at_step.cloned().collect::<Vec<_>>()
        })
    };
    let button = move |step: Step| {
        let confirm = match step {
            Step::Close => {
                ConfirmWords { label: words.close_several, yes: words.close_several_yes, no: words.keep_several }
            }
            Step::Archive => {
                ConfirmWords { label: words.archive_several, yes: words.archive_several_yes, no: words.keep_several }
            }
        };
        let question = Signal::derive(move || {
            let (some, all) = (at(step).len() as u64, number.get() as u64);
            let ask = if step == Step::Close { words.close_several_question } else { words.archive_several_question };
            ask(some, all - some)
        });
        let typed = Signal::derive(move || match step {
            Step::Close => sales.with(|sales| typed_if_held(sales)),
            Step::Archive => None,
        });
        let on_confirm = move || _ = act.dispatch((step, untrack(|| at(step))));
        let is_possible = Memo::new(move |_| !at(step).is_empty());
        // It stays while its sales are no longer at its step one after the other.
        let is_shown = move || {
            is_possible.get() || pending.get() && progress.with(|one| one.as_ref().is_some_and(|one| one.step == step))
        };
        view! {
            <Show when=is_shown>
                <ConfirmButton words=confirm question typed pending on_confirm on_ask=move |()| progress.set(None) />
            </Show>
        }
    };
    view! {
        <div class="bulk">
            <div class="bar" role="group" aria-label=words.several hidden=move || number.get() == 0>
                <b>{move || (words.chosen)(number.get() as u64)}</b>
                {[Step::Close, Step::Archive].map(button).collect_view()}
                <Button class="quiet" disabled=pending on_click=move || chosen.choose_all(false)>
                    {words.choose_none}
                </Button>
            </div>
            <div class="bulk-result" tabindex="-1" node_ref=result>
                {move || progress.get().map(|progress| view! { <ResultList progress /> })}
                <Show when=move || progress.read().is_some() && !pending.get()>
                    <Button on_click=move || progress.set(None)>{words.dismiss}</Button>
                </Show>
            </div>
        </div>
    }
}

/// Returns what the reader has to type before these sales are closed: something if users hold anything in those that can
/// be.
fn typed_if_held(sales: &[SaleSummary]) -> Option<TypedAnswer> {
    let held = || sales.iter().filter(|sale| Step::of(sale.state) == Some(Step::Close)).map(SaleSummary::held);
    let (words, items) = (words(), held().sum::<u64>());
    let sales = held().filter(|held| *held > 0).count() as u64;
    let label = || (words.type_word)(items, sales, words.close_word);
    (items > 0).then(|| TypedAnswer { label: label(), text: words.close_word.to_owned() })
}

/// Takes a step for each of these sales, one after the other. Those that it succeeds for are no longer chosen.
async fn each(
    step: Step,
    sales: Vec<SaleSummary>,
    progress: RwSignal<Option<Progress>>,
    chosen: Chosen,
    end: impl FnOnce(),
) {
    progress.set(Some(Progress { step, all: sales.len(), done: Vec::new() }));
    for sale in sales {
        let answer = step.send(sale.kind.clone(), sale.sale.clone()).await;
        // Who has left the page is shown nothing more, so nothing more is done unseen.
        if progress.is_disposed() {
            return;
        }
        if answer.is_ok() {
            chosen.choose(&sale.name(), false);
        }
        progress.update(|progress| {
            if let Some(progress) = progress {
                progress.done.push((sale, answer.err()));
            }
        });
    }
    end();
}

/// Shows how far it has come, and each sale with what became of it, failures first.
#[component]
fn ResultList(
    /// How far it has come.
    progress: Progress,
) -> impl IntoView {
    let words = words();
    let (all, done, failed) = (progress.all as u64, progress.done.len() as u64, progress.failed() as u64);
    let Progress { step, done: sales, .. } = progress;
    let (failures, successes): (Vec<_>, Vec<_>) = sales.into_iter().partition(|(_, error)| error.is_some());
    let line = move |(sale, error): (SaleSummary, Option<Error>)| {
        let SaleSummary { kind, sale, title, .. } = sale;
        let outcome = match error {
            Some(error) => Either::Left(view! {
                <span class="wrong">
                    <Icon icon=icondata_lu::LuX />
                    <ErrorSentence error />
                </span>
            }),
            None => Either::Right(view! {
                <span>
                    <Icon icon=icondata_lu::LuCheck />
                    {step.done()}
                </span>
            }),
        };
        view! {
            <li>
                <SaleLink kind sale with_name=true title=Signal::stored(title) />
                " "
                {outcome}
            </li>
        }
    };
    let said = if done < all { (words.progress)(done, all) } else { (step.result())(done - failed, failed) };
    view! {
        <p role="status">{said.clone()}</p>
        <Meter
            role="progressbar"
            label=words.several
            value=Signal::stored(done)
            max=Signal::stored(all)
            text=Signal::stored(said)
        />
        <ul>{failures.into_iter().chain(successes).map(line).collect_view()}</ul>
    }
}
