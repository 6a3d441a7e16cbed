//! Badges: a state as a word, an icon and a colour.

use crate::{components::Icon, i18n::words};
use leptos::prelude::*;
use model::{SaleState, Verdict};

/// The meaning of a badge's colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// No judgement.
    Neutral,
    /// Everything is as it should be.
    Good,
    /// Draws attention to something special.
    Gold,
    /// Something needs attention.
    Warning,
    /// Something is wrong.
    Bad,
}

impl Tone {
    /// Returns the tone of a verdict.
    pub fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Holds => Self::Good,
            Verdict::Broken => Self::Bad,
            Verdict::Unknown => Self::Warning,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Neutral => "badge",
            Self::Good => "badge good",
            Self::Gold => "badge gold",
            Self::Warning => "badge warn",
            Self::Bad => "badge bad",
        }
    }
}

/// Shows a word with an icon, on a coloured ground.
#[component]
pub fn Badge(
    /// The meaning of the colour: good, bad, a warning.
    tone: Tone,
    /// Repeats the tone for readers who cannot tell the colours apart.
    icon: icondata_core::Icon,
    /// One or two words.
    text: &'static str,
) -> impl IntoView {
    view! {
        <span class=tone.class()>
            <Icon icon />
            {text}
        </span>
    }
}

/// Shows the verdict of an audit or a verification.
#[component]
pub fn VerdictBadge(
    /// Decides the text; also icon and tone, unless another tone is given.
    verdict: Verdict,
    /// A tone that replaces the verdict's own, such as a warning beside one that holds.
    #[prop(optional)]
    tone: Option<Tone>,
) -> impl IntoView {
    let tone = tone.unwrap_or_else(|| Tone::of(verdict));
    let icon = match (verdict, tone) {
        (Verdict::Holds, Tone::Warning) => icondata_lu::LuTriangleAlert,
        (Verdict::Holds, _) => icondata_lu::LuCheck,
        (Verdict::Broken, _) => icondata_lu::LuX,
        (Verdict::Unknown, _) => icondata_lu::LuCircleHelp,
    };
    view! { <Badge tone icon text=(words().verdict)(verdict) /> }
}

/// Shows the state of a sale.
#[component]
pub fn StateBadge(
    /// Decides text, icon and tone; the badge follows it.
    #[prop(into)]
    state: Signal<SaleState>,
) -> impl IntoView {
    let state = Memo::new(move |_| state.get());
    move || {
        let state = state.get();
        let (tone, icon) = match state {
            SaleState::Opening => (Tone::Neutral, icondata_lu::LuClock),
            SaleState::Scheduled => (Tone::Neutral, icondata_lu::LuClock),
            SaleState::Open => (Tone::Good, icondata_lu::LuCircleCheck),
            SaleState::SoldOut => (Tone::Gold, icondata_lu::LuCircleSlash),
            SaleState::Paused => (Tone::Warning, icondata_lu::LuPause),
            SaleState::Expired => (Tone::Warning, icondata_lu::LuClock),
            SaleState::Refunded => (Tone::Neutral, icondata_lu::LuRotateCw),
            SaleState::Suspended => (Tone::Bad, icondata_lu::LuPause),
            SaleState::Closed => (Tone::Neutral, icondata_lu::LuLock),
            SaleState::Archived => (Tone::Neutral, icondata_lu::LuArchive),
        };
        view! { <Badge tone icon text=(words().state_name)(state) /> }
    }
}
