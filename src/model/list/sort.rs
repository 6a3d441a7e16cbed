//! The order of a sorted list: live sales first, then by a column.

use super::SaleSummary;
use crate::SaleState;
use std::cmp::Ordering;

/// A column by which the list can be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// The id of the sale.
    Sale,
    /// The kind, by its id.
    Kind,
    /// The state, in the order of filters.
    State,
    /// The items left; no limit is more than any number.
    Left,
    /// All items; no limit is more than any number.
    Total,
    /// The items that are not left.
    Given,
    /// The time of the opening.
    OpenedAt,
}

impl Column {
    /// Every column.
    pub const ALL: [Self; 7] =
        [Self::Sale, Self::Kind, Self::State, Self::Left, Self::Total, Self::Given, Self::OpenedAt];

    /// The name in requests and in the address of the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sale => "sale",
            Self::Kind => "kind",
            Self::State => "state",
            Self::Left => "left",
            Self::Total => "total",
            Self::Given => "given",
            Self::OpenedAt => "opened_at",
        }
    }

    /// Whether it has amounts or times, of which the greatest are of interest first.
    pub fn is_number(self) -> bool {
        match self {
            Self::Sale | Self::Kind | Self::State => false,
            Self::Left | Self::Total | Self::Given | Self::OpenedAt => true,
        }
    }

    fn compare(self, one: &SaleSummary, other: &SaleSummary) -> Ordering {
        let place = |sale: &SaleSummary| SaleState::ALL.iter().position(|state| *state == sale.state);
        let amount = |amount: Option<u64>| amount.unwrap_or(u64::MAX);
        match self {
            Self::Sale => one.sale.cmp(&other.sale),
            Self::Kind => one.kind.cmp(&other.kind),
            Self::State => place(one).cmp(&place(other)),
            Self::Left => amount(one.left).cmp(&amount(other.left)),
            Self::Total => amount(one.total).cmp(&amount(other.total)),
            Self::Given => one.given_away().cmp(&other.given_away()),
            Self::OpenedAt => one.opened_at.cmp(&other.opened_at),
        }
    }
}

/// A column, and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sort {
    /// The column.
    pub column: Column,
    /// The greatest first.
    pub descending: bool,
}

impl Default for Sort {
    /// The newest first.
    fn default() -> Self {
        Self { column: Column::OpenedAt, descending: true }
    }
}

impl Sort {
    /// The order with this name; see [`Sort::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        let (column, descending) = name.strip_prefix('-').map_or((name, false), |column| (column, true));
        let column = Column::ALL.into_iter().find(|known| known.name() == column)?;
        Some(Self { column, descending })
    }

    /// The name in requests: that of the column, with a minus sign in front of it if it is descending.
    pub fn name(self) -> String {
        format!("{}{}", if self.descending { "-" } else { "" }, self.column.name())
    }

    /// The names of all orders.
    pub fn names() -> Vec<String> {
        let both = |column| [false, true].map(|descending| Self { column, descending }.name());
        Column::ALL.into_iter().flat_map(both).collect()
    }

    /// The order of two sales: live ones before others, whatever the column; where it has the same value, the newest
    /// first.
    pub fn compare(self, one: &SaleSummary, other: &SaleSummary) -> Ordering {
        let by_column = self.column.compare(one, other);
        let by_column = if self.descending { by_column.reverse() } else { by_column };
        let newest = || (other.opened_at, &other.kind, &other.sale).cmp(&(one.opened_at, &one.kind, &one.sale));
        other.state.is_live().cmp(&one.state.is_live()).then(by_column).then_with(newest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SaleState::{Closed, Open, Paused, Scheduled, SoldOut};

    fn sale(id: &str, state: SaleState, total: Option<u64>, left: Option<u64>, opened_at: i64) -> SaleSummary {
        SaleSummary {
            kind: "raffle".to_owned(),
            sale: id.to_owned(),
            state,
            total,
            left,
            opened_at,
            now: 0,
            opens_at: None,
            ends_at: None,
            title: crate::life::Texts::default(),
            currency: crate::life::Currency::CNY,
            crowd: false,
            lag_events: None,
            details: serde_json::Map::new(),
        }
    }

    #[test]
    fn live_sales_stand_first_whatever_the_column_and_its_direction() {
        let sales = [
            sale("a", SoldOut, Some(9), Some(0), 5),
            sale("b", Open, Some(9), Some(3), 1),
            sale("c", Open, None, None, 2),
            sale("d", Closed, Some(20), Some(12), 4),
            sale("e", Open, Some(9), Some(3), 3),
        ];
        let order = |name: &str| {
            let sort = Sort::from_name(name).expect("an order");
            let mut sales = sales.to_vec();
            sales.sort_by(|one, other| sort.compare(one, other));
            sales.iter().map(|sale| sale.sale.as_str()).collect::<String>()
        };
        assert_eq!(order("-opened_at"), "ecbad");
        assert_eq!(order("opened_at"), "bceda");
        assert_eq!(order("sale"), "bcead");
        assert_eq!(order("-sale"), "ecbda");
        assert_eq!(order("left"), "ebcad", "no limit is the most, and the newer of two equals comes first");
        assert_eq!(order("-left"), "cebda");
        assert_eq!(order("-given"), "ebcad");
        assert_eq!(order("state"), "ecbad");
        assert_eq!(order("-total"), "cebda");
    }

    #[test]
    fn a_sale_that_is_about_to_run_is_live() {
        let sales = [("a", SoldOut), ("b", Scheduled), ("c", Paused), ("d", Open)];
        let mut sales = sales.map(|(id, state)| sale(id, state, Some(9), Some(3), 1));
        sales.sort_by(|one, other| Sort::default().compare(one, other));
        assert_eq!(sales.map(|sale| sale.sale).concat(), "dcba");
    }

    #[test]
    fn an_order_has_a_name_and_only_its_own() {
        assert_eq!(Sort::default().name(), "-opened_at");
        for name in Sort::names() {
            assert_eq!(Sort::from_name(&name).map(Sort::name), Some(name));
        }
        for unknown in ["", "-", "--left", "price", "Left", "left "] {
            assert_eq!(Sort::from_name(unknown), None, "{unknown}");
        }
    }
}
