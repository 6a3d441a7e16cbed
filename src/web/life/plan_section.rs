//! The folded part of the form that opens a sale: its start and end, its texts, its currency.

use crate::{
    components::{Fields, FormErrors, FormMemory, TextArea, TextField, format::duration_text, time_field::TimeField},
    life::{
        when_field::{ENDS, OPENS, of_form, set_times, when},
        words::words,
    },
};
use leptos::{html, prelude::*};
use model::{
    Checks,
    form::FormValues,
    life::{Currency, PlanFields, Texts},
};

/// The fields.
const TITLE: [&str; 2] = ["title.en", "title.zh"];
const DESCRIPTION: [&str; 2] = ["description.en", "description.zh"];
const CURRENCY: &str = "currency";
const FIELDS: &[&str] = &[OPENS, ENDS, TITLE[0], TITLE[1], DESCRIPTION[0], DESCRIPTION[1], CURRENCY];

/// What the plan of a kind of sale may have, beside a start and texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanParts {
    /// An end. Other kinds have a life of their own.
    pub ends: bool,
    /// Amounts of money, in a currency.
    pub money: bool,
}

/// Shows the fields, folded until somebody needs them or one of them is at fault.
#[component]
pub fn PlanSection(
    /// The fields that the kind has.
    parts: PlanParts,
    /// The typed contents of the form.
    typed: FormMemory,
    /// The errors of the form.
    errors: FormErrors,
) -> impl IntoView {
    let words = words();
    let section = NodeRef::<html::Details>::new();
    // What is brought back after a reload, or filled in, must not be sent unseen.
    let is_used =
        Memo::new(move |_| FIELDS.iter().any(|name| typed.kept(name).is_some_and(|text| !is_usual(name, text.trim()))));
    Effect::new(move || {
        if let Some(section) = section.get().filter(|_| is_used.get()) {
            section.set_open(true);
        }
    });
    errors.open_for(FIELDS, section);
    view! {
        <details class="plan wide" node_ref=section>
            <summary>{words.more}</summary>
            <div class="form-grid">
                <TimeField name=OPENS words=words.opens errors />
                {parts.ends.then(|| view! { <TimeField name=ENDS words=words.ends errors /> })}
                {parts
                    .money
                    .then(|| view! { <TextField name=CURRENCY words=words.currency value=Currency::CNY.code() errors /> })}
                <TextsFields title=Texts::default() description=Texts::default() errors />
            </div>
        </details>
    }
}

/// Returns whether a field that holds this says nothing of its own.
fn is_usual(name: &str, text: &str) -> bool {
    text.is_empty() || name == CURRENCY && text.eq_ignore_ascii_case(Currency::CNY.code())
}

/// Returns what the fields hold for a plan, but for its currency, which is as the request has it. Times that are absolute
/// are left out: they are of no use to another sale.
pub fn plan_fields(plan: &PlanFields) -> Fields {
    let duration = |seconds: Option<u64>| seconds.map(duration_text).unwrap_or_default();
    let texts = |texts: &Option<Texts>| {
        let Texts { en, zh } = texts.clone().unwrap_or_default();
        [en, zh].map(Option::unwrap_or_default)
    };
    let times = [(OPENS, duration(plan.opens_in_s)), (ENDS, duration(plan.ends_in_s))];
    let texts = [(TITLE, texts(&plan.title)), (DESCRIPTION, texts(&plan.description))];
    let texts = texts.into_iter().flat_map(|(names, texts)| names.into_iter().zip(texts));
    times.into_iter().chain(texts).map(|(name, text)| (name.to_owned(), text)).collect()
}

/// Shows the fields of the title and the description.
#[component]
pub fn TextsFields(
    /// The title at first.
    title: Texts,
    /// The description at first.
    description: Texts,
    /// The errors of the form.
    errors: FormErrors,
) -> impl IntoView {
    let words = words();
    let text = |text: Option<String>| text.unwrap_or_default();
    view! {
        <TextField name=TITLE[0] words=words.title_en value=text(title.en) errors />
        <TextField name=TITLE[1] words=words.title_zh value=text(title.zh) errors />
        <TextArea name=DESCRIPTION[0] words=words.description_en value=text(description.en) errors />
        <TextArea name=DESCRIPTION[1] words=words.description_zh value=text(description.zh) errors />
    }
}

