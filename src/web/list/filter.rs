//! The filter of the list, in the page's address.

use model::{
    SaleState,
    url::{parameter, with_query},
};
use serde::{Deserialize, Serialize};

/// The filter and the position of a page of the list. Empty fields are left out of the address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Filter {
    pub kind: Option<String>,
    pub state: Option<String>,
    /// A text in the ids or titles.
    pub id: Option<String>,
    pub after: Option<String>,
}

impl Filter {
    /// Reads the query of an address, without its question mark.
    pub fn parse(query: &str) -> Self {
        let field = |name: &str| parameter(query, name);
        Self { kind: field("kind"), state: field("state"), id: field("id"), after: field("after") }
    }

    /// Returns the address of the page that begins at `after`.
    pub fn url(&self, after: Option<&str>) -> String {
        let Self { kind, state, id, .. } = self;
        with_query(
            "/",
            [("kind", kind.as_deref()), ("state", state.as_deref()), ("id", id.as_deref()), ("after", after)],
        )
    }

    /// Returns the same filter among archived sales; `None` if it already asks for a certain state.
    pub fn among_archived(&self) -> Option<Self> {
        let state = Some(SaleState::Archived.name().to_owned());
        self.state.is_none().then(|| Self { state, after: None, ..self.clone() })
    }

    /// Returns whether it asks for the newest sales, whatever they are.
    pub fn is_whole(&self) -> bool {
        !self.is_filtering() && self.after.is_none()
    }

    /// Returns whether it excludes any sale.
    pub fn is_filtering(&self) -> bool {
        self.kind.is_some() || self.state.is_some() || self.id.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_is_filtered() {
        let filter = Filter { kind: Some("ticket".to_owned()), id: Some("50%25 a".to_owned()), ..Filter::default() };
        let url = filter.url(Some("1-x"));
        assert_eq!(url, "/?kind=ticket&id=50%2525+a&after=1-x");
        let query = url.strip_prefix("/?").expect("a query");
        assert_eq!(Filter::parse(query), Filter { after: Some("1-x".to_owned()), ..filter });
        assert_eq!(Filter::default().url(None), "/");
    }
}
