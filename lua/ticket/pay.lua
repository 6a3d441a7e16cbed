-- ticket/pay: takes payments for a batch of orders. A held order can be paid until its deadline; a payment that
-- arrives after the order's end is refunded.
--
-- Flags: allow-oom
-- Includes lib/rows, lib/orders
-- KEYS 1 meta       HASH    the terms and the state
--      2 seats      STRING  one byte per seat
--      3 layout     STRING  first seat and number of seats of each row
--      4 free       STRING  the index of free seats
--      5 counts     HASH    "<state>:<category>" -> seats
--      6 orders     HASH    order -> its record
--      7 deadlines  ZSET    order -> its deadline
--      8 stats      HASH    exact counts
--      9 events     STREAM
-- ARGV 1            now, epoch milliseconds
--      2            the categories, as for reserve.lua
--      3 ..         the orders, 1 .. 64 of them
--
-- Reply: for each order two values, code and detail:
--      0 paid, 500 repeat: already paid, 1017 ended: the payment is refunded    the order
--      1005 unknown sale, 1012 suspended, 1016 unknown order, 1018 unreadable order    ""
--
-- Event "paid": at, n orders, data = cmsgpack list of orders, late = the same for payments that were refunded, each
--       order once
-- Cost: 2 commands to read, plus 1 or 2 per row of the orders; 5 to write, plus 2 per category, 1 per changed row, 1 if
--       any payment was late, and 1 if any was repeated.

local meta, seats, layout, free, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local orders, deadlines, stats, events = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local now, categories, n = ARGV[1], cmsgpack.unpack(ARGV[2]), #ARGV - 2

assert(#KEYS == 9, 'pay takes 9 keys')
assert(n >= 1 and n <= 64, 'pay takes 1 to 64 orders')

local refusal = sale_refusal(redis.call('HGET', meta, 'state'))
if refusal then
  return refuse_all(n, refusal)
end

local stored = redis.call('HMGET', orders, unpack(ARGV, 3))
local hall = open_rows(seats, layout, free, categories)
local reply, records, changed, moved = {}, {}, {}, {} -- order -> its record; category -> number of seats sold
local paid, late, names, repeats = {}, {}, {}, 0

for i = 1, n do
  local order = ARGV[i + 2]
  local record = records[order] or read_order(stored[i], hall)
  if not record then
    reply[2 * i - 1], reply[2 * i] = order_refusal(stored[i]), ''
  else
    records[order] = record
    local user, state, cents, due, places, was_late = unpack(record)
    local code
    if state == 'paid' then
      code, repeats = REPEAT, repeats + 1
    elseif state == 'held' and was_late == 0 and tonumber(now) < due then
      code, record[STATE] = DONE, 'paid'
      hall.set(places, '2')
      for at = 1, #places, SEAT do
        local c = hall.category_of(places[at])
        moved[c] = (moved[c] or 0) + 1
      end
      paid[#paid + 1] = { user, order, cents, places }
      names[#names + 1] = order
      changed[order] = record
    else
      code = ENDED
      if was_late == 0 then
        record[LATE] = 1
        late[#late + 1] = { user, order, cents, places }
        changed[order] = record
      end
    end
    reply[2 * i - 1], reply[2 * i] = code, order_detail(order, record)
  end
end

if #paid + #late > 0 then
  local fields = {}
  for order, record in pairs(changed) do
    fields[#fields + 1], fields[#fields + 2] = order, cmsgpack.pack(record)
  end
  redis.call('HSET', orders, unpack(fields))
  redis.call('XADD', events, '*', 'type', 'paid', 'at', now, 'n', #paid, 'data', cmsgpack.pack(paid),
    'late', cmsgpack.pack(late))
end
if #paid > 0 then
  hall.write()
  for c, count in pairs(moved) do
    redis.call('HINCRBY', counts, 'held:' .. c, -count)
    redis.call('HINCRBY', counts, 'sold:' .. c, count)
  end
  redis.call('ZREM', deadlines, unpack(names))
  redis.call('HINCRBY', stats, 'paid', #paid)
end
if #late > 0 then
  redis.call('HINCRBY', stats, 'late', #late)
end
if repeats > 0 then
  redis.call('HINCRBY', stats, 'repeat', repeats)
end
return reply
