//! The button on a demonstration sale that starts a crowd and leads to it.

use crate::{
    base_path::use_navigate,
    components::{Alert, Button, FormErrors, Icon},
    crowd::{api::StartRequest, words::words},
    kind::Registration,
    stage::crowd_url,
};
use leptos::prelude::*;
use model::error::{Code, Error};

/// The assumed number of items of a sale without a limit, for the size of its crowd.
const USUAL: u64 = 10_000;
/// The fewest users of a demonstration: something moves within half a second, and many are seen to get nothing.
const FEWEST: u32 = 20_000;

/// Starts the kind's usual crowd at a sale of this many items, and goes to its page.
#[component]
pub fn LetLoose(
    /// The kind of the sale, with its presets.
    kind: &'static Registration,
    /// The id of the sale.
    sale: String,
    /// The number of its items; `None` if there is no limit.
    total: Option<u64>,
    /// Nothing is left to get at the sale, or a crowd is there already.
    #[prop(into)]
    disabled: Signal<bool>,
) -> impl IntoView {
    let start = ServerAction::<StartRequest>::new();
    let errors = FormErrors::default();
    let (answer, pending, navigate) = (start.value(), start.pending(), use_navigate());
    let page = crowd_url(kind.info, &sale);
    Effect::new(move || match answer.get() {
        // Somebody else's crowd is worth watching, too.
        Some(Ok(_) | Err(Error { code: Code::CrowdRunning, .. })) => {
            untrack(|| navigate(&page, Default::default()));
        }
        Some(Err(error)) => errors.set(Some(error)),
        None => {}
    });
    let on_click = move || {
        errors.clear();
        let usual = (kind.pages.crowd.presets)(total.unwrap_or(USUAL)).swap_remove(0);
        start.dispatch(usual.settings.at_least(FEWEST).request(kind.info.id, sale.clone(), None));
    };
    view! {
        <div class="actions">
            <Button class="strong" disabled pending on_click>
                <Icon icon=icondata_lu::LuUsers />
                {words().let_loose}
            </Button>
            <Alert errors />
        </div>
    }
}
