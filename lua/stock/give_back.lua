-- stock/give_back: takes back the deductions of a batch of requests, each once, because their orders failed.
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
--      3 ..        request ids of deductions, 1 .. REQUESTS_AT_A_TIME attempts
--
-- Reply: for each attempt two values, code and detail, then what the caller has seen now:
--      0 given back, 500 repeat: it was before    cmsgpack list: user, quantity
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1033 no deduction has this request id    ""
--
-- Event "returned": at, n attempts, delta, sum, data = cmsgpack list of user, request id and quantity of each, flat
-- Cost: 6 commands to read; 6 more if any is given back, one less where nothing is cached; 1 more if any was repeated,
--       and 1 if any was unknown.

local seen, now, n = ARGV[1], ARGV[2], #ARGV - 2

assert(n >= 1, 'give_back takes at least one attempt')

now = time_of_call(now)

local state, generation, recent, format, was_given, sum =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'sum'))
local needed = was_given and { events, requests, stats } or { events }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)
sum = whole_number('sum', sum, -2 ^ 53)

local ids = { unpack(ARGV, 3) }
local stored = redis.call('HMGET', requests, unpack(ids))
local cached = cached_quantity(quantity)

local reply, known, records, given, units, repeats, refusals = {}, {}, {}, {}, 0, 0, 0
for i = 1, n do
  local request = ids[i]
  local record = known[request] or read_request(stored[i])
  known[request] = record
  local answer
  local detail = ''
  if not record then
    answer, refusals = UNKNOWN_REQUEST, refusals + 1
  elseif record[STATE] == 'deducted' then
    record[STATE] = 'returned'
    records[#records + 1], records[#records + 2] = request, cmsgpack.pack(record)
    local size = #given
    given[size + 1], given[size + 2], given[size + 3] = record[USER], request, record[QUANTITY]
    answer, units = DONE, units + record[QUANTITY]
  elseif record[STATE] == 'returned' then
    answer, repeats = REPEAT, repeats + 1
  else
    -- A restock or a correction.
    answer, refusals = UNKNOWN_REQUEST, refusals + 1
  end
  if answer == DONE or answer == REPEAT then
    detail = cmsgpack.pack({ record[USER], record[QUANTITY] })
  end
  reply[2 * i - 1], reply[2 * i] = answer, detail
end

local new_sum = exact_sum(sum, cached, units)
redis.call('HGET', stats, 'calls')
local outcomes = { returned = units, returned_repeat = repeats, returned_refused = refusals }

if #given > 0 then
  ensure_allowed(meta, 'INCRBY')
  seen = add_event(meta, events, generation, recent, 'type', 'returned', 'at', now, 'n', #given / 3,
    'delta', whole(units), 'sum', whole(new_sum), 'data', cmsgpack.pack(given))
  redis.call('HSET', meta, 'sum', whole(new_sum))
  if cached then
    redis.call('INCRBY', quantity, whole(units))
  end
  redis.call('HSET', requests, unpack(records))
end
add_counts(stats, outcomes)
reply[2 * n + 1] = seen
return reply
