//! The kinds of sale, for rules that hold for all of them.

use crate::{KINDS, fuzz::requests::Fuzz, scripts::cases::Case, soak};
use ledger::kind::LastingParts;
use model::KindInfo;
use serde_json::{Value, json};

/// A kind of sale, as the tests know it that go through all kinds.
pub struct TestKind {
    pub info: &'static KindInfo,
    /// The terms of a small sale, without its id. It has enough for three users.
    pub terms: fn() -> Value,
    /// The terms by which another sale differs.
    pub other_terms: fn() -> Value,
    /// The endpoint of an attempt, which is called like its script.
    pub attempt: &'static str,
    /// The wanted item of an attempt.
    pub wanted: fn() -> Value,
    /// Everything else that changes a sale, after ann has got this answer to her attempt: endpoint and request, without
    /// the sale. All of it is carried out.
    pub changes: fn(&Value) -> Vec<(&'static str, Value)>,
    /// The history after ann's attempt, which got this answer, and these changes, newest first: outcome, user, request and
    /// item of each row.
    pub history: fn(&Value) -> Vec<String>,
    pub form: Form,
    /// The parts that a sale must have.
    pub lasting: &'static LastingParts,
    /// The parts of a sale that has given something without which attempts would be answered wrongly, or its figures would
    /// be wrong.
    pub needed_parts: &'static [&'static str],
    /// The parts that grow with the number of users who have got something, of those that an attempt needs.
    pub growing_parts: &'static [&'static str],
    /// Its scripts that write, in a state in which they do.
    pub script_cases: fn() -> Vec<Case>,
    pub fuzz: Fuzz,
    pub soak: &'static dyn soak::kinds::Kind,
}

/// The form by which a browser makes an attempt at a small sale.
pub struct Form {
    /// Its fields, beside user and request id.
    pub fields: &'static str,
    /// A part of the page that says what came of the attempt.
    pub done: &'static str,
    /// The same of an attempt that is sent again.
    pub repeated: &'static str,
    /// A figure of the snapshot, as a JSON pointer, and what it is after one attempt.
    pub figure: (&'static str, u64),
}

impl TestKind {
    /// A small sale.
    pub fn sample(&'static self) -> Sample {
        Sample { kind: self.info.id, terms: (self.terms)(), of: self }
    }
}

/// The requests that open a small sale of a kind, and make an attempt at it.
pub struct Sample {
    pub kind: &'static str,
    /// The terms, without the id of the sale.
    pub terms: Value,
    pub of: &'static TestKind,
}

/// A small sale of each kind: red packets, tickets, coupons and stock, in this order.
pub fn samples() -> [Sample; 4] {
    KINDS.map(TestKind::sample)
}

impl Sample {
    /// The path of an endpoint of the kind.
    pub fn path(&self, endpoint: &str) -> String {
        format!("/api/{}/{endpoint}", self.of.info.segment)
    }

    /// The path and the body of the request that opens a sale.
    pub fn open_request(&self, sale: &str) -> (String, Value) {
        let mut terms = self.terms.clone();
        terms["id"] = json!(sale);
        (self.path("open"), terms)
    }

    /// The path and the body of a user's attempt, the same each time.
    pub fn attempt_request(&self, sale: &str, user: &str) -> (String, Value) {
        let mut attempt = (self.of.wanted)();
        (attempt["sale"], attempt["user"], attempt["request_id"]) =
            (json!(sale), json!(user), json!(format!("r-{user}")));
        (self.path(self.of.attempt), attempt)
    }

    /// The path and the body of each other change of a sale, after ann has got this answer.
    pub fn change_requests(&self, sale: &str, answer: &Value) -> Vec<(String, Value)> {
        let changes = (self.of.changes)(answer).into_iter();
        let of_sale = changes.map(|(endpoint, mut change)| {
            change["sale"] = json!(sale);
            (self.path(endpoint), change)
        });
        of_sale.collect()
    }
}

#[test]
fn tests_go_through_every_kind_of_the_product() {
    let ids = KINDS.map(|kind| kind.info.id).to_vec();
    assert_eq!(engine::KINDS.iter().map(|kind| kind.info.id).collect::<Vec<_>>(), ids);
    assert_eq!(web::KINDS.iter().map(|kind| kind.info.id).collect::<Vec<_>>(), ids);
    assert_eq!(KINDS.map(|kind| kind.soak.id()).to_vec(), ids);
}
