//! Calls of scripts on several sales of one group at once.

use crate::{
    REFUSES_SALE, RESPONSE_TIMEOUT, Store,
    fence::Seen,
    node::Lane,
    reply::{AttemptReply, ReplyCode},
    script::Script,
    stream::protocol_error,
};
use model::error::{Code, Error, Result};
use redis::{RedisError, Value, from_redis_value};

/// The answer of a script to one attempt at several sales.
#[derive(Debug)]
pub struct SeveralReply {
    pub code: ReplyCode,
    /// The index of the sale that refuses, if one does.
    pub refused_by: Option<usize>,
    /// What the script says of it, or of all sales.
    pub details: Vec<Vec<u8>>,
}

impl SeveralReply {
    /// A detail as text.
    ///
    /// # Errors
    /// `unavailable` if there is none, or it is not text.
    pub fn text(&self, index: usize) -> Result<&str> {
        let detail = self.details.get(index).ok_or_else(|| protocol_error("a detail is missing"))?;
        std::str::from_utf8(detail).map_err(protocol_error)
    }
}

impl Store {
    /// Calls a script for one attempt at several sales of one group. Its arguments are `args`, and then, of each sale,
    /// what this process has seen of it and `of_each`. As [`Store::attempt`], for each of the sales.
    ///
    /// # Errors
    /// As [`Store::attempt`].
    pub async fn attempt_several(
        &self,
        script: &'static Script,
        kind: &str,
        sales: &[&str],
        args: &[String],
        of_each: &[Option<String>],
    ) -> Result<SeveralReply> {
        let reply = self.call_several(script, kind, sales, args, of_each).await;
        let counted = match &reply {
            Ok(reply) => Ok(vec![AttemptReply { code: reply.code, detail: Vec::new() }]),
            Err(error) => Err(error.clone()),
        };
        self.inner.counts.attempted(script, 1, &counted);
        reply
    }

    async fn call_several(
        &self,
        script: &'static Script,
        kind: &str,
        sales: &[&str],
        args: &[String],
        of_each: &[Option<String>],
    ) -> Result<SeveralReply> {
        let keys: Vec<String> = sales.iter().flat_map(|sale| self.sale_keys(kind, sale, script.parts())).collect();
        let mut seen: Vec<String> = sales.iter().map(|sale| self.inner.fence.seen(kind, sale)).collect();
        // Of a call that got no answer, in a cluster: the same attempt is made once more, as of a single sale.
        let mut unknown: Option<Error> = None;
        loop {
            let of_sales = seen.iter().zip(of_each).flat_map(|(seen, own)| [Some(seen.clone()), own.clone()]);
            let args: Vec<String> = args.iter().cloned().chain(of_sales.flatten()).collect();
            let values = match self.call_guarded(script, &keys, &args).await {
                Ok(values) => values,
                Err((error, None)) if self.is_cluster() && error.code == Code::Unavailable && unknown.is_none() => {
                    unknown = Some(error);
                    self.inner.topology.next_look(RESPONSE_TIMEOUT).await;
                    continue;
                }
                // Only that sale is damaged.
                Err((error, Some(index))) if index < sales.len() => {
                    let read: Result<()> = self.or_suspend((kind, sales[index]), Err(error)).await;
                    return Err(unknown.or(read.err()).unwrap_or_else(|| Error::sale_suspended(sales[index])));
                }
                Err((error, _)) => return Err(unknown.unwrap_or(error)),
            };
            let (reply, now) = read(script, values)?;
            for (sale, now) in sales.iter().zip(now).filter(|(_, now)| !now.is_empty()) {
                self.inner.fence.saw(kind, sale, now.parse::<Seen>().map_err(protocol_error)?);
            }
            let Some((index, sale)) = reply.refused_by.and_then(|index| Some((index, *sales.get(index)?))) else {
                return Ok(reply);
            };
            if reply.code == ReplyCode::Trimmed {
                let looked_up = self.inner.fence.looked_up(kind, sale, &seen[index]).await;
                seen[index] = looked_up.map_err(|error| unknown.clone().unwrap_or(error))?;
                continue;
            }
            if reply.code == ReplyCode::Lost {
                self.report_lost(kind, sale, &seen[index]);
            }
            return match unknown.filter(|_| REFUSES_SALE.contains(&reply.code)) {
                Some(unknown) => Err(unknown),
                None => Ok(reply),
            };
        }
    }

    /// Calls a script on the keys of several sales, unless it must not run now. An error has the index of the sale of
    /// which something cannot be read, if that is why.
    async fn call_guarded(
        &self,
        script: &'static Script,
        keys: &[String],
        args: &[String],
    ) -> std::result::Result<Vec<Value>, (Error, Option<usize>)> {
        let guarded = |error| (error, None);
        self.refuse_call(script, &keys[0]).map_err(guarded)?;
        let answer = self.call_raw(Lane::Attempts, script, keys, None, args).await;
        let answer = answer.map_err(|error| (self.logged(script.name, &error), damaged_item(&error)))?;
        self.refuse_after(script).map_err(guarded)?;
        from_redis_value(answer).map_err(|error| (protocol_error(error), None))
    }
}

/// The index of the item of which something cannot be read (`lua/lib/items.lua`).
fn damaged_item(error: &RedisError) -> Option<usize> {
    let detail = error.detail().filter(|_| error.code() == Some("UNREADABLE"))?;
    let (number, _) = detail.strip_prefix("item ")?.split_once(':')?;
    number.parse::<usize>().ok()?.checked_sub(1)
}

/// The reply, and what was seen of each sale now.
fn read(script: &Script, values: Vec<Value>) -> Result<(SeveralReply, Vec<String>)> {
    let mut values = values.into_iter();
    let mut next = || values.next().unwrap_or(Value::Nil);
    let (code, at) = (number(next())?, number(next())?);
    let details = from_redis_value(next()).map_err(protocol_error)?;
    let seen = from_redis_value(next()).map_err(protocol_error)?;
    let code =
        ReplyCode::from_number(code).ok_or_else(|| protocol_error(format!("{} answered {code}", script.name)))?;
    Ok((SeveralReply { code, refused_by: usize::try_from(at - 1).ok(), details }, seen))
}

fn number(value: Value) -> Result<i64> {
    from_redis_value(value).map_err(protocol_error)
}
