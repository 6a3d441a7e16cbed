//! Mistakes around attempts: with cancellations, payments, caches and double clicks. They are not strategies, so no run
//! and no matrix includes them. Each can be stepped through, like a strategy.
//!
//! `tests/lab/mistakes.rs` plays two schedules of each: its own schedule to its verdict, and one in which the
//! participants run one after the other.

pub mod cancel_replayed;
pub mod deduct_before_dedupe;
pub mod pay_against_expire;
pub mod rebuild_against_deduction;

use crate::strategies::{Storage, Strategy, prelude};
use model::lab::{
    Anomaly::{Drained, Oversold, Undersold},
    trace::Failure,
};

/// Every mistake, in display order.
pub static MISTAKES: [Strategy; 4] = [
    Strategy {
        id: "cancel-replayed",
        source: "common: stock that is given back twice",
        file: "src/lab/mistakes/cancel_replayed.rs",
        code: include_str!("cancel_replayed.rs"),
        storage: Storage::Counts,
        servers: 1,
        attempts: 4,
        failures: &[Failure { anomaly: Oversold, stock: 1, users: "1123", schedule: "1211223344" }],
        turns: None,
        safe: [None; 4],
        begin: Some(cancel_replayed::begin),
        claim: |wire, sale, user| Box::pin(cancel_replayed::act(wire, sale, user)),
        work: None,
    },
    Strategy {
        id: "pay-against-expire",
        source: "common: a payment after the timeout",
        file: "src/lab/mistakes/pay_against_expire.rs",
        code: include_str!("pay_against_expire.rs"),
        storage: Storage::Counts,
        servers: 1,
        attempts: 2,
        failures: &[Failure { anomaly: Oversold, stock: 1, users: "12", schedule: "1ww11ww22" }],
        turns: None,
        safe: [None; 4],
        begin: Some(pay_against_expire::begin),
        claim: |wire, sale, user| Box::pin(pay_against_expire::act(wire, sale, user)),
        work: Some(|wire, sale| Box::pin(pay_against_expire::expire(wire, sale))),
    },
    Strategy {
        id: "rebuild-against-deduction",
        source: "article 4, without its lock",
        file: "src/lab/mistakes/rebuild_against_deduction.rs",
        code: include_str!("rebuild_against_deduction.rs"),
        storage: Storage::Rows,
        servers: 1,
        attempts: 2,
        failures: &[Failure { anomaly: Oversold, stock: 1, users: "12", schedule: "121211221122" }],
        turns: None,
        safe: [None; 4],
        begin: None,
        claim: |wire, sale, user| Box::pin(rebuild_against_deduction::act(wire, sale, user)),
        work: None,
    },
    Strategy {
        id: "deduct-before-dedupe",
        source: "common: a double click drains the stock",
        file: "src/lab/mistakes/deduct_before_dedupe.rs",
        code: include_str!("deduct_before_dedupe.rs"),
        storage: Storage::Counts,
        servers: 1,
        attempts: 3,
        failures: &[
            Failure { anomaly: Undersold, stock: 2, users: "112", schedule: "11223" },
            Failure { anomaly: Drained, stock: 2, users: "112", schedule: "11223" },
        ],
        turns: None,
        safe: [None; 4],
        begin: None,
        claim: |wire, sale, user| Box::pin(deduct_before_dedupe::act(wire, sale, user)),
        work: None,
    },
];

/// The mistake with this id.
pub fn mistake(id: &str) -> Option<&'static Strategy> {
    MISTAKES.iter().find(|mistake| mistake.id == id)
}
