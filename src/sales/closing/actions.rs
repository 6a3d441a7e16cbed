//! What an operator may do about a sale on its page; asks first, since it cannot be undone.

use super::{api, words::words};
use crate::{
    components::{Alert, Button, FormErrors},
    domain::SaleState,
    error::Result,
};
use leptos::{html, prelude::*, task::spawn_local};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Close,
    Archive,
}

impl Action {
    /// What may be done about a sale that stands there.
    fn of(state: SaleState) -> Option<Self> {
        match state {
            SaleState::Open | SaleState::SoldOut | SaleState::Expired => Some(Self::Close),
            SaleState::Closed | SaleState::Refunded => Some(Self::Archive),
            SaleState::Opening | SaleState::Suspended | SaleState::Archived => None,
        }
    }

    /// The button, the question and the answer to it.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        let words = words();
        match self {
            Self::Close => (words.close, words.close_question, words.close_yes),
            Self::Archive => (words.archive, words.archive_question, words.archive_yes),
        }
    }

    async fn send(self, kind: &str, sale: String) -> Result<()> {
        let kind = kind.to_owned();
        match self {
            Self::Close => api::close(kind, sale).await.map(drop),
            Self::Archive => api::archive(kind, sale).await.map(drop),
        }
    }
}

/// Closes a sale that runs, and archives one that is over.
#[component]
pub fn SaleActions(
    /// As in keys: `red_packet`.
    kind: &'static str,
    #[prop(into)] sale: String,
    #[prop(into)] state: Signal<SaleState>,
) -> impl IntoView {
    let asked = RwSignal::new(None::<Action>);
    let waiting = RwSignal::new(false);
    let errors = FormErrors::default();
    let sale = StoredValue::new(sale);
    let action = Memo::new(move |_| Action::of(state.get()));
    // What was asked may have been done by somebody else in the meantime.
    let question = Memo::new(move |_| asked.get().filter(|asked| action.get() == Some(*asked)));

    let confirm = NodeRef::<html::Button>::new();
    Effect::new(move || {
        if let Some(confirm) = confirm.get() {
            _ = confirm.focus();
        }
    });
    let send = move |action: Action| {
        waiting.set(true);
        errors.clear();
        spawn_local(async move {
            let answer = action.send(kind, sale.get_value()).await;
            // The page may be gone by the time of the answer.
            if waiting.try_set(false).is_some() {
                return;
            }
            asked.set(None);
            match answer {
                // Nothing on this page is there any more.
                Ok(()) if action == Action::Archive => _ = window().location().reload(),
                Ok(()) => {}
                Err(error) => errors.set(Some(error)),
            }
        });
    };
    let ask = move || {
        action
            .get()
            .map(|action| view! { <Button on_click=move || asked.set(Some(action))>{action.words().0}</Button> })
    };
    view! {
        <div class="sale-actions">
            {move || match question.get() {
                None => ask().into_any(),
                Some(action) => {
                    let (_, question, yes) = action.words();
                    view! {
                        <div class="actions">
                            <span>{question}</span>
                            <Button class="strong" node_ref=confirm disabled=waiting on_click=move || send(action)>
                                {yes}
                            </Button>
                            <Button on_click=move || asked.set(None)>{words().keep}</Button>
                        </div>
                    }
                        .into_any()
                }
            }}
            <Alert errors />
        </div>
    }
}
