//! A place in the history, as it goes over the wire.

use crate::support::property::holds;
use model::{EventId, error::Code, ledger::HistoryCursor};
use proptest::prelude::*;

#[test]
fn a_cursor_reads_back_as_it_was_written() {
    holds(500, (any::<u64>(), any::<u64>(), 0..i64::MAX, 0..i64::MAX), |(millis, sequence, sale_no, place)| {
        let cursor = HistoryCursor { event_id: EventId { millis, sequence }, sale_no, place };
        prop_assert_eq!(cursor.to_string().parse::<HistoryCursor>(), Ok(cursor));
        Ok(())
    });
}

#[test]
fn an_invalid_cursor_is_refused_by_name() {
    for text in
        ["", "1", "1-2", "1-2-3", "1-2-3-", "-1-2-3-4", "a-b-c-d", "1-2-3-x", "1-2--3-4", "18446744073709551616-0-0-0"]
    {
        let error = text.parse::<HistoryCursor>().expect_err(text);
        assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some("after")), "{text}");
    }
}
