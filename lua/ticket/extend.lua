-- ticket/extend: prolongs the holds of a batch of orders, each once, by the hold time of the sale. A request that is
-- repeated gets its answer again.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/life, lib/rows, lib/orders, lib/changes, lib/reasons
-- KEYS 1 meta       HASH    the terms and the state
--      2 seats      STRING  one byte per seat
--      3 layout     STRING  first seat and number of seats of each row
--      4 free       STRING  the index of free seats
--      5 counts     HASH    "<state>:<category>" -> seats
--      6 orders     HASH    order -> its record
--      7 deadlines  ZSET    order -> its deadline
--      8 stats      HASH    exact counts
--      9 events     STREAM
-- ARGV 1            what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2            now, epoch milliseconds; "" for Redis' time
--      3            the categories, as for reserve.lua
--      4 ..         order, request id, and why, which may be empty, of each extension in turn, 1 .. ORDERS_AT_A_TIME of
--                   them
--
-- Reply: for each extension two values, code and detail, then what the caller has seen now:
--      0 extended, 500 repeat: this request extended it before, 1017 it is paid, has ended or is due, 1070 the sale
--      does not allow it, 1072 another request extended it before    the order
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1016 unknown order    ""
--
-- Event "extended": at, n orders, data = cmsgpack list of orders; if any has a reason, reasons = cmsgpack list of
--       the reason of each
-- Cost: 4 commands to read, plus 1 or 2 per row of the orders; if any is extended 2 more, and 5 to write.

local seen, now, categories, n = ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3]), (#ARGV - 3) / 3

assert(n >= 1 and n % 1 == 0, 'extend takes three arguments for each extension')

now = time_of_call(now)

local state_of_sale, generation, recent, format, was_given, paused_at, hold_clock, held_ms, hold_ms, extendable =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'paused_at', 'hold_clock',
    'held_ms', 'hold_ms', 'extendable'))
local needed = was_given and { events, seats, layout, free, counts, orders, stats }
  or { events, seats, layout, free, counts }
local refusal = sale_refusal(meta, events, seen, state_of_sale, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)
hold_ms = whole_number('hold_ms', hold_ms, 1)
local lag = hold_lag(now, held_ms, paused_at, hold_clock)
report_by_clock(lag)

local ids, requests = arguments(4, 3), arguments(5, 3)
local hall = open_rows(seats, layout, free, categories)
local records = read_orders(orders, ids, hall)
local reply, changed, dues, data = {}, {}, {}, {}

for i = 1, n do
  local order, request = ids[i], requests[i]
  local record = records[order]
  if not record then
    reply[2 * i - 1], reply[2 * i] = UNKNOWN_ORDER, ''
  else
    local code = DONE
    if record[EXTENDED_BY] == request then
      code = REPEAT
    elseif not extendable then
      code = NOT_EXTENDABLE
    elseif record[STATE] ~= 'held' or now - lag >= record[DUE] then
      code = ENDED
    elseif record[EXTENDED_BY] then
      code = ALREADY_EXTENDED
    else
      record[DUE], record[RETURNS], record[EXTENDED_BY] = record[DUE] + hold_ms, record[RETURNS] or {}, request
      changed[#changed + 1], changed[#changed + 2] = order, cmsgpack.pack(record)
      dues[#dues + 1], dues[#dues + 2] = decimal(record[DUE]), order
      data[#data + 1] = { record[USER], order, request }
    end
    reply[2 * i - 1], reply[2 * i] = code, order_detail(order, record)
  end
end

if #data > 0 then
  ensure_allowed(meta, 'ZADD')
  redis.call('ZMSCORE', deadlines, dues[2])
  redis.call('HGET', stats, 'calls')

  seen = add_event(meta, events, generation, recent, 'type', 'extended', 'at', now, 'n', #data,
    'data', cmsgpack.pack(data), with_reasons({}, reasons_of_done(reply, 6, 3)))
  redis.call('HSET', orders, unpack(changed))
  redis.call('ZADD', deadlines, unpack(dues))
  redis.call('HINCRBY', stats, 'extended', #data)
end
reply[2 * n + 1] = seen
return reply
