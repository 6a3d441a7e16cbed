-- ticket/reserve: holds seats for a batch of attempts, in their order: chosen ones, or the best there are.
-- All seats of an attempt or none, across categories too.
--
-- Includes lib/rows, lib/orders
-- KEYS 1 meta       HASH    the terms and the state
--      2 seats      STRING  a byte for each seat
--      3 layout     STRING  first seat and seats of each row
--      4 free       STRING  the index of free seats
--      5 counts     HASH    "<state>:<category>" -> seats
--      6 holders    HASH    seat -> order
--      7 orders     HASH    order -> its record
--      8 requests   HASH    request id -> order
--      9 deadlines  ZSET    order -> when it is due
--     10 bought     HASH    user -> tickets held and paid
--     11 heat       STRING  four bytes for each row: attempts that wanted a seat in it
--     12 stats      HASH    exact counts: outcome -> attempts
--     13 events     STREAM  one entry for all orders of the batch
--     14 attempts   STREAM  a sample of what changed nothing, capped
-- ARGV 1            now, epoch milliseconds
--      2            the categories, cmsgpack list
--      3            the attempts, cmsgpack list, 1 .. 256 of at most 10 seats each; nothing in it becomes part of
--                   a key
--
-- Reply: for each attempt two values, code and detail (its parts: README, "Records"):
--      0 held, 500 repeat      the order
--      1001 seat taken         the taken seats
--      1002 not enough seats   what is left of the categories
--      1014 limit reached      how many tickets the user may still have
--      1020 closed             when an operator closed the sale, epoch milliseconds
--      1005 unknown sale, 1012 suspended, 1015 the request id is another user's, 1018 its order is unreadable,
--      1019 the index of free seats contradicts the counts    ""
--
-- Event "reserved": at, n orders, data = cmsgpack list of them
-- Cost: 4 commands to begin; 1 or 2 for each row looked into; for each pick 1 for each size of group that it tries and
--       1 for each row that the batch has filled; 1 for each repeat of an earlier batch; 2 where seats were taken; to
--       write, 10, 1 for each category and each row that changed, 1 for 1,500 changes of the index, 1 for each kind of
--       refusal: it does not grow with the hall.

local meta, seats, layout, free, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local holders, orders, requests, deadlines = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local bought, heat, stats, events, attempts = KEYS[10], KEYS[11], KEYS[12], KEYS[13], KEYS[14]
local now, categories, wanted = ARGV[1], cmsgpack.unpack(ARGV[2]), cmsgpack.unpack(ARGV[3])

