//! Red packets, as tests know them that go through all kinds; what is theirs alone is tested subject by subject.

pub mod cases;
mod fuzz;
pub mod kind;
mod soak;
