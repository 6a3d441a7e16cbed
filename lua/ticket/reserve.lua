-- ticket/reserve: holds seats for a batch of attempts, in their order: chosen seats, or the best available. An attempt
-- gets all of its seats or none, even across categories.
--
-- Includes lib/stream, lib/fence, lib/life, lib/rows, lib/orders
-- KEYS 1 meta       HASH    the terms and the state
--      2 seats      STRING  one byte per seat
--      3 layout     STRING  first seat and number of seats of each row
--      4 free       STRING  the index of free seats
--      5 counts     HASH    "<state>:<category>" -> seats
--      6 holders    HASH    seat -> order
--      7 orders     HASH    order -> its record
--      8 requests   HASH    request id -> order
--      9 deadlines  ZSET    order -> its deadline
--     10 bought     HASH    user -> tickets held and paid
--     11 heat       STRING  four bytes per row: number of attempts that wanted a seat in it
--     12 stats      HASH    exact counts: outcome -> attempts
--     13 events     STREAM  one entry for all orders of the batch
--     14 attempts   STREAM  a sample of attempts that changed nothing, capped
-- ARGV 1            what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2            now, epoch milliseconds; "" for Redis' time
--      3            the categories, cmsgpack list
--      4            the attempts, cmsgpack list, 1 .. MAX_BATCH of at most 10 seats each; nothing in them becomes part
--                   of a key
--
-- Reply: for each attempt two values, code and detail (for its fields see README, "Records"), then what the caller has
--      seen now:
--      0 held, 500 repeat      the order
--      1001 seat taken         the taken seats
--      1002 not enough seats   what is left in the categories
--      1073 not together       the largest groups that fit in the categories
--      1014 limit reached      how many more tickets the user may have
--      1020 closed             when an operator closed the sale, epoch milliseconds
--      1004 expired            the end of the sale, epoch milliseconds
--      1035 not open           the start of the sale and the time of the call, with a blank between
--      1036 paused             when an operator paused the sale, and why, with a blank between
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1015 the request id belongs to another user, 1024 to a different request    ""
--
-- Event "reserved": at, n orders, data = cmsgpack list of orders
-- Cost: 8 commands to read and count, up to 10 once seats are held or sold; 1 or 2 per row read; per pick, 1 for each
--       group size tried and 1 for each row that the batch has filled; 1 per repeat of an earlier batch; 2 if seats
--       were wanted that others hold; for winners 14 more (with the first 15), plus 1 per changed row and 1 per 1,500
--       changes of the index; for the others 1 more, and 1 per kind of answer; where rows were wanted 1 more, and 1
--       per 1,000 of them. It does not grow with the hall.

local seen, now, categories, wanted = ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3]), cmsgpack.unpack(ARGV[4])

assert(#wanted >= 1, 'reserve takes at least one attempt')

now = time_of_call(now)

-- The lists of chosen seats and of picks (README, "Records"): number of values per entry, and
-- their positions in it, from 0. The seats of a pick are anywhere (0), together if possible (1), or together or not at
-- all (2).
local CHOSEN, CATEGORY, ROW, PLACE = 3, 0, 1, 2
local PICK, COUNT, TOGETHER = 3, 1, 2
local FREE, HELD = 48, 49 -- a seat's byte
local SAMPLE = 8 -- refused attempts per batch in the sample

-- Read.

local n = #wanted
local stored = redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'limit', 'hold_ms',
  'held_ms', 'paused_at', 'hold_clock', 'closed_at', 'opens_at', 'ends_at', 'paused_at', 'pause_reason')
local state, generation, recent, format, was_given, limit, hold_ms = unpack(stored)
local needed = was_given and { events, seats, layout, free, counts, orders, requests, bought, stats }
  or { events, seats, layout, free, counts }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)
local barred, why = refusal_by_life(now, state, unpack(stored, 11))
-- Deadlines are stored in hold time, and reported by the clock.
local lag = hold_lag(now, unpack(stored, 8, 10))
report_by_clock(lag)
local due = decimal(now - lag + whole_number('hold_ms', hold_ms, 1))
limit = whole_number('limit', limit, 1)

local users, request_ids = {}, {}
for i = 1, n do
  users[i], request_ids[i] = unpack(wanted[i])
