//! A search as the query string of a URL: as shared by links, and as sent by the search form without JavaScript.

use super::{Cursor, Search};
use crate::components::url::{parameter, with_query};

/// The path of the ledger's page.
pub const PATH: &str = "/ledger";

/// The file formats for exporting the rows of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Comma-separated values with a header line.
    Csv,
    /// One JSON object per line.
    JsonLines,
}

impl ExportFormat {
    /// Its name in URLs.
    fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
        }
    }
}

/// The query of a URL of the ledger page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerQuery {
    /// The search.
    pub search: Search,
    /// Show the rows after this one; the newest rows if `None`.
    pub after: Option<Cursor>,
}

impl LedgerQuery {
    /// The whole history of a sale.
    pub fn of_sale(sale: impl Into<String>) -> Self {
        Self { search: Search { sale: Some(sale.into()), ..Search::default() }, after: None }
    }

    /// Reads the query of an address, without its question mark. Empty and unknown parameters are passed over.
    pub fn parse(query: &str) -> Self {
        let field = |name: &str| parameter(query, name);
        let search = Search {
            sale: field("sale"),
            user: field("user"),
            request_id: field("request_id"),
            outcome: field("outcome"),
        };
        Self { search, after: field("after").and_then(|after| after.parse().ok()) }
    }

    /// The URL of the ledger page with this query.
    pub fn url(&self) -> String {
        with_query(PATH, self.parameters())
    }

    /// The URL of a file with all rows of this search.
    pub fn export_url(&self, format: ExportFormat) -> String {
        let query = Self { search: self.search.clone(), after: None };
        let format = ("format", Some(format.name().to_owned()));
        with_query("/api/ledger/export", std::iter::once(format).chain(query.parameters()))
    }

    fn parameters(&self) -> [(&'static str, Option<String>); 5] {
        let Search { sale, user, request_id, outcome } = self.search.clone();
        let after = self.after.map(|after| after.to_string());
        [("sale", sale), ("user", user), ("request_id", request_id), ("outcome", outcome), ("after", after)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_survives_its_address() {
        let query = LedgerQuery {
            search: Search {
                sale: Some("50%25 & more+=?#".to_owned()),
                user: Some("小梅 W".to_owned()),
                request_id: None,
                outcome: Some("won".to_owned()),
            },
            after: Some("1700000000000-3-7-1".parse().unwrap()),
        };
        let url = query.url();
        assert_eq!(
            url,
            "/ledger?sale=50%2525+%26+more%2B%3D%3F%23&user=%E5%B0%8F%E6%A2%85+W&outcome=won&after=1700000000000-3-7-1"
        );
        assert_eq!(LedgerQuery::parse(url.split_once('?').unwrap().1), query);
        assert_eq!(LedgerQuery::default().url(), "/ledger");
    }

    #[test]
    fn an_export_begins_with_the_newest_row() {
        let query = LedgerQuery { after: "1-2-3-4".parse().ok(), ..LedgerQuery::of_sale("a/b") };
        assert_eq!(query.export_url(ExportFormat::Csv), "/api/ledger/export?format=csv&sale=a%2Fb");
    }

    #[test]
    fn empty_fields_of_a_form_do_not_narrow_the_search() {
        let query = LedgerQuery::parse("sale=&user=little+Mei&request_id=&outcome=&after=1700000000000-3-7-1&x=y");
        assert_eq!(query.search, Search { user: Some("little Mei".to_owned()), ..Search::default() });
        assert_eq!(query.after.map(|after| after.to_string()).as_deref(), Some("1700000000000-3-7-1"));
        assert_eq!(LedgerQuery::parse("after=nowhere"), LedgerQuery::default());
    }
}
