-- stock/adjust: adds stock to a sale, or corrects its quantity to the counted one, while it runs. Both change the
-- quantity by a difference, never to a value, so simultaneous deductions stay deducted.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/stock
-- KEYS 1 meta      HASH    the terms, the state, the sum of all changes
--      2 quantity  STRING  what is left, as long as it is cached
--      3 requests  HASH    request id -> its record, a `request`
--      4 stats     HASH    exact counts
--      5 events    STREAM
-- ARGV 1           what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2           now, epoch milliseconds; "" for Redis' time
--      3           request id
--      4           "restocked" or "corrected"
--      5           how much is added, or how much was counted
--      6           how much there should have been when it was counted: the difference is the correction. "" for what
--                  is left now. Negative where more had been confirmed than there was
--
-- Reply: code, how much is left (negative where more has been confirmed than there was), the difference that was made,
--      and what the caller has seen now:
--      0 done, 500 repeat: the original answer
--      1032 not enough: less is left than the difference takes away; nothing was changed
--      1014 limit reached: there would be 2^53 or more, from where on Lua rounds; nothing was changed
--      1020 closed: nothing was changed
--      1024 a deduction or another change has this request id: nothing was changed
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed
--
-- Event "adjusted": at, how = "restocked" or "corrected", delta, sum, low as for deduct.lua, request = cmsgpack list
--       of the request id
-- Cost: 6 commands to read; 6 to write (7 if nothing was given before), one less where nothing is cached, 2 more where
--       the low mark is crossed.

local seen, now, request, how, number, expected = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]

assert(how == 'restocked' or how == 'corrected', 'adjust takes "restocked" or "corrected"')

now = time_of_call(now)

local state, generation, recent, format, was_given, low_mark, sum =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'low_mark', 'sum'))
local needed = was_given and { events, requests, stats } or { events }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return { refusal, 0, 0, '' }
end
seen = seen_so_far(generation, recent)
sum = whole_number('sum', sum, -2 ^ 53)

local stored = redis.call('HMGET', requests, request)[1]
local cached = cached_quantity(quantity)
if stored then
  local record = read_request(stored)
  local difference, left = record[QUANTITY], record[LEFT]
  local is_same = how == 'restocked' and difference == number
    or how == 'corrected' and (expected == '' and left == number or expected ~= '' and difference == number - expected)
  if record[STATE] ~= how or not is_same then
    return { OTHER_REQUEST, 0, 0, seen }
  end
  return { REPEAT, left, difference, seen }
end
if state == 'closed' then
  return { CLOSED, 0, 0, seen }
end
-- Without a cached quantity, the sum has its value.
local before = cached or sum
local difference = number
if how == 'corrected' then
  difference = number - (expected == '' and before or tonumber(expected))
end
local left = before + difference
if difference < 0 and left < 0 then
  return { NOT_ENOUGH, math.max(before, 0), 0, seen }
end

local new_sum = sum_after(sum, cached, difference)
if not new_sum then
  return { LIMIT_REACHED, math.max(before, 0), 0, seen }
end

local is_low = has_crossed(low_mark, before, left)
redis.call('HGET', stats, 'calls')
ensure_allowed(meta, 'INCRBY')

seen = add_event(meta, events, generation, recent, 'type', 'adjusted', 'at', now, 'how', how,
  'delta', whole(difference), 'sum', whole(new_sum), 'low', is_low and whole(left) or '',
  'request', cmsgpack.pack({ request }))
redis.call('HSET', meta, 'sum', whole(new_sum))
if cached then
  redis.call('INCRBY', quantity, whole(difference))
end
redis.call('HSET', requests, request, cmsgpack.pack({ '', difference, how, left }))
note_given(meta, was_given)
if is_low then
  redis.call('HSET', meta, 'low_at', now)
end
add_counts(stats, { [how] = difference, crossings = is_low and 1 or 0 })
return { DONE, left, difference, seen }
