//! The script that decides, fetched when somebody wants to read it: it is longer than all else on the page.

use super::Sale;
use crate::{
    error::Error,
    i18n::words,
    nodes,
    sales::{ScriptInfo, ticket::api::TicketScriptRequest},
    ui::{
        ask::ask,
        code::lua_view,
        format::count,
        node::{El, el, item, live, maybe},
        notice::unseen,
        source,
    },
};
use leptos::prelude::*;

pub fn source(sale: Sale) -> El {
    let words = words();
    let (script, error, asked) =
        (RwSignal::new(None::<ScriptInfo>), RwSignal::new(None::<Error>), StoredValue::new(false));
    let look = move |_| {
        // Opened and closed at will: once is enough, but for a look that failed.
        if asked.try_update_value(|asked| std::mem::replace(asked, true)) != Some(false) {
            return;
        }
        ask(TicketScriptRequest {}, move |answer| match answer {
            Ok(told) => {
                error.try_set(None);
                script.try_set(Some(told));
            }
            Err(why) => {
                asked.try_set_value(false);
                error.try_set(Some(why));
            }
        });
    };
    let text = move || {
        let script = script.get()?;
        Some(item("script", move || {
            let calls = live(move || sale.read(|sale| count(sale.calls)));
            el("div").with(nodes![source::facts(&script, calls), lua_view(words.source_code, &script.source)])
        }))
    };
    source::card(nodes![
        el("details")
            .on("toggle", look)
            .with(nodes![el("summary").text(words.show_source), el("div").with(nodes![unseen(error), maybe(text)]),])
    ])
}
