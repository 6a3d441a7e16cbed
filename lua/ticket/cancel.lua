-- ticket/cancel: ends a batch of orders at their users' request, and releases the seats, once.
-- A paid order is refunded.
--
-- Flags: allow-oom
-- Includes lib/rows, lib/orders
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
-- ARGV 1            now, epoch milliseconds
--      2            the categories, as for reserve.lua
--      3 ..         the orders, 1 .. 64 of them
--
-- Reply: for each order two values, code and detail:
--      0 done: cancelled or refunded, 500 repeat: it had already ended    the order
--      1005 unknown sale, 1012 suspended, 1016 unknown order, 1018 unreadable order    ""
--
-- Event "cancelled": at, n orders, data = cmsgpack list of orders
-- Cost: 2 commands to read, plus 1 or 2 per row of the orders; 6 to write, plus 1 per order, 1 per changed row, and
--       2 per category and state.

local meta, seats, layout, free, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local holders, orders, deadlines = KEYS[6], KEYS[7], KEYS[8]
local bought, stats, events = KEYS[9], KEYS[10], KEYS[11]
local now, categories, n = ARGV[1], cmsgpack.unpack(ARGV[2]), #ARGV - 2

assert(#KEYS == 11, 'cancel takes 11 keys')
assert(n >= 1 and n <= 64, 'cancel takes 1 to 64 orders')

local refusal = sale_refusal(redis.call('HGET', meta, 'state'))
if refusal then
  return refuse_all(n, refusal)
end

local stored = redis.call('HMGET', orders, unpack(ARGV, 3))
local hall = open_rows(seats, layout, free, categories)
local reply, records, ended, data, by_state = {}, {}, {}, {}, {}

for i = 1, n do
  local order = ARGV[i + 2]
  local record = records[order] or read_order(stored[i], hall)
  if not record then
    reply[2 * i - 1], reply[2 * i] = order_refusal(stored[i]), ''
  else
    records[order] = record
    local code, was_paid = REPEAT, record[STATE] == 'paid'
    local state = was_paid and 'refunded' or record[STATE] == 'held' and 'cancelled'
    if state then
      code, record[STATE] = DONE, state
      ended[#ended + 1] = { order = order, record = record, was_paid = was_paid }
      data[#data + 1] = { record[USER], order, state, record[CENTS], record[PLACES] }
      by_state[state] = (by_state[state] or 0) + 1
    end
    reply[2 * i - 1], reply[2 * i] = code, order_detail(order, record)
  end
end

if #ended > 0 then
  release_orders(hall, ended, counts, holders, orders, deadlines, bought)
  for state, count in pairs(by_state) do
    redis.call('HINCRBY', stats, state, count)
  end
  redis.call('XADD', events, '*', 'type', 'cancelled', 'at', now, 'n', #data, 'data', cmsgpack.pack(data))
end
return reply
