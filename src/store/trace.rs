//! Calls a script on a copy of a sale's keys, and records every command that the script calls. The sale itself is only
//! read.
//!
//! Everything happens in one call. So nobody else sees the copy, it is consistent, and it is deleted whatever happens.
//! Redis does nothing else meanwhile. So if a hash or sorted set has more than [`MOST_FIELDS`] fields, only the fields
//! named by a command are copied. Copying all keys would take Redis 40 to 55 ms for 60,000 sold seats (15 MB), and 180
//! to 250 ms for 200,000 (50 MB), half of it for a single hash.

use crate::{Store, command, reply::ReplyCode, script::Script};
use model::error::{Error, Result};
use redis::{Value, from_redis_value};

/// The maximum total size of the keys that are copied whole, in bytes. Copying a list or a stream of this size takes
/// Redis 5 to 20 ms. The packets of the largest red packet sale take about 15 MB. Only events that the ledger has not
/// recorded yet can take more.
pub const MOST_BYTES: u64 = 24 * 1024 * 1024;
/// The maximum number of fields of a hash, or members of a sorted set, that are copied whole. This takes Redis less
/// than 1 ms.
const MOST_FIELDS: u32 = 1_000;

/// Precedes the source, on a line of its own after the flags. It turns the source into a function of `redis` and KEYS.
const PROLOGUE: &str = "local calls, traced = {}, function(redis, KEYS)";
/// The number of lines before the source.
const LINES_BEFORE: u32 = 1;
/// Follows the source, and calls it on copies of the keys. Its `redis` records each command, its line, its time and its
/// reply. The line comes from the position in the message of `error`. KEYS are the keys of the copy, and then the keys of
/// the sale.
const EPILOGUE: &str = r"
end
local n = #KEYS / 2
local copies = { unpack(KEYS, 1, n) }

-- What can be copied field by field.
local DIVISIBLE = {
  hash = { size = 'HLEN', any = 'HRANDFIELD', get = 'HGET', add = function(key, field, value)
    redis.call('HSETNX', key, field, value)
  end },
  zset = { size = 'ZCARD', any = 'ZRANDMEMBER', get = 'ZSCORE', add = function(key, member, score)
    redis.call('ZADD', key, 'NX', score, member)
  end },
}
-- Where commands name fields: the position of the first, and the distance to the next.
local NAMES = {
  TYPE = { 3, 1 }, HGET = { 3, 1 }, HMGET = { 3, 1 }, HSET = { 3, 2 }, HINCRBY = { 3, 2 }, ZADD = { 4, 2 },
  ZMSCORE = { 3, 1 },
}
local in_parts = {} -- key of the copy -> what it is, and the key of the sale

local function copy_field(key, field)
  local value = redis.call(in_parts[key].get, in_parts[key].from, field)
  if value then
    in_parts[key].add(key, field, value)
  end
end

-- Copies what a command names. It comes before the command, and so never over what the script has written.
local function copy_named(words)
  local command, key = words[1], words[2]
  -- EXISTS names keys only, and each is there as in the sale.
  if in_parts[key] and command ~= 'EXISTS' then
    local names = NAMES[command] or error(command .. ' is not known of a key that is copied field by field')
    for at = names[1], #words, names[2] do
      copy_field(key, words[at])
    end
  end
end

-- Copies the keys, and returns how many bytes those take that are copied whole; copies nothing if there are too many.
local function copy_keys()
  local bytes, whole = 0, {}
  for at, key in ipairs(copies) do
    local from = KEYS[n + at]
    local parts = DIVISIBLE[redis.call('TYPE', from).ok]
    if parts and redis.call(parts.size, from) > MOST_FIELDS then
      in_parts[key] = { from = from, any = parts.any, get = parts.get, add = parts.add }
    else
      bytes, whole[key] = bytes + (redis.call('MEMORY', 'USAGE', from) or 0), from
    end
  end
  if bytes <= MOST_BYTES then
    for key, from in pairs(whole) do
      redis.call('COPY', from, key)
    end
    for key, parts in pairs(in_parts) do
      copy_field(key, redis.call(parts.any, parts.from)) -- so that there is a key, as in the sale
    end
  end
  return bytes
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
    local words = { ... }
    copy_named(words)
    local began = now()
    local ended, reply = pcall(run, ...)
    calls[#calls + 1] = { place or '', now() - began, words, shown(reply) }
    if not ended then
      error(reply, 0)
    end
    return reply
  end
end
local traced_redis = setmetatable({ call = recording(redis.call), pcall = recording(redis.pcall) }, { __index = redis })

local function explain()
  redis.call('UNLINK', unpack(copies)) -- there is none yet; but who may not delete it makes none
  local bytes = copy_keys()
  if bytes == 0 or bytes > MOST_BYTES then
    return { bytes, false }
  end
  local began = now()
  local ended, reply = pcall(traced, traced_redis, copies)
  return { bytes, { ended and 1 or 0, shown(reply), now() - began, calls } }
end
local ended, answer = pcall(explain)
redis.pcall('UNLINK', unpack(copies))
if not ended then
  error({ err = 'UNTRIED ' .. (type(answer) == 'table' and answer.err or answer) }) -- nothing of the sale is changed
end
return answer
";

/// The record of one run of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Whether the script ran to its end. Otherwise its reply says why not.
    pub has_ended: bool,
    pub reply: Value,
    /// The duration in µs, including the time for recording commands and for copying the fields that they name.
    pub micros: u64,
    /// The commands that the script called, in order.
    pub calls: Vec<TracedCall>,
}

