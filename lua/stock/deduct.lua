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
-- ARGV 1           what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2           now, epoch milliseconds; "" for Redis' time
--      3           n, attempts, 1 .. MAX_BATCH
--      4           the attempts, one flat cmsgpack list: for each user, request id, and quantity, 1 or more
--
-- Reply: for each attempt two values, code and detail, then what the caller has seen now:
--      0 won                 how much was left after it
--      500 repeat            how much was left after it and the state of the request, with a blank between
--      1032 not enough       how much is left
--      1031 not cached       ""; nothing was tried
--      1020 closed           when an operator closed the sale, epoch milliseconds
--      1004 expired          the end of the sale, epoch milliseconds
--      1035 not open         the start of the sale and the time of the call, with a blank between
--      1036 paused           when an operator paused the sale, and why, with a blank between
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1015 the request id was used by another user, 1024 or for another quantity
--                            ""
--
-- Event "deducted": at, n attempts, delta, sum, low = how much is left if that came down to the low mark, or "", data =
--       cmsgpack list of user, request id, quantity, and how much was left after it, of each winner, flat
-- Cost: 7 commands to read and count; for winners 7 more (with the first 8), and 2 where the low mark is crossed; for
--       the others up to 3 more. The size of the batch does not matter.

local seen, now, n, list = ARGV[1], ARGV[2], tonumber(ARGV[3]), cmsgpack.unpack(ARGV[4])

assert(n >= 1 and #list == 3 * n, 'deduct takes as many attempts as it says')

now = time_of_call(now)

local SAMPLE = 8 -- attempts that changed nothing, per batch

-- Read.

local state, generation, recent, format, was_given, closed_at, opens_at, ends_at, paused_at, reason, ttl_ms, low_mark,
  sum = unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'closed_at', 'opens_at',
    'ends_at', 'paused_at', 'pause_reason', 'ttl_ms', 'low_mark', 'sum'))
local needed = was_given and { events, requests, stats } or { events }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)
local barred, why = refusal_by_life(now, state, closed_at, opens_at, ends_at, paused_at, reason)
ttl_ms = whole_number('ttl_ms', ttl_ms, 1)
sum = whole_number('sum', sum, -2 ^ 53)

local ids = {}
for i = 1, n do
  local wanted = list[3 * i]
  if type(wanted) ~= 'number' or wanted < 1 or wanted % 1 ~= 0 then
    error({ err = 'UNTRIED an attempt wants no whole quantity of 1 or more' })
  end
  ids[i] = list[3 * i - 1]
end
local stored = redis.call('HMGET', requests, unpack(ids))
local before = cached_quantity(quantity)

-- Decide.

local reply, decided, records, won, sample, counts = {}, {}, {}, {}, {}, {}
local left, units = before, 0

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
    end
  elseif barred then
    answer, detail, counted = barred, why, REFUSED_BY_LIFE[barred]
  elseif not left then
    answer = NOT_CACHED
  elseif wanted > left then
    answer, detail, counted = NOT_ENOUGH, whole(math.max(left, 0)), 'not_enough'
  else
    left, units = left - wanted, units + wanted
    record = { user, wanted, 'deducted', left }
    decided[request] = record
    records[#records + 1], records[#records + 2] = request, cmsgpack.pack(record)
    local size = #won
    won[size + 1], won[size + 2], won[size + 3], won[size + 4] = user, request, wanted, left
    answer, detail, counted = DONE, whole(left), 'won'
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
end

-- Write, the event first.

if units > 0 then
  seen = add_event(meta, events, generation, recent, 'type', 'deducted', 'at', now, 'n', counts['won'],
    'delta', whole(-units), 'sum', whole(new_sum), 'low', is_low and whole(left) or '', 'data', cmsgpack.pack(won))
  redis.call('HSET', meta, 'sum', whole(new_sum))
  -- Each deduction renews the time to live.
  redis.call('SET', quantity, whole(left), 'PX', whole(ttl_ms))
  redis.call('HSET', requests, unpack(records))
  note_given(meta, was_given)
  if is_low then
    redis.call('HSET', meta, 'low_at', now)
  end
end

add_counts(stats, counts)
add_sample(attempts, now, sample)

reply[2 * n + 1] = seen
return reply
