//! A queue: attempts are appended to a list, and one worker decides them in turn. Nobody competes, so nothing goes
//! wrong. But all attempts wait for that one worker, and there must never be two.

use crate::strategies::prelude::*;

pub async fn claim(wire: &mut Wire, sale: &Sale, user: &str) -> Result<Told> {
    let ticket = wire.token();
    wire.local("ticket", &ticket);
    wire.run("LPUSH", (&sale.queue, format!("{ticket} {user}"))).await?;

    let answer = wire.pop(&sale.answer_to(&ticket)).await?;
    wire.local("answer", &answer);
    Ok(match answer.as_str() {
        "won" => Told::Won,
        "already" => Told::Already,
        _ => Told::SoldOut,
    })
}

/// The only task that reads and writes the stock.
pub async fn work(wire: &mut Wire, sale: &Sale) -> Result<()> {
    loop {
        let attempt = wire.pop(&sale.queue).await?;
        wire.local("attempt", &attempt);
        let (ticket, user) = attempt.split_once(' ').unwrap_or_default();

        let read = [command_of("GET", &sale.stock), command_of("HGET", (&sale.got, user))];
        let (left, got): (i64, Option<u32>) = wire.pipeline(read).await?;
        wire.saw_stock(left);
        wire.local("got", got);
        let answer = match got {
            Some(_) => "already",
            None if left <= 0 => "sold out",
            None => "won",
        };

        let mut write = vec![command_of("LPUSH", (sale.answer_to(ticket), answer))];
        if answer == "won" {
            // The records are written before the answer.
            write.insert(0, command_of("DECR", &sale.stock));
            write.insert(1, command_of("HINCRBY", (&sale.got, user, 1)));
        }
        wire.pipeline::<()>(write).await?;
    }
}
