//! The life of a sale on the pages of every kind: start and end, pauses, texts.

mod actions;
pub mod api;
mod copy;
#[cfg(feature = "ssr")]
pub mod description;
mod plan_section;
mod status;
mod terms;
mod when_field;
pub mod words;

pub use actions::LifeActions;
pub use copy::copied_plan;
pub use plan_section::{PlanParts, PlanSection, plan_fields, read_plan};
pub use status::{PageLife, PauseNotice, StartAnnouncement, TimeLeft, next_turn};
pub use terms::{Description, LifeTerms};
pub use when_field::forget_times;
pub use words::words;
