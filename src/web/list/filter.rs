//! Which sales are listed, as the page's address says it.

use model::{
    SaleState,
    url::{parameter, with_query},
};
use serde::{Deserialize, Serialize};

/// The filter and the place of a page of the list. Empty fields are left out of the address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Filter {
    pub kind: Option<String>,
    pub state: Option<String>,
    pub id: Option<String>,
    pub after: Option<String>,
}

impl Filter {
    /// Reads the query of an address, without its question mark.
    pub fn parse(query: &str) -> Self {
        let field = |name: &str| parameter(query, name);
        Self { kind: field("kind"), state: field("state"), id: field("id"), after: field("after") }
    }

    /// The address of the page that begins at `after`.
    pub fn url(&self, after: Option<&str>) -> String {
        let Self { kind, state, id, .. } = self;
        with_query(
            "/",
            [("kind", kind.as_deref()), ("state", state.as_deref()), ("id", id.as_deref()), ("after", after)],
        )
    }

    /// The same filter among archived sales; `None` if it asks for sales in a certain state already.
    pub fn among_archived(&self) -> Option<Self> {
        let state = Some(SaleState::Archived.name().to_owned());
        self.state.is_none().then(|| Self { state, after: None, ..self.clone() })
    }

    /// Whether it leaves any sale out.
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
