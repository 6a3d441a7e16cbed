-- lib/rows: seats and the index of free ones, shared by the ticket scripts that move seats. The program puts
-- this text before theirs; by itself it does nothing.
--
-- A row is a text with a byte for each seat: "0" free, "1" held, "2" sold. All rows in turn, the best of
-- each category first, are the string `seats`; `layout` has six bytes for each row: its first seat (4) and
-- how many it has (2), low byte first.
--
-- The index says, for each category and each of 30 questions, which rows answer yes: a bit for each row.
-- So the best row for a group is the first bit that is set, whatever the size of the hall. The questions,
-- for k = 1 .. 10:
--      k - 1        k neighbours fit without leaving one seat alone beside them
--      k + 9        k neighbours fit
--      k + 19       k seats are free
--
-- What a batch takes is kept in tables until every attempt is decided: `rows_write` writes it.

local LARGEST_GROUP = 10

-- Answers of a gap of that length, as bits: FITS[12] stands for all that are longer.
local FITS, RUNS = {}, {}
for length = 1, LARGEST_GROUP + 2 do
  FITS[length], RUNS[length] = 0, 0
  for k = 1, LARGEST_GROUP do
    if k == length or k <= length - 2 then
      FITS[length] = bit.bor(FITS[length], bit.lshift(1, k - 1))
    end
    if k <= length then
      RUNS[length] = bit.bor(RUNS[length], bit.lshift(1, k + LARGEST_GROUP - 1))
    end
  end
end

