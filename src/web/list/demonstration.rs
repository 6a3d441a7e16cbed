//! The demonstrations: a sale of each kind that the server keeps open for newcomers.

use crate::{
    KINDS,
    kind::{Registration, given_away},
    list::api::list_by,
};
use futures::future;
use model::{
    KindInfo, SaleState,
    error::Result,
    list::{ListQuery, SaleSummary},
};
use serde::{Deserialize, Serialize};

/// The number of newest demonstrations of a kind among which the ones to show are looked for.
const NEWEST: u32 = 20;

/// The demonstration of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Demonstration {
    /// The newest one that is open; if none is, the newest.
    pub sale: SaleSummary,
    /// The newest one at which something was given away. It may be over.
    pub used: Option<SaleSummary>,
}

impl Demonstration {
    /// Finds it among sales of a kind, newest first.
    fn among(sales: Vec<SaleSummary>, info: &KindInfo) -> Option<Self> {
        let demos: Vec<_> = sales.into_iter().filter(|sale| info.is_demo(&sale.sale)).collect();
        let sale = demos.iter().find(|sale| sale.state == SaleState::Open).or(demos.first())?.clone();
        let used = demos.into_iter().find(|sale| sale.crowd || given_away(sale) > 0);
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

/// Loads the demonstrations, in the order of the kinds. Kinds without one are left out.
pub async fn load_demonstrations() -> Result<Vec<Demonstration>> {
    let found = future::try_join_all(KINDS.iter().map(load)).await?;
    Ok(found.into_iter().flatten().collect())
}

async fn load(kind: &'static Registration) -> Result<Option<Demonstration>> {
    let (id, demo) = (kind.info.id.to_owned(), kind.info.demo.to_owned());
    let query = ListQuery { kind: Some(id), id: Some(demo), limit: Some(NEWEST), ..ListQuery::default() };
    Ok(Demonstration::among(list_by(query).await?.sales, kind.info))
}

#[cfg(test)]
mod tests {
    use super::*;

    static INFO: KindInfo =
        KindInfo { id: "raffle", segment: "raffle", pages: "raffles", demo: "fair", outcomes: &[], win: "" };

    fn found(sales: &[(&str, SaleState, u64)]) -> Option<(String, Option<String>)> {
        let summary = |(sale, state, left): &(&str, SaleState, u64)| SaleSummary {
            kind: INFO.id.to_owned(),
            sale: (*sale).to_owned(),
            state: *state,
            total: Some(10),
            left: Some(*left),
            opened_at: 0,
            crowd: false,
            lag_events: None,
            details: serde_json::Map::new(),
        };
        let found = Demonstration::among(sales.iter().map(summary).collect(), &INFO)?;
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
