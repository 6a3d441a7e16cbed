//! Which sales are listed, as the page's address says it.

use leptos_router::params::ParamsMap;

/// The filter and the place of a page of the list. Empty fields are left out of the address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    pub kind: Option<String>,
    pub state: Option<String>,
    pub id: Option<String>,
    pub after: Option<String>,
}

impl Filter {
    /// Reads the query of an address.
    pub fn from_query(query: &ParamsMap) -> Self {
        let field = |name: &str| query.get(name).filter(|value| !value.is_empty());
        Self { kind: field("kind"), state: field("state"), id: field("id"), after: field("after") }
    }

    /// The address of the page that begins at `after`.
    pub fn url(&self, after: Option<String>) -> String {
        let mut query = ParamsMap::new();
        let fields = [("kind", &self.kind), ("state", &self.state), ("id", &self.id), ("after", &after)];
        for (name, value) in fields {
            if let Some(value) = value {
                query.insert(name, value.clone());
            }
        }
        format!("/{}", query.to_query_string())
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
        let filter = Filter { kind: Some("ticket".to_owned()), id: Some("a b".to_owned()), ..Filter::default() };
        let url = filter.url(Some("1-x".to_owned()));
        assert_eq!(url, "/?kind=ticket&id=a%20b&after=1%2Dx");
        assert_eq!(Filter::default().url(None), "/");
    }
}
