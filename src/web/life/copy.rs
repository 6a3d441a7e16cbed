//! The plan of another sale on the same terms.

use model::{
    Millis,
    life::{Life, PlanFields, Texts},
};

/// Returns the plan of a copy of a sale: open at once, for as long as the sale, with its texts and its currency.
/// `began_at` is when the sale could be opened at the earliest.
pub fn copied_plan(life: &Life, began_at: Millis) -> PlanFields {
    let start = life.opens_at.unwrap_or(began_at);
    let is_given = |texts: &Texts| !texts.is_empty();
    PlanFields {
        ends_in_s: life
            .ends_at
            .and_then(|end| u64::try_from((end - start) / 1_000).ok())
            .filter(|seconds| *seconds > 0),
        title: Some(life.title.clone()).filter(is_given),
        description: Some(life.description.clone()).filter(is_given),
        currency: Some(life.currency.code().to_owned()),
        ..PlanFields::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::life::Currency;

    #[test]
    fn a_copy_lasts_as_long_and_opens_at_once() {
        let title = Texts { en: Some("Sneakers".to_owned()), zh: None };
        let life = Life { opens_at: Some(5_000), ends_at: Some(65_000), title: title.clone(), ..Life::default() };
        let plan = copied_plan(&life, 1_000);
        assert_eq!((plan.opens_at, plan.opens_in_s, plan.ends_in_s), (None, None, Some(60)));
        assert_eq!((plan.title, plan.description), (Some(title), None));
        assert_eq!(plan.currency.as_deref(), Some(Currency::CNY.code()));
        assert_eq!(copied_plan(&Life::default(), 1_000).ends_in_s, None);
    }
}
