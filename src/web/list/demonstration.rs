//! The demonstrations: a sale of each kind that the server keeps open for newcomers.

use crate::{KINDS, list::api::list_by};
use model::{
    KindInfo, SaleState,
    error::Result,
    list::{ListQuery, SaleSummary},
};
use serde::{Deserialize, Serialize};

/// The demonstration of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Demonstration {
    /// The newest one that is open; if none is, the newest.
    pub sale: SaleSummary,
    /// The newest one at which something was given away. It may be over.
    pub used: Option<SaleSummary>,
}

impl Demonstration {
    /// Finds that of a kind among sales, newest first.
    fn among(sales: &[SaleSummary], info: &KindInfo) -> Option<Self> {
        let demos = || sales.iter().filter(|sale| sale.kind == info.id && info.is_demo(&sale.sale));
        let sale = demos().find(|sale| sale.state == SaleState::Open).or(demos().next())?.clone();
        let used = demos().find(|sale| sale.crowd || sale.given_away() > 0).cloned();
        Some(Self { sale, used })
    }

    /// Returns the sale of the picture.
    pub fn shown(&self) -> &SaleSummary {
        self.used.as_ref().unwrap_or(&self.sale)
    }

    /// Returns whether this is the sale that its button is for.
    pub fn is_of(&self, sale: &SaleSummary) -> bool {
        (&self.sale.kind, &self.sale.sale) == (&sale.kind, &sale.sale)
    }
}

/// Returns the demonstrations among these sales, newest first, in the order of the kinds.
pub fn demonstrations_among(sales: &[SaleSummary]) -> Vec<Demonstration> {
    KINDS.iter().filter_map(|kind| Demonstration::among(sales, kind.info)).collect()
}

/// Loads the demonstrations among the newest sales. To look for them among all sales could take long.
pub async fn load_demonstrations() -> Result<Vec<Demonstration>> {
    Ok(demonstrations_among(&list_by(ListQuery::default()).await?.sales))
}

#[cfg(test)]
mod tests {
    use super::*;

    static INFO: KindInfo = KindInfo {
        id: "raffle",
        segment: "raffle",
        pages: "raffles",
        demo: "fair",
        outcomes: &[],
        win: "",
        ownership: model::Ownership::NOTHING,
    };

    fn found(sales: &[(&str, SaleState, u64)]) -> Option<(String, Option<String>)> {
        let summary = |(sale, state, left): &(&str, SaleState, u64)| SaleSummary {
            kind: INFO.id.to_owned(),
            sale: (*sale).to_owned(),
            state: *state,
            total: Some(10),
            left: Some(*left),
            opened_at: 0,
            now: 0,
            opens_at: None,
            ends_at: None,
            title: model::life::Texts::default(),
            currency: model::life::Currency::CNY,
            crowd: false,
            lag_events: None,
            details: serde_json::Map::new(),
        };
        let found = Demonstration::among(&sales.iter().map(summary).collect::<Vec<_>>(), &INFO)?;
        Some((found.sale.sale, found.used.map(|used| used.sale)))
    }

    #[test]
    fn a_crowd_comes_to_the_open_one_and_the_picture_shows_the_used_one() {
        use SaleState::{Closed, Open, SoldOut};
        let names = |sale: &str, used: Option<&str>| Some((sale.to_owned(), used.map(str::to_owned)));
        assert_eq!(found(&[("county-fair", Open, 3)]), None);
        assert_eq!(found(&[("fair", Open, 10)]), names("fair", None));
        assert_eq!(found(&[("fair-2", Open, 10), ("fair", SoldOut, 0)]), names("fair-2", Some("fair")));
        assert_eq!(found(&[("fair-2", Open, 9), ("fair", SoldOut, 0)]), names("fair-2", Some("fair-2")));
        assert_eq!(found(&[("fair-2", Closed, 10), ("fair", SoldOut, 0)]), names("fair-2", Some("fair")));
    }
}
