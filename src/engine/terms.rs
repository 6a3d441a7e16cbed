//! The expected record of a sale in Redis, its `meta`, according to the ledger: its terms, its generation and its
//! state. Scripts use the record alone, so an audit compares it.

use crate::life::replay::ReplayedLife;
use ledger::sale::LedgerSale;
use model::{
    EventId, Invariant,
    error::{Error, Result},
};
use serde::de::DeserializeOwned;
use store::fields::Fields;

/// A field of `meta`: its name and its stored value.
pub type RecordField = (&'static str, Vec<u8>);

/// The terms on which a sale was opened, as the ledger keeps them.
pub trait RecordedTerms: DeserializeOwned + Send + Sync {
    /// The fields of `meta` that follow from the terms, as `open.lua` writes them.
    ///
    /// # Errors
    /// `internal`.
    fn fields(&self) -> Result<Vec<RecordField>>;
}

/// The invariant `terms`: the number of fields of a sale's record that are missing or differ from the ledger. The
/// ledger knows nothing of a sale whose opening it has not recorded yet. `last` is the last event of the sale.
///
/// # Errors
/// `internal` if this program cannot read the ledger's terms.
pub(super) fn terms_invariant<T: RecordedTerms>(
    record: &Fields,
    last: EventId,
    known: Option<&LedgerSale>,
    life: &ReplayedLife,
) -> Result<Invariant> {
    let fields = match known.and_then(|known| known.terms.as_deref()) {
        Some(terms) => serde_json::from_str::<T>(terms).map_err(Error::internal)?.fields()?,
        None => Vec::new(),
    };
    // A change of the sale's life may have changed one.
    let is_wrong = |(name, value): &&RecordField| {
        let expected = life.field(name).map_or(value.as_slice(), str::as_bytes);
        record.bytes(name) != Some(expected)
    };
    let wrong = fields.iter().filter(is_wrong).count();
    let wrong = wrong + usize::from(!is_of_generation(record, last, known));
    Ok(Invariant::new("terms", 0, wrong as i64))
}

/// Whether the record can belong to the generation that the latest recovery began. Before the first recovery, it is the
/// generation of the opening, which is no later than any event. For a suspended sale, a server may
/// know a later generation.
fn is_of_generation(record: &Fields, last: EventId, known: Option<&LedgerSale>) -> bool {
    let begun = known.map(|known| known.generation).unwrap_or_default();
    let generation = record.get("generation").and_then(|generation| generation.parse::<EventId>().ok());
    generation.is_some_and(|generation| {
        let is_right = if begun == EventId::default() { generation <= last } else { generation == begun };
        is_right || is_suspended(record)
    })
}

fn is_suspended(record: &Fields) -> bool {
    record.get("state") == Some("suspended")
}
