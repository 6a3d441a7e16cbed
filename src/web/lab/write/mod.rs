//! `/learn/write`: a program of one's own, and every order in which its steps can be taken.

pub mod address;
mod editor;
pub mod examples;
pub mod page;
pub mod words;