impl Trace {
    /// The reply code of the first attempt. `None` if the script did not run to its end.
    pub fn code(&self) -> Option<ReplyCode> {
        match &self.reply {
            Value::Array(values) if self.has_ended => match values.first()? {
                Value::Int(number) => ReplyCode::from_number(*number),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A command that a script called.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedCall {
    /// The line of the source. `None` if a function ends with the call: Lua has forgotten the position then.
    pub line: Option<u32>,
    /// The duration in µs.
    pub micros: u64,
    /// The command and its arguments.
    pub words: Vec<Vec<u8>>,
    pub reply: Value,
}

/// The source of a script that records its calls, on a copy.
fn traced(source: &str) -> String {
    let (flags, rest) = source.split_once('\n').unwrap_or(("#!lua", source));
    let epilogue =
        EPILOGUE.replace("MOST_FIELDS", &MOST_FIELDS.to_string()).replace("MOST_BYTES", &MOST_BYTES.to_string());
    format!("{flags}\n{PROLOGUE}\n{rest}{epilogue}")
}

impl Store {
    /// Calls a script of a sale on a copy of the sale's keys, and deletes the copy. The script sees a caller who knows
    /// nothing of the sale. The copy has the hash tag of the sale, so it is on the same server; `copy` is an end for the
    /// names of its keys that no other copy has.
    ///
    /// # Errors
    /// `unknown_sale`; `bad_request` if more than [`MOST_BYTES`] would be copied whole; `store_refused` if there is
    /// no right to make a copy; `busy`, also if Redis is full; `unavailable`, `internal`.
    pub async fn trace(
        &self,
        script: &'static Script,
        (kind, sale): (&str, &str),
        copy: &str,
        args: &[Vec<u8>],
    ) -> Result<Trace> {
        let of_sale = self.sale_keys(kind, sale, script.parts());
        let copies: Vec<String> = of_sale.iter().map(|key| format!("{key}:{copy}")).collect();
        let mut call = command("EVAL");
        call.arg(traced(script.source())).arg(2 * of_sale.len()).arg(copies).arg(of_sale).arg("").arg(args);
        let answer: Value = self.routed_command(&call).await.map_err(|error| self.logged("a traced script", &error))?;
        let unexpected = || Error::internal("a traced script has an unexpected reply");
        let (bytes, answer): (u64, Option<Value>) = from_redis_value(answer).map_err(|_| unexpected())?;
        match answer {
            Some(answer) => read(answer).ok_or_else(unexpected),
            None if bytes == 0 => Err(ReplyCode::UnknownSale.refusal(script, sale)),
            None => {
                let why = format!(
                    "{} kB of the sale \"{sale}\" would have to be copied at once. At most {} kB are, as Redis does \
                     nothing else meanwhile; try again when the ledger has recorded more of its events.",
                    bytes / 1024,
                    MOST_BYTES / 1024
                );
                Err(Error::bad("sale", why))
            }
        }
    }
}

/// A call as the script returns it: its position, its duration in µs, its words and its reply.
type Recorded = (String, u64, Vec<Value>, Value);

/// Reads the return value of [`EPILOGUE`].
fn read(answer: Value) -> Option<Trace> {
    let (ended, reply, micros, calls): (u8, Value, u64, Vec<Recorded>) = from_redis_value(answer).ok()?;
    let calls = calls.into_iter().map(|(place, micros, words, reply)| {
        // `user_script:12: `
        let line = place.split(':').nth(1).and_then(|line| line.parse::<u32>().ok());
        let words = words.into_iter().map(|word| match word {
            Value::BulkString(bytes) => bytes,
            // A number argument of the script.
            other => reply_text(&other).into_bytes(),
        });
        let (line, words) = (line.map(|line| line.saturating_sub(LINES_BEFORE)), words.collect());
        TracedCall { line, micros, words, reply }
    });
    Some(Trace { has_ended: ended == 1, reply, micros, calls: calls.collect() })
}

/// A word as text, with escapes unless all of it is printable text.
pub fn word_text(word: &[u8]) -> String {
    match std::str::from_utf8(word) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => word.escape_ascii().to_string(),
    }
}

/// A reply in the notation of redis-cli, on one line.
pub fn reply_text(value: &Value) -> String {
    match value {
        Value::Nil => "(nil)".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Okay => "OK".to_owned(),
        Value::SimpleString(text) => text.clone(),
        Value::BulkString(bytes) => format!("\"{}\"", word_text(bytes)),
        Value::Array(values) => format!("[{}]", values.iter().map(reply_text).collect::<Vec<_>>().join(", ")),
        Value::ServerError(error) => error.to_string(),
        other => format!("{other:?}"),
    }
}
