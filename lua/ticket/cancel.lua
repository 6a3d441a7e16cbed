-- ticket/cancel: takes seats back at their users' request, once: those of whole orders, which end, or of a part of an
-- order, which goes on with the rest. Paid seats are refunded.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/life, lib/rows, lib/orders, lib/changes, lib/release, lib/reasons
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
--      4 ..         of each cancellation in turn, 1 .. ORDERS_AT_A_TIME of them: the order; for a part of it, the
--                   request id and the seats, a cmsgpack list of row and place, alternating; for all of it, "" and "";
--                   why, may be empty
--
-- Reply: for each cancellation two values, code and detail, then what the caller has seen now:
--      0 done: cancelled or refunded, 500 repeat: this part had come back, or the order had ended
--                            cmsgpack list: the order, the seats that came back by this cancellation, their price
--      1071 a seat is not of the order, or no longer    cmsgpack list of its row and place
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1016 unknown order, 1024 the request id took back other seats of the order    ""
--
-- Event "cancelled": at, n cancellations, data = cmsgpack list of orders; if any is of a part, format; if
--       any has a reason, reasons = cmsgpack list of the reason of each
-- Cost: up to 5 commands to read, 5 more if seats come back, plus 1 or 2 per row of the orders; 8 to write, plus 1 per
--       changed row, and 1 or 2 counts. 1 more to write if a part comes back.

local seen, now, categories, n = ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3]), (#ARGV - 3) / 4

assert(n >= 1 and n % 1 == 0, 'cancel takes four arguments for each cancellation')

now = time_of_call(now)

local ids, requests, parts = arguments(4, 4), arguments(5, 4), {}
for i, wanted in ipairs(arguments(6, 4)) do
  parts[i] = wanted ~= '' and cmsgpack.unpack(wanted)
end

local state_of_sale, generation, recent, format, was_given, paused_at, hold_clock, held_ms = unpack(redis.call('HMGET',
  meta, 'state', 'generation', 'recent', 'format', 'given', 'paused_at', 'hold_clock', 'held_ms'))
local needed = was_given and { events, seats, layout, free, counts, orders, bought, stats }
  or { events, seats, layout, free, counts }
local refusal = sale_refusal(meta, events, seen, state_of_sale, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)
report_by_clock(hold_lag(now, held_ms, paused_at, hold_clock))

local hall = open_rows(seats, layout, free, categories)
local records = read_orders(orders, ids, hall)
local reply, released, data, by_state, gives_part = {}, {}, {}, {}, false
local tickets = read_tickets(bought, records)

local function price_of(places)
  local cents = 0
  for at = 1, #places, SEAT do
    cents = cents + categories[hall.category_of(places[at])][PRICE]
  end
  return cents
end

local function are_same(places, others)
  return #places == #others and #places_without(places, others) == 0
end

-- The row and place of a seat that is not in a list; nil if all are.
local function missing_from(places, wanted)
  local missing = places_without(wanted, places)
  return #missing > 0 and { missing[1], missing[2] } or nil
end

-- The part that came back under this request id, or else the one with the same seats.
local function part_before(record, request, wanted)
  local same
  for _, part in ipairs(record[RETURNS] or {}) do
    if part[1] == request then
      return part
    end
    same = same or are_same(part[2], wanted) and part
  end
  return same
end

-- What becomes of seats that come back now; nil if the order has ended.
local function state_after(record)
  return record[STATE] == 'paid' and 'refunded' or record[STATE] == 'held' and 'cancelled' or nil
end

-- Takes seats of an order back, all of which it has. Without a request id they are all of them.
local function take_back(order, record, places, cents, request)
  local after, was_paid = state_after(record), record[STATE] == 'paid'
  take_tickets(tickets, record, places)
  if not request or #places == #places_now(record) then
    record[STATE] = after
  else
    record[CENTS] = record[CENTS] - cents
  end
  if request then
    local returns = record[RETURNS] or {}
    returns[#returns + 1] = { request, places }
    record[RETURNS], gives_part = returns, true
  end
  released[#released + 1] = { order = order, record = record, places = places, was_paid = was_paid }
  data[#data + 1] = { record[USER], order, after, cents, places, request }
  by_state[after] = (by_state[after] or 0) + 1
end

for i = 1, n do
  local order, request, wanted = ids[i], requests[i], parts[i]
  local record = records[order]
  local before = record and wanted and part_before(record, request, wanted)
  local code, back, cents, other = DONE, {}, 0, nil
  if not record then
    code = UNKNOWN_ORDER
  elseif before and not are_same(before[2], wanted) then
    code = OTHER_REQUEST
  elseif before then
    code, back, cents = REPEAT, before[2], price_of(before[2])
  elseif wanted then
    local has = state_after(record) and places_now(record) or record[PLACES]
    other = missing_from(has, wanted)
    if other then
      code = NOT_OF_ORDER
    elseif not state_after(record) then
      code = REPEAT
    else
      -- In the order of the order's seats.
      back = places_without(has, places_without(has, wanted))
      cents = price_of(back)
      take_back(order, record, back, cents, request)
    end
  elseif state_after(record) then
    back, cents = places_now(record), record[CENTS]
    take_back(order, record, back, cents)
  else
    code = REPEAT
    if record[STATE] ~= 'expired' then
      back = places_left(record)
      cents = price_of(back)
    end
  end
  local detail = ''
  if code == DONE or code == REPEAT then
    detail = cmsgpack.pack({ order_in_reply(order, record), back, cents })
  elseif other then
    detail = cmsgpack.pack(other)
  end
  reply[2 * i - 1], reply[2 * i] = code, detail
end

if #released > 0 then
  local release = prepare_release(hall, released, meta, counts, holders, deadlines, tickets)
  redis.call('HGET', stats, 'calls')

  -- An older program would take the seats of a part back once more.
  local with_format = gives_part and { 'format', FORMAT } or {}
  seen = add_event(meta, events, generation, recent, 'type', 'cancelled', 'at', now, 'n', #data,
    'data', cmsgpack.pack(data), with_reasons(with_format, reasons_of_done(reply, 7, 4)))
  if gives_part then
    redis.call('HSET', meta, 'format', FORMAT)
  end
  release_seats(hall, release, counts, holders, orders, deadlines, bought)
  add_counts(stats, by_state)
end
reply[2 * n + 1] = seen
return reply
