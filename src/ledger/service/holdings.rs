//! What a user has, derived from the rows of the ledger.

use crate::service::LedgerService;
use model::{
    IdentifiedBy, Millis, Ownership, check_id,
    error::Result,
    ledger::{
        HistoryCursor, Holdings, OwnedItem, Row, SaleHoldings, Search,
        holdings::{CHANGES_READ, ITEMS_LISTED, SALES_LISTED},
    },
    life::Currency,
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, btree_map::Entry},
};

impl LedgerService {
    /// What a user has, at the sales after a cursor. It reads the newest changes of the user by an index, up to
    /// [`CHANGES_READ`] of them.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn holdings(&self, user: &str, after: Option<HistoryCursor>) -> Result<Holdings> {
        check_id("user", user)?;
        let search = Search { user: Some(user.to_owned()), ..Search::default() };
        let mut rows = self.ledger.rows(&search, CHANGES_READ + 1, None).await?;
        let is_partial = rows.len() > CHANGES_READ as usize;
        rows.truncate(CHANGES_READ as usize);
        let ownership: HashMap<&str, &Ownership> =
            self.kinds.iter().map(|kind| (kind.info().id, &kind.info().ownership)).collect();
        let (sales, next) = page(by_sale(rows, &ownership), after);
        Ok(Holdings { user: user.to_owned(), sales, next, is_partial })
    }
}

/// What a user has at one sale.
struct AtSale {
    kind: String,
    sale: String,
    ownership: Ownership,
    /// The latest change, whatever it was.
    last: HistoryCursor,
    at: Millis,
    currency: Currency,
    items: BTreeMap<Key, Owned>,
}

/// By what a thing is told from others of the sale: its order, if it has one, and its item or its request.
type Key = (Option<String>, Option<String>);

struct Owned {
    item: OwnedItem,
    /// Its latest change.
    last: HistoryCursor,
}

/// Goes through a user's rows, which are newest first, from the oldest to the newest.
fn by_sale(rows: Vec<Row>, ownership: &HashMap<&str, &Ownership>) -> Vec<AtSale> {
    let mut sales: BTreeMap<i64, AtSale> = BTreeMap::new();
    for row in rows.into_iter().rev() {
        let Some(ownership) = ownership.get(row.kind.as_str()) else { continue };
        let sale = sales.entry(row.id.sale_no).or_insert_with(|| AtSale {
            kind: row.kind.clone(),
            sale: row.sale.clone(),
            ownership: **ownership,
            last: row.id,
            at: row.at,
            currency: Currency::CNY,
            items: BTreeMap::new(),
        });
        (sale.last, sale.at) = (row.id, row.at);
        if row.cents != 0 {
            sale.currency = row.currency;
        }
        sale.apply(row);
    }
    sales.into_values().collect()
}

impl AtSale {
    fn apply(&mut self, row: Row) {
        let Ownership { gained, kept, lost, identified_by, .. } = self.ownership;
        let is_in = |outcomes: &[&str]| outcomes.contains(&row.outcome.as_str());
        let is_gained = is_in(gained);
        if !is_gained && !is_in(kept) && !is_in(lost) {
            return;
        }
        let key = match identified_by {
            IdentifiedBy::Item => (row.order.clone(), row.item.clone()),
            IdentifiedBy::Request => (None, row.request_id.clone()),
        };
        let counted = match identified_by {
            IdentifiedBy::Item => None,
            IdentifiedBy::Request => row.item.as_ref().and_then(|item| item.parse::<i64>().ok()),
        };
        let is_lost = is_in(lost);
        match self.items.entry(key) {
            Entry::Vacant(entry) if !is_lost => _ = entry.insert(Owned::of(row, counted)),
            // It was gained by a change that is too old to be read.
            Entry::Vacant(_) => {}
            Entry::Occupied(mut entry) => {
                let owned = entry.get_mut();
                let quantity = owned.item.quantity.zip(counted).map(|(before, counted)| match (is_gained, is_lost) {
                    (true, _) => before + counted,
                    (_, true) => before - counted,
                    _ => before,
                });
                if is_lost && quantity.is_none_or(|quantity| quantity <= 0) {
                    entry.remove();
                    return;
                }
                owned.item.quantity = quantity;
                // What is left after a part was lost is in the same state as before.
                if !is_lost {
                    (owned.item.outcome, owned.item.at) = (row.outcome, row.at);
                    owned.item.changed_by = row.request_id;
                }
                owned.last = row.id;
            }
        }
    }

    fn holdings(self) -> SaleHoldings {
        let Self { kind, sale, at, currency, items, .. } = self;
        let mut items: Vec<Owned> = items.into_values().collect();
        // Items of one change stay in their order.
        items.sort_by_key(|owned| (Reverse(owned.last.event_id), owned.last.place));
        let quantities = items.iter().filter_map(|owned| owned.item.quantity);
        let quantity = quantities.reduce(|sum, quantity| sum + quantity);
        let (count, cents) = (items.len() as u64, items.iter().map(|owned| owned.item.cents).sum());
        let items = items.into_iter().take(ITEMS_LISTED).map(|owned| owned.item).collect();
        SaleHoldings { kind, sale, at, count, cents, currency, quantity, items }
    }
}

impl Owned {
    fn of(row: Row, counted: Option<i64>) -> Self {
        let Row { id, outcome, at, item, cents, request_id, order, holder, .. } = row;
        let item = if counted.is_some() { None } else { item };
        let holder = holder.filter(|holder| !holder.is_empty());
        let changed_by = request_id.clone();
        let item = OwnedItem { outcome, at, item, quantity: counted, cents, request_id, changed_by, order, holder };
        Self { item, last: id }
    }
}

