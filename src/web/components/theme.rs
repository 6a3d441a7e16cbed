//! The theme: light, dark, or the system's. A cookie keeps it, so that the server renders the right one.
//! (`use_color_mode` of leptos-use sets its attribute in an effect, so the page would flash in the other theme.)

use crate::cookie::use_kept;
use leptos::prelude::*;
use leptos_use_preferences::use_preferred_dark;
use std::{convert::Infallible, fmt, str::FromStr};

/// The theme that the reader chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Follows the operating system.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Theme {
    /// Returns the value of `data-theme`; without one, the page follows the system.
    pub fn attribute(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.attribute().unwrap_or("system"))
    }
}

impl FromStr for Theme {
    type Err = Infallible;

    /// Reads a theme; any unknown text follows the system.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        })
    }
}

#[derive(Clone, Copy)]
struct ThemeContext {
    theme: Signal<Theme>,
    set_theme: WriteSignal<Option<Theme>>,
    system_dark: Signal<bool>,
}

/// Provides [`use_theme`] and [`use_dark_mode`] to all descendants.
pub fn provide_theme() {
    let (chosen, set_theme) = use_kept::<Theme>("theme");
    let theme = Signal::derive(move || chosen.get().unwrap_or_default());
    provide_context(ThemeContext { theme, set_theme, system_dark: use_preferred_dark() });
}

/// Returns the chosen theme and its setter.
pub fn use_theme() -> (Signal<Theme>, impl Fn(Theme) + Copy + Send + Sync + 'static) {
    let context = expect_context::<ThemeContext>();
    (context.theme, move |theme| context.set_theme.set(Some(theme)))
}

/// Returns whether dark colours are shown, by choice or by the system. A canvas is repainted when this changes.
pub fn use_dark_mode() -> Signal<bool> {
    let ThemeContext { theme, system_dark, .. } = expect_context();
    Signal::derive(move || match theme.get() {
        Theme::System => system_dark.get(),
        theme => theme == Theme::Dark,
    })
}
