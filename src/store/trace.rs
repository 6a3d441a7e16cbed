//! Calls a script on a copy of a sale's keys, and records every command that it calls. The sale itself is only read.

use super::{
    Store, command, command_of, failure::failed, next_database::NextDatabase, reply::ReplyCode, script::Script,
    text::reply_text,
};
use crate::error::{Error, Result};
use redis::{FromRedisValue, Pipeline, Value, aio::MultiplexedConnection, from_redis_value};

/// The most that the keys of a sale may take together, in bytes. Redis copies them in one go, and does nothing else
/// meanwhile.
pub const MOST_BYTES: u64 = 4 * 1024 * 1024;
/// How long the copy is kept if the server dies before it has deleted it, in milliseconds.
const KEPT_MS: u64 = 60_000;

/// Goes before the source, in a line of its own after the flags: the source becomes a function of the `redis` that it
/// calls.
const PROLOGUE: &str = "local calls, traced = {}, function(redis)";
/// Lines before those of the source.
const LINES_BEFORE: u32 = 1;
/// Goes after the source, and calls it with a `redis` that notes each command, its line, its time and its reply. The line
/// is in what `error` would say of the place.
const EPILOGUE: &str = r"
end
-- As it is now: scripts change the tables that they get. An error would become the error of this whole call.
local function shown(reply)
  if type(reply) ~= 'table' then
    return reply
  end
  if reply.err then
    return reply.err
  end
  local copy = { ok = reply.ok }
  for place, part in ipairs(reply) do
    copy[place] = shown(part)
  end
  return copy
end
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function recording(run)
  return function(...)
    local _, place = pcall(error, '', 3)
    local began = now()
    local ended, reply = pcall(run, ...)
    calls[#calls + 1] = { place or '', now() - began, { ... }, shown(reply) }
    if not ended then
      error(reply, 0)
    end
    return reply
  end
end
local traced_redis = setmetatable({ call = recording(redis.call), pcall = recording(redis.pcall) }, { __index = redis })
local began = now()
local ended, reply = pcall(traced, traced_redis)
local took = now() - began
-- What the script has created does not expire yet.
for _, key in ipairs(KEYS) do
  redis.call('PEXPIRE', key, KEPT_MS)
end
return { ended and 1 or 0, shown(reply), took, calls }
";

/// What a script did.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Whether it came to its end; otherwise its reply says why not.
    pub has_ended: bool,
    /// Its reply.
    pub reply: Value,
    /// How long it took, in microseconds, with the time that it took to note its commands.
    pub micros: u64,
    /// The commands that it called.
    pub calls: Vec<TracedCall>,
}

/// A command that a script called.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedCall {
    /// The line of the source; `None` where a function ends with the call, and Lua has forgotten the place.
    pub line: Option<u32>,
    /// How long it took, in microseconds.
    pub micros: u64,
    /// The command and its arguments.
    pub words: Vec<Vec<u8>>,
    /// The reply.
    pub reply: Value,
}

/// The source of a script that records what it calls.
fn traced(source: &str) -> String {
    let (flags, rest) = source.split_once('\n').unwrap_or(("#!lua", source));
    let epilogue = EPILOGUE.replace("KEPT_MS", &KEPT_MS.to_string());
    format!("{flags}\n{PROLOGUE}\n{rest}{epilogue}")
}

impl Store {
    /// Calls a script of a sale on a copy of the sale's keys, as a caller who has seen nothing of the sale, and deletes the
    /// copy. `copy` is an id for it that no sale has.
    ///
    /// # Errors
    /// `unknown_sale`; `bad_request` if the keys take more than [`MOST_BYTES`]; `store_refused` if there is no place for a
    /// copy; `unavailable`, `internal`.
    pub async fn trace(
        &self,
        script: &'static Script,
        (kind, sale): (&str, &str),
        copy: &str,
        args: &[Vec<u8>],
    ) -> Result<Trace> {
        let NextDatabase { mut connection, number, .. } = self.next_database().await?;
        let (from, to) = (script.keys(kind, sale), script.keys(kind, copy));
        match copy_size(&mut connection, &from, number).await? {
            0 => return Err(ReplyCode::UnknownSale.refusal(script, sale)),
            bytes if bytes > MOST_BYTES => {
                let why = format!(
                    "The sale \"{sale}\" takes {} kB in Redis. At most {} kB are copied, as Redis does nothing else \
                     meanwhile; choose a smaller sale.",
                    bytes / 1024,
                    MOST_BYTES / 1024
                );
                return Err(Error::bad("sale", why));
            }
            _ => {}
        }

        let mut copying = on_its_own(number - 1);
        for (from, to) in from.iter().zip(&to) {
            copying.add_command(command_of("COPY", (from, to, "DB", number))).ignore();
        }
        copying.add_command(command_of("SELECT", number)).ignore();
        for key in &to {
            copying.add_command(command_of("PEXPIRE", (key, KEPT_MS))).ignore();
        }
        run::<()>(&copying, &mut connection).await?;

        let mut call = command("EVAL");
        call.arg(traced(script.source)).arg(to.len()).arg(&to).arg("").arg(args);
        let answer = call.query_async::<Value>(&mut connection).await;
        // Also after a failure; otherwise it expires by itself.
        command_of("UNLINK", &to).query_async::<()>(&mut connection).await.ok();
        let answer = answer.map_err(|error| {
            tracing::warn!(%error, script = script.name, "a script could not be traced");
            failed(&error)
        })?;
        read(answer).ok_or_else(|| Error::internal("a traced script has an unexpected reply"))
    }
}

/// How many bytes the keys take in the server's database.
async fn copy_size(connection: &mut MultiplexedConnection, keys: &[String], number: i64) -> Result<u64> {
    let mut sizes = on_its_own(number - 1);
    for key in keys {
        sizes.add_command(command_of("MEMORY", ("USAGE", key)));
    }
    sizes.add_command(command_of("SELECT", number)).ignore();
    Ok(run::<Vec<Option<u64>>>(&sizes, connection).await?.into_iter().flatten().sum())
}

/// Commands in this logical database, with nobody else's between them.
fn on_its_own(database: i64) -> Pipeline {
    let mut pipeline = Pipeline::new();
    pipeline.atomic().add_command(command_of("SELECT", database)).ignore();
    pipeline
}

async fn run<T: FromRedisValue>(pipeline: &Pipeline, connection: &mut MultiplexedConnection) -> Result<T> {
    pipeline.query_async(connection).await.map_err(|error| {
        tracing::warn!(%error, "a sale could not be copied");
        failed(&error)
    })
}

/// A call as the script returns it: its place, its microseconds, its words and its reply.
type Recorded = (String, u64, Vec<Value>, Value);

/// Reads what [`EPILOGUE`] returns.
fn read(answer: Value) -> Option<Trace> {
    let (ended, reply, micros, calls): (u8, Value, u64, Vec<Recorded>) = from_redis_value(answer).ok()?;
    let calls = calls.into_iter().map(|(place, micros, words, reply)| {
        // `user_script:12: `
        let line = place.split(':').nth(1).and_then(|line| line.parse::<u32>().ok());
        let words = words.into_iter().map(|word| match word {
            Value::BulkString(bytes) => bytes,
            // A number, as the script gave it.
            other => reply_text(&other).into_bytes(),
        });
        let (line, words) = (line.map(|line| line.saturating_sub(LINES_BEFORE)), words.collect());
        TracedCall { line, micros, words, reply }
    });
    Some(Trace { has_ended: ended == 1, reply, micros, calls: calls.collect() })
}
