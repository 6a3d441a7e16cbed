//! The article's script, called as in the article's own test.

use crate::tickets::{Bed, Guests};
use anyhow::Result;
use model::ticket::{SeatRequest, hall::Seat, halls::HallName};
use redis::aio::MultiplexedConnection;
use serde::Serialize;
use serde_json::json;
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    time::Instant,
};
use store::{
    runtime::locked,
    script::{Script, script},
};

static ARTICLE: Script = script!(alone "bench/article_ticket.lua");

/// The number of connections, as in the test of the sister article.
const CONNECTIONS: u32 = 20;
/// The seats stored by one command.
const AT_A_TIME: usize = 1_000;

#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    pub article_per_s: u64,
    /// Attempts a second until the last attempt that got seats.
    pub article_selling_per_s: u64,
}

pub(super) async fn measure(bed: &Bed, guests: &Arc<Guests>) -> Result<Figures> {
    let client = store::client(&bed.url)?;
    let run = Arc::new(Run { id: bed.ids.id(), guests: guests.clone(), next: AtomicU32::new(0), last: Mutex::new(0) });
    let mut connection = store::connection(&client).await?;
    run.open(&mut connection).await?;
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(store::connection(&client).await?);
    }
    let start = Instant::now();
    let workers: Vec<_> =
        connections.into_iter().map(|connection| tokio::spawn(run.clone().come(connection, start))).collect();
    for worker in workers {
        worker.await??;
    }
    let all = per_s(guests.requests.len() as u32, start);
    let selling = *locked(&run.last);
    let mut keys = vec![run.key("remaining"), run.key("record")];
    for number in 1..=guests.hall.categories.len() {
        keys.extend([run.key(&format!("unsold:{number}")), run.key(&format!("locked:{number}"))]);
    }
    store::command("DEL").arg(&keys).query_async::<()>(&mut connection).await?;
    Ok(Figures { article_per_s: all, article_selling_per_s: selling })
}

struct Run {
    id: String,
    guests: Arc<Guests>,
    next: AtomicU32,
    /// Attempts a second until the last attempt that got seats.
    last: Mutex<u64>,
}

impl Run {
    fn key(&self, part: &str) -> String {
        format!("{{bench:{}}}:{part}", self.id)
    }

    /// Stores every seat in the hash of its category, as JSON.
    async fn open(&self, connection: &mut MultiplexedConnection) -> Result<()> {
        let hall = &self.guests.hall;
        let usual = HallName::Stadium.categories();
        for (number, (category, (_, price))) in (1..).zip(hall.categories.iter().zip(usual)) {
            let seats: Vec<u32> = category.seats.clone().collect();
            for chunk in seats.chunks(AT_A_TIME) {
                let mut set = store::command("HSET");
                set.arg(self.key(&format!("unsold:{number}")));
                for seat in chunk.iter().filter_map(|seat| hall.seat(*seat)) {
                    set.arg(hall.id(seat)).arg(json_of(hall.id(seat), seat, number, *price));
                }
                set.query_async::<()>(connection).await?;
            }
            let mut remaining = store::command("HSET");
            remaining.arg(self.key("remaining")).arg(number).arg(category.seats.len());
            remaining.query_async::<()>(connection).await?;
        }
        Ok(())
    }

    async fn come(self: Arc<Self>, mut connection: MultiplexedConnection, start: Instant) -> Result<()> {
        loop {
            let user = self.next.fetch_add(1, Relaxed);
            let Some(request) = self.guests.requests.get(user as usize) else { return Ok(()) };
            let call = self.call(user, request);
            let reply: Vec<u8> = call.query_async(&mut connection).await?;
            if reply.windows(8).any(|part| part == b"\"code\":0") {
                *locked(&self.last) = per_s(user, start);
            }
        }
    }

    fn call(&self, user: u32, request: &SeatRequest) -> redis::Cmd {
        let hall = &self.guests.hall;
        let chosen = request.seats.first().and_then(|id| hall.find(id)).map(|seat| &hall.category(seat).name);
        let wanted = chosen.or(request.pick.first().map(|pick| &pick.category));
        let number = hall.categories.iter().position(|category| Some(&category.name) == wanted).unwrap_or(0) + 1;
        let strategy = if request.seats.is_empty() { "2" } else { "1" };
        let stock = json!([{ "ticketCategoryId": number, "ticketCount": request.count() }]);
        let seats: Vec<_> = request.seats.iter().map(|id| json!({ "id": id })).collect();
        let mut eval = store::command("EVAL");
        eval.arg(ARTICLE.source()).arg(4);
        eval.arg(self.key(&format!("unsold:{number}"))).arg(self.key(&format!("locked:{number}")));
        eval.arg(self.key("remaining")).arg(self.key("record"));
        eval.arg(strategy).arg(format!("REDUCE-{user}")).arg(stock.to_string()).arg(json!(seats).to_string());
        eval
    }
}

/// A seat, as the article stores it.
fn json_of(id: String, seat: Seat, category: u32, price: i64) -> String {
    let (row, column) = (seat.row + 1, u32::from(seat.place) + 1);
    json!({ "id": id, "ticketCategoryId": category, "rowCode": row, "colCode": column, "price": price, "sellStatus": 1 })
        .to_string()
}

fn per_s(count: u32, start: Instant) -> u64 {
    (f64::from(count) / start.elapsed().as_secs_f64()) as u64
}
