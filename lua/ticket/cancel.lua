-- ticket/cancel: ends a batch of orders at their users' request, and releases the seats, once. A paid order is
-- refunded.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/rows, lib/orders, lib/release
-- KEYS 1 meta       HASH    the terms and the state
--      2 seats      STRING  one byte per seat
--      3 layout     STRING  first seat and number of seats of each row
--      4 free       STRING  the index of free seats
--      5 counts     HASH    "<state>:<category>" -> seats
--      6 holders    HASH    seat -> order
--      7 orders     HASH    order -> its record
--      8 deadlines  ZSET    order -> its deadline
--      9 bought     HASH    user -> tickets held and paid
--     10 stats      HASH    exact counts
--     11 events     STREAM
-- ARGV 1            what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2            now, epoch milliseconds; "" for Redis' time
--      3            the categories, as for reserve.lua
--      4 ..         the orders, 1 .. ORDERS_AT_A_TIME of them
--
-- Reply: for each order two values, code and detail, then what the caller has seen now:
--      0 done: cancelled or refunded, 500 repeat: it had already ended    the order
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1016 unknown order    ""
--
-- Event "cancelled": at, n orders, data = cmsgpack list of orders
-- Cost: up to 5 commands to read, 5 more if an order ends, plus 1 or 2 per row of the orders; 8 to write, plus 1 per
--       changed row, and 1 or 2 counts.

local seen, now, categories, n = ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3]), #ARGV - 3

assert(n >= 1, 'cancel takes at least one order')

now = time_of_call(now)

local state_of_sale, generation, recent, format, was_given =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given'))
local needed = was_given and { events, seats, layout, free, counts, orders, bought, stats }
  or { events, seats, layout, free, counts }
local refusal = sale_refusal(meta, events, seen, state_of_sale, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)

local stored = redis.call('HMGET', orders, unpack(ARGV, 4))
local hall = open_rows(seats, layout, free, categories)
local reply, records, ended, data, by_state = {}, {}, {}, {}, {}

for i = 1, n do
  local order = ARGV[i + 3]
  records[order] = records[order] or read_order(stored[i], hall)
end
local tickets = read_tickets(bought, records)

for i = 1, n do
  local order = ARGV[i + 3]
  local record = records[order]
  if not record then
    reply[2 * i - 1], reply[2 * i] = UNKNOWN_ORDER, ''
  else
    local code, was_paid = REPEAT, record[STATE] == 'paid'
    local state = was_paid and 'refunded' or record[STATE] == 'held' and 'cancelled'
    if state then
      take_tickets(tickets, record)
      code, record[STATE] = DONE, state
      ended[#ended + 1] = { order = order, record = record, was_paid = was_paid }
      data[#data + 1] = { record[USER], order, state, record[CENTS], record[PLACES] }
      by_state[state] = (by_state[state] or 0) + 1
    end
    reply[2 * i - 1], reply[2 * i] = code, order_detail(order, record)
  end
end

if #ended > 0 then
  local release = prepare_release(hall, ended, meta, counts, holders, deadlines, tickets)
  redis.call('HGET', stats, 'calls')

  seen = add_event(meta, events, generation, recent, 'type', 'cancelled', 'at', now, 'n', #data,
    'data', cmsgpack.pack(data))
  release_orders(hall, release, counts, holders, orders, deadlines, bought)
  add_counts(stats, by_state)
end
reply[2 * n + 1] = seen
return reply
