//! Finding what begins with a text.

use super::{batch, on_both, opened, text, won, write};
use crate::support::ledger::TestLedger;
use ledger::{apply::Batch, finding::Column, kind::Change};
use model::ledger::{SaleName, found::MOST_FOUND};

on_both!(
    an_empty_ledger_has_nothing,
    each_text_that_begins_so_is_found_once_in_their_order,
    texts_are_compared_byte_by_byte,
    a_code_is_found_by_the_row_that_gave_it,
    sales_of_every_kind_are_found,
);

const CODE: Column = Column::Code { kind: "coupon", outcome: "won" };

/// What begins with a text, in this column.
async fn found(ledger: &TestLedger, column: Column, text: &str) -> Vec<String> {
    let rows = ledger.rows_from(column, text).await.expect("rows");
    rows.iter().map(|row| column.of(row).expect("a text").to_owned()).collect()
}

async fn an_empty_ledger_has_nothing(ledger: TestLedger) {
    for column in [Column::User, Column::Order, Column::Request, CODE] {
        assert_eq!(found(&ledger, column, "a").await, [""; 0]);
    }
    assert_eq!(ledger.sales_from("a").await, Ok(Vec::new()));
}

async fn each_text_that_begins_so_is_found_once_in_their_order(ledger: TestLedger) {
    let of_order = |user: &str, order: &str| Change { order: text(order), ..won(user, 1, 1) };
    let entries = vec![
        vec![opened(9), of_order("bob", "o2"), of_order("anna", "o1")],
        vec![of_order("ann", "o1"), of_order("ann", "o1"), of_order("bert", "p1")],
        vec![of_order("ann", "o3")],
    ];
    write(&ledger, &batch("s", 0, entries)).await;
    assert_eq!(found(&ledger, Column::User, "a").await, ["ann", "anna"]);
    assert_eq!(found(&ledger, Column::User, "ann").await, ["ann", "anna"], "itself first");
    assert_eq!(found(&ledger, Column::User, "anna").await, ["anna"]);
    assert_eq!(found(&ledger, Column::User, "b").await, ["bert", "bob"]);
    assert_eq!(found(&ledger, Column::User, "nn").await, [""; 0], "only by its beginning");
    assert_eq!(found(&ledger, Column::Order, "o").await, ["o1", "o2", "o3"]);
    assert_eq!(found(&ledger, Column::Request, "r-b").await, ["r-bert", "r-bob"]);
    // The first row of each.
    let rows = ledger.rows_from(Column::Order, "o1").await.expect("rows");
    assert_eq!(rows.iter().map(|row| row.user.clone()).collect::<Vec<_>>(), [text("anna")]);
    let many = (0..20).map(|nth| won(&format!("u{nth:02}"), nth, 1)).collect();
    write(&ledger, &batch("t", 0, vec![many])).await;
    assert_eq!(found(&ledger, Column::User, "u").await.len(), MOST_FOUND);
    assert_eq!(found(&ledger, Column::User, "u1").await[0], "u10");
}

/// Also by a PostgreSQL whose language has another order.
async fn texts_are_compared_byte_by_byte(ledger: TestLedger) {
    let users = ["Ann", "ann", "a%", "a_b", "a b", "小明", "小梅", "é"];
    write(&ledger, &batch("s", 0, vec![users.iter().map(|user| won(user, 1, 1)).collect()])).await;
    assert_eq!(found(&ledger, Column::User, "a").await, ["a b", "a%", "a_b", "ann"]);
    assert_eq!(found(&ledger, Column::User, "a%").await, ["a%"], "it stands for nothing else");
    assert_eq!(found(&ledger, Column::User, "a_").await, ["a_b"]);
    assert_eq!(found(&ledger, Column::User, "A").await, ["Ann"]);
    assert_eq!(found(&ledger, Column::User, "小").await, ["小明", "小梅"]);
    for sale in ["Spring", "spring", "spring-2", "spr_ng"] {
        write(&ledger, &batch(sale, 0, vec![vec![opened(1)]])).await;
    }
    let sales = async |text| -> Vec<String> {
        ledger.sales_from(text).await.expect("sales").into_iter().map(|SaleName { sale, .. }| sale).collect()
    };
    assert_eq!(sales("spr").await, ["spr_ng", "spring", "spring-2"]);
    assert_eq!(sales("spr_").await, ["spr_ng"]);
    assert_eq!(sales("S").await, ["Spring"]);
}

async fn a_code_is_found_by_the_row_that_gave_it(ledger: TestLedger) {
    let of_code = |outcome, user: &str, code: &str| Change { outcome, item: text(code), ..won(user, 1, 0) };
    let entries = vec![
        vec![of_code("won", "ann", "AB12-1"), of_code("won", "bob", "AB12-2")],
        vec![of_code("redeemed", "ann", "AB12-1"), of_code("returned", "bob", "AB12-3")],
    ];
    write(&ledger, &Batch { kind: "coupon".to_owned(), ..batch("s", 0, entries) }).await;
    // Items of other kinds are no codes.
    write(&ledger, &batch("t", 0, vec![vec![of_code("won", "cid", "AB12-0")]])).await;
    assert_eq!(found(&ledger, CODE, "AB").await, ["AB12-1", "AB12-2"]);
    let rows = ledger.rows_from(CODE, "AB12-1").await.expect("rows");
    assert_eq!((rows.len(), rows[0].user.as_deref(), rows[0].sale.as_str()), (1, Some("ann"), "s"));
}

async fn sales_of_every_kind_are_found(ledger: TestLedger) {
    for kind in ["ticket", super::KIND] {
        write(&ledger, &Batch { kind: kind.to_owned(), ..batch("spring", 0, vec![vec![opened(1)]]) }).await;
    }
    let names = [super::KIND, "ticket"].map(|kind| SaleName { kind: kind.to_owned(), sale: "spring".to_owned() });
    assert_eq!(ledger.sales_from("spring").await, Ok(names.to_vec()));
}