end
local known = redis.call('HMGET', requests, unpack(request_ids))
local had = redis.call('HMGET', bought, unpack(users))
local counted = redis.call('HGETALL', counts)

local left, held_in = {}, {} -- category -> free seats at this point in the batch; held seats before it
local held, sold = 0, 0 -- seats before the batch
for i = 1, #counted, 2 do
  local seat_state, c = string.match(counted[i], '^(%a+):(%d+)$')
  local number = whole_number(counted[i], counted[i + 1], -2 ^ 53)
  if seat_state == 'free' then
    left[tonumber(c)] = number
  elseif seat_state == 'held' then
    held, held_in[tonumber(c)] = held + number, number
  elseif seat_state == 'sold' then
    sold = sold + number
  end
end
if lacks_orders(held, sold, deadlines, holders) then
  return refuse_all(n, suspend_lost(meta))
end
local tickets = {} -- user -> tickets at this point in the batch
for i = 1, n do
  tickets[users[i]] = whole_number('the tickets of a user', had[i] or '0', 0)
end

local hall = open_rows(seats, layout, free, categories)
local reply = {}
local of_request, holding = {}, {} -- granted by this batch: request id -> attempt; seat -> true
local before = {} -- category -> free seats before the batch, for categories that change
-- The writes for the granted orders: fields and values, alternating, and the content of the event.
local of_seat, records, by_request, dues, totals, data = {}, {}, {}, {}, {}, {}
-- One table, because a traced script is a function with at most 200 local variables.
local tally = { ['repeat'] = 0, seat_taken = 0, not_enough_seats = 0, not_together = 0, limit_reached = 0 }
local sample = {}
local demand = {} -- row -> number of attempts that wanted a seat in it

local function answer(i, code, detail)
  reply[2 * i - 1], reply[2 * i] = code, detail
end

