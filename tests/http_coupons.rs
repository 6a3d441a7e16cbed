//! The coupons' JSON API over real HTTP: what every endpoint takes and gives, and what it says of bad input.

use crate::support::{
    app::{Server, TestApp, made_up_id},
    redis::TestRedis,
};
use serde_json::{Value, json};

async fn with_sale() -> (TestRedis, Server) {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let terms = json!({ "id": "s", "total": 3, "per_user": 2, "per_user_per_day": 1, "time_zone": "Asia/Shanghai" });
    for existed in [false, true] {
        let opened = json!({ "sale": "s", "existed": existed });
        assert_eq!(server.post("/api/coupon/open", &terms).await, (200, opened), "and again, the same");
    }
    (redis, server)
}

async fn post(server: &Server, verb: &str, body: Value) -> Value {
    let (status, answer) = server.post(&format!("/api/coupon/{verb}"), &body).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

#[tokio::test]
async fn every_endpoint_answers_as_it_is_described() {
    let (_redis, server) = with_sale().await;
    let first = json!({ "sale": "s", "user": "mei", "request_id": "1" });
    let won = post(&server, "claim", first.clone()).await;
    let code = won["code"].clone();
    assert_eq!(won, json!({ "outcome": "won", "code": code, "request_id": "1" }));
    let repeat = json!({ "outcome": "repeat", "code": code, "state": "claimed", "request_id": "1" });
    assert_eq!(post(&server, "claim", first).await, repeat);
    assert_eq!(
        post(&server, "claim", json!({ "sale": "s", "user": "mei", "request_id": "2" })).await,
        json!({
            "outcome": "refused",
            "limit": "per_user_per_day",
            "left": { "total": 2, "per_user": 1, "per_user_per_day": 0 },
            "request_id": "2",
        })
    );
    let set = json!({ "total": 1, "per_user": 2, "per_user_per_day": null });
    let edit = json!({ "sale": "s", "total": 1, "unlimited": ["per_user_per_day"], "request_id": "first" });
    assert_eq!(post(&server, "limits", edit).await, json!({ "outcome": "set", "limits": set, "request_id": "first" }));
    let edit = json!({ "sale": "s", "total": 1, "request_id": "edit" });
    assert_eq!(
        post(&server, "limits", edit).await,
        json!({ "outcome": "repeat", "limits": set, "request_id": "edit" })
    );
    let refused = post(&server, "claim", json!({ "sale": "s", "user": "li" })).await;
    assert_eq!((&refused["limit"], &refused["left"]["per_user_per_day"]), (&json!("total"), &json!(null)));

    let user = post(&server, "user", json!({ "sale": "s", "user": "mei" })).await;
    assert_eq!((&user["coupons"][0]["code"], &user["coupons"][0]["state"]), (&code, &json!("claimed")));
    let redeemed = post(&server, "redeem", json!({ "sale": "s", "code": code, "request_id": "till" })).await;
    assert_eq!((&redeemed["outcome"], &redeemed["user"]), (&json!("redeemed"), &json!("mei")));
    assert_eq!(redeemed["request_id"], "till");
    let back = post(&server, "give-back", json!({ "sale": "s", "code": code })).await;
    assert_eq!(back["outcome"], "already_redeemed");
    let redemption = json!({ "sale": "s", "code": code, "request_id": "till" });
    for outcome in ["voided", "repeat"] {
        let voided = post(&server, "void", redemption.clone()).await;
        assert_eq!((&voided["outcome"], &voided["user"]), (&json!(outcome), &json!("mei")));
    }
    assert_eq!(post(&server, "redeem", redemption).await["outcome"], "already_voided");
    let other = json!({ "sale": "s", "code": code, "request_id": "till-2" });
    let unknown = json!({ "outcome": "unknown_request", "code": code, "request_id": "till-2" });
    assert_eq!(post(&server, "void", other.clone()).await, unknown);
    assert_eq!(post(&server, "redeem", other).await["outcome"], "redeemed");
    let mut unknown = post(&server, "give-back", json!({ "sale": "s", "code": "0000-0000-0000" })).await;
    made_up_id(&mut unknown);
    assert_eq!(unknown, json!({ "outcome": "unknown_code", "code": "0000-0000-0000" }));

    let snapshot = post(&server, "snapshot", json!({ "sale": "s" })).await;
    assert_eq!(
        (&snapshot["claimed"], &snapshot["redeemed"], &snapshot["time_zone"]),
        (&json!(1), &json!(1), &json!("Asia/Shanghai"))
    );
    assert_eq!(post(&server, "audit", json!({ "sale": "s" })).await["verdict"], "holds");
    assert_eq!(post(&server, "script", json!({})).await["name"], "coupon/claim.lua");
}

#[tokio::test]
async fn a_claim_that_is_sent_again_says_what_became_of_the_coupon() {
    let (_redis, server) = with_sale().await;
    for (user, end, state) in [("mei", "give-back", "returned"), ("li", "redeem", "redeemed")] {
        let claim = json!({ "sale": "s", "user": user, "request_id": user });
        let won = post(&server, "claim", claim.clone()).await;
        assert_eq!((&won["outcome"], &won["state"]), (&json!("won"), &json!(null)));
        for state in ["claimed", state] {
            let again = post(&server, "claim", claim.clone()).await;
            let found = (&again["outcome"], &again["code"], &again["state"]);
            assert_eq!(found, (&json!("repeat"), &won["code"], &json!(state)));
            post(&server, end, json!({ "sale": "s", "code": won["code"] })).await;
        }
    }
}

/// Nobody else could name it.
#[tokio::test]
async fn an_attempt_without_a_request_id_is_repeated_by_the_id_in_its_answer() {
    let (_redis, server) = with_sale().await;
    let claim = json!({ "sale": "s", "user": "mei" });
    let mut won = post(&server, "claim", claim.clone()).await;
    let mut again = claim;
    again["request_id"] = json!(made_up_id(&mut won));
    let repeat = post(&server, "claim", again).await;
    assert_eq!((&repeat["outcome"], &repeat["code"]), (&json!("repeat"), &won["code"]));
    let redeem = json!({ "sale": "s", "code": won["code"] });
    let mut redeemed = post(&server, "redeem", redeem.clone()).await;
    let mut again = redeem;
    again["request_id"] = json!(made_up_id(&mut redeemed));
    assert_eq!(post(&server, "redeem", again).await["outcome"], "repeat");
}

#[tokio::test]
async fn bad_input_is_a_400_that_names_the_field() {
    let (_redis, server) = with_sale().await;
    let bad = [
        ("open", json!({ "total": 0 }), "total"),
        ("open", json!({ "total": -1 }), "total"),
        ("open", json!({ "per_user": 1_000_001 }), "per_user"),
        ("open", json!({ "per_user_per_day": -3 }), "per_user_per_day"),
        ("open", json!({ "per_user_per_day": "two" }), "per_user_per_day"),
        ("open", json!({ "time_zone": "Mars/Olympus" }), "time_zone"),
        ("open", json!({ "time_zone": 8 }), "time_zone"),
        ("open", json!({ "given_back_counts": "no" }), "given_back_counts"),
        ("open", json!({ "valid_from": -1 }), "valid_from"),
        ("open", json!({ "valid_until": "tomorrow" }), "valid_until"),
        ("open", json!({ "valid_from": 7, "valid_until": 7 }), "valid_until"),
        ("claim", json!({ "sale": "s", "user": "" }), "user"),
        ("claim", json!({ "sale": "s", "user": "mei", "request_id": "" }), "request_id"),
        ("redeem", json!({ "sale": "s", "code": "7K3" }), "code"),
        ("give-back", json!({ "sale": "s", "code": "" }), "code"),
        ("void", json!({ "sale": "s", "code": "7K3", "request_id": "till" }), "code"),
        ("open", json!({ "own_codes": 1_000_001 }), "own_codes"),
        ("open", json!({ "only_for": -1 }), "only_for"),
        ("open", json!({ "only_for": 0 }), "only_for"),
        ("open", json!({ "own_codes": 0 }), "own_codes"),
        ("upload", json!({ "sale": "s", "first": 1, "codes": ["SUMMER-1"] }), "codes"),
        ("upload", json!({ "sale": "s", "first": 1, "users": ["mei", "mei"] }), "users"),
        ("upload", json!({ "sale": "s", "first": 1, "codes": ["SUMMER-1"], "users": ["mei"] }), "codes"),
        ("upload", json!({ "sale": "s", "first": 0, "codes": ["SUMMER-1"] }), "first"),
        ("upload", json!({ "sale": "s", "first": 1, "codes": ["a b c d"] }), "codes"),
        ("upload", json!({ "sale": "s", "first": 1 }), "codes"),
        ("void", json!({ "sale": "s", "code": "0000-0000-0000", "request_id": "" }), "request_id"),
        ("limits", json!({ "sale": "s", "total": -5 }), "total"),
        ("give-back", json!({ "sale": "s", "code": "0000-0000-0000", "reason": "a\nb" }), "reason"),
        ("void", json!({ "sale": "s", "code": "0000-0000-0000", "request_id": "1", "reason": " " }), "reason"),
        ("limits", json!({ "sale": "s", "per_user": 0 }), "per_user"),
        ("limits", json!({ "sale": "s", "total": 5, "unlimited": ["total"] }), "total"),
        ("limits", json!({ "sale": "s", "unlimited": ["per_city"] }), "unlimited[0]"),
        ("limits", json!({ "sale": "s", "total": 5, "request_id": "" }), "request_id"),
        ("user", json!({ "sale": "s", "user": "" }), "user"),
    ];
    for (verb, body, field) in bad {
        let (status, answer) = server.post(&format!("/api/coupon/{verb}"), &body).await;
        let error = &answer["error"];
        let found = (status, &error["code"], &error["field"]);
        assert_eq!(found, (400, &json!("bad_request"), &json!(field)), "{verb} {body}: {answer}");
    }
    for verb in ["claim", "redeem", "give-back", "void", "limits", "user", "snapshot"] {
        let body = json!({ "sale": "nope", "user": "mei", "code": "0000-0000-0000", "total": 1 });
        let fields = match verb {
            "claim" | "user" => json!({ "sale": "nope", "user": "mei" }),
            "redeem" | "give-back" => json!({ "sale": "nope", "code": body["code"] }),
            "void" => json!({ "sale": "nope", "code": body["code"], "request_id": "till" }),
            "limits" => json!({ "sale": "nope", "total": 1 }),
            _ => json!({ "sale": "nope" }),
        };
        let (status, answer) = server.post(&format!("/api/coupon/{verb}"), &fields).await;
        assert_eq!((status, &answer["error"]["code"]), (404, &json!("unknown_sale")), "{verb}: {answer}");
    }
    server.post("/api/coupon/claim", &json!({ "sale": "s", "user": "mei", "request_id": "1" })).await;
    let reused = server.post("/api/coupon/claim", &json!({ "sale": "s", "user": "li", "request_id": "1" })).await;
    assert_eq!((reused.0, &reused.1["error"]["code"]), (409, &json!("request_reused")));
}

/// In an answer, `null` is no limit; in a request it must not be taken for that in silence.
#[tokio::test]
async fn limits_that_are_null_change_nothing_and_say_so() {
    let (_redis, server) = with_sale().await;
    for body in [json!({ "sale": "s" }), json!({ "sale": "s", "total": null }), json!({ "sale": "s", "unlimited": [] })]
    {
        let (status, answer) = server.post("/api/coupon/limits", &body).await;
        let error = &answer["error"];
        assert_eq!((status, &error["code"]), (400, &json!("bad_request")), "{body}: {answer}");
        assert_eq!(error["field"], "unlimited", "{body}: {answer}");
    }
    let lifted = post(&server, "limits", json!({ "sale": "s", "total": null, "unlimited": ["total"] })).await;
    assert_eq!(lifted["limits"]["total"], json!(null));
}

#[tokio::test]
async fn own_codes_are_given_in_their_order_and_only_to_those_who_are_listed() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    post(&server, "open", json!({ "id": "s", "own_codes": 3, "only_for": 2 })).await;
    let part = |first: u64, codes: &[&str]| json!({ "sale": "s", "first": first, "codes": codes });
    let uploaded = |codes: u64, users: u64, existed: bool| json!({ "own_codes": 3, "only_for": 2, "codes_uploaded": codes, "users_uploaded": users, "existed": existed });
    assert_eq!(post(&server, "upload", part(1, &["Summer-1", "SUMMER2"])).await, uploaded(2, 0, false));
    assert_eq!(post(&server, "upload", part(1, &["Summer-1", "SUMMER2"])).await, uploaded(2, 0, true));
    for (first, codes, status, field, said) in [
        (3, &["summer-2"][..], 400, "codes", "`codes` has \"summer-2\" already"),
        (1, &["SUMMER9"], 409, "codes", "Other `codes` were uploaded from `first` = 1 on"),
        (2, &["SUMMER2", "SUMMER3"], 400, "first", "the next part begins with 3"),
        (3, &["SUMMER3", "SUMMER4"], 400, "codes", "opened for 3 `codes`"),
    ] {
        let (found, answer) = server.post("/api/coupon/upload", &part(first, codes)).await;
        let message = answer["error"]["message"].as_str().expect("a message");
        assert_eq!((found, &answer["error"]["field"]), (status, &json!(field)), "{answer}");
        assert!(message.contains(said), "{message}");
    }
    let claim = |user: &str, request: &str| json!({ "sale": "s", "user": user, "request_id": request });
    let (status, early) = server.post("/api/coupon/claim", &claim("mei", "1")).await;
    assert_eq!((status, &early["error"]["code"]), (409, &json!("sale_opening")), "{early}");
    assert_eq!(post(&server, "snapshot", json!({ "sale": "s" })).await["state"], "opening");
    assert_eq!(post(&server, "upload", part(3, &["SUMMER3"])).await, uploaded(3, 0, false));
    let users = json!({ "sale": "s", "first": 1, "users": ["mei", "li"] });
    assert_eq!(post(&server, "upload", users).await, uploaded(3, 2, false));

    let won = post(&server, "claim", claim("mei", "1")).await;
    assert_eq!(won, json!({ "outcome": "won", "code": "Summer-1", "request_id": "1" }));
    let other = post(&server, "claim", claim("Mei", "2")).await;
    assert_eq!(other, json!({ "outcome": "not_invited", "request_id": "2" }));
    let redeemed = post(&server, "redeem", json!({ "sale": "s", "code": "SUMMER 1", "request_id": "till" })).await;
    assert_eq!((&redeemed["outcome"], &redeemed["code"]), (&json!("redeemed"), &json!("Summer-1")));
    for (request, code) in [("3", "SUMMER2"), ("4", "SUMMER3")] {
        assert_eq!(post(&server, "claim", claim("li", request)).await["code"], code);
    }
    let used_up = post(&server, "claim", claim("li", "5")).await;
    assert_eq!(
        (&used_up["outcome"], &used_up["limit"], &used_up["left"]["total"]),
        (&json!("refused"), &json!("total"), &json!(0))
    );
    post(&server, "give-back", json!({ "sale": "s", "code": "summer2" })).await;
    assert_eq!(post(&server, "claim", claim("mei", "6")).await["code"], "SUMMER2", "it is given again");
    assert_eq!(post(&server, "audit", json!({ "sale": "s" })).await["verdict"], "holds");
}
