//! What the soak requires of a kind of sale.

use super::{
    crowd::{Doors, Users},
    harness::Harness,
};
use futures::future::{FutureExt, LocalBoxFuture, ready};
use serde_json::Value;
use std::fmt::Debug;
use store::keys;

/// How a sale is opened.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The id of the sale.
    pub sale: String,
    /// How many items there are, if the kind lets an operator choose.
    pub size: u64,
    /// In how many seconds it starts, if not at once.
    pub opens_in_s: Option<u64>,
    /// When the sale, or what users hold in it, ends on its own.
    pub life_s: u64,
    /// When days begin.
    pub days: Days,
}

/// When days begin, in a time zone of whole hours.
#[derive(Clone, Copy, Debug, Default)]
pub struct Days {
    /// How many hours the zone is ahead of UTC.
    pub ahead_h: i64,
    /// The beginning of a day over which the clock jumps forward, in epoch milliseconds.
    pub begun_by_a_jump: Option<i64>,
}

/// A kind of sale: how one is opened, what its users do and are told, and how that is compared with what is stored.
pub trait Kind: Debug + Sync {
    /// As in keys.
    fn id(&self) -> &'static str;

    /// A key of a sale that was opened so.
    fn key(&self, sale: &str, part: &str) -> String {
        keys::sale(self.id(), sale, part)
    }

    /// The endpoint that opens a sale, and the request.
    fn opening(&self, terms: &Terms) -> (&'static str, Value);

    /// Users of a sale that was opened on these terms; see [`Users::let_loose`].
    fn users(&self, terms: &Terms, doors: Doors) -> Box<dyn Users>;

    /// Whether anything in a sale ends on its own.
    fn ends_by_itself(&self) -> bool;

    /// Whether nothing in a sale is left to end on its own.
    fn has_ended<'a>(&'a self, harness: &'a Harness, sale: &'a str) -> LocalBoxFuture<'a, bool>;

    /// Ends whatever would end on its own much later.
    fn end<'a>(&'a self, _harness: &'a Harness, _sale: &'a str) -> LocalBoxFuture<'a, ()> {
        ready(()).boxed_local()
    }
}