local function decline(i, code, detail)
  answer(i, code, detail)
  if #sample < 2 * SAMPLE then
    sample[#sample + 1], sample[#sample + 2] = users[i], tostring(code)
  end
end

-- The number of seats that an attempt wants: by category, and in total.
local function count_wanted(chosen, picks)
  local by_category, all = {}, 0
  for at = 1, #chosen, CHOSEN do
    local c = chosen[at + CATEGORY]
    by_category[c], all = (by_category[c] or 0) + 1, all + 1
  end
  for at = 1, #picks, PICK do
    local c, count = picks[at + CATEGORY], picks[at + COUNT]
    by_category[c], all = (by_category[c] or 0) + count, all + count
  end
  return by_category, all
end

-- Counts an attempt once for each row in a list that has `size` values per seat, with the row at position `row`.
local function count_demand(list, size, row)
  local counted_row
  for at = 1, #list, size do
    local number = list[at + row]
    if number ~= counted_row then
      demand[number], counted_row = (demand[number] or 0) + 1, number
    end
  end
end

-- Seats whose deadline is looked up once everything is decided, and where to store it: `list[at]`.
local held_before, lookups = {}, {}

-- The seats that are not free: row, place and held until. The latter is 0 if it is looked up later, or the seat is sold
-- or blocked.
-- Nil if all seats are free.
local function taken_of(chosen)
  local found, size = nil, 0
  local one = {}
  for at = 1, #chosen, CHOSEN do
    local number, place = chosen[at + ROW], chosen[at + PLACE]
    if one.number ~= number then
      one = hall.row(number)
    end
    local seat_byte = string.byte(one.text, place + 1)
    if seat_byte ~= FREE then
      found = found or {}
      found[size + 1], found[size + 2], found[size + 3] = number, place, 0
      size = size + 3
      local seat = one.first + place
      if holding[seat] then
        found[size] = due + lag
      elseif seat_byte == HELD then
        held_before[#held_before + 1] = decimal(seat)
        lookups[#lookups + 1] = { list = found, at = size }
      end
    end
  end
  return found
end

-- For each strict pick whose seats do not fit side by side, its category and the largest group that does; nil if all
-- fit. Picks are of different categories, so none takes away from another.
local function split_groups(picks)
  local found
  for at = 1, #picks, PICK do
    local c, count = picks[at + CATEGORY], picks[at + COUNT]
    local largest = picks[at + TOGETHER] == 2 and hall.largest_group(c, count) or count
    if largest < count then
      found = found or {}
      found[#found + 1], found[#found + 2] = c, largest
    end
  end
  return found
end

-- Holds the chosen seats of an attempt and the best ones for its picks. Returns their list. Ends the script if the
-- index does not lead to seats that exist according to the counts.
local function take(chosen, picks)
  local places = {}
  for at = 1, #chosen, CHOSEN do
    places[#places + 1], places[#places + 2] = chosen[at + ROW], chosen[at + PLACE]
  end
  hall.set(places, '1')
  for at = 1, #picks, PICK do
    if not hall.pick(picks[at + CATEGORY], picks[at + COUNT], picks[at + TOGETHER] > 0, places) then
      unreadable('the index of free seats')
    end
  end
  return places
end

local function is_same_list(one, other)
  for at = 1, math.max(#one, #other) do
    if one[at] ~= other[at] then
      return false
    end
  end
  return true
end

-- Whether an order fits this attempt: these seats, or these picks, for the same people. A request id with a different
-- request is a mistake of the client, not a repeat.
local function is_what_was_wanted(record, chosen, picks, names)
  if not is_same_list(record[PICKS], picks) then
    return false
  end
  local places, missing, has = record[PLACES], count_wanted(chosen, picks), {}
  for at = 1, #places, SEAT do
    local c = hall.category_of(places[at])
    missing[c] = (missing[c] or 0) - 1
    has[places[at] .. ':' .. places[at + 1]] = true
  end
  for _, difference in pairs(missing) do
    if difference ~= 0 then
      return false
    end
  end
  for at = 1, #chosen, CHOSEN do
    if not has[chosen[at + ROW] .. ':' .. chosen[at + PLACE]] then
      return false
    end
  end
  return is_same_list(record[HOLDERS], names)
end

-- Decide.

local in_batch = {} -- attempt -> the record of its new order
for i = 1, n do
  local user, request, order, chosen, picks, names = unpack(wanted[i])
  local first = of_request[request]
  if known[i] then
    local record = read_order(redis.call('HGET', orders, known[i]), hall) or unreadable('an order')
    if record[USER] ~= user then
      decline(i, OTHER_USER, '')
    elseif not is_what_was_wanted(record, chosen, picks, names) then
      answer(i, OTHER_REQUEST, '')
    else
      tally['repeat'] = tally['repeat'] + 1
      decline(i, REPEAT, order_detail(known[i], record))
    end
  elseif first then
    if users[first] ~= user then
      decline(i, OTHER_USER, '')
    elseif not is_what_was_wanted(in_batch[first], chosen, picks, names) then
      answer(i, OTHER_REQUEST, '')
    else
      tally['repeat'] = tally['repeat'] + 1
      decline(i, REPEAT, reply[2 * first])
    end
  elseif barred then
    tally[REFUSED_BY_LIFE[barred]] = (tally[REFUSED_BY_LIFE[barred]] or 0) + 1
    decline(i, barred, why)
  else
    local by_category, all = count_wanted(chosen, picks)
    count_demand(chosen, CHOSEN, ROW)
    local missing
    for c, count in pairs(by_category) do
      if (left[c] or 0) < count then
        missing = missing or {}
        missing[#missing + 1], missing[#missing + 2] = c, left[c] or 0
      end
    end
    local gone = taken_of(chosen)
    local split = not missing and split_groups(picks)
    if tickets[user] + all > limit then
      tally.limit_reached = tally.limit_reached + 1
      decline(i, LIMIT_REACHED, tostring(limit - tickets[user]))
    elseif gone then
      tally.seat_taken = tally.seat_taken + 1
      decline(i, SEAT_TAKEN, gone)
    elseif missing then
      tally.not_enough_seats = tally.not_enough_seats + 1
      decline(i, NOT_ENOUGH_SEATS, cmsgpack.pack(missing))
    elseif split then
      tally.not_together = tally.not_together + 1
      decline(i, NOT_TOGETHER, cmsgpack.pack(split))
    else
      -- All checks of this attempt are done. Its changes stay in tables until all attempts are decided.
      local places = take(chosen, picks)
      if #picks > 0 then
        count_demand(places, SEAT, 0)
      end
      local cents = 0
      for c, count in pairs(by_category) do
        before[c] = before[c] or left[c]
        left[c] = left[c] - count
        cents = cents + count * categories[c][PRICE]
      end
      for at = 1, #places, SEAT do
        local seat = hall.row(places[at]).first + places[at + 1]
        holding[seat] = true
        of_seat[#of_seat + 1], of_seat[#of_seat + 2] = decimal(seat), order
      end
      tickets[user] = tickets[user] + all
      of_request[request] = i
      local record = { user, 'held', cents, tonumber(due), places, {}, names, picks }
      in_batch[i] = record
      records[#records + 1], records[#records + 2] = order, cmsgpack.pack(record)
      by_request[#by_request + 1], by_request[#by_request + 2] = request, order
      dues[#dues + 1], dues[#dues + 2] = due, order
      totals[#totals + 1], totals[#totals + 2] = user, tickets[user]
      data[#data + 1] = { user, request, order, cents, record[DUE], places, names, picks }
      answer(i, DONE, order_detail(order, record))
    end
  end
end

-- Deadlines of seats that were held before the batch: one query for the whole batch.
if #held_before > 0 then
  local owners, until_when, distinct = redis.call('HMGET', holders, unpack(held_before)), {}, {}
  for _, order in ipairs(owners) do
    if order and not until_when[order] then
      until_when[order] = 0
      distinct[#distinct + 1] = order
    end
  end
  if #distinct > 0 then
    -- Only held orders have a deadline.
    for i, at in ipairs(redis.call('ZMSCORE', deadlines, unpack(distinct))) do
      until_when[distinct[i]] = at and at + lag or 0
    end
  end
  for i, order in ipairs(owners) do
    lookups[i].list[lookups[i].at] = order and until_when[order] or 0
  end
end
for i = 1, n do
  if reply[2 * i - 1] == SEAT_TAKEN then
    reply[2 * i] = cmsgpack.pack(reply[2 * i])
  end
end

-- What is about to be written and was not read yet: with another type, the script ends here.
if #data > 0 then
  ensure_allowed(meta, 'SETRANGE', 'BITFIELD', 'ZADD')
  redis.call('HGET', holders, of_seat[1])
  redis.call('HGET', orders, records[1])
  redis.call('ZMSCORE', deadlines, dues[2])
end
if next(demand) then
  redis.call('STRLEN', heat)
end
tally.held, tally.calls = #data, 1
redis.call('HGET', stats, 'calls')

-- Write, the event first.

if #data > 0 then
  seen = add_event(meta, events, generation, recent, 'type', 'reserved', 'at', now, 'n', #data,
    'data', cmsgpack.pack(data))
  hall.write()
  local seats_now = {}
  for c, count in pairs(before) do
    local size = #seats_now
    seats_now[size + 1], seats_now[size + 2] = 'free:' .. c, whole(left[c])
    seats_now[size + 3], seats_now[size + 4] = 'held:' .. c, whole((held_in[c] or 0) + count - left[c])
  end
  redis.call('HSET', counts, unpack(seats_now))
  redis.call('HSET', holders, unpack(of_seat))
  redis.call('HSET', orders, unpack(records))
  redis.call('HSET', requests, unpack(by_request))
  redis.call('ZADD', deadlines, unpack(dues))
  redis.call('HSET', bought, unpack(totals))
  note_given(meta, was_given)
end

local demanded = {}
local function write_demand()
  redis.call('BITFIELD', heat, 'OVERFLOW', 'SAT', unpack(demanded))
  demanded = {}
end
for number, count in pairs(demand) do
  local size = #demanded
  demanded[size + 1], demanded[size + 2] = 'INCRBY', 'u32'
  demanded[size + 3], demanded[size + 4] = decimal(32 * number), decimal(count)
  if size + 4 >= 4000 then
    write_demand() -- as many as `unpack` can take
  end
end
if #demanded > 0 then
  write_demand()
end
add_counts(stats, tally)
add_sample(attempts, now, sample)

reply[2 * n + 1] = seen
return reply
