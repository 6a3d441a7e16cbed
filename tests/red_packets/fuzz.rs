//! Requests about red packets.

use super::kind::KIND;
use crate::fuzz::requests::{Call, Fuzz, Values, body, maybe, one_of};
use model::red_packet::Splitter;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use web::red_packet::api::{AuditRequest, ClaimRequest, OpenRequest, RefundRequest, ScriptRequest, SnapshotRequest};

pub const FUZZ: Fuzz = Fuzz { open, call, behavior: |_| json!({}) };

fn open(_: &Values, id: Option<String>, random: &mut ChaCha8Rng) -> Call {
    let count: u64 = random.random_range(1..2_000);
    body(OpenRequest {
        id,
        // From few, as each opens another sale.
        request_id: Some(format!("o{}", random.random_range(0..20))),
        total_cents: count.cast_signed() * random.random_range(1..100),
        count,
        splitter: one_of(random, &[Splitter::DoubleMean, Splitter::LineCut, Splitter::Equal]),
        expires_in_s: maybe(random, |random| random.random_range(1..3_600)),
        seed: maybe(random, Rng::random),
        opens_at: None,
        opens_in_s: None,
        title: None,
        description: None,
        currency: None,
    })
}

fn call(values: &Values, random: &mut ChaCha8Rng) -> Call {
    let sale = values.sale(&KIND);
    match random.random_range(0..16) {
        0 => body(SnapshotRequest { sale }),
        1 => body(RefundRequest { sale: values.short_lived(random) }),
        2 => body(AuditRequest { sale }),
        3 => body(ScriptRequest {}),
        _ => {
            let request_id = maybe(random, |random| values.request_id(random));
            body(ClaimRequest { sale, user: values.user(random), request_id })
        }
    }
}
