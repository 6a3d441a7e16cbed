-- ticket/expire: ends the due orders, and releases their seats, once, however many servers call it.
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
--      4            the most orders to end in this call, 1 .. ORDERS_AT_A_TIME
--
-- Reply: code, and with code 0:
--      number of orders ended; deadline of the next one, epoch milliseconds, 0 if none is held; number of orders
--      that cannot be read, or whose users have a number of tickets that cannot be. These are retried after another
--      hold time, so that they do not block the others forever.
--      code 1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026
--      newer format, 1034 trimmed: no values
--      and at the end what the caller has seen now
--
-- Event "expired": at, n orders, data = cmsgpack list of orders
-- Cost: 5 commands to read, up to 3 more if no order is due, 2 more if one is, plus 1 or 2 per row of the orders and 1
--       per unreadable order; if one ends 5 more, and 8 to write, plus 1 per changed row, and 2 per category.

local seen, now, categories, most = ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3]), tonumber(ARGV[4])

assert(most >= 1, 'expire ends at least one order')

now = time_of_call(now)

local state, generation, recent, format, was_given, hold_ms =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'hold_ms'))
local needed = was_given and { events, seats, layout, free, counts, orders, bought, stats }
  or { events, seats, layout, free, counts }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return { refusal, '' }
end
seen = seen_so_far(generation, recent)

local due = redis.call('ZRANGEBYSCORE', deadlines, '-inf', now, 'LIMIT', 0, most)
if #due == 0 then
  local held, sold = held_and_sold(counts)
  if lacks_orders(held, sold, deadlines, holders) then
    return { suspend_lost(meta), '' }
  end
end
local hall = open_rows(seats, layout, free, categories)
local tickets, ended, data, unreadable = {}, {}, {}, {}
if #due > 0 then
  local stored, records = redis.call('HMGET', orders, unpack(due)), {}
  for i, order in ipairs(due) do
    records[order] = read_order(stored[i], hall)
  end
  tickets = read_tickets(bought, records)
  for _, order in ipairs(due) do
    local record = records[order]
    if record and record[STATE] == 'held' and take_tickets(tickets, record) then
      record[STATE] = 'expired'
      ended[#ended + 1] = { order = order, record = record, was_paid = false }
      data[#data + 1] = { record[USER], order, record[CENTS], record[PLACES] }
    else
      unreadable[#unreadable + 1] = order
    end
  end
end
local later = #unreadable > 0 and decimal(now + whole_number('hold_ms', hold_ms, 1))
local release
if #ended > 0 then
  release = prepare_release(hall, ended, counts, tickets)
  may_add_event(meta, events)
  may_write('read', seats, 'SETRANGE')
  may_write('string', free, 'BITFIELD')
  may_write('read', counts, 'HINCRBY')
  may_write('hash', holders, 'HDEL')
  may_write('read', orders, 'HSET')
  may_write('read', bought, 'HSET')
  may_write('hash', stats, 'HINCRBY')
end
if #due > 0 then
  may_write('read', deadlines, 'ZADD', 'ZREM', 'ZRANGE')
end

if #ended > 0 then
  seen = add_event(meta, events, generation, recent, 'type', 'expired', 'at', now, 'n', #ended,
    'data', cmsgpack.pack(data))
  release_orders(hall, release, counts, holders, orders, deadlines, bought)
end
for _, order in ipairs(unreadable) do
  redis.call('ZADD', deadlines, later, order)
end
if #ended > 0 then
  redis.call('HINCRBY', stats, 'expired', #ended)
end
local _, next_due = unpack(redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES'))
return { DONE, #ended, tonumber(next_due or 0), #unreadable, seen }
