//! Icons, drawn as lines on a 16 by 16 grid. They repeat what words say and are silent for screen
//! readers.

use super::node::{El, el};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Check,
    Cross,
    Question,
    Again,
    Empty,
    Clock,
    Pause,
    Stop,
    Copy,
    Sun,
    Moon,
    Screen,
    Crowd,
    Packet,
    Warning,
}

impl Icon {
    fn path(self) -> &'static str {
        match self {
            Self::Check => "M3 8.5 6.5 12 13 4.5",
            Self::Cross => "M4 4l8 8M12 4l-8 8",
            Self::Question => "M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.7 8 9.2 8 10M8 12.6v.1",
            Self::Again => "M13 8a5 5 0 1 1-1.5-3.5M13 2.5v3h-3",
            Self::Empty => "M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3M4.5 11.5l7-7",
            Self::Clock => "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3l2 1.5",
            Self::Pause => "M5.5 3.5v9M10.5 3.5v9",
            Self::Stop => "M4 4h8v8H4z",
            Self::Copy => "M6 6h7v7H6zM3 10V3h7",
            Self::Sun => {
                "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9"
            }
            Self::Moon => "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
            Self::Screen => "M2.5 3.5h11v7.5h-11zM6 13.5h4",
            Self::Crowd => {
                "M5.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4M2 12.5c0-4 7-4 7 0M10.5 4a1.8 1.8 0 0 1 0 3.5M11 9.5c2 0 3 1.2 3 3"
            }
            Self::Packet => "M3.5 2.5h9v11h-9zM3.5 5c3 2.5 6 2.5 9 0M8 7v2",
            Self::Warning => "M8 2.5l6 10.5H2zM8 6.5v3M8 11.3v.1",
        }
    }
}

pub fn icon(icon: Icon) -> El {
    let drawing = ["<svg viewBox=\"0 0 16 16\"><path d=\"", icon.path(), "\"/></svg>"].concat();
    el("span").class("icon").attr("aria-hidden", "true").html(drawing)
}
