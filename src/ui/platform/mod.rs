//! What only a browser, or only a server, can do, behind one set of names. Both halves have the same
//! signatures, so the components above them are written once.

#[cfg(feature = "hydrate")]
mod browser;
#[cfg(not(feature = "hydrate"))]
mod server;

#[cfg(feature = "hydrate")]
pub use browser::*;
#[cfg(not(feature = "hydrate"))]
pub use server::*;

/// What an open line to the server reports.
pub enum Heard {
    /// The line stands.
    Open,
    /// A message without a name.
    Message(String),
    /// A message named `store`: `up` or `down`.
    Store(String),
    /// The line broke; `given_up` when the browser will not try again by itself.
    Broken { given_up: bool },
}

/// How an instant is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Hours, minutes, seconds.
    Clock,
    /// Day and time.
    Full,
}

/// Light or dark by choice; neither follows the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// Its name in the cookie and in `data-theme`; the system's has none.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// Anything unknown follows the system.
    pub fn from_name(name: Option<&str>) -> Self {
        match name {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }
}
