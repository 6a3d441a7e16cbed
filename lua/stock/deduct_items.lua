-- stock/deduct_items: answers one attempt at items of several sales of one group: it gets all of them or none. Each
-- item is decided by the rules of its own sale, as deduct.lua decides, and is a deduction of its own there, with the
-- same request id. An item that the request has already is not deducted again. (After a loss, a request may have some
-- of its items: sent again, it gets the others, too.)
--
-- Includes lib/stream, lib/fence, lib/life, lib/stock, lib/items
-- KEYS 1 meta      HASH    of the sale of the first item: the terms, the state, the sum of all changes
--      2 quantity  STRING  what is left, as long as it is cached
--      3 requests  HASH    request id -> its record, a `request`
--      4 stats     HASH    exact counts
--      5 events    STREAM
--      6 attempts  STREAM  a sample of attempts that changed nothing, capped
--      7 users     HASH    user -> units that the user has; only if the sale has a limit
--      8 deadlines ZSET    request id -> deadline of its reservation; only if the sale holds
--      9 ..        the same of the sale of each further item
-- ARGV 1           now, epoch milliseconds; "" for Redis' time
--      2           request id
--      3           user
--      4 ..        of each item, 1 .. MAX_ITEMS: what the caller has seen of the sale; and the quantity, 1 or more
--
-- Reply: code, the number of the item that refuses, or 0, details, and what the caller has seen of each sale now. The
--      details are a list:
--      0 won, 500 repeat: the request had all items before
--                            of each item: how much was left after it, its state, and its deadline, 0 if it has none
--      1032 not enough, 1014 limit reached, 1031 not cached, 1020 closed, 1004 expired, 1035 not open, 1036 paused
--                            that of the item that refuses, the first in the order of the items, as of deduct.lua
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1015 the request id was used by another user, 1024 or for another quantity, or what it
--      deducted has come back
--                            none
--
-- Event "deducted": one in each sale, as of deduct.lua
-- Cost: 1 command; for each item 7 to read, 1 more with a limit and 1 with a hold time; 7 to write if it is won, 1 more
--       with the first, with a limit and with a hold time, and 2 where the low mark is crossed; of a repeat 3 for
--       each item, and of a refusal up to 4.

