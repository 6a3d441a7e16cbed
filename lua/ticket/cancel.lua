-- ticket/cancel: ends a batch of orders because their users say so, and puts the seats back, once.
-- A paid order is refunded.
--
-- KEYS 1 meta       HASH    the terms and the state
--      2 seats      STRING  a byte for each seat
--      3 layout     STRING  first seat and seats of each row
--      4 free       STRING  the index of free seats
--      5 counts     HASH    "<state>:<category>" -> seats
--      6 holders    HASH    seat -> order
--      7 orders     HASH    order -> cmsgpack { user, state, cents, due, { row, place, .. }, late, { holder, .. } }
--      8 deadlines  ZSET    order -> when it is due
--      9 bought     HASH    user -> tickets held and paid
--     10 stats      HASH    exact counts
--     11 events     STREAM
-- ARGV 1            now, epoch milliseconds
--      2            the categories, as for reserve.lua
--      3 ..         the orders, 1 .. 256 of them
--
-- Reply: for each order two values, code and detail:
--      0 done: cancelled or refunded, 500 repeat: it had ended already
--                           cmsgpack { order, state, cents, due, { row, place, .. } }
--      1005 unknown sale, 1012 suspended, 1016 unknown order, 1018 unreadable order    ""
--
-- Event "cancelled": at, n orders, data = cmsgpack { { user, order, state, cents, { row, place, .. } }, .. }
-- Cost: 2 commands to look, 1 or 2 for each row of the orders; to write 6, 1 for each order and each row that
--       changed, 2 for each category and state.

local meta, seats, layout, free, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local holders, orders, deadlines = KEYS[6], KEYS[7], KEYS[8]
local bought, stats, events = KEYS[9], KEYS[10], KEYS[11]
local now, categories, n = ARGV[1], cmsgpack.unpack(ARGV[2]), #ARGV - 2

assert(#KEYS == 11, 'cancel takes 11 keys')
assert(n >= 1 and n <= 256, 'cancel takes 1 to 256 orders')

local DONE, REPEAT, UNKNOWN_SALE, SUSPENDED = 0, 500, 1005, 1012
local UNKNOWN_ORDER, UNREADABLE_ORDER = 1016, 1018

local reply = {}
local state = redis.call('HGET', meta, 'state')
local unready = not state and UNKNOWN_SALE or state == 'suspended' and SUSPENDED
if unready then
  for i = 1, n do
    reply[2 * i - 1], reply[2 * i] = unready, ''
  end
  return reply
end

local found = redis.call('HMGET', orders, unpack(ARGV, 3))
local hall = rows_open(seats, layout, free, categories)
local records, ended, told, by_state = {}, {}, {}, {}

for i = 1, n do
  local order = ARGV[i + 2]
  local record = records[order] or order_of(found[i], hall)
  local code = REPEAT
  if not record then
    reply[2 * i - 1], reply[2 * i] = found[i] and UNREADABLE_ORDER or UNKNOWN_ORDER, ''
  else
    records[order] = record
    local user, was, cents, due, places = unpack(record)
    local becomes = was == 'held' and 'cancelled' or was == 'paid' and 'refunded'
    if becomes then
      code, record[2] = DONE, becomes
      ended[#ended + 1] = { order, record, becomes, was == 'paid' }
      told[#told + 1] = { user, order, becomes, cents, places }
      by_state[becomes] = (by_state[becomes] or 0) + 1
    end
    reply[2 * i - 1] = code
    reply[2 * i] = cmsgpack.pack({ order, record[2], cents, due, places })
  end
end

if #ended > 0 then
  orders_release(hall, ended, counts, holders, orders, deadlines, bought)
  for name, count in pairs(by_state) do
    redis.call('HINCRBY', stats, name, count)
  end
  redis.call('XADD', events, '*', 'type', 'cancelled', 'at', now, 'n', #told, 'data', cmsgpack.pack(told))
end
return reply
