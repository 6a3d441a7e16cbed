//! Another sale on the terms of this one, under the next number: `stadium-3` after `stadium-2`.

use crate::{i18n::sale_name, list::api::list_by, open_form::OpenSaleRequest};
use model::{
    KindInfo, check_new_id,
    error::{Code, Error, Result},
    list::{ListQuery, MAX_LIMIT},
};

/// Opens a sale by this request, under this id if no archived sale has it. Returns its id.
pub(super) async fn open_copy<R>(mut request: R, id: Option<String>) -> Result<String>
where
    R: OpenSaleRequest + Clone,
{
    if id.is_some() {
        request.set_id(id);
        match request.clone().run_on_client().await {
            Err(Error { code: Code::SaleExists, .. }) => request.set_id(None),
            opened => return opened.map(R::sale),
        }
    }
    request.run_on_client().await.map(R::sale)
}

/// Returns the id for a copy of this sale: with the number after the highest of those that have its name. `None` if the
/// id of the copy is generated, as that of the sale was.
pub(super) async fn next_id(kind: &'static KindInfo, sale: &str) -> Result<Option<String>> {
    if sale_name(sale).is_some() {
        return Ok(None);
    }
    let (name, _) = numbered(sale);
    let named = ListQuery {
        kind: Some(kind.id.to_owned()),
        id: Some(name.to_owned()),
        limit: Some(MAX_LIMIT),
        ..ListQuery::default()
    };
    let listed = list_by(named).await?.sales;
    let id = after(sale, listed.iter().map(|listed| listed.sale.as_str()));
    // A long id has no room for a number.
    Ok(check_new_id("id", &id).is_ok().then_some(id))
}

/// The id with the next number.
fn after<'a>(sale: &'a str, listed: impl Iterator<Item = &'a str>) -> String {
    let (name, _) = numbered(sale);
    let numbers = listed.chain([sale]).map(numbered).filter(|(other, _)| *other == name).map(|(_, number)| number);
    format!("{name}-{}", numbers.max().unwrap_or(1) + 1)
}

/// The name and the number of an id: `stadium` and 2 of `stadium-2`, 1 if it has no number.
fn numbered(id: &str) -> (&str, u32) {
    let is_number = |text: &str| text.len() <= 6 && text.starts_with(|first| ('1'..='9').contains(&first));
    id.rsplit_once('-')
        .filter(|(name, number)| !name.is_empty() && is_number(number))
        .and_then(|(name, number)| Some((name, number.parse().ok()?)))
        .unwrap_or((id, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_next_number() {
        let of = |sale, listed: &[&'static str]| after(sale, listed.iter().copied());
        assert_eq!(of("stadium", &[]), "stadium-2");
        assert_eq!(of("stadium-2", &["stadium-2", "stadium"]), "stadium-3");
        assert_eq!(of("stadium", &["stadium-10", "stadium-9", "old-stadium-70", "stadium-b"]), "stadium-11");
        assert_eq!(of("launch-night", &["launch-2"]), "launch-night-2");
        assert_eq!(of("n-99999999999", &[]), "n-99999999999-2", "not a number to count on");
        assert_eq!(of("-7", &[]), "-7-2");
        assert_eq!(of("x-007", &[]), "x-007-2");
    }
}
