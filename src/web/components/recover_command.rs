//! The command that recovers lost sales, ready for the operator of this server to type.

use leptos::prelude::*;
use model::error::shell_word;
use serde::{Deserialize, Serialize};

/// The flags that lead a command to this server's data, quoted for a shell; empty if none are needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreFlags(pub String);

impl StoreFlags {
    /// Returns the command that recovers this sale, or all lost ones.
    fn recover(&self, sale: Option<&str>) -> String {
        let what = sale.map_or("--all".into(), shell_word);
        // The flags precede the sale, because nothing after its `--` is a flag.
        let words = ["stampede recover", &self.0, &what];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Passes the server's flags to the browser.
pub fn provide_store_flags() {
    provide_context(SharedValue::new(|| use_context::<StoreFlags>().unwrap_or_default()).into_inner());
}

/// Shows the command that recovers a sale that Redis has lost, or all of them.
#[component]
pub fn RecoverCommand(
    /// The id of the sale; all lost ones if missing.
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
