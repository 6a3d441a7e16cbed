-- ticket/pay: takes payments for a batch of orders. A held order can be paid until its deadline, once. Any other
-- payment, of an order that is paid or has ended, is refunded. A payment is identified by its request id: if it is
-- repeated, it gets the same answer.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/life, lib/rows, lib/orders, lib/changes
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
--      4 ..         order and request id of each payment in turn, 1 .. ORDERS_AT_A_TIME payments
--
-- Reply: for each payment two values, code and detail, then what the caller has seen now:
--      0 paid, 500 repeat: this payment paid it before, 1017 the payment is refunded    the order
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1014 too many payments were refunded, 1016 unknown order    ""
--
-- Event "paid": at, n orders, data = cmsgpack list of orders, each with its request id; late = the same for payments
--       that were refunded
-- Cost: 5 commands to read, plus 1 or 2 per row of the orders; 3 more if any is paid or late, and if any is paid 7
--       more, and 1 per changed row; 1 if any was late, and 1 if any was repeated.

local seen, now, categories, n = ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3]), (#ARGV - 3) / 2

assert(n >= 1 and n % 1 == 0, 'pay takes two arguments for each payment')

now = time_of_call(now)

local REFUNDS = 100 -- payments of one order that are refunded; each is remembered

local state_of_sale, generation, recent, format, was_given, paused_at, hold_clock, held_ms = unpack(redis.call('HMGET',
  meta, 'state', 'generation', 'recent', 'format', 'given', 'paused_at', 'hold_clock', 'held_ms'))
local needed = was_given and { events, seats, layout, free, counts, orders, stats }
  or { events, seats, layout, free, counts }
local refusal = sale_refusal(meta, events, seen, state_of_sale, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)
local lag = hold_lag(now, held_ms, paused_at, hold_clock)
report_by_clock(lag)

local ids, requests = arguments(4, 2), arguments(5, 2)
local hall = open_rows(seats, layout, free, categories)
local records = read_orders(orders, ids, hall)
local reply, changed, moved = {}, {}, {} -- order -> its record; count -> its change
local paid, late, settled, repeats = {}, {}, {}, 0

for i = 1, n do
  local order, request = ids[i], requests[i]
  local record = records[order]
  if not record then
    reply[2 * i - 1], reply[2 * i] = UNKNOWN_ORDER, ''
  else
    local user, state, cents, due, _, payments = unpack(record)
    local places = places_now(record)
    -- The first of the payments was accepted. All others were refunded.
    local code
    for at, known in ipairs(payments) do
      if known == request then
        code, repeats = at == 1 and REPEAT or ENDED, repeats + 1
      end
    end
    if not code and state == 'held' and #payments == 0 and now - lag < due then
      code, record[STATE], payments[1] = DONE, 'paid', request
      hall.set(places, '2')
      for at = 1, #places, SEAT do
        local c = hall.category_of(places[at])
        moved['held:' .. c] = (moved['held:' .. c] or 0) - 1
        moved['sold:' .. c] = (moved['sold:' .. c] or 0) + 1
      end
      paid[#paid + 1] = { user, order, cents, places, request }
      settled[#settled + 1] = order
      changed[order] = record
    elseif not code and #payments > REFUNDS then
      code = LIMIT_REACHED
    elseif not code then
      code, payments[1] = ENDED, payments[1] or ''
      payments[#payments + 1] = request
      late[#late + 1] = { user, order, cents, places, request }
      changed[order] = record
    end
    reply[2 * i - 1], reply[2 * i] = code, code == LIMIT_REACHED and '' or order_detail(order, record)
  end
end

local seats_now
if #paid > 0 then
  ensure_allowed(meta, 'SETRANGE', 'BITFIELD', 'ZREM')
  redis.call('ZMSCORE', deadlines, settled[1])
  seats_now = counts_with(counts, moved)
end
redis.call('HGET', stats, 'calls')

if #paid + #late > 0 then
  seen = add_event(meta, events, generation, recent, 'type', 'paid', 'at', now, 'n', #paid,
    'data', cmsgpack.pack(paid), 'late', cmsgpack.pack(late))
  local fields = {}
  for order, record in pairs(changed) do
    fields[#fields + 1], fields[#fields + 2] = order, cmsgpack.pack(record)
  end
  redis.call('HSET', orders, unpack(fields))
end
if #paid > 0 then
  hall.write()
  redis.call('HSET', counts, unpack(seats_now))
  redis.call('ZREM', deadlines, unpack(settled))
end
add_counts(stats, { paid = #paid, late = #late, ['repeat'] = repeats })
reply[2 * n + 1] = seen
return reply
