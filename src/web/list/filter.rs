//! The filter of the list, in the page's address.

use model::{
    SaleState,
    list::{Column, Sort},
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
    /// The name of a [`Sort`]; none if it is the usual one.
    pub sort: Option<String>,
    pub after: Option<String>,
}

impl Filter {
    /// Reads the query of an address, without its question mark.
    pub fn parse(query: &str) -> Self {
        let field = |name: &str| parameter(query, name);
        Self { kind: field("kind"), state: field("state"), id: field("id"), sort: field("sort"), after: field("after") }
    }

    /// Returns the address of the page that begins at `after`.
    pub fn url(&self, after: Option<&str>) -> String {
        let Self { kind, state, id, sort, .. } = self;
        with_query(
            "/",
            [
                ("kind", kind.as_deref()),
                ("state", state.as_deref()),
                ("id", id.as_deref()),
                ("sort", sort.as_deref()),
                ("after", after),
            ],
        )
    }

    /// Returns the order that it asks for. `None` for archived sales, which have their own.
    pub fn order(&self) -> Option<Sort> {
        let is_sorted = self.state.as_deref() != Some(SaleState::Archived.name());
        is_sorted.then(|| self.sort.as_deref().and_then(Sort::from_name).unwrap_or_default())
    }

    /// Returns the address of the list that a press on the title of this column leads to: amounts descend at first, and
    /// each further press turns the order round.
    pub fn url_sorted_by(&self, column: Column) -> String {
        let descending = match self.order() {
            Some(now) if now.column == column => !now.descending,
            _ => column.is_number(),
        };
        let sort = Sort { column, descending };
        Self { sort: (sort != Sort::default()).then(|| sort.name()), ..self.clone() }.url(None)
    }

    /// Returns the same filter among archived sales; `None` if it already asks for a certain state.
    pub fn among_archived(&self) -> Option<Self> {
        let state = Some(SaleState::Archived.name().to_owned());
        self.state.is_none().then(|| Self { state, after: None, ..self.clone() })
    }

    /// Returns whether it asks for the first page of all sales, whatever their order.
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

    #[test]
    fn a_press_on_a_title_sorts_by_it_and_the_next_one_turns_the_order_round() {
        let after = |query: &str, column| Filter::parse(query).url_sorted_by(column);
        assert_eq!(after("", Column::Left), "/?sort=-left");
        assert_eq!(after("sort=-left", Column::Left), "/?sort=left");
        assert_eq!(after("sort=left&after=50", Column::Left), "/?sort=-left", "from the first page on");
        assert_eq!(after("kind=stock&sort=left", Column::Sale), "/?kind=stock&sort=sale");
        assert_eq!(after("", Column::OpenedAt), "/?sort=opened_at", "they are sorted by it already");
        assert_eq!(after("sort=sale", Column::OpenedAt), "/", "the usual order has no name in the address");
        assert_eq!(Filter::parse("sort=-price").order(), Some(Sort::default()));
        assert_eq!(Filter::parse("state=archived&sort=left").order(), None);
    }
}