/// The sales at which there is something, that with the latest change first, after a cursor; and where the next ones begin.
fn page(sales: Vec<AtSale>, after: Option<HistoryCursor>) -> (Vec<SaleHoldings>, Option<HistoryCursor>) {
    let is_wanted = |sale: &AtSale| !sale.items.is_empty() && after.is_none_or(|after| sale.last < after);
    let mut sales: Vec<AtSale> = sales.into_iter().filter(is_wanted).collect();
    sales.sort_by_key(|sale| Reverse(sale.last));
    let more = sales.len() > SALES_LISTED;
    sales.truncate(SALES_LISTED);
    let next = if more { sales.last().map(|sale| sale.last) } else { None };
    (sales.into_iter().map(AtSale::holdings).collect(), next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::EventId;

    const SEATS: Ownership = Ownership {
        gained: &["held"],
        kept: &["paid"],
        lost: &["cancelled"],
        identified_by: IdentifiedBy::Item,
        has_codes: false,
    };
    const UNITS: Ownership = Ownership {
        gained: &["won"],
        kept: &["confirmed"],
        lost: &["returned"],
        identified_by: IdentifiedBy::Request,
        has_codes: false,
    };

    fn row(nth: u64, outcome: &str, item: &str, order: Option<&str>) -> Row {
        let event_id = EventId { millis: nth, sequence: 0 };
        Row {
            id: HistoryCursor { event_id, sale_no: 1, place: 0 },
            kind: if order.is_some() { "seats" } else { "units" }.to_owned(),
            sale: "s".to_owned(),
            event_id,
            place: 0,
            at: nth.cast_signed(),
            outcome: outcome.to_owned(),
            user: Some("ann".to_owned()),
            request_id: Some("r".to_owned()),
            item: Some(item.to_owned()),
            cents: 100,
            currency: Currency::CNY,
            order: order.map(str::to_owned),
            holder: None,
            reason: None,
            recorded: nth,
        }
    }

    /// The sales after these rows, which are given from the oldest to the newest.
    fn after(rows: &[Row]) -> Vec<SaleHoldings> {
        let ownership = HashMap::from([("seats", &SEATS), ("units", &UNITS)]);
        page(by_sale(rows.iter().rev().cloned().collect(), &ownership), None).0
    }

    #[test]
    fn an_item_is_the_users_until_its_order_ends_and_again_in_another_order() {
        let mut rows = vec![row(1, "held", "A-1", Some("o1")), row(2, "held", "A-2", Some("o1"))];
        let states = |rows: &[Row]| -> Vec<(String, Option<String>)> {
            after(rows).into_iter().flat_map(|sale| sale.items).map(|item| (item.outcome, item.item)).collect()
        };
        let item = |outcome: &str, item: &str| (outcome.to_owned(), Some(item.to_owned()));
        assert_eq!(states(&rows), [item("held", "A-2"), item("held", "A-1")]);
        rows.push(row(3, "paid", "A-1", Some("o1")));
        // It has no item, and changes nothing.
        rows.push(Row { item: None, ..row(4, "late", "", Some("o1")) });
        assert_eq!(states(&rows), [item("paid", "A-1"), item("held", "A-2")]);
        rows.push(row(5, "cancelled", "A-1", Some("o1")));
        rows.push(row(6, "held", "A-1", Some("o2")));
        assert_eq!(states(&rows), [item("held", "A-1"), item("held", "A-2")]);
        assert_eq!(after(&rows)[0].cents, 200);
        rows.extend([row(7, "cancelled", "A-1", Some("o2")), row(8, "cancelled", "A-2", Some("o1"))]);
        assert_eq!(after(&rows), [], "a sale without anything is left out");
    }

    #[test]
    fn quantities_of_a_request_are_added_up_and_given_back_in_parts() {
        let mut rows = vec![row(1, "won", "5", None), row(2, "confirmed", "5", None)];
        let quantity = |rows: &[Row]| after(rows).first().map(|sale| (sale.quantity, sale.items[0].outcome.clone()));
        assert_eq!(quantity(&rows), Some((Some(5), "confirmed".to_owned())));
        rows.push(row(3, "returned", "2", None));
        assert_eq!(quantity(&rows), Some((Some(3), "confirmed".to_owned())));
        rows.push(row(4, "returned", "3", None));
        assert_eq!(quantity(&rows), None);
    }

    #[test]
    fn what_was_gained_before_the_rows_that_are_read_is_left_out() {
        assert_eq!(after(&[row(2, "returned", "2", None)]), []);
        assert_eq!(after(&[row(2, "paid", "A-1", Some("o1"))]).len(), 1, "unless a later change says so");
    }

    #[test]
    fn sales_come_page_by_page() {
        let rows: Vec<Row> = (1..=SALES_LISTED as u64 + 1)
            .map(|nth| {
                let row = row(nth, "won", "1", None);
                let sale_no = nth.cast_signed();
                Row { id: HistoryCursor { sale_no, ..row.id }, sale: format!("s{nth}"), ..row }
            })
            .collect();
        let ownership = HashMap::from([("units", &UNITS)]);
        let all = || by_sale(rows.iter().rev().cloned().collect(), &ownership);
        let (first, next) = page(all(), None);
        assert_eq!((first.len(), first[0].sale.as_str()), (SALES_LISTED, "s21"));
        let (rest, next) = page(all(), next);
        assert_eq!((rest.len(), rest[0].sale.as_str(), next), (1, "s1", None));
    }
}
