-- stock/deduct: answers a batch of attempts at one sale, in their order. An attempt gets the quantity that it wants if
-- the cache has that much left. A quantity that is not cached is unknown, neither enough nor too little: the caller
-- loads it (load.lua) and tries again.
--
-- Includes lib/stream, lib/fence, lib/life, lib/stock
-- KEYS 1 meta      HASH    the terms, the state, the sum of all changes
--      2 quantity  STRING  what is left, as long as it is cached
--      3 requests  HASH    request id -> its record, a `request`
--      4 stats     HASH    exact counts
--      5 events    STREAM  one entry for all winners of the batch
--      6 attempts  STREAM  a sample of attempts that changed nothing, capped
--      7 users     HASH    user -> units that the user has; only if the sale has a limit
--      8 deadlines ZSET    request id -> deadline of its reservation; only if the sale holds
-- ARGV 1           what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2           now, epoch milliseconds; "" for Redis' time
--      3           n, attempts, 1 .. MAX_BATCH
--      4           the attempts, one flat cmsgpack list: for each user, request id, and quantity, 1 or more
--
-- Reply: for each attempt two values, code and detail, then what the caller has seen now:
--      0 won                 how much was left after it, and for a reservation its deadline
--      500 repeat            how much was left after it, the state of the request, and for a reservation its deadline
--      1032 not enough       how much is left
--      1014 limit reached    how many more the user may have
--      1031 not cached       ""; nothing was tried
--      1020 closed           when an operator closed the sale, epoch milliseconds
--      1004 expired          the end of the sale, epoch milliseconds
--      1035 not open         the start of the sale and the time of the call, with a blank between
--      1036 paused           when an operator paused the sale, and why, with a blank between
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1015 the request id was used by another user, 1024 or for another quantity
--                            ""
--      Values of a detail have a blank between.
--
-- Event "deducted": at, n attempts, delta, sum, low = how much is left if that came down to the low mark, or "", data =
--       cmsgpack list of user, request id, quantity, and how much was left after it, of each winner, flat
-- Cost: 7 commands to read and count; for winners 7 more (with the first 8), and 2 where the low mark is crossed; for
--       the others up to 4 more. With a limit, up to 3 more to read and 1 for winners; with a hold time, 1 more to
--       read once units are held, and 2 for winners.
--       The size of the batch does not matter.

local seen, now, n, list = ARGV[1], ARGV[2], tonumber(ARGV[3]), cmsgpack.unpack(ARGV[4])

assert(n >= 1 and #list == 3 * n, 'deduct takes as many attempts as it says')

now = time_of_call(now)

local SAMPLE = 8 -- attempts that changed nothing, per batch

-- Read.

local state, generation, recent, format, was_given, closed_at, opens_at, ends_at, paused_at, reason, hold_clock,
  held_ms, ttl_ms, low_mark, sum, limit, hold_ms, held = unpack(redis.call('HMGET', meta, 'state', 'generation',
    'recent', 'format', 'given', 'closed_at', 'opens_at', 'ends_at', 'paused_at', 'pause_reason', 'hold_clock',
    'held_ms', 'ttl_ms', 'low_mark', 'sum', 'limit_per_user', 'hold_ms', 'held'))
local needed = was_given and { events, requests, stats } or { events }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)
local barred, why = refusal_by_life(now, state, closed_at, opens_at, ends_at, paused_at, reason)
ttl_ms = whole_number('ttl_ms', ttl_ms, 1)
sum = whole_number('sum', sum, -2 ^ 53)
limit = optional_term('limit_per_user', limit)
hold_ms = optional_term('hold_ms', hold_ms)
held = hold_ms and whole_number('held', held, 0)

local ids, names = {}, {}
for i = 1, n do
  local wanted = list[3 * i]
  if type(wanted) ~= 'number' or wanted < 1 or wanted % 1 ~= 0 then
    error({ err = 'UNTRIED an attempt wants no whole quantity of 1 or more' })
  end
  names[i], ids[i] = list[3 * i - 2], list[3 * i - 1]
end
local stored = redis.call('HMGET', requests, unpack(ids))
local before = cached_quantity(quantity)
local units_of = limit and read_units(users, names)
-- A Redis that evicts deletes whole keys.
if limit and was_given and redis.call('EXISTS', users) == 0 then
  if (tonumber(redis.call('HGET', stats, 'won')) or 0) > 0 then
    return refuse_all(n, suspend_lost(meta))
  end