-- Takes the keys and `categories`: a list of { first row, rows, first byte in the index, bytes of a question }.
local function rows_open(seats, layout, free, categories)
  local rows, changed, state = {}, {}, { by_category = {} }

  -- What a row answers, 30 bits.
  local function answers(text)
    local bits, count = 0, 0
    for gap in string.gmatch(text, '0+') do
      local length = #gap
      count = count + length
      length = math.min(length, LARGEST_GROUP + 2)
      bits = bit.bor(bits, FITS[length], RUNS[length])
    end
    for k = 1, math.min(count, LARGEST_GROUP) do
      bits = bit.bor(bits, bit.lshift(1, k + 2 * LARGEST_GROUP - 1))
    end
    return bits
  end

  local function row(number)
    local found = rows[number]
    if not found then
      local first, count = struct.unpack('<I4I2', redis.call('GETRANGE', layout, 6 * number, 6 * number + 5))
      local text = redis.call('GETRANGE', seats, first, first + count - 1)
      found = { first = first, seats = count, text = text }
      rows[number] = found
    end
    return found
  end

  local function category_of(number)
    for c, category in ipairs(categories) do
      if number < category[1] + category[2] then
        return c
      end
    end
  end

  -- Sets a place of a row, from 0, to a state.
  local function set(number, place, sign)
    local one = row(number)
    if not one.was then
      one.was, one.category = answers(one.text), category_of(number)
      local list = changed[one.category] or {}
      list[#list + 1] = number
      changed[one.category] = list
    end
    one.text = string.sub(one.text, 1, place) .. sign .. string.sub(one.text, place + 2)
    one.now = nil
  end

  local function now(one)
    if not one.now then
      one.now = answers(one.text)
    end
    return one.now
  end

  -- The best row of a category that answers a question; nil where none does.
  local function best(c, question)
    local category = categories[c]
    local first_row, count = category[1], category[2]
    local base = 8 * (category[3] + question * category[4])
    local seen = state.by_category[c * 32 + question] or 0
    local found
    while seen < count do
      local at = redis.call('BITPOS', free, 1, base + seen, base + count - 1, 'BIT')
      if at < 0 then
        seen = count
        break
      end
      local number = first_row + at - base
      if rows[number] and rows[number].was then
        seen = at - base + 1 -- what the index says of it is of before this batch
      else
        seen = at - base
        found = number
        break
      end
    end
    state.by_category[c * 32 + question] = seen
    for _, number in ipairs(changed[c] or {}) do
      if (not found or number < found) and bit.band(now(rows[number]), bit.lshift(1, question)) ~= 0 then
        found = number
      end
    end
    return found
  end

  -- Places for k neighbours in a row: those nearest to its middle, of equals the first.
  local function neighbours(number, k, may_leave_one)
    local one = row(number)
    local chosen, least
    local from = 1
    while true do
      local a, b = string.find(one.text, '0+', from)
      if not a then
        break
      end
      local length = b - a + 1
      for start = a - 1, b - k do
        local left = start - (a - 1)
        local right = length - k - left
        if may_leave_one or (left ~= 1 and right ~= 1) then
          local off = math.abs(2 * start + k - one.seats)
          if not least or off < least then
            chosen, least = start, off
          end
        end
      end
      from = b + 1
    end
    local places = {}
    for i = 1, k do
      places[i] = chosen + i - 1
    end
    return places
  end

  -- Places for k seats anywhere in a row: those nearest to its middle, of equals the first.
  local function scattered(number, k)
    local one = row(number)
    local free_places = {}
    for place = 0, one.seats - 1 do
      if string.byte(one.text, place + 1) == 48 then
        free_places[#free_places + 1] = place
      end
    end
    table.sort(free_places, function(a, b)
      local off_a, off_b = math.abs(2 * a + 1 - one.seats), math.abs(2 * b + 1 - one.seats)
      return off_a < off_b or (off_a == off_b and a < b)
    end)
    local places = {}
    for i = 1, k do
      places[i] = free_places[i]
    end
    return places
  end

  local function take(number, places, sign, into)
    for _, place in ipairs(places) do
      set(number, place, sign)
      into[#into + 1], into[#into + 2] = number, place
    end
  end

  local self = {}

  function self.is_free(number, place)
    return string.byte(row(number).text, place + 1) == 48
  end

  function self.seat(number, place)
    return row(number).first + place
  end

  self.set, self.category_of = set, category_of

  -- Holds k seats of a category, of which so many are free, and adds them to `into` as row, place.
  function self.pick(c, k, adjacent, into)
    if adjacent then
      local number = best(c, k - 1)
      if number then
        return take(number, neighbours(number, k, false), '1', into)
      end
      number = best(c, k + LARGEST_GROUP - 1)
      if number then
        return take(number, neighbours(number, k, true), '1', into)
      end
      -- The fewest rows: as many as possible from one row each time.
      while k > 0 do
        local from_row = k
        number = best(c, from_row + 2 * LARGEST_GROUP - 1)
        while not number do
          from_row = from_row - 1
          number = best(c, from_row + 2 * LARGEST_GROUP - 1)
        end
        take(number, scattered(number, from_row), '1', into)
        k = k - from_row
      end
      return
    end
    while k > 0 do
      local number = best(c, 2 * LARGEST_GROUP)
      local _, count = string.gsub(row(number).text, '0', '0')
      local from_row = math.min(k, count)
      take(number, scattered(number, from_row), '1', into)
      k = k - from_row
    end
  end

  -- Writes what was set: each row once, and of the index what has changed.
  function self.write()
    for c, list in pairs(changed) do
      local category = categories[c]
      for _, number in ipairs(list) do
        local one = rows[number]
        redis.call('SETRANGE', seats, one.first, one.text)
        local before, after = one.was, now(one)
        local differ = bit.bxor(before, after)
        for question = 0, 3 * LARGEST_GROUP - 1 do
          if bit.band(differ, bit.lshift(1, question)) ~= 0 then
            local at = 8 * (category[3] + question * category[4]) + number - category[1]
            redis.call('SETBIT', free, at, bit.band(after, bit.lshift(1, question)) ~= 0 and 1 or 0)
          end
        end
      end
    end
  end

  return self
end

-- An order as it is stored: { user, state, cents, due, { row, place, .. }, late, { holder, .. } }. Nil where nobody
-- can read it: one torn order must not stop the others of its batch.
local function order_of(stored)
  local whole, record = pcall(cmsgpack.unpack, stored or '')
  local is_order = whole and type(record) == 'table' and type(record[1]) == 'string' and type(record[2]) == 'string'
    and type(record[3]) == 'number' and type(record[4]) == 'number' and type(record[5]) == 'table'
  if not is_order then
    return nil
  end
  for _, number in ipairs(record[5]) do
    if type(number) ~= 'number' then
      return nil
    end
  end
  return record
end

-- Ends orders and puts their seats back: `ended` is a list of { order, record, new state, was paid }, each
-- order once. Writes everything but the event.
local function orders_release(hall, ended, counts, holders, orders, deadlines, bought)
  local of_seat, of_order, gone, moved = {}, {}, {}, {}
  for _, one in ipairs(ended) do
    local order, record, state, was_paid = unpack(one)
    local places = record[5]
    for at = 1, #places, 2 do
      local number, place = places[at], places[at + 1]
      hall.set(number, place, '0')
      of_seat[#of_seat + 1] = hall.seat(number, place)
      local name = (was_paid and 'sold:' or 'held:') .. hall.category_of(number)
      moved[name] = (moved[name] or 0) + 1
    end
    record[2] = state
    of_order[#of_order + 1], of_order[#of_order + 2] = order, cmsgpack.pack(record)
    gone[#gone + 1] = order
    redis.call('HINCRBY', bought, record[1], -#places / 2)
  end
  hall.write()
  for name, count in pairs(moved) do
    redis.call('HINCRBY', counts, name, -count)
    redis.call('HINCRBY', counts, 'free:' .. string.sub(name, 6), count)
  end
  redis.call('HDEL', holders, unpack(of_seat))
  redis.call('HSET', orders, unpack(of_order))
  redis.call('ZREM', deadlines, unpack(gone))
end
