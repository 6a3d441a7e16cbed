//! The result over all sales.

use super::crowd::When;
use std::fmt;

/// What can have ended on its own at a sale: the sale itself, or what users hold in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ends {
    #[default]
    Nothing,
    Anything,
    /// Whatever existed before the clock jumped, and nothing later.
    WithTheJump,
}

impl Ends {
    /// Whether something that was given to a user at that time can have ended.
    pub fn may_have_ended(self, given: When) -> bool {
        match self {
            Self::Nothing => false,
            Self::Anything => true,
            Self::WithTheJump => given != When::After,
        }
    }

    pub fn has_ended(self, given: When) -> bool {
        self == Self::WithTheJump && given == When::Before
    }
}

/// What a recovery reported after Redis had lost the newest data of a sale.
#[derive(Clone, Debug, Default)]
pub struct Loss {
    /// The conflicts: things that two users were given, one sentence each.
    pub conflicts: Vec<String>,
}

impl Loss {
    /// Whether a conflict is about this user, request or order.
    pub fn names(&self, name: &str) -> bool {
        let is_part = |sign: char| sign.is_alphanumeric() || sign == '-';
        self.conflicts.iter().any(|conflict| conflict.split(|sign| !is_part(sign)).any(|word| word == name))
    }
}

#[derive(Debug, Default)]
pub struct Verdict {
    /// Attempts, each of which is answered or unknown.
    pub attempts: u64,
    pub unknown: u64,
    /// Users who were told of a packet or an order, coupons that users were told of, and requests for stock that won.
    pub acknowledged: u64,
    /// What was acknowledged (packets, orders, payments, coupons and their ends, requests for stock) and is missing in Redis or in the ledger.
    pub lost: u64,
    /// Packets, orders, coupons and requests, in Redis or in the ledger, of users who cannot have them.
    pub unexpected: u64,
    /// Users whose answers disagree, packets and seats that two users have, coupons beyond a limit,
    /// and quantities that do not add up to what is left.
    pub contradicted: u64,
    /// Acknowledged, but lost with a primary before the ledger had recorded it.
    pub forgotten: u64,
    /// Named by a recovery, because two users were given the same thing.
    pub conflicts: u64,
    /// A sentence for each that is lost, unexpected or contradicted.
    pub faults: Vec<String>,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { attempts, unknown, acknowledged, lost, unexpected, contradicted, forgotten, conflicts, .. } = self;
        write!(
            f,
            "{attempts} attempts, {acknowledged} acknowledged, {unknown} unknown, {lost} lost, {unexpected} unexpected, \
             {contradicted} contradicted; with a primary were lost {forgotten} that the ledger never had, {conflicts} \
             conflicts were named"
        )
    }
}
