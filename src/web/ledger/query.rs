//! A search as the query string of a URL: as shared by links, and as sent by the search form without JavaScript.

use model::{
    Millis, iso,
    ledger::{HistoryCursor, Search},
    parse_iso,
    url::{parameter, with_query},
};

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
    pub after: Option<HistoryCursor>,
    /// The times that cannot be read: the names of their parameters, and their texts.
    pub bad_times: Vec<(&'static str, String)>,
}

impl LedgerQuery {
    /// The whole history of a sale.
    pub fn of_sale(sale: &str) -> Self {
        Search { sale: Some(sale.to_owned()), ..Search::default() }.into()
    }

    /// All that a user has done, at any sale.
    pub fn of_user(user: String) -> Self {
        Search { user: Some(user), ..Search::default() }.into()
    }

    /// The history of an order.
    pub fn of_order(sale: &str, order: String) -> Self {
        Search { order: Some(order), ..Self::of_sale(sale).search }.into()
    }

    /// Reads the query of an address, without its question mark. Empty and unknown parameters are ignored.
    pub fn parse(query: &str) -> Self {
        let field = |name: &str| parameter(query, name);
        let mut bad_times = Vec::new();
        let mut time = |name: &'static str| {
            let text = field(name)?;
            let at = parse_iso(&text);
            if at.is_none() {
                bad_times.push((name, text));
            }
            at
        };
        let (from, to) = (time("from"), time("to"));
        let search = Search {
            kind: field("kind"),
            sale: field("sale"),
            user: field("user"),
            request_id: field("request_id"),
            order: field("order"),
            outcome: field("outcome"),
            from,
            to,
        };
        Self { search, after: field("after").and_then(|after| after.parse().ok()), bad_times }
    }

    /// The text of a time that cannot be read.
    pub fn bad_time(&self, name: &str) -> Option<String> {
        self.bad_times.iter().find(|(bad, _)| *bad == name).map(|(_, text)| text.clone())
    }

    /// The URL of the ledger page with this query.
    pub fn url(&self) -> String {
        with_query(PATH, self.parameters(iso))
    }

    /// The URL of the rows of this search after another one; of its newest rows if `None`.
    pub fn url_after(&self, after: Option<HistoryCursor>) -> String {
        Self { after, ..self.clone() }.url()
    }

    /// Whether the search leaves out any rows.
    pub fn is_narrowed(&self) -> bool {
        self.search != Search::default()
    }

    /// The number of fields by which the search is narrowed.
    pub fn fields(&self) -> usize {
        let search = Self { after: None, ..self.clone() };
        search.parameters(iso).into_iter().filter(|(_, value)| value.is_some()).count()
    }

    /// The URL of the same page with the details of a row.
    pub fn url_with_row(&self, row: HistoryCursor) -> String {
        let row = ("row", Some(row.to_string()));
        with_query(PATH, self.parameters(iso).into_iter().chain([row]))
    }

    /// The row whose details an address asks for.
    pub fn row(query: &str) -> Option<HistoryCursor> {
        parameter(query, "row")?.parse().ok()
    }

    /// The URL of a file with all rows of this search.
    pub fn export_url(&self, format: ExportFormat) -> String {
        let query = Self { after: None, ..self.clone() };
        let format = ("format", Some(format.name().to_owned()));
        let parameters = query.parameters(|at| at.to_string());
        with_query("/api/ledger/export", std::iter::once(format).chain(parameters))
    }

    /// The URL of a file with the notes on the sale of this search, if it has one.
    pub fn notes_url(&self) -> Option<String> {
        let Search { kind, sale, .. } = self.search.clone();
        let sale = Some(sale?);
        let format = Some(ExportFormat::Csv.name().to_owned());
        Some(with_query("/api/ledger/notes", [("format", format), ("sale", sale), ("kind", kind)]))
    }

    /// The parameters, with times as this text.
    fn parameters(&self, text: fn(Millis) -> String) -> [(&'static str, Option<String>); 9] {
        let Search { kind, sale, user, request_id, order, outcome, from, to } = self.search.clone();
        let time = |name: &str, at: Option<Millis>| at.map(text).or_else(|| self.bad_time(name));
        let (from, to) = (time("from", from), time("to", to));
        let after = self.after.map(|after| after.to_string());
        [
            ("kind", kind),
            ("sale", sale),
            ("user", user),
            ("request_id", request_id),
            ("order", order),
            ("outcome", outcome),
            ("from", from),
            ("to", to),
            ("after", after),
        ]
    }
}

