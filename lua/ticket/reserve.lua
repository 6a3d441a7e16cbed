-- ticket/reserve: holds seats for a batch of attempts, in their order: chosen ones, or the best there are.
-- All seats of an attempt or none, across categories too.
--
-- KEYS 1 meta       HASH    the terms and the state
--      2 seats      STRING  a byte for each seat
--      3 layout     STRING  first seat and seats of each row
--      4 free       STRING  the index of free seats
--      5 counts     HASH    "<state>:<category>" -> seats
--      6 holders    HASH    seat -> order
--      7 orders     HASH    order -> cmsgpack { user, state, cents, due, { row, place, .. }, late, { holder, .. } }
--      8 requests   HASH    request id -> order
--      9 deadlines  ZSET    order -> when it is due
--     10 bought     HASH    user -> tickets held and paid
--     11 heat       STRING  four bytes for each row: attempts that wanted a seat in it
--     12 stats      HASH    exact counts: outcome -> attempts
--     13 events     STREAM  one entry for all orders of the batch
--     14 attempts   STREAM  a sample of what changed nothing, capped
-- ARGV 1            now, epoch milliseconds
--      2            the categories, cmsgpack: { first row, rows, first byte in the index, bytes of a question,
--                   cents } of each
--      3            the attempts, cmsgpack, 1 .. 256 of them: { user, request id, order, chosen, picks,
--                   { holder, .. } }:
--                   chosen = { category, row, place, .. }, picks = { category, count, adjacent 0 or 1, .. };
--                   categories from 1, at most 10 seats; nothing in it becomes part of a key
--
-- Reply: for each attempt two values, code and detail:
--      0 held, 500 repeat      cmsgpack { order, state, cents, due, { row, place, .. } }
--      1001 seat taken         cmsgpack { row, place, held until (0 where it is sold), .. }
--      1002 not enough seats   cmsgpack { category, seats left, .. }
--      1014 limit reached      how many tickets the user may still have
--      1005 unknown sale, 1012 suspended, 1015 the request id is another user's, 1018 its order is unreadable    ""
--
-- Event "reserved": at, n orders, data = cmsgpack { { user, request id, order, cents, due, { row, place, .. },
--       { holder, .. } }, .. }
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

local DONE, REPEAT, SEAT_TAKEN, NOT_ENOUGH_SEATS = 0, 500, 1001, 1002
local UNKNOWN_SALE, SUSPENDED, LIMIT_REACHED, OTHER_USER, UNREADABLE_ORDER = 1005, 1012, 1014, 1015, 1018
local free_byte, held_byte = 48, 49 -- what `seats` has for a seat
local SAMPLE = 8 -- attempts that changed nothing, shown of each batch

-- Look.

local n = #wanted
local terms = redis.call('HMGET', meta, 'state', 'limit', 'hold_ms')
local unready = not terms[1] and UNKNOWN_SALE or terms[1] == 'suspended' and SUSPENDED
if unready then
  local refused = {}
  for i = 1, n do
    refused[2 * i - 1], refused[2 * i] = unready, ''
  end
  return refused
end
local limit, due = tonumber(terms[2]), decimal(now + terms[3])

local asked, users = {}, {}
for i = 1, n do
  users[i], asked[i] = wanted[i][1], wanted[i][2]
end
local known = redis.call('HMGET', requests, unpack(asked))
local had = redis.call('HMGET', bought, unpack(users))
local counted = redis.call('HGETALL', counts)

local left = {} -- category -> free seats, as the batch goes on
for i = 1, #counted, 2 do
  local state, c = string.match(counted[i], '^(%a+):(%d+)$')
  if state == 'free' then
    left[tonumber(c)] = tonumber(counted[i + 1])
  end
end
local tickets = {} -- user -> tickets, as the batch goes on
for i = 1, n do
  tickets[users[i]] = tonumber(had[i] or 0)
end

local hall = rows_open(seats, layout, free, categories)
local reply, given = {}, {}
local of_request, holding, of_seat = {}, {}, {} -- what it gave: request id -> attempt, seat -> true, seat, order, ..
local before = {} -- category -> free seats before the batch, of those that change
local repeats, taken, too_few, over_limit, sample = 0, 0, 0, 0, {}
local warmed = {} -- row -> attempts that wanted a seat in it

