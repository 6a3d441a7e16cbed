//! A field for an instant: in UTC without JavaScript, otherwise in the page's time zone; its hint says which. It is a text,
//! as browsers write times in their own way, often with twelve hours, and all other times of a page have 24.

use crate::{
    components::{Field, FormErrors, description, is_in_utc, page_offset, page_zone, use_painted},
    i18n::FieldWords,
};
use js_sys::Date;
use leptos::{html, prelude::*};
use model::{Millis, form::FormValues, iso, parse_iso};

/// How a time is typed.
const EXAMPLE: &str = "2026-11-28 09:00";

/// A labelled field with a sentence below it when the error belongs to it.
#[component]
pub fn TimeField(
    /// The parameter, and the element's id.
    name: &'static str,
    /// Its label, its hint, and the sentence for invalid input.
    words: FieldWords,
    /// What it holds at first.
    #[prop(optional_no_strip)]
    value: Option<Millis>,
    /// Or else a text that is no time.
    #[prop(optional_no_strip)]
    bad: Option<String>,
    /// For a form that puts another value into it.
    #[prop(optional)]
    node_ref: NodeRef<html::Input>,
    /// The errors of its form, from which it takes its own.
    errors: FormErrors,
) -> impl IntoView {
    let sentence = errors.sentence(name, move || words.error);
    let painted = use_painted();
    let zone = move || if painted.get() { page_zone() } else { "UTC".to_owned() };
    let first = value.map(utc_text).or(bad).unwrap_or_default();
    // What was typed before hydration stays.
    Effect::new(move || {
        if let (Some(input), Some(at)) = (node_ref.get(), value)
            && parse_iso(&input.value()) == Some(at)
        {
            input.set_value(&local_text(at));
        }
    });
    let hint = view! {
        {words.hint}
        " "
        <span translate="no">{zone}</span>
    };
    view! {
        <Field id=name label=words.label hint=Some(hint.into_any()) wrong=Some(sentence.into())>
            <input
                id=name
                name=name
                node_ref=node_ref
                placeholder=EXAMPLE
                autocomplete="off"
                value=first
                aria-describedby=description(name, sentence)
                aria-invalid=move || sentence.get().is_some().to_string()
            />
        </Field>
    }
}

/// The instant in a field when its form is sent, `None` if it is empty; `shown` is the one that was put into it.
///
/// # Errors
/// The text, if it is no time.
pub fn instant(form: &FormValues, name: &str, shown: Option<Millis>) -> Result<Option<Millis>, String> {
    let Some(text) = form.optional(name) else { return Ok(None) };
    let Some(clock) = parse_iso(text.trim()) else { return Err(text) };
    // As addresses and the API have it.
    if text.trim().ends_with('Z') {
        return Ok(Some(clock));
    }
    Ok(Some(kept(clock, shown, page_offset).unwrap_or_else(|| at_clock(clock))))
}

/// The instant that was put into a field, if the text is still how clocks show it. When clocks are put back, they show
/// an hour twice, so the text alone does not tell the instant.
fn kept(clock: Millis, shown: Option<Millis>, offset: fn(Millis) -> Millis) -> Option<Millis> {
    shown.filter(|at| clock == at + offset(*at))
}

/// The instant at which clocks in the page's zone show what clocks in UTC show at this one. Of an hour that comes twice,
/// it is the first.
fn at_clock(clock: Millis) -> Millis {
    if is_in_utc() {
        return clock;
    }
    // Browsers take an ISO text without a zone for a time in their own.
    let at = Date::parse(iso(clock).trim_end_matches('Z'));
    if at.is_nan() { clock } else { at as Millis }
}

/// Puts an instant into a field, or else the text that is no time.
pub fn show(field: NodeRef<html::Input>, at: Option<Millis>, bad: Option<String>) {
    if let Some(input) = field.get_untracked() {
        input.set_value(&at.map(local_text).or(bad).unwrap_or_default());
    }
}

/// As the field takes it: `2026-01-31 23:59:58`
fn utc_text(at: Millis) -> String {
    let text = iso(at).replace('T', " ");
    text.trim_end_matches('Z').trim_end_matches(".000").to_owned()
}

fn local_text(at: Millis) -> String {
    utc_text(at + page_offset(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Millis = 3_600_000;
    /// When clocks in New York are put back, at 01:59:59 in summer time.
    const BACK: Millis = 1_793_512_800_000;

    fn new_york(at: Millis) -> Millis {
        if at < BACK { -4 * HOUR } else { -5 * HOUR }
    }

    #[test]
    fn the_second_of_two_hours_stays_the_second() {
        for at in [BACK - HOUR / 2, BACK + HOUR / 2] {
            assert_eq!(utc_text(at + new_york(at)), "2026-11-01 01:30:00");
            let clock = |text| parse_iso(text).unwrap();
            for text in ["2026-11-01 01:30:00", "2026-11-01T01:30"] {
                assert_eq!(kept(clock(text), Some(at), new_york), Some(at));
            }
            assert_eq!(kept(clock("2026-11-01 01:31"), Some(at), new_york), None, "another was typed");
            assert_eq!(kept(clock("2026-11-01 01:30"), None, new_york), None);
        }
    }
}