/// Returns the title and the description in a form; an empty text for an empty field.
pub fn read_texts(values: &FormValues) -> (Texts, Texts) {
    let text = |field: &str| Some(values.text(field).trim().replace("\r\n", "\n"));
    let of = |[en, zh]: [&str; 2]| Texts { en: text(en), zh: text(zh) };
    (of(TITLE), of(DESCRIPTION))
}

/// Reads and checks the plan in a form that opens a sale. Returns it with its currency, in which amounts of the form are.
pub fn read_plan(values: &FormValues, checks: &mut Checks) -> (PlanFields, Currency) {
    let (title, description) = read_texts(values);
    let is_given = |texts: &Texts| !texts.clone().without_empty().is_empty();
    let mut fields = PlanFields {
        title: Some(title.clone().without_empty()).filter(is_given),
        description: Some(description.clone().without_empty()).filter(is_given),
        currency: values.optional(CURRENCY).map(|code| code.trim().to_ascii_uppercase()),
        ..PlanFields::default()
    };
    let (opens, ends) = (checks.value(when(values, OPENS, None)), checks.value(when(values, ENDS, None)));
    set_times(&mut fields, opens, ends);
    let plan = fields.clone().read().and_then(|plan| plan.check().map(|()| plan.currency));
    match plan {
        Ok(currency) => (fields, currency),
        Err(error) => {
            error.each().for_each(|error| _ = checks.note::<()>(Err(of_form(error))));
            (fields, Currency::default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::error::{Error, Result};

    fn read(form: &str) -> Result<(PlanFields, Currency)> {
        let mut checks = Checks::default();
        let plan = read_plan(&FormValues::decode(form.as_bytes()), &mut checks);
        checks.finish(Ok(plan))
    }

    fn wrong(form: &str) -> Vec<String> {
        read(form).err().into_iter().flat_map(Error::each).filter_map(|error| error.field).collect()
    }

    #[test]
    fn a_plan_without_anything_is_the_default() {
        let empty = "opens_at=&ends_at=&title.en=&title.zh=&description.en=&description.zh=";
        assert_eq!(read(empty), Ok((PlanFields::default(), Currency::CNY)));
        assert_eq!(read(""), Ok((PlanFields::default(), Currency::CNY)));
    }

    #[test]
    fn a_start_may_be_a_duration_and_texts_may_have_lines() {
        let (plan, currency) =
            read("opens_at=5+min&ends_at=2+h&currency=jpy&title.en=+Sneakers+&description.zh=a%0D%0Ab")
                .expect("a plan");
        assert_eq!((plan.opens_in_s, plan.ends_in_s, currency.code()), (Some(300), Some(7_200), "JPY"));
        assert_eq!(plan.title, Some(Texts { en: Some("Sneakers".to_owned()), zh: None }));
        assert_eq!(plan.description, Some(Texts { en: None, zh: Some("a\nb".to_owned()) }));
    }

    #[test]
    fn a_plan_is_written_into_a_form_without_absolute_times() {
        let form = "opens_at=90+min&ends_at=2026-11-28+09:00Z&title.en=Sneakers&description.zh=a%0Ab";
        let (plan, _) = read(form).expect("a plan");
        let fields = plan_fields(&plan);
        let text = |name: &str| fields.get(name).map(String::as_str);
        assert_eq!((text(OPENS), text(ENDS)), (Some("90 min"), Some("")));
        assert_eq!((text("title.en"), text("title.zh")), (Some("Sneakers"), Some("")));
        assert_eq!((text("description.en"), text("description.zh")), (Some(""), Some("a\nb")));
    }

    #[test]
    fn every_field_at_fault_is_named_as_the_form_has_it() {
        assert_eq!(wrong("opens_at=soon&ends_at=900+d&currency=DM"), ["opens_at", "currency"]);
        assert_eq!(wrong("opens_at=0&ends_at=900+d"), ["opens_at", "ends_at"]);
    }
}