assert(#KEYS == 14, 'reserve takes 14 keys')
assert(#ARGV == 3 and #wanted >= 1 and #wanted <= 256, 'reserve takes 1 to 256 attempts')

-- The lists of chosen seats and of picks (README, "Records"): values of each entry, and their places in it, from 0.
local CHOSEN, CATEGORY, ROW, PLACE = 3, 0, 1, 2
local PICK, COUNT, ADJACENT = 3, 1, 2
local FREE, HELD = 48, 49 -- a seat's byte
local SAMPLE = 8 -- attempts of each batch that the sample of refusals takes

-- Look.

local n = #wanted
local state, limit, hold_ms, closed_at = unpack(redis.call('HMGET', meta, 'state', 'limit', 'hold_ms', 'closed_at'))
local refusal = sale_refusal(state)
if refusal then
  return refuse_all(n, refusal)
end
local due = decimal(now + hold_ms)
limit = tonumber(limit)

local users, request_ids = {}, {}
for i = 1, n do
  users[i], request_ids[i] = unpack(wanted[i])
end
local known = redis.call('HMGET', requests, unpack(request_ids))
local had = redis.call('HMGET', bought, unpack(users))
local counted = redis.call('HGETALL', counts)

local left = {} -- category -> free seats, as the batch goes on
for i = 1, #counted, 2 do
  local seat_state, c = string.match(counted[i], '^(%a+):(%d+)$')
  if seat_state == 'free' then
    left[tonumber(c)] = tonumber(counted[i + 1])
  end
end
local tickets = {} -- user -> tickets, as the batch goes on
for i = 1, n do
  tickets[users[i]] = tonumber(had[i] or 0)
end

local hall = open_rows(seats, layout, free, categories)
local reply = {}
local of_request, holding = {}, {} -- what the batch gave: request id -> attempt; seat -> true
local before = {} -- category -> free seats before the batch, of those that change
-- What is to be written of the orders that it gave: fields and values in turn, and what the event tells.
local of_seat, records, by_request, dues, totals, data = {}, {}, {}, {}, {}, {}
local repeats, taken, too_few, over_limit, too_late, sample = 0, 0, 0, 0, 0, {}
local demand = {} -- row -> attempts that wanted a seat in it

local function answer(i, code, detail)
  reply[2 * i - 1], reply[2 * i] = code, detail
end

local function decline(i, code, detail)
  answer(i, code, detail)
  if #sample < 2 * SAMPLE then
    sample[#sample + 1], sample[#sample + 2] = users[i], tostring(code)
  end
end

-- How many seats of each category an attempt wants, and of all.
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

-- Counts an attempt once at each row of a list with `size` values for each seat, the row at place `row` of them.
local function count_demand(list, size, row)
  local seen
  for at = 1, #list, size do
    local number = list[at + row]
    if number ~= seen then
      demand[number], seen = (demand[number] or 0) + 1, number
    end
  end
end

-- Seats whose deadline is looked up when all is decided, and where it goes: `list[at]` of each.
local held_before, lookups = {}, {}

-- The seats that are not free: row, place and until when, 0 where that is looked up later or the seat is sold. Nil
-- where all are free.
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
        found[size] = tonumber(due)
      elseif seat_byte == HELD then
        held_before[#held_before + 1] = decimal(seat)
        lookups[#lookups + 1] = { list = found, at = size }
      end
    end
  end
  return found
end

-- Holds the seats that an attempt chose and the best for what it wants picked: their list. Nil, and none is held,
-- where the index does not lead to seats that the counts promise.
local function take(chosen, picks)
  local places = {}
  for at = 1, #chosen, CHOSEN do
    places[#places + 1], places[#places + 2] = chosen[at + ROW], chosen[at + PLACE]
  end
  hall.set(places, '1')
  for at = 1, #picks, PICK do
    if not hall.pick(picks[at + CATEGORY], picks[at + COUNT], picks[at + ADJACENT] == 1, places) then
      hall.set(places, '0')
      return nil
    end
  end
  return places
end

-- Decide.

for i = 1, n do
  local user, request, order, chosen, picks, names = unpack(wanted[i])
  local first = of_request[request]
  if known[i] then
    local record = read_order(redis.call('HGET', orders, known[i]), hall)
    if not record then
      answer(i, UNREADABLE_ORDER, '')
    elseif record[USER] == user then
      repeats = repeats + 1
      decline(i, REPEAT, order_detail(known[i], record))
    else
      decline(i, OTHER_USER, '')
    end
  elseif first then
    if users[first] == user then
      repeats = repeats + 1
      decline(i, REPEAT, reply[2 * first])
    else
      decline(i, OTHER_USER, '')
    end
  elseif state == 'closed' then
    too_late = too_late + 1
    decline(i, CLOSED, closed_at)
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
    if tickets[user] + all > limit then
      over_limit = over_limit + 1
      decline(i, LIMIT_REACHED, tostring(limit - tickets[user]))
    elseif gone then
      taken = taken + 1
      decline(i, SEAT_TAKEN, gone)
    elseif missing then
      too_few = too_few + 1
      decline(i, NOT_ENOUGH_SEATS, cmsgpack.pack(missing))
    else
      -- Every check of this attempt is made. What it takes stands in tables until all are decided.
      local places = take(chosen, picks)
      if not places then
        answer(i, BROKEN_INDEX, '')
      else
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
        local record = { user, 'held', cents, tonumber(due), places, 0, names }
        records[#records + 1], records[#records + 2] = order, cmsgpack.pack(record)
        by_request[#by_request + 1], by_request[#by_request + 2] = request, order
        dues[#dues + 1], dues[#dues + 2] = due, order
        totals[#totals + 1], totals[#totals + 2] = user, tickets[user]
        data[#data + 1] = { user, request, order, cents, record[DUE], places, names }
        answer(i, DONE, order_detail(order, record))
      end
    end
  end
end

-- Until when seats are held that somebody had before: asked once for the whole batch.
if #held_before > 0 then
  local owners, until_when, distinct = redis.call('HMGET', holders, unpack(held_before)), {}, {}
  for _, order in ipairs(owners) do
    if order and not until_when[order] then
      until_when[order] = 0
      distinct[#distinct + 1] = order
    end
  end
  if #distinct > 0 then
    -- Only orders that are held have a deadline.
    for i, at in ipairs(redis.call('ZMSCORE', deadlines, unpack(distinct))) do
      until_when[distinct[i]] = tonumber(at or 0)
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

-- Every attempt is decided: write.

if #data > 0 then
  hall.write()
  local free_left = {}
  for c, count in pairs(before) do
    redis.call('HINCRBY', counts, 'held:' .. c, count - left[c])
    free_left[#free_left + 1], free_left[#free_left + 2] = 'free:' .. c, left[c]
  end
  redis.call('HSET', counts, unpack(free_left))
  redis.call('HSET', holders, unpack(of_seat))
  redis.call('HSET', orders, unpack(records))
  redis.call('HSET', requests, unpack(by_request))
  redis.call('ZADD', deadlines, unpack(dues))
  redis.call('HSET', bought, unpack(totals))
  redis.call('HINCRBY', stats, 'held', #data)
  redis.call('XADD', events, '*', 'type', 'reserved', 'at', now, 'n', #data, 'data', cmsgpack.pack(data))
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
    write_demand() -- as many as `unpack` takes
  end
end
if #demanded > 0 then
  write_demand()
end
redis.call('HINCRBY', stats, 'calls', 1)
for name, count in pairs({ ['repeat'] = repeats, seat_taken = taken, not_enough_seats = too_few,
  limit_reached = over_limit, closed = too_late }) do
  if count > 0 then
    redis.call('HINCRBY', stats, name, count)
  end
end
if #sample > 0 then
  redis.call('XADD', attempts, 'MAXLEN', '~', 100, '*', 'at', now, 'data', cmsgpack.pack(sample))
end

return reply
