//! The command that brings lost sales back, as the operator of this server can type it.

use leptos::prelude::*;
use model::error::shell_word;
use serde::{Deserialize, Serialize};

/// The flags by which a command finds the data of this server, ready for a shell; empty if there is nothing to add.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreFlags(pub String);

impl StoreFlags {
    /// The command that recovers this sale, or all that are lost.
    fn recover(&self, sale: Option<&str>) -> String {
        let what = sale.map_or("--all".into(), shell_word);
        // Before the sale, because nothing that follows its `--` is a flag.
        let words = ["stampede recover", &self.0, &what];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Hands the server's flags on to the browser.
pub fn provide_store_flags() {
    provide_context(SharedValue::new(|| use_context::<StoreFlags>().unwrap_or_default()).into_inner());
}

/// The command that recovers a sale that Redis has lost, or all of them.
#[component]
pub fn RecoverCommand(
    /// The id of the sale; all that are lost if missing.
    #[prop(optional_no_strip)]
    sale: Option<String>,
) -> impl IntoView {
    let flags: StoreFlags = use_context().unwrap_or_default();
    view! { <code translate="no">{flags.recover(sale.as_deref())}</code> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_can_be_pasted_into_a_shell() {
        let flags = StoreFlags("--data-dir /srv/data".to_owned());
        assert_eq!(flags.recover(Some("spring")), "stampede recover --data-dir /srv/data spring");
        assert_eq!(flags.recover(Some("-a b")), "stampede recover --data-dir /srv/data -- '-a b'");
        assert_eq!(StoreFlags::default().recover(None), "stampede recover --all");
    }
}