impl From<Search> for LedgerQuery {
    fn from(search: Search) -> Self {
        Self { search, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_survives_its_address() {
        let query = LedgerQuery {
            search: Search {
                kind: Some("ticket".to_owned()),
                sale: Some("50%25 & more+=?#".to_owned()),
                user: Some("小梅 W".to_owned()),
                outcome: Some("won".to_owned()),
                from: Some(1_700_000_000_000),
                to: Some(1_700_000_000_001),
                ..Search::default()
            },
            after: Some("1700000000000-3-7-1".parse().unwrap()),
            bad_times: Vec::new(),
        };
        let url = query.url();
        assert_eq!(
            url,
            "/ledger?kind=ticket&sale=50%2525+%26+more%2B%3D%3F%23&user=%E5%B0%8F%E6%A2%85+W&outcome=won\
            &from=2023-11-14T22%3A13%3A20.000Z&to=2023-11-14T22%3A13%3A20.001Z&after=1700000000000-3-7-1"
        );
        assert_eq!(LedgerQuery::parse(url.split_once('?').unwrap().1), query);
        assert_eq!(LedgerQuery::default().url(), "/ledger");
    }

    #[test]
    fn an_export_begins_with_the_newest_row() {
        let mut query = LedgerQuery { after: "1-2-3-4".parse().ok(), ..LedgerQuery::of_sale("a/b") };
        assert_eq!(query.export_url(ExportFormat::Csv), "/api/ledger/export?format=csv&sale=a%2Fb");
        query.search.from = Some(1_700_000_000_000);
        assert_eq!(query.export_url(ExportFormat::Csv), "/api/ledger/export?format=csv&sale=a%2Fb&from=1700000000000");
    }

    #[test]
    fn a_time_of_a_form_is_utc_and_one_that_is_none_is_kept_to_be_refused() {
        let query = LedgerQuery::parse("from=2023-11-14T22%3A13&to=");
        assert_eq!((query.search.from, query.search.to, query.bad_times), (Some(1_699_999_980_000), None, Vec::new()));
        let query = LedgerQuery::parse("from=2023-11-14&to=soon");
        assert_eq!(query.bad_times, [("to", "soon".to_owned())]);
        assert_eq!(query.fields(), 2);
        assert_eq!(
            query.export_url(ExportFormat::Csv),
            "/api/ledger/export?format=csv&from=1699920000000&to=soon",
            "nor is it left out of a file"
        );
    }

    #[test]
    fn the_row_of_an_address_is_not_a_part_of_the_search() {
        let query = LedgerQuery::of_sale("s");
        let url = query.url_with_row("1-2-3-4".parse().unwrap());
        assert_eq!(url, "/ledger?sale=s&row=1-2-3-4");
        assert_eq!(LedgerQuery::row("sale=s&row=1-2-3-4"), "1-2-3-4".parse().ok());
        assert_eq!(LedgerQuery::parse("sale=s&row=1-2-3-4"), query);
        assert_eq!(LedgerQuery::row("row=somewhere"), None);
    }

    #[test]
    fn empty_fields_of_a_form_do_not_narrow_the_search() {
        let query = LedgerQuery::parse("sale=&user=little+Mei&request_id=&outcome=&after=1700000000000-3-7-1&x=y");
        assert_eq!(query.search, Search { user: Some("little Mei".to_owned()), ..Search::default() });
        assert_eq!(query.fields(), 1, "where a page begins is none");
        assert_eq!(query.after.map(|after| after.to_string()).as_deref(), Some("1700000000000-3-7-1"));
        assert_eq!(LedgerQuery::parse("after=nowhere"), LedgerQuery::default());
    }
}
