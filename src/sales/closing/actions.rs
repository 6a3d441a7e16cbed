//! What an operator may do about a sale on its page; asks first, since it cannot be undone.

use super::{api, words::words};
use crate::{
    components::{Alert, ConfirmButton, ConfirmWords, FormErrors, use_reload},
    domain::SaleState,
    error::Result,
    i18n::effect_of_closing,
};
use leptos::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    Close,
    Archive,
}

impl Step {
    /// What may be done about a sale in this state.
    fn of(state: SaleState) -> Option<Self> {
        match state {
            SaleState::Open | SaleState::SoldOut | SaleState::Expired => Some(Self::Close),
            SaleState::Closed | SaleState::Refunded => Some(Self::Archive),
            SaleState::Opening | SaleState::Suspended | SaleState::Archived => None,
        }
    }

    /// The button with the answers, and the question.
    fn words(self, kind: &str) -> (ConfirmWords, String) {
        let words = words();
        let confirm = |label, yes| ConfirmWords { label, yes, no: words.keep };
        match self {
            Self::Close => (confirm(words.close, words.close_yes), (words.close_question)(effect_of_closing(kind))),
            Self::Archive => (confirm(words.archive, words.archive_yes), words.archive_question.to_owned()),
        }
    }

    async fn send(self, kind: String, sale: String) -> Result<Self> {
        match self {
            Self::Close => api::close(kind, sale).await.map(drop)?,
            Self::Archive => api::archive(kind, sale).await.map(drop)?,
        }
        Ok(self)
    }
}

/// Closes a sale that runs, and archives one that is over.
#[component]
pub fn SaleActions(
    /// As in keys: `red_packet`.
    kind: &'static str,
    /// The id of the sale.
    #[prop(into)]
    sale: String,
    /// Where the sale stands: it decides which step is offered.
    #[prop(into)]
    state: Signal<SaleState>,
) -> impl IntoView {
    let take = Action::new(move |step: &Step| step.send(kind.to_owned(), sale.clone()));
    let (pending, answer) = (take.pending(), take.value());
    let errors = FormErrors::default();
    errors.follow(take);
    let reload = use_reload();
    // The next button takes the place of the one that was pressed.
    let was_pressed = StoredValue::new(false);
    Effect::new(move || match answer.get() {
        // What this page shows no longer exists.
        Some(Ok(Step::Archive)) => reload.run(()),
        Some(Err(_)) => was_pressed.set_value(false),
        Some(Ok(Step::Close)) | None => {}
    });
    // If somebody else has done it meanwhile, the question disappears with its button.
    let step = Memo::new(move |_| Step::of(state.get()));
    let button = move |step: Step| {
        let (words, question) = step.words(kind);
        let on_confirm = move || {
            errors.clear();
            was_pressed.set_value(true);
            take.dispatch(step);
        };
        let takes_focus = was_pressed.try_update_value(std::mem::take).unwrap_or_default();
        view! { <ConfirmButton words question pending takes_focus on_confirm /> }
    };
    view! {
        <div class="sale-actions">
            <For each=move || step.get() key=|step| *step children=button />
            <Alert errors />
        </div>
    }
}