end
if held and held > 0 and redis.call('EXISTS', deadlines) == 0 then
  return refuse_all(n, suspend_lost(meta))
end

-- Decide.

local reply, decided, records, won, sample, counts = {}, {}, {}, {}, {}, {}
local left, units, changed_units, due_list = before, 0, {}, {}
-- Deadlines are stored in hold time.
local lag = hold_ms and hold_lag(now, held_ms, paused_at, hold_clock)
local due = hold_ms and now - lag + hold_ms

for i = 1, n do
  local user, request, wanted = list[3 * i - 2], ids[i], list[3 * i]
  local record = decided[request] or stored[i] and read_request(stored[i])
  local answer
  local detail, counted = ''
  if record then
    if record[USER] ~= user then
      answer = OTHER_USER
    elseif record[QUANTITY] ~= wanted then
      answer = OTHER_REQUEST
    else
      answer, detail, counted = REPEAT, whole(record[LEFT]) .. ' ' .. record[STATE], 'repeat'
      if hold_ms then
        detail = detail .. ' ' .. whole(deadline_by_clock(record, lag))
      end
    end
  elseif barred then
    answer, detail, counted = barred, why, REFUSED_BY_LIFE[barred]
  elseif limit and wanted > limit - units_of[user] then
    answer, detail, counted = LIMIT_REACHED, whole(math.max(limit - units_of[user], 0)), 'limit_reached'
  elseif not left then
    answer = NOT_CACHED
  elseif wanted > left then
    answer, detail, counted = NOT_ENOUGH, whole(math.max(left, 0)), 'not_enough'
  else
    left, units = left - wanted, units + wanted
    record = { user, wanted, 'deducted', left }
    answer, detail, counted = DONE, whole(left), 'won'
    if limit then
      units_of[user] = units_of[user] + wanted
      changed_units[user] = units_of[user]
    end
    if hold_ms then
      record[STATE], record[DUE] = 'held', due
      due_list[#due_list + 1], due_list[#due_list + 2] = whole(due), request
      detail = detail .. ' ' .. whole(due + lag)
    end
    decided[request] = record
    records[#records + 1], records[#records + 2] = request, cmsgpack.pack(record)
    local size = #won
    won[size + 1], won[size + 2], won[size + 3], won[size + 4] = user, request, wanted, left
  end
  if counted then
    counts[counted] = (counts[counted] or 0) + 1
  end
  if answer ~= DONE and answer ~= NOT_CACHED and #sample < 2 * SAMPLE then
    local size = #sample
    sample[size + 1], sample[size + 2] = user, tostring(answer)
  end
  reply[2 * i - 1], reply[2 * i] = answer, detail
end

local is_low = units > 0 and has_crossed(low_mark, before, left)
local new_sum = exact_sum(sum, before, -units)
counts.calls, counts.deducted, counts.crossings = 1, units, is_low and 1 or 0
redis.call('HGET', stats, 'calls')
if units > 0 then
  ensure_allowed(meta, 'SET')
  if hold_ms then
    ensure_allowed(meta, 'ZADD')
    redis.call('ZMSCORE', deadlines, due_list[2])
  end
end

-- Write, the event first.

if units > 0 then
  seen = add_event(meta, events, generation, recent, 'type', 'deducted', 'at', now, 'n', counts['won'],
    'delta', whole(-units), 'sum', whole(new_sum), 'low', is_low and whole(left) or '', 'data', cmsgpack.pack(won))
  redis.call('HSET', meta, 'sum', whole(new_sum), unpack(hold_ms and { 'held', whole(held + units) } or {}))
  -- Each deduction renews the time to live.
  redis.call('SET', quantity, whole(left), 'PX', whole(ttl_ms))
  redis.call('HSET', requests, unpack(records))
  if limit then
    redis.call('HSET', users, unpack(units_as_fields(changed_units)))
  end
  if hold_ms then
    redis.call('ZADD', deadlines, unpack(due_list))
  end
  note_given(meta, was_given)
  if is_low then
    redis.call('HSET', meta, 'low_at', now)
  end
end

add_counts(stats, counts)
add_sample(attempts, now, sample)

reply[2 * n + 1] = seen
return reply
