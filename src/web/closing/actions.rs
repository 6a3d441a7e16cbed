//! An operator's actions on a sale, on its page: in a menu, and after a question where they end something.

use crate::{
    base_path::under_base,
    closing::{step::Step, words::words},
    components::{
        Alert, ConfirmButton, ConfirmWords, FormErrors, Icon, TypedAnswer, focus_next_frame, use_focus_handover,
        use_reload,
    },
    i18n::{self, effect_of_closing},
    life::{LifeActions, PageLife},
    open_form::like_url,
};
use leptos::{ev::KeyboardEvent, html, prelude::*};
use model::SaleState;

/// Returns the texts of a step's button and its answers, and the question.
fn words_of(step: Step, kind: &str) -> (ConfirmWords, String) {
    let words = words();
    let confirm = |label, yes| ConfirmWords { label, yes, no: words.keep };
    match step {
        Step::Close => (confirm(words.close, words.close_yes), (words.close_question)(effect_of_closing(kind))),
        Step::Archive => (confirm(words.archive, words.archive_yes), words.archive_question.to_owned()),
    }
}

/// Shows the menu that leads to a form for a sale like this one, changes the life of the sale, closes it while it is
/// running, and archives it when it is over.
#[component]
pub fn SaleActions(
    /// The kind, as in keys: `red_packet`.
    kind: &'static str,
    /// The id of the sale.
    #[prop(into)]
    sale: String,
    /// The state of the sale: it decides what is offered.
    #[prop(into)]
    state: Signal<SaleState>,
    /// The life of the sale.
    life: PageLife,
    /// The number of items that users hold; while there are any, closing asks for the id.
    held: Signal<u64>,
) -> impl IntoView {
    let id = StoredValue::new(sale.clone());
    let like = like_url(kind, &sale);
    let take = Action::new(move |step: &Step| step.send(kind.to_owned(), sale.clone()));
    let (pending, answer) = (take.pending(), take.value());
    let errors = FormErrors::default();
    errors.follow(take);
    let reload = use_reload();
    Effect::new(move || {
        // The sale of this page no longer exists.
        if matches!(answer.get(), Some(Ok(Step::Archive))) {
            reload.run(());
        }
    });
    // If somebody else has done it meanwhile, the question disappears with its button.
    let (place, next) = (NodeRef::<html::Div>::new(), NodeRef::<html::Button>::new());
    let step = use_focus_handover(Memo::new(move |_| Step::of(state.get())), place, next);
    let button = move |step: Step| {
        let (words, question) = words_of(step, kind);
        let on_confirm = move || {
            errors.clear();
            take.dispatch(step);
        };
        // An earlier error would cover the question.
        let on_ask = move |()| errors.clear();
        let typed = Signal::derive(move || {
            let held = Some(held.get()).filter(|held| step == Step::Close && *held > 0)?;
            let text = id.get_value();
            Some(TypedAnswer { label: (self::words().type_id)(held, &text), text })
        });
        view! { <ConfirmButton words question typed pending node_ref=next on_ask on_confirm /> }
    };
    let (menu, summary) = (NodeRef::<html::Details>::new(), NodeRef::<html::Summary>::new());
    let close = Callback::new(move |()| {
        if let Some(menu) = menu.get_untracked() {
            menu.set_open(false);
            focus_next_frame(summary);
        }
    });
    // An open question handles this key itself.
    let on_keydown = move |event: KeyboardEvent| {
        if event.key() == "Escape" && !event.default_prevented() {
            close.run(());
        }
    };
    view! {
        <details class="more" node_ref=menu on:keydown=on_keydown>
            <summary class="button" node_ref=summary>
                <Icon icon=icondata_lu::LuEllipsis />
                {words().more}
            </summary>
            <div class="sale-actions" node_ref=place>
                <a href=under_base(like)>{i18n::words().open_like}</a>
                <LifeActions kind sale=id.get_value() state life held on_done=close />
                <For each=move || step.get() key=|step| *step children=button />
                <Alert errors />
            </div>
        </details>
    }
}
