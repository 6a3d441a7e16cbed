//! The replies of scripts: a code and the values after it. Replies are decoded only here.

use crate::{script::Script, stream::protocol_error};
use model::error::{Code, Error, Result};
use redis::{FromRedisValue, Value, from_redis_value};
use std::vec;

macro_rules! reply_codes {
    ($($(#[$doc:meta])+ $code:ident = $number:literal, $name:literal;)+) => {
        /// The code of a reply. Numbers and names are those of `lua/README.md` and `lua/lib/codes.lua`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ReplyCode {
            $($(#[$doc])+ $code = $number,)+
        }

        impl ReplyCode {
            /// Every code, in numerical order.
            pub const ALL: &[Self] = &[$(Self::$code),+];

            /// The code with this number, if there is one.
            pub fn from_number(number: i64) -> Option<Self> {
                match number {
                    $($number => Some(Self::$code),)+
                    _ => None,
                }
            }

            /// The name of the code, as in `lua/README.md`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)+
                }
            }
        }
    };
}

reply_codes! {
    /// Done now.
    Done = 0, "done";
    /// Already done: the original answer again.
    Repeat = 500, "repeat";
    /// At least one of the wanted seats is not free.
    SeatTaken = 1001, "seat taken";
    /// Fewer seats of a category are left than wanted.
    NotEnoughSeats = 1002, "not enough seats";
    /// Nothing is left.
    SoldOut = 1003, "sold out";
    /// The sale has expired.
    Expired = 1004, "expired";
    /// No sale has this id.
    UnknownSale = 1005, "unknown sale";
    /// The sale is still being opened.
    Opening = 1006, "opening";
    /// The id is taken.
    Exists = 1007, "exists";
    /// A chunk before this one is missing.
    OutOfOrder = 1008, "out of order";
    /// The sale has not expired yet.
    NotExpired = 1009, "not expired";
    /// Another process holds the lease.
    Taken = 1010, "taken";
    /// Redis knows everything that the ledger knows.
    UpToDate = 1011, "up to date";
    /// The sale accepts no attempts until it is recovered.
    Suspended = 1012, "suspended";
    /// Parts of a recovery are missing.
    Incomplete = 1013, "incomplete";
    /// The user would exceed the limit.
    LimitReached = 1014, "limit reached";
    /// The request id was used by another user.
    OtherUser = 1015, "other user";
    /// The sale has no such order.
    UnknownOrder = 1016, "unknown order";
    /// The order has ended.
    Ended = 1017, "ended";
    /// The stored order, coupon or request cannot be read.
    UnreadableRecord = 1018, "unreadable record";
    /// The index of free seats contradicts the counts.
    BrokenIndex = 1019, "broken index";
    /// An operator closed the sale.
    Closed = 1020, "closed";
    /// The sale is not over.
    NotClosed = 1021, "not closed";
    /// Something in the sale has not ended yet.
    Pending = 1022, "pending";
    /// The ledger does not have the sale's last entry.
    Behind = 1023, "behind";
    /// The request id was used for something else.
    OtherRequest = 1024, "other request";
    /// Redis has lost an event that this process has seen. The call has suspended the sale.
    Lost = 1025, "lost";
    /// A newer program has written the sale.
    NewerFormat = 1026, "newer format";
    /// The sale has no coupon with this code.
    UnknownCode = 1027, "unknown code";
    /// The coupon was redeemed.
    Redeemed = 1028, "redeemed";
    /// The coupon was given back.
    Returned = 1029, "returned";
    /// The caller assumes the terms of another sale.
    OtherTerms = 1030, "other terms";
    /// The quantity is not cached, so Redis does not know how much is left.
    NotCached = 1031, "not cached";
    /// Less is left than wanted.
    NotEnough = 1032, "not enough";
    /// No deduction has this request id.
    UnknownRequest = 1033, "unknown request";
    /// The event that this process has seen is no longer in the stream. Only the ledger can tell whether this Redis
    /// ever had it.
    Trimmed = 1034, "trimmed";
}

impl ReplyCode {
    fn read(script: &Script, value: Value) -> Result<Self> {
        let number: i64 = from_redis_value(value).map_err(protocol_error)?;
        Self::from_number(number).ok_or_else(|| unexpected_code(script, number, "no reply code"))
    }

    /// The error for a code about the sale as a whole. Any other code counts as unexpected from this script.
    pub fn refusal(self, script: &Script, sale: &str) -> Error {
        match self {
            Self::UnknownSale => Error::unknown_sale(sale),
            Self::Opening => Error::sale_opening(sale),
            Self::Suspended | Self::Lost => Error::sale_suspended(sale),
            Self::NewerFormat => Error::new(
                Code::StoreRefused,
                format!(
                    "The sale \"{sale}\" was written by a newer version of Stampede, so nothing was tried; start that version."
                ),
            ),
            other => other.unexpected(script),
        }
    }

    /// The error for a code that the caller does not expect from this script.
    pub fn unexpected(self, script: &Script) -> Error {
        unexpected_code(script, self as i64, self.name())
    }
}

fn unexpected_code(script: &Script, code: i64, name: &str) -> Error {
    tracing::error!(script = script.name, code, name, "a script answered with a code that is not one of its codes");
    Error::new(
        Code::Internal,
        format!(
            "`{}` answered {code} ({name}), which is not one of its codes, so the outcome is unknown.",
            script.name
        ),
    )
}

/// The reply of a script that gives a single answer.
#[derive(Debug)]
pub struct Reply {
    pub code: ReplyCode,
    values: vec::IntoIter<Value>,
}

impl Reply {
    pub(super) fn read(script: &Script, values: Vec<Value>) -> Result<Self> {
        let mut values = values.into_iter();
        let code = ReplyCode::read(script, values.next().unwrap_or(Value::Nil))?;
        Ok(Self { code, values })
    }

    /// The next value after the code.
    ///
    /// # Errors
    /// `unavailable` if it has another type.
    pub fn next_value<T: FromRedisValue>(&mut self) -> Result<T> {
        from_redis_value(self.values.next().unwrap_or(Value::Nil)).map_err(protocol_error)
    }

    /// All remaining values.
    ///
    /// # Errors
    /// `unavailable` if one has another type.
    pub fn rest<T: FromRedisValue>(self) -> Result<Vec<T>> {
        self.values.map(|value| from_redis_value(value).map_err(protocol_error)).collect()
    }
}

/// The answer of a script to one attempt in a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptReply {
    pub code: ReplyCode,
    /// The detail after the code, as bytes.
    pub detail: Vec<u8>,
}

impl AttemptReply {
    /// Reads the reply to a batch: code and detail of each attempt, alternating.
    ///
    /// # Errors
    /// `unavailable` if the number or the types of the values are wrong; `internal` if a code is unknown.
    pub fn read_batch(script: &Script, values: Vec<Value>, attempts: usize) -> Result<Vec<Self>> {
        if values.len() != 2 * attempts {
            return Err(protocol_error(format!("{} values for {attempts} attempts", values.len())));
        }
        let mut replies = Vec::with_capacity(attempts);
        let mut values = values.into_iter();
        while let (Some(code), Some(detail)) = (values.next(), values.next()) {
            let detail = from_redis_value(detail).map_err(protocol_error)?;
            replies.push(Self { code: ReplyCode::read(script, code)?, detail });
        }
        Ok(replies)
    }

    /// The detail as text.
    ///
    /// # Errors
    /// `unavailable` if it is not text.
    pub fn text(&self) -> Result<&str> {
        std::str::from_utf8(&self.detail).map_err(protocol_error)
    }
}
