-- stock/confirm_items: confirms the reservations that one request has in several sales of one group: all of them, or
-- none if one is late or was given back. Each is confirmed as confirm.lua does it, and is an event of its own sale.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/life, lib/stock, lib/items, lib/reasons
-- KEYS 1 meta      HASH    of the sale of the first item: the terms, the state, the sum of all changes
--      2 requests  HASH    request id -> its record, a `request`
--      3 deadlines ZSET    request id -> deadline of its reservation; only if the sale holds
--      4 stats     HASH    exact counts
--      5 events    STREAM
--      6 ..        the same of the sale of each further item
-- ARGV 1           now, epoch milliseconds; "" for Redis' time
--      2           request id
--      3           why, may be empty
--      4 ..        of each item, 1 .. MAX_ITEMS: what the caller has seen of the sale
--
-- Reply: code, the number of the item that refuses, or 0, details, and what the caller has seen of each sale now. The
--      details are a list:
--      0 confirmed, 500 repeat: all were before, or need no confirmation
--                            of each item: user, and how many units the user has of it
--      1017 late: the deadline of an item has passed
--      1029 all of an item was given back before
--                            of the item that refuses: user, and the deadline, 0 if there is none
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1033 no deduction of the sale has this request id    none
--
-- Event "confirmed": one in each sale, as of confirm.lua
-- Cost: 1 command; for each item 5 to read, and 1 if it is held; 6 to write if it is confirmed; of a repeat 1 for
--       each item, and of a refusal 1.

local now, request, why, n = ARGV[1], ARGV[2], ARGV[3], #ARGV - 3

assert(n >= 1 and #KEYS == 5 * n, 'confirm_items takes five keys and an argument for each item')

now = time_of_call(now)

local items, refusal = read_items(n, function(i, meta, requests, deadlines, stats, events)
  local state, generation, recent, format, was_given, paused_at, hold_clock, held_ms, sum, held =
    unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'paused_at', 'hold_clock',
      'held_ms', 'sum', 'held'))
  local needed = was_given and { events, requests, stats } or { events }
  local refused = sale_refusal(meta, events, ARGV[i + 3], state, generation, recent, format, needed)
  if refused then
    return {}, refused
  end
  local record = read_request(redis.call('HGET', requests, request) or nil)
  local item = {
    seen = seen_so_far(generation, recent), generation = generation, recent = recent, record = record, sum = sum,
    lag = hold_lag(now, held_ms, paused_at, hold_clock), kept = record and kept_of(record),
  }
  whole_number('sum', sum, -2 ^ 53)
  if record and record[STATE] == 'held' then
    item.held_now = less('the units held', whole_number('held', held, 0), item.kept)
    redis.call('ZMSCORE', deadlines, request)
  end
  redis.call('HGET', stats, 'calls')
  ensure_takes_event(events)
  return item
end)
if refusal then
  return { refusal, #items, {}, seen_of(items) }
end

-- Decide. The first item that cannot be confirmed refuses.

local is_new = false
for i, item in ipairs(items) do
  local record, code, counted = item.record, nil, nil
  local of_state = record and record[STATE]
  if of_state == 'held' and now - item.lag < record[DUE] then
    is_new = true
  elseif of_state == 'held' or of_state == 'expired' then
    code, counted = ENDED, 'late'
  elseif of_state == 'returned' then
    code, counted = RETURNED, 'confirmed_refused'
  elseif of_state ~= 'confirmed' and of_state ~= 'deducted' then
    -- None, or a restock or a correction.
    code, counted = UNKNOWN_REQUEST, 'confirmed_refused'
  end
  if code then
    local _, _, _, stats = keys_of(i, n)
    add_counts(stats, { [counted] = 1 })
    local told = code ~= UNKNOWN_REQUEST and { record[USER], whole(deadline_by_clock(record, item.lag)) } or {}
    return { code, i, told, seen_of(items) }
  end
end

local details = {}
for i, item in ipairs(items) do
  details[2 * i - 1], details[2 * i] = item.record[USER], whole(item.kept)
  local meta = keys_of(i, n)
  ensure_allowed(meta, 'XADD', 'HSET', 'HINCRBY', 'ZREM')
end

-- Write, the events first.

for i, item in ipairs(items) do
  local meta, _, _, _, events = keys_of(i, n)
  local generation, recent = item.generation, item.recent
  if item.record[STATE] == 'held' then
    item.seen = add_event(meta, events, generation, recent, 'type', 'confirmed', 'at', now, 'n', 1,
      'delta', 0, 'sum', item.sum, 'data', cmsgpack.pack({ item.record[USER], request, item.kept }),
      with_reasons({}, { why }))
  end
end
for i, item in ipairs(items) do
  local meta, requests, deadlines, stats = keys_of(i, n)
  if item.record[STATE] == 'held' then
    item.record[STATE] = 'confirmed'
    redis.call('HSET', meta, 'held', whole(item.held_now))
    redis.call('HSET', requests, request, cmsgpack.pack(item.record))
    redis.call('ZREM', deadlines, request)
    add_counts(stats, { confirmed = item.kept })
  else
    add_counts(stats, { confirmed_repeat = 1 })
  end
end
return { is_new and DONE or REPEAT, 0, details, seen_of(items) }
