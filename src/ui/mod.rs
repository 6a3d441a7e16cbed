//! Pieces that every page shares: nodes, drawing, numbers, code, notices, icons, and the browser
//! itself.

pub mod ask;
pub mod audit;
pub mod code;
pub mod copy;
pub mod draw;
pub mod drawing;
pub mod field;
pub mod findings;
pub mod format;
pub mod icons;
pub mod meter;
pub mod moment;
pub mod name;
pub mod node;
pub mod notice;
pub mod page;
pub mod platform;
pub mod ready;
pub mod sale_link;
pub mod source;
pub mod term;
pub mod title;
pub mod verdict;
pub mod work;
