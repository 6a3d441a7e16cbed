//! The codes of replies. The program puts them before each script as constants, so each stands only here.

macro_rules! reply_codes {
    ($($(#[$doc:meta])+ $code:ident = $number:literal, $name:literal;)+) => {
        /// The code of a reply. Scripts know it by its name, in capitals: `SEAT_TAKEN`.
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

            /// The name of the code.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)+
                }
            }
        }
    };
}

reply_codes! {
    /// Done now: won, opened, refunded, restored; or the figures asked for.
    Done = 0, "done";
    /// Already done, and nothing changed: the original answer again, or, for tickets, the order in its current state.
    Repeat = 500, "repeat";
    /// At least one seat is not free; the detail says which, and until when.
    SeatTaken = 1001, "seat taken";
    /// A category has fewer seats left than wanted; the detail says how many.
    NotEnoughSeats = 1002, "not enough seats";
    /// The seats of a strict pick do not fit side by side; the detail says how many of its category do.
    NotTogether = 1073, "not together";
    /// Every packet is claimed.
    SoldOut = 1003, "sold out";
    /// The sale has expired; the detail says when.
    Expired = 1004, "expired";
    /// No sale has this id.
    UnknownSale = 1005, "unknown sale";
    /// The sale's packets are still being loaded; ten minutes after the first ones, `refund` deletes it. Or its lists are
    /// not uploaded yet.
    Opening = 1006, "opening";
    /// The id is taken by a sale on different terms, or by one that is being recovered; or a sale that is to be
    /// recovered is live; or a list has the entry already.
    Exists = 1007, "exists";
    /// A chunk or part before this one is missing, or this is not the newest recovery.
    OutOfOrder = 1008, "out of order";
    /// Nothing is refunded before the sale expires; the detail says when that is.
    NotExpired = 1009, "not expired";
    /// Somebody else holds the lease (the holder's name comes with it); the caller does not hold the lock of the
    /// rebuild or of the crowd; or this Redis feeds another ledger (the identity of its data comes with it).
    Taken = 1010, "taken";
    /// Redis knows everything that the ledger knows: nothing to suspend. Of `ledger/keep_audit.lua`: a newer audit is
    /// kept.
    UpToDate = 1011, "up to date";
    /// Redis has lost part of the sale; it accepts no attempts until it is recovered.
    Suspended = 1012, "suspended";
    /// Packets and claims, or orders and seats, are missing from a recovery.
    Incomplete = 1013, "incomplete";
    /// A limit allows no more; the detail says how many more are allowed, and by which limit if there are several. Of
    /// `stock/adjust.lua`: there would be 2^53 or more, from where on Lua rounds; nothing was changed. Of a payment:
    /// 100 payments of the order were refunded before, and this one is not recorded; the detail is empty. Of
    /// `coupon/void.lua`: 100 redemptions of the coupon were taken back before; of `stock/give_back.lua`: 100 parts of
    /// the deduction were given back before. Nothing was changed.
    LimitReached = 1014, "limit reached";
    /// The request id was used by another user.
    OtherUser = 1015, "other user";
    /// The sale has no such order.
    UnknownOrder = 1016, "unknown order";
    /// The order is paid or has ended, so the payment is refunded, or the hold is not extended. Of a reservation of stock:
    /// its deadline has passed.
    Ended = 1017, "ended";
    /// An operator closed the sale; the detail says when.
    Closed = 1020, "closed";
    /// The sale is neither closed nor expired and refunded.
    NotClosed = 1021, "not closed";
    /// Something of the sale is still to be settled, or a crowd is running at it.
    Pending = 1022, "pending";
    /// The ledger has not recorded the sale's last entry.
    Behind = 1023, "behind";
    /// The request id was used for other seats, another part of the order, another quantity, or another change of limits
    /// or stock. Of a part of a list: other entries were uploaded there.
    OtherRequest = 1024, "other request";
    /// Redis has lost what the caller has seen of the sale, or the ledger has of it, or a key that must exist; this
    /// call has suspended it. Of `ledger/ack_and_trim.lua`: the last entry that the ledger has is not in the stream,
    /// and nothing was changed.
    Lost = 1025, "lost";
    /// A newer program has written the sale or has served on this Redis, or a limit of it has a kind of window or a
    /// scope that the caller does not know.
    NewerFormat = 1026, "newer format";
    /// The sale has no coupon with this code.
    UnknownCode = 1027, "unknown code";
    /// The coupon was redeemed before, by another request.
    Redeemed = 1028, "redeemed";
    /// The coupon was given back before, by another request; or all units of the reservation were.
    Returned = 1029, "returned";
    /// The caller assumes the time zone and key of codes of another sale, or its windows do not include the script's
    /// time; the detail has that time, and this sale's time zone and key. Of `coupon/set_limits.lua`: the sale has no
    /// such limit, whose name is the detail. Of `coupon/upload.lua`: the sale was not opened for as long a list.
    OtherTerms = 1030, "other terms";
    /// The quantity is not cached, so it is not known: load it, then try again.
    NotCached = 1031, "not cached";
    /// Less is left than wanted, or the user has fewer units than are to come back; the detail says how much.
    NotEnough = 1032, "not enough";
    /// No deduction, and no redemption of the coupon, has this request id.
    UnknownRequest = 1033, "unknown request";
    /// What the caller has seen is no longer in the stream; nothing was tried. Ask the ledger, and say what it has
    /// (`lua/README.md`, "Fence").
    Trimmed = 1034, "trimmed";
    /// The request redeemed the coupon before, and the redemption was taken back.
    TakenBack = 1060, "taken back";
    /// The coupon cannot be redeemed yet; the detail says from when on it can.
    NotValidYet = 1061, "not valid yet";
    /// The coupon can no longer be redeemed; the detail says until when it could.
    NoLongerValid = 1062, "no longer valid";
    /// The sale does not allow holds to be extended.
    NotExtendable = 1070, "not extendable";
    /// A seat is not of the order, or came back before; the detail says which.
    NotOfOrder = 1071, "not of order";
    /// The hold was extended before, by another request.
    AlreadyExtended = 1072, "already extended";
    /// The sale is not for the user.
    NotInvited = 1080, "not invited";
    /// The sale has not started; the detail says when it does, and the time of the call.
    NotOpen = 1035, "not open";
    /// An operator paused the sale; the detail says when, and why.
    Paused = 1036, "paused";
    /// The rest of the money was refunded, so nothing of the sale is left.
    Refunded = 1037, "refunded";
    /// The start or the end has passed, or would be in the past, or the end would not be after the start.
    TooLate = 1038, "too late";
}