local function answer(i, code, detail)
  reply[2 * i - 1], reply[2 * i] = code, detail
  if code ~= DONE and #sample < 2 * SAMPLE then
    sample[#sample + 1], sample[#sample + 2] = users[i], tostring(code)
  end
end

-- How many seats of each category an attempt wants, and of all.
local function count_wanted(chosen, picks)
  local by_category, all = {}, 0
  for at = 1, #chosen, 3 do
    local c = chosen[at]
    by_category[c], all = (by_category[c] or 0) + 1, all + 1
  end
  for at = 1, #picks, 3 do
    local c = picks[at]
    by_category[c], all = (by_category[c] or 0) + picks[at + 1], all + picks[at + 1]
  end
  return by_category, all
end

-- Counts an attempt at each row of a list with `step` values a seat, the row being the one at `offset`.
local function warm(list, step, offset)
  local seen
  for at = offset, #list, step do
    local number = list[at]
    if number ~= seen then
      warmed[number], seen = (warmed[number] or 0) + 1, number
    end
  end
end

local asked_for, refusals = {}, {} -- seats that somebody had before; where the answers go: list, place in it

-- The seats that are not free: row, place and until when, 0 where that is asked when all is decided. Nil where all
-- are free.
local function taken_of(chosen)
  local found, size = nil, 0
  local one = {}
  for at = 1, #chosen, 3 do
    local number, place = chosen[at + 1], chosen[at + 2]
    if one.number ~= number then
      one = hall.row(number)
    end
    local state = string.byte(one.text, place + 1)
    if state ~= free_byte then
      found = found or {}
      found[size + 1], found[size + 2], found[size + 3] = number, place, 0
      size = size + 3
      local seat = one.first + place
      if holding[seat] then
        found[size] = tonumber(due)
      elseif state == held_byte then
        asked_for[#asked_for + 1] = decimal(seat)
        refusals[#refusals + 1], refusals[#refusals + 2] = found, size
      end
    end
  end
  return found
end

for i = 1, n do
  local user, request, order, chosen, picks, names = unpack(wanted[i])
  local first = of_request[request]
  if known[i] then
    local fields = order_of(redis.call('HGET', orders, known[i]), hall)
    if not fields then
      answer(i, UNREADABLE_ORDER, '')
    elseif fields[1] == user then
      repeats = repeats + 1
      answer(i, REPEAT, cmsgpack.pack({ known[i], fields[2], fields[3], fields[4], fields[5] }))
    else
      answer(i, OTHER_USER, '')
    end
  elseif first then
    if users[first] == user then
      repeats = repeats + 1
      answer(i, REPEAT, reply[2 * first])
    else
      answer(i, OTHER_USER, '')
    end
  else
    local by_category, all = count_wanted(chosen, picks)
    warm(chosen, 3, 2)
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
      answer(i, LIMIT_REACHED, tostring(limit - tickets[user]))
    elseif gone then
      taken = taken + 1
      answer(i, SEAT_TAKEN, gone)
    elseif missing then
      too_few = too_few + 1
      answer(i, NOT_ENOUGH_SEATS, cmsgpack.pack(missing))
    else
      -- Every check of this attempt is made. What it takes stands in tables until all are decided.
      local places, cents = {}, 0
      for at = 1, #chosen, 3 do
        places[#places + 1], places[#places + 2] = chosen[at + 1], chosen[at + 2]
      end
      hall.set(places, '1')
      for at = 1, #picks, 3 do
        hall.pick(picks[at], picks[at + 1], picks[at + 2] == 1, places)
      end
      if #picks > 0 then
        warm(places, 2, 1)
      end
      for c, count in pairs(by_category) do
        before[c] = before[c] or left[c]
        left[c] = left[c] - count
        cents = cents + count * categories[c][5]
      end
      for at = 1, #places, 2 do
        local seat = hall.row(places[at]).first + places[at + 1]
        holding[seat] = true
        of_seat[#of_seat + 1], of_seat[#of_seat + 2] = decimal(seat), order
      end
      tickets[user] = tickets[user] + all
      of_request[request] = i
      given[#given + 1] = { user, request, order, cents, tonumber(due), places, names }
      answer(i, DONE, cmsgpack.pack({ order, 'held', cents, tonumber(due), places }))
    end
  end
end

-- Until when the seats are held that somebody has: asked once for all of the batch.
if #asked_for > 0 then
  local owners, until_when, distinct = redis.call('HMGET', holders, unpack(asked_for)), {}, {}
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
    refusals[2 * i - 1][refusals[2 * i]] = order and until_when[order] or 0
  end
end
for i = 1, n do
  if reply[2 * i - 1] == SEAT_TAKEN then
    reply[2 * i] = cmsgpack.pack(reply[2 * i])
  end
end

-- Every attempt is decided: write.

if #given > 0 then
  hall.write()
  local of_order, by_request, dues, totals, changed = {}, {}, {}, {}, {}
  for _, one in ipairs(given) do
    local user, request, order, cents, when, places, names = unpack(one)
    of_order[#of_order + 1] = order
    of_order[#of_order + 1] = cmsgpack.pack({ user, 'held', cents, when, places, 0, names })
    by_request[#by_request + 1], by_request[#by_request + 2] = request, order
    dues[#dues + 1], dues[#dues + 2] = due, order
    totals[#totals + 1], totals[#totals + 2] = user, tickets[user]
  end
  for c, count in pairs(before) do
    redis.call('HINCRBY', counts, 'held:' .. c, count - left[c])
    changed[#changed + 1], changed[#changed + 2] = 'free:' .. c, left[c]
  end
  redis.call('HSET', counts, unpack(changed))
  redis.call('HSET', holders, unpack(of_seat))
  redis.call('HSET', orders, unpack(of_order))
  redis.call('HSET', requests, unpack(by_request))
  redis.call('ZADD', deadlines, unpack(dues))
  redis.call('HSET', bought, unpack(totals))
  redis.call('HINCRBY', stats, 'held', #given)
  redis.call('XADD', events, '*', 'type', 'reserved', 'at', now, 'n', #given, 'data', cmsgpack.pack(given))
end

local warmer = {}
local function write_heat()
  redis.call('BITFIELD', heat, 'OVERFLOW', 'SAT', unpack(warmer))
  warmer = {}
end
for number, count in pairs(warmed) do
  local size = #warmer
  warmer[size + 1], warmer[size + 2] = 'INCRBY', 'u32'
  warmer[size + 3], warmer[size + 4] = decimal(32 * number), decimal(count)
  if size + 4 >= 4000 then
    write_heat() -- as many as `unpack` takes
  end
end
if #warmer > 0 then
  write_heat()
end
redis.call('HINCRBY', stats, 'calls', 1)
for name, count in pairs({ ['repeat'] = repeats, seat_taken = taken, not_enough_seats = too_few,
  limit_reached = over_limit }) do
  if count > 0 then
    redis.call('HINCRBY', stats, name, count)
  end
end
if #sample > 0 then
  redis.call('XADD', attempts, 'MAXLEN', '~', 100, '*', 'at', now, 'data', cmsgpack.pack(sample))
end

return reply
