//! Another sale on the terms of this one, under the next number: `stadium-3` after `stadium-2`.

use crate::{i18n::sale_name, list::api::list_by, open_form::OpenSaleRequest};
use model::{
    KindInfo, check_new_id,
    error::{Code, Error, Result},
    list::{ListQuery, MAX_LIMIT},
};

/// Opens a sale by this request under this id, or under the next number if another reader opens such a copy at the same
/// moment. If an archived sale has the id, the new one is generated. Returns the id of the sale.
///
/// `asked` is told each id before it is asked for. An id that was asked for before may be that of a sale whose opening
/// had no answer, which is the copy then.
pub(super) async fn open_copy<R>(
    mut request: R,
    mut id: Option<String>,
    was_asked: bool,
    asked: impl Fn(&str),
) -> Result<String>
where
    R: OpenSaleRequest + Clone,
{
    loop {
        if let Some(id) = &id {
            asked(id);
        }
        request.set_id(id.clone());
        id = match (request.clone().run_on_client().await, id) {
            (Err(Error { code: Code::SaleExists, .. }), Some(_)) => None,
            (Ok(opened), Some(id)) if R::existed(&opened) && !was_asked => fitting(after(&id, std::iter::empty())),
            (opened, _) => return opened.map(R::sale),
        };
    }
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
    Ok(fitting(after(sale, listed.iter().map(|listed| listed.sale.as_str()))))
}

/// The id, if a sale can have it: a long one has no room for a number.
fn fitting(id: String) -> Option<String> {
    check_new_id("id", &id).is_ok().then_some(id)
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
