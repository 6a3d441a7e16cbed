//! Texts in both languages of the pages, each optional.

use crate::{
    Checks,
    error::{Error, Result},
    id::{CONTROL, SPACES},
};
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::fmt;

/// The most characters of a title.
pub const MAX_TITLE: usize = 100;
/// The most characters of a description.
pub const MAX_DESCRIPTION: usize = 2_000;
/// The most characters of a reason: of a pause, or of another change that an operator makes.
pub const MAX_REASON: usize = 200;

/// A text in English, in Chinese, in both, or in neither.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Texts {
    /// The text in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub en: Option<String>,
    /// The text in Chinese.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zh: Option<String>,
}

impl<'de> Deserialize<'de> for Texts {
    /// Reads an object. What serde derives would read the texts from an array, too.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Fields {
            #[serde(default)]
            en: Option<String>,
            #[serde(default)]
            zh: Option<String>,
        }
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with texts in `en` and `zh`")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Texts, A::Error> {
                let Fields { en, zh } = Fields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Texts { en, zh })
            }
        }
        deserializer.deserialize_map(Object)
    }
}

impl Texts {
    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.en.is_none() && self.zh.is_none()
    }

    /// Without texts that are empty.
    #[must_use]
    pub fn without_empty(self) -> Self {
        let is_text = |text: &String| !text.is_empty();
        Self { en: self.en.filter(is_text), zh: self.zh.filter(is_text) }
    }

    fn check(&self, fields: [&str; 2], most: usize, is_multiline: bool) -> Result<()> {
        let mut checks = Checks::default();
        for (field, text) in fields.into_iter().zip([&self.en, &self.zh]) {
            checks.note(text.as_ref().map_or(Ok(()), |text| check_text(field, text, most, is_multiline)));
        }
        checks.finish(Ok(()))
    }
}

/// What a text may be, as a regular expression of JavaScript: one line or several, not blank unless it is empty.
pub fn text_pattern(is_multiline: bool) -> String {
    // Control characters but the line feed.
    let forbidden = if is_multiline { r"\u0000-\u0009\u000b-\u001f\u007f-\u009f" } else { CONTROL };
    format!("^([^{forbidden}]*[^{CONTROL}{SPACES}][^{forbidden}]*)?$")
}

/// Checks a title: one line.
///
/// # Errors
/// `bad_request`, naming the field.
pub fn check_title(title: &Texts) -> Result<()> {
    title.check(["title.en", "title.zh"], MAX_TITLE, false)
}

/// Checks a description, which may have several lines.
///
/// # Errors
/// `bad_request`, naming the field.
pub fn check_description(description: &Texts) -> Result<()> {
    description.check(["description.en", "description.zh"], MAX_DESCRIPTION, true)
}

/// Checks a reason: one line, which may be empty.
///
/// # Errors
/// `bad_request`, naming the field.
pub fn check_reason(reason: &str) -> Result<()> {
    check_text("reason", reason, MAX_REASON, false)
}

fn check_text(field: &str, text: &str, most: usize, is_multiline: bool) -> Result<()> {
    if text.chars().any(|letter| letter.is_control() && !(is_multiline && letter == '\n')) {
        let but = if is_multiline { ", except line feeds" } else { "" };
        return Err(Error::bad(
            field,
            format!("`{field}` contains a control character; only printable ones are allowed{but}."),
        ));
    }
    if !text.is_empty() && text.trim().is_empty() {
        return Err(Error::bad(field, format!("`{field}` is blank; leave it out, or give a text.")));
    }
    let letters = text.chars().count();
    if letters > most {
        return Err(Error::bad(field, format!("`{field}` is {letters} characters long; at most {most} are allowed.")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    fn both(text: &str) -> Texts {
        Texts { en: Some(text.to_owned()), zh: Some(text.to_owned()) }
    }

    #[test]
    fn texts_are_an_object() {
        let read = |json: &str| serde_json::from_str::<Texts>(json).map_err(|error| error.to_string());
        assert_eq!(read(r#"{"en":"Ten","zh":null}"#), Ok(Texts { en: Some("Ten".to_owned()), zh: None }));
        assert_eq!(read("{}"), Ok(Texts::default()));
        for wrong in [r#"["Ten",null]"#, r#""Ten""#, "null"] {
            assert!(read(wrong).is_err_and(|error| error.contains("expected an object")), "{wrong}");
        }
    }

    #[test]
    fn texts_are_printable_and_not_too_long() {
        for text in ["", "Ten o'clock", "十点整"] {
            assert_eq!(check_title(&both(text)), Ok(()), "{text}");
        }
        assert_eq!(check_title(&both(&"点".repeat(MAX_TITLE))), Ok(()));
        assert_eq!(wrong_fields(check_title(&both(&"点".repeat(MAX_TITLE + 1)))), ["title.en", "title.zh"]);
        assert_eq!(wrong_fields(check_title(&both("a\nb"))), ["title.en", "title.zh"]);
        assert_eq!(check_description(&both("a\nb")), Ok(()));
        assert_eq!(wrong_fields(check_description(&both("a\rb"))), ["description.en", "description.zh"]);
        assert_eq!(wrong_fields(check_reason(" ")), ["reason"]);
    }
}
