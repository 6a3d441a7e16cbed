-- stock/confirm: confirms a batch of reservations, so that they no longer expire. Confirmation and expiry race, and one
-- wins: after its deadline a reservation is not confirmed, even if nothing has ended it yet.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/life, lib/stock, lib/reasons
-- KEYS 1 meta      HASH    the terms, the state, the sum of all changes
--      2 requests  HASH    request id -> its record, a `request`
--      3 deadlines ZSET    request id -> deadline of its reservation
--      4 stats     HASH    exact counts
--      5 events    STREAM
-- ARGV 1           what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2           now, epoch milliseconds; "" for Redis' time
--      3 ..        request id of the deduction, and why, which may be empty, of each attempt in turn,
--                  1 .. REQUESTS_AT_A_TIME attempts
--
-- Reply: for each attempt two values, code and detail, then what the caller has seen now:
--      0 confirmed, 500 repeat: it was before, or the sale does not hold
--      1017 late: the deadline has passed
--      1029 all of it was given back before
--                            cmsgpack list: user, how many units the user has of it, deadline (0 if there is none)
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1033 no deduction has this request id    ""
--
-- Event "confirmed": at, n attempts, delta = 0, sum, data = cmsgpack list of user, request id and quantity of each,
--       flat; if any has a reason, reasons = cmsgpack list of the reason of each
-- Cost: 5 commands to read; 6 more if any is confirmed; 1 more if any was repeated, 1 if any was late, and 1 if any was
--       refused.

local seen, now, n = ARGV[1], ARGV[2], (#ARGV - 2) / 2

assert(n >= 1 and n % 1 == 0, 'confirm takes two arguments for each attempt')

now = time_of_call(now)

local state, generation, recent, format, was_given, paused_at, hold_clock, held_ms, sum, held = unpack(
  redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'paused_at', 'hold_clock', 'held_ms',
    'sum', 'held'))
local needed = was_given and { events, requests, stats } or { events }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)
whole_number('sum', sum, -2 ^ 53)
local lag = hold_lag(now, held_ms, paused_at, hold_clock)

local ids = {}
for i = 1, n do
  ids[i] = ARGV[2 * i + 1]
end
local stored = redis.call('HMGET', requests, unpack(ids))

local reply, known, records, confirmed, settled = {}, {}, {}, {}, {}
local units, repeats, late, refusals = 0, 0, 0, 0
for i = 1, n do
  local request = ids[i]
  local record = known[request] or read_request(stored[i])
  known[request] = record
  local of_state = record and record[STATE]
  local answer
  if of_state == 'held' and now - lag < record[DUE] then
    record[STATE] = 'confirmed'
    records[#records + 1], records[#records + 2] = request, cmsgpack.pack(record)
    settled[#settled + 1] = request
    local size, kept = #confirmed, kept_of(record)
    confirmed[size + 1], confirmed[size + 2], confirmed[size + 3] = record[USER], request, kept
    answer, units = DONE, units + kept
  elseif of_state == 'held' or of_state == 'expired' then
    answer, late = ENDED, late + 1
  elseif of_state == 'confirmed' or of_state == 'deducted' then
    answer, repeats = REPEAT, repeats + 1
  elseif of_state == 'returned' then
    answer, refusals = RETURNED, refusals + 1
  else
    -- None, or a restock or a correction.
    answer, refusals = UNKNOWN_REQUEST, refusals + 1
  end
  local is_told = answer ~= UNKNOWN_REQUEST
  reply[2 * i - 1] = answer
  reply[2 * i] = is_told and cmsgpack.pack({ record[USER], kept_of(record), deadline_by_clock(record, lag) }) or ''
end

redis.call('HGET', stats, 'calls')

if #settled > 0 then
  local held_now = less('the units held', whole_number('held', held, 0), units)
  ensure_allowed(meta, 'ZREM')
  redis.call('ZMSCORE', deadlines, settled[1])

  seen = add_event(meta, events, generation, recent, 'type', 'confirmed', 'at', now, 'n', #settled, 'delta', 0,
    'sum', sum, 'data', cmsgpack.pack(confirmed), with_reasons({}, reasons_of_done(reply, 4, 2)))
  redis.call('HSET', meta, 'held', whole(held_now))
  redis.call('HSET', requests, unpack(records))
  redis.call('ZREM', deadlines, unpack(settled))
end
add_counts(stats, { confirmed = units, confirmed_repeat = repeats, late = late, confirmed_refused = refusals })
reply[2 * n + 1] = seen
return reply
