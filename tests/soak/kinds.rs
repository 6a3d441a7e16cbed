//! What the soak requires of a kind of sale, and the kinds.

use super::{
    coupon::Coupons,
    crowd::{Doors, Users},
    harness::Harness,
    red_packet::RedPackets,
    stock::Stock,
    ticket::Tickets,
};
use futures::future::{FutureExt, LocalBoxFuture, ready};
use serde_json::Value;
use std::fmt::Debug;

/// Every kind.
pub static KINDS: [&dyn Kind; 4] = [&RedPackets, &Tickets, &Coupons, &Stock];

/// How a sale is opened.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The id of the sale.
    pub sale: String,
    /// How many things there are, where the kind lets one choose.
    pub size: u64,
    /// When the sale, or what users hold in it, ends by itself.
    pub life_s: u64,
    /// Where days begin.
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

/// A kind of sale: how one is opened, what its users do and hear, and how that is compared with what is stored.
pub trait Kind: Debug + Sync {
    /// As in keys.
    fn id(&self) -> &'static str;

    /// Where a sale is opened, and the request.
    fn opening(&self, terms: &Terms) -> (&'static str, Value);

    /// Users of a sale that was opened so. They begin when they are let loose.
    fn users(&self, terms: &Terms, doors: Doors) -> Box<dyn Users>;

    /// Whether anything in a sale ends by itself.
    fn ends_by_itself(&self) -> bool;

    /// Whether nothing in a sale will end by itself any more.
    fn has_ended<'a>(&'a self, harness: &'a Harness, sale: &'a str) -> LocalBoxFuture<'a, bool>;

    /// Ends whatever would end by itself much later.
    fn end<'a>(&'a self, _harness: &'a Harness, _sale: &'a str) -> LocalBoxFuture<'a, ()> {
        ready(()).boxed_local()
    }
}
