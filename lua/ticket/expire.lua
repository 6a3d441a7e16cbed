-- ticket/expire: ends the orders that are due, and puts their seats back, once, whoever asks.
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
--      3            the most orders to end in this call, 1 .. 256
--
-- Reply: code: 0 done, 1005 unknown sale, 1012 suspended; then the orders that were ended, when the next one is
--      due, epoch milliseconds, 0 where none is held, and how many nobody can read. Those are looked at again a
--      hold later, so that they do not stand before the others for ever.
--
-- Event "expired": at, n orders, data = cmsgpack { { user, order, cents, { row, place, .. } }, .. }
-- Cost: 4 commands to look, 1 or 2 for each row of the orders, 1 for each unreadable one; to write 6, 1 for each order
--       and each row that changed, 2 for each category.

local meta, seats, layout, free, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local holders, orders, deadlines = KEYS[6], KEYS[7], KEYS[8]
local bought, stats, events = KEYS[9], KEYS[10], KEYS[11]
local now, categories, most = ARGV[1], cmsgpack.unpack(ARGV[2]), tonumber(ARGV[3])

assert(#KEYS == 11, 'expire takes 11 keys')
assert(#ARGV == 3 and most >= 1 and most <= 256, 'expire takes 3 arguments and ends 1 to 256 orders')

local DONE, UNKNOWN_SALE, SUSPENDED = 0, 1005, 1012

local terms = redis.call('HMGET', meta, 'state', 'hold_ms')
local state, hold_ms = terms[1], terms[2]
local unready = not state and UNKNOWN_SALE or state == 'suspended' and SUSPENDED
if unready then
  return { unready, 0, 0, 0 }
end

local due = redis.call('ZRANGEBYSCORE', deadlines, '-inf', now, 'LIMIT', 0, most)
local hall = rows_open(seats, layout, free, categories)
local ended, told, torn = {}, {}, {}
if #due > 0 then
  local found = redis.call('HMGET', orders, unpack(due))
  for i, order in ipairs(due) do
    local record = order_of(found[i], hall)
    if record and record[2] == 'held' then
      ended[#ended + 1] = { order, record, 'expired', false }
      told[#told + 1] = { record[1], order, record[3], record[5] }
    else
      torn[#torn + 1] = order
    end
  end
end
for _, order in ipairs(torn) do
  redis.call('ZADD', deadlines, decimal(now + hold_ms), order)
end
if #ended > 0 then
  orders_release(hall, ended, counts, holders, orders, deadlines, bought)
  redis.call('HINCRBY', stats, 'expired', #ended)
  redis.call('XADD', events, '*', 'type', 'expired', 'at', now, 'n', #ended, 'data', cmsgpack.pack(told))
end
local next_due = redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES')
return { DONE, #ended, next_due[2] and tonumber(next_due[2]) or 0, #torn }
