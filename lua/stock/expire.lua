-- stock/expire: ends the reservations that are due. Their units return to the quantity, once, however many servers call
-- it.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/life, lib/stock
-- KEYS 1 meta      HASH    the terms, the state, the sum of all changes
--      2 quantity  STRING  what is left, as long as it is cached
--      3 requests  HASH    request id -> its record, a `request`
--      4 users     HASH    user -> units that the user has; only if the sale has a limit
--      5 deadlines ZSET    request id -> deadline of its reservation; only if the sale holds
--      6 stats     HASH    exact counts
--      7 events    STREAM
-- ARGV 1           what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2           now, epoch milliseconds; "" for Redis' time
--      3           the most reservations to end in this call, 1 .. REQUESTS_AT_A_TIME
--
-- Reply: code, and with code 0:
--      number of reservations ended; deadline of the next one, epoch milliseconds, 0 if nothing is held; the hold time
--      of the sale, milliseconds, 0 if it does not hold
--      code 1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026
--      newer format, 1034 trimmed: no values
--      and at the end what the caller has seen now
--
-- Event "expired": at, n reservations, delta, sum, data = cmsgpack list of user, request id and quantity of each, flat
-- Cost: 3 commands for a sale that does not hold; up to 3 more if nothing is due; if anything is, 6 more to read and 8
--       to write, one less where nothing is cached; with a limit, 1 more to read and 1 to write.

local seen, now, most = ARGV[1], ARGV[2], tonumber(ARGV[3])

assert(most >= 1, 'expire ends at least one reservation')

now = time_of_call(now)

local state, generation, recent, format, was_given, paused_at, hold_clock, held_ms, sum, limit, hold_ms, held =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'paused_at', 'hold_clock',
    'held_ms', 'sum', 'limit_per_user', 'hold_ms', 'held'))
local needed = was_given and { events, requests, stats } or { events }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return { refusal, '' }
end
seen = seen_so_far(generation, recent)
if not hold_ms then
  return { DONE, 0, 0, 0, seen }
end
sum = whole_number('sum', sum, -2 ^ 53)
limit = optional_term('limit_per_user', limit)
hold_ms = optional_term('hold_ms', hold_ms)
held = whole_number('held', held, 0)
local lag = hold_lag(now, held_ms, paused_at, hold_clock)

local due = redis.call('ZRANGEBYSCORE', deadlines, '-inf', whole(now - lag), 'LIMIT', 0, most)
-- A Redis that evicts deletes whole keys.
if #due == 0 and held > 0 and redis.call('EXISTS', deadlines) == 0 then
  return { suspend_lost(meta), '' }
end
if #due > 0 then
  local stored, names, found = redis.call('HMGET', requests, unpack(due)), {}, {}
  for at = 1, #due do
    local record = read_request(stored[at])
    if not record or record[STATE] ~= 'held' then
      unreadable('a request that is due')
    end
    found[at], names[at] = record, record[USER]
  end
  local cached, units_of = cached_quantity(quantity), limit and read_units(users, names)
  local records, data, units = {}, {}, 0
  for at, request in ipairs(due) do
    local record = found[at]
    local user, kept = record[USER], kept_of(record)
    units = units + kept
    if limit then
      units_of[user] = less('the units of a user', units_of[user], kept)
    end
    record[STATE] = 'expired'
    records[2 * at - 1], records[2 * at] = request, cmsgpack.pack(record)
    data[3 * at - 2], data[3 * at - 1], data[3 * at] = user, request, kept
  end
  held = less('the units held', held, units)
  local new_sum = exact_sum(sum, cached, units)
  redis.call('HGET', stats, 'calls')
  ensure_allowed(meta, 'INCRBY', 'ZREM', 'ZRANGE')

  seen = add_event(meta, events, generation, recent, 'type', 'expired', 'at', now, 'n', #due,
    'delta', whole(units), 'sum', whole(new_sum), 'data', cmsgpack.pack(data))
  redis.call('HSET', meta, 'sum', whole(new_sum), 'held', whole(held))
  if cached then
    redis.call('INCRBY', quantity, whole(units))
  end
  redis.call('HSET', requests, unpack(records))
  if limit then
    redis.call('HSET', users, unpack(units_as_fields(units_of)))
  end
  redis.call('ZREM', deadlines, unpack(due))
  add_counts(stats, { expired = units })
end
local _, next_due = unpack(redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES'))
return { DONE, #due, next_due and next_due + lag or 0, hold_ms, seen }
