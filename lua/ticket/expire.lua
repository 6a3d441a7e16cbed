-- ticket/expire: ends the due orders, and releases their seats, once, however many servers call it.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/life, lib/rows, lib/orders, lib/changes, lib/release
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
--      number of orders ended; deadline of the next one, epoch milliseconds, 0 if none is held
--      code 1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026
--      newer format, 1034 trimmed: no values
--      and at the end what the caller has seen now
--
-- Event "expired": at, n orders, data = cmsgpack list of orders
-- Cost: 5 commands to read, up to 3 more if no order is due, 7 more if one is, plus 1 or 2 per row of the orders; 9 to
--       write, plus 1 per changed row.

local seen, now, categories, most = ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3]), tonumber(ARGV[4])

assert(most >= 1, 'expire ends at least one order')

now = time_of_call(now)

local state, generation, recent, format, was_given, paused_at, hold_clock, held_ms = unpack(redis.call('HMGET', meta,
  'state', 'generation', 'recent', 'format', 'given', 'paused_at', 'hold_clock', 'held_ms'))
local needed = was_given and { events, seats, layout, free, counts, orders, bought, stats }
  or { events, seats, layout, free, counts }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return { refusal, '' }
end
seen = seen_so_far(generation, recent)
local lag = hold_lag(now, held_ms, paused_at, hold_clock)

-- The number of held seats, and of sold seats, in all categories.
local function held_and_sold()
  local all, held, sold = redis.call('HGETALL', counts), 0, 0
  for i = 1, #all, 2 do
    local of = string.match(all[i], '^%a+')
    local number = whole_number(all[i], all[i + 1], -2 ^ 53)
    held, sold = held + (of == 'held' and number or 0), sold + (of == 'sold' and number or 0)
  end
  return held, sold
end

local due = redis.call('ZRANGEBYSCORE', deadlines, '-inf', decimal(now - lag), 'LIMIT', 0, most)
if #due == 0 then
  local held, sold = held_and_sold()
  if lacks_orders(held, sold, deadlines, holders) then
    return { suspend_lost(meta), '' }
  end
end
local ended = {}
if #due > 0 then
  local hall = open_rows(seats, layout, free, categories)
  local records, data = read_orders(orders, due, hall), {}
  local tickets = read_tickets(bought, records)
  for _, order in ipairs(due) do
    local record = records[order]
    if not record or record[STATE] ~= 'held' then
      unreadable('an order that is due')
    end
    local places = places_now(record)
    take_tickets(tickets, record, places)
    record[STATE] = 'expired'
    ended[#ended + 1] = { order = order, record = record, places = places, was_paid = false }
    data[#data + 1] = { record[USER], order, record[CENTS], places }
  end
  local release = prepare_release(hall, ended, meta, counts, holders, deadlines, tickets)
  ensure_allowed(meta, 'ZRANGE')
  redis.call('HGET', stats, 'calls')

  seen = add_event(meta, events, generation, recent, 'type', 'expired', 'at', now, 'n', #ended,
    'data', cmsgpack.pack(data))
  release_seats(hall, release, counts, holders, orders, deadlines, bought)
  redis.call('HINCRBY', stats, 'expired', #ended)
end
local _, next_due = unpack(redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES'))
return { DONE, #ended, next_due and next_due + lag or 0, seen }
