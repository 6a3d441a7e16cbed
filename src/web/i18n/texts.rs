//! Texts that operators write in one language of the pages, or in both.

use crate::i18n::{Lang, lang, sale_name};
use model::life::Texts;

/// Returns the text in the language of the page, or else the one in the other language, and its language.
pub fn shown_text(texts: &Texts) -> Option<(Lang, &str)> {
    let of = |lang| match lang {
        Lang::En => texts.en.as_deref(),
        Lang::Zh => texts.zh.as_deref(),
    };
    let shown = lang();
    let other = if shown == Lang::En { Lang::Zh } else { Lang::En };
    [shown, other].into_iter().find_map(|lang| Some((lang, of(lang)?)))
}

/// Returns the name of a sale: its title, or else the readable name of a generated id. `None` if its id is its name.
pub fn sale_title(sale: &str, title: &Texts) -> Option<String> {
    shown_text(title).map(|(_, text)| text.to_owned()).or_else(|| sale_name(sale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use leptos::prelude::{Owner, provide_context};

    #[test]
    fn a_text_is_shown_in_the_language_of_the_page_if_there_is_one() {
        let text = |text: &str| Some(text.to_owned());
        let both = Texts { en: text("Sneakers"), zh: text("球鞋") };
        let one = Texts { en: None, zh: text("球鞋") };
        Owner::new().with(|| {
            assert_eq!(shown_text(&both), Some((Lang::En, "Sneakers")));
            assert_eq!(shown_text(&one), Some((Lang::Zh, "球鞋")));
            assert_eq!(shown_text(&Texts::default()), None);
            provide_context(Lang::Zh);
            assert_eq!(shown_text(&both), Some((Lang::Zh, "球鞋")));
            assert_eq!(sale_title("spring", &both).as_deref(), Some("球鞋"));
            assert_eq!(sale_title("spring", &Texts::default()), None);
        });
    }
}