local now, request, user, n = ARGV[1], ARGV[2], ARGV[3], (#ARGV - 3) / 2

assert(n >= 1 and n % 1 == 0 and #KEYS == 8 * n, 'deduct_items takes eight keys and two arguments for each item')

now = time_of_call(now)

-- Read.

local items, refusal = read_items(n, function(i, meta, quantity, requests, stats, events, _, users, deadlines)
  local seen, wanted = ARGV[2 * i + 2], tonumber(ARGV[2 * i + 3])
  if not wanted or wanted < 1 or wanted % 1 ~= 0 then
    error({ err = 'UNTRIED an attempt wants no whole quantity of 1 or more' })
  end
  local state, generation, recent, format, was_given, closed_at, opens_at, ends_at, paused_at, reason, hold_clock,
    held_ms, ttl_ms, low_mark, sum, limit, hold_ms, held = unpack(redis.call('HMGET', meta, 'state', 'generation',
      'recent', 'format', 'given', 'closed_at', 'opens_at', 'ends_at', 'paused_at', 'pause_reason', 'hold_clock',
      'held_ms', 'ttl_ms', 'low_mark', 'sum', 'limit_per_user', 'hold_ms', 'held'))
  local needed = was_given and { events, requests, stats } or { events }
  local refused = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
  if refused then
    return {}, refused
  end
  local barred, why = refusal_by_life(now, state, closed_at, opens_at, ends_at, paused_at, reason)
  limit = optional_term('limit_per_user', limit)
  hold_ms = optional_term('hold_ms', hold_ms)
  held = hold_ms and whole_number('held', held, 0)
  local item = {
    seen = seen_so_far(generation, recent), generation = generation, recent = recent, was_given = was_given,
    barred = barred, why = why, ttl_ms = whole_number('ttl_ms', ttl_ms, 1), low_mark = low_mark,
    sum = whole_number('sum', sum, -2 ^ 53), limit = limit, hold_ms = hold_ms, held = held, wanted = wanted,
    lag = hold_ms and hold_lag(now, held_ms, paused_at, hold_clock),
    record = read_request(redis.call('HGET', requests, request) or nil),
    left = cached_quantity(quantity),
    units = limit and read_units(users, { user })[user],
  }
  -- A Redis that evicts deletes whole keys.
  if limit and was_given and redis.call('EXISTS', users) == 0
    and (tonumber(redis.call('HGET', stats, 'won')) or 0) > 0
    or held and held > 0 and redis.call('EXISTS', deadlines) == 0 then
    return {}, suspend_lost(meta)
  end
  redis.call('HGET', stats, 'calls')
  if hold_ms then
    redis.call('ZMSCORE', deadlines, request)
  end
  ensure_takes_event(events)
  return item
end)
if refusal then
  return { refusal, #items, {}, seen_of(items) }
end

-- Decide. The first item that lacks refuses.

local is_new = false
for _, item in ipairs(items) do
  is_new = is_new or not item.record
end

-- Why an item cannot be had: the code, its detail, and its count. Nil if it can.
local function refusal_of(item)
  local record, limit, left = item.record, item.limit, item.left
  if record then
    if record[USER] ~= user then
      return OTHER_USER, ''
    elseif record[QUANTITY] ~= item.wanted or is_new and kept_of(record) == 0 then
      return OTHER_REQUEST, ''
    end
  elseif item.barred then
    return item.barred, item.why, REFUSED_BY_LIFE[item.barred]
  elseif limit and item.wanted > limit - item.units then
    return LIMIT_REACHED, whole(math.max(limit - item.units, 0)), 'limit_reached'
  elseif not left then
    return NOT_CACHED, ''
  elseif item.wanted > left then
    return NOT_ENOUGH, whole(math.max(left, 0)), 'not_enough'
  end
end

for i, item in ipairs(items) do
  local code, detail, counted = refusal_of(item)
  if code then
    local _, _, _, stats, _, attempts = keys_of(i, n)
    add_counts(stats, { calls = 1, [counted or 'calls'] = 1 })
    if code ~= NOT_CACHED then
      add_sample(attempts, now, { user, tostring(code) })
    end
    return { code, i, { detail }, seen_of(items) }
  end
end

local details = {}
for i, item in ipairs(items) do
  if not item.record then
    item.is_low = has_crossed(item.low_mark, item.left, item.left - item.wanted)
    item.new_sum = exact_sum(item.sum, item.left, -item.wanted)
    item.left = item.left - item.wanted
    item.due = item.hold_ms and now - item.lag + item.hold_ms
    item.new = { user, item.wanted, item.due and 'held' or 'deducted', item.left, item.due or nil }
  end
  local record = item.record or item.new
  details[i] = whole(record[LEFT]) .. ' ' .. record[STATE] .. ' ' .. whole(deadline_by_clock(record, item.lag or 0))
  local meta = keys_of(i, n)
  ensure_allowed(meta, 'XADD', 'HSET', 'HINCRBY', 'SET', 'ZADD')
end

-- Write, the events first.

for i, item in ipairs(items) do
  local meta, _, _, _, events = keys_of(i, n)
  local generation, recent = item.generation, item.recent
  local left, wanted = item.left, item.wanted
  if item.new then
    item.seen = add_event(meta, events, generation, recent, 'type', 'deducted', 'at', now, 'n', 1,
      'delta', whole(-wanted), 'sum', whole(item.new_sum), 'low', item.is_low and whole(left) or '',
      'data', cmsgpack.pack({ user, request, wanted, left }))
  end
end
for i, item in ipairs(items) do
  local meta, quantity, requests, stats, _, attempts, users, deadlines = keys_of(i, n)
  if item.new then
    redis.call('HSET', meta, 'sum', whole(item.new_sum),
      unpack(item.hold_ms and { 'held', whole(item.held + item.wanted) } or {}))
    -- Each deduction renews the time to live.
    redis.call('SET', quantity, whole(item.left), 'PX', whole(item.ttl_ms))
    redis.call('HSET', requests, request, cmsgpack.pack(item.new))
    if item.limit then
      redis.call('HSET', users, user, whole(item.units + item.wanted))
    end
    if item.hold_ms then
      redis.call('ZADD', deadlines, whole(item.due), request)
    end
    note_given(meta, item.was_given)
    if item.is_low then
      redis.call('HSET', meta, 'low_at', now)
    end
    add_counts(stats, { calls = 1, won = 1, deducted = item.wanted, crossings = item.is_low and 1 or 0 })
  else
    add_counts(stats, { calls = 1, ['repeat'] = 1 })
    add_sample(attempts, now, { user, tostring(REPEAT) })
  end
end

return { is_new and DONE or REPEAT, 0, details, seen_of(items) }
