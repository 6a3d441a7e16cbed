//! What the rows of the ledger say about what a user has, by kind of sale.

/// How the rows of a kind tell what their user has. An outcome in none of the lists changes nothing about that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ownership {
    /// The outcomes by which the user gets something.
    pub gained: &'static [&'static str],
    /// The outcomes by which it gets into another state, and stays with the user.
    pub kept: &'static [&'static str],
    /// The outcomes by which the user no longer has it.
    pub lost: &'static [&'static str],
    /// What the rows of one thing have in common.
    pub identified_by: IdentifiedBy,
    /// Whether the items are codes, by which a row is looked up.
    pub has_codes: bool,
}

/// What the rows of one thing have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentifiedBy {
    /// The item, and the order if there is one.
    Item,
    /// The request. The item is a quantity: what is gained is added up, and what is lost is subtracted.
    Request,
}

impl Ownership {
    /// Of a kind whose users get nothing.
    pub const NOTHING: Self =
        Self { gained: &[], kept: &[], lost: &[], identified_by: IdentifiedBy::Item, has_codes: false };
}
