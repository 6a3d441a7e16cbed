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
-- What a batch takes is kept in tables until every attempt is decided: `write` of what `rows_open` gives writes it.

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

-- Place in the index, from 0, of each bit of an answer.
local QUESTION = {}
for question = 0, 3 * LARGEST_GROUP - 1 do
  QUESTION[bit.lshift(1, question)] = question
end

local ROWS_AT_A_TIME = 32 -- of `layout`, six bytes each
local NO_ROW = 'the counts promise free seats, and the index has no row with one'
local BITS_AT_A_TIME = 1500 -- of the index, four arguments each

-- A number as Redis takes it: one that a command gets as a number is written out as a fraction, four times slower.
local function decimal(number)
  return string.format('%d', number)
end

-- Of the index, so many bits: what BITFIELD calls them, and all of them set.
local WIDTH, ONES = {}, {}
for count = 1, 32 do
  WIDTH[count], ONES[count] = 'u' .. count, decimal(2 ^ count - 1)
end

-- Takes the keys and `categories`: a list of { first row, rows, first byte in the index, bytes of a question }.
local function rows_open(seats, layout, free, categories)
  local band, bor, bxor = bit.band, bit.bor, bit.bxor
  local find, sub, rep, byte = string.find, string.sub, string.rep, string.byte
  local floor, abs, min, max = math.floor, math.abs, math.min, math.max
  local rows, places_of, changed, open = {}, {}, {}, {}
  local seen, sure = {}, {} -- question of a category -> rows that are passed; whether the next one answers
  -- By the text of a row, as many rows look alike: what it answers, where groups fit.
  local known_answers, known_starts = {}, {}
  for c = 1, #categories do
    changed[c], open[c] = {}, {}
  end

  -- What a row answers, 30 bits.
  local function answers(text)
    local bits = known_answers[text]
    if bits then
      return bits
    end
    local count, from = 0, 1
    bits = 0
    while true do
      local a, b = find(text, '0+', from)
      if not a then
        break
      end
      local length = b - a + 1
      count = count + length
      if length > LARGEST_GROUP + 2 then
        length = LARGEST_GROUP + 2
      end
      bits = bor(bits, FITS[length], RUNS[length])
      from = b + 1
    end
    if count > LARGEST_GROUP then
      count = LARGEST_GROUP
    end
    bits = bor(bits, bit.lshift(bit.lshift(1, count) - 1, 2 * LARGEST_GROUP))
    known_answers[text] = bits
    return bits
  end

  local function category_of(number)
    for c = 1, #categories do
      local category = categories[c]
      if number < category[1] + category[2] then
        return c
      end
    end
  end

  local function row(number)
    local one = rows[number]
    if not one then
      local at = floor(number / ROWS_AT_A_TIME)
      local places = places_of[at]
      if not places then
        local size = 6 * ROWS_AT_A_TIME
        places = redis.call('GETRANGE', layout, decimal(size * at), decimal(size * (at + 1) - 1))
        places_of[at] = places
      end
      local first, count = struct.unpack('<I4I2', places, 6 * (number - ROWS_AT_A_TIME * at) + 1)
      local from = decimal(first)
      local text = redis.call('GETRANGE', seats, from, decimal(first + count - 1))
      one = { number = number, first = first, from = from, seats = count, text = text }
      rows[number] = one
    end
    return one
  end

  -- Gives a row another text. What it answers now is found out when somebody asks.
  local function change(one, text)
    if not one.old then
      one.old = one.text
      local c = category_of(one.number)
      local list = changed[c]
      list[#list + 1] = one
      list = open[c]
      list[#list + 1] = one
    end
    one.text, one.now = text, nil
  end

  local function answers_now(one)
    local now = one.now
    if not now then
      now = answers(one.text)
      one.now = now
    end
    return now
  end

  -- Sets so many places of a row, from 0, to a state.
  local function set(number, place, sign, count)
    local one = row(number)
    local text = one.text
    change(one, sub(text, 1, place) .. rep(sign, count or 1) .. sub(text, place + (count or 1) + 1))
  end

  -- The best row of a category that answers a question; nil where none does.
  local function best(c, question)
    local category = categories[c]
    local first_row, count = category[1], category[2]
    local base = 8 * (category[3] + question * category[4])
    local asked = c * 32 + question
    local passed, is_sure, found = seen[asked] or 0, sure[asked], nil
    while passed < count do
      if not is_sure then
        local from, to = decimal(base + passed), decimal(base + count - 1)
        local at = redis.call('BITPOS', free, '1', from, to, 'BIT')
        if at < 0 then
          passed = count
          break
        end
        passed, is_sure = at - base, true
      end
      local one = rows[first_row + passed]
      if not (one and one.old) then
        found = first_row + passed
        break
      end
      passed, is_sure = passed + 1, false -- what the index says of it is of before this batch
    end
    seen[asked], sure[asked] = passed, is_sure
    local mask, list, at = bit.lshift(1, question), open[c], 1
    while at <= #list do
      local one = list[at]
      local now = answers_now(one)
      if now == 0 then
        list[at] = list[#list] -- full, and it stays so
        list[#list] = nil
      else
        if (not found or one.number < found) and band(now, mask) ~= 0 then
          found = one.number
        end
        at = at + 1
      end
    end
    return found
  end

  -- The first of k neighbours in a row: those nearest to its middle, of equals the first.
  local function start_of(one, k, may_leave_one)
    local asked = may_leave_one and k + LARGEST_GROUP or k
    local known = known_starts[asked]
    if not known then
      known = {}
      known_starts[asked] = known
    end
    local text = one.text
    local chosen = known[text]
    if chosen then
      return chosen
    end
    local least
    local middle, from = floor((one.seats - k) / 2), 1
    while true do
      local a, b = find(text, '0+', from)
      if not a then
        break
      end
      -- A start that leaves one seat alone is one of two in a gap, so the best is within three of the nearest.
      local lowest, highest = a - 1, b - k
      local nearest = middle < lowest and lowest or middle > highest and highest or middle
      for start = max(lowest, nearest - 3), min(highest, nearest + 3) do
        if may_leave_one or (start ~= lowest + 1 and start ~= highest - 1) then
          local off = abs(2 * start + k - one.seats)
          if not least or off < least then
            chosen, least = start, off
          end
        end
      end
      from = b + 1
    end
    known[text] = chosen
    return chosen
  end

  local function take_neighbours(number, k, may_leave_one, into)
    local first, size = start_of(row(number), k, may_leave_one), #into
    set(number, first, '1', k)
    for i = 0, k - 1 do
      into[size + 1], into[size + 2] = number, first + i
      size = size + 2
    end
  end

  -- Takes k seats anywhere in a row: those nearest to its middle, of equals the first.
  local function take_scattered(number, k, into)
    local one, size = row(number), #into
    -- Outwards from the middle: the place left of it, and its mirror image.
    local left = floor((one.seats - 1) / 2)
    while k > 0 do
      for _, place in ipairs({ left, one.seats - 1 - left }) do
        if k > 0 and byte(one.text, place + 1) == 48 then
          set(number, place, '1')
          into[size + 1], into[size + 2] = number, place
          size, k = size + 2, k - 1
        end
      end
      left = left - 1
    end
  end

  local self = {}

  -- A row as the batch has left it: `text`, its seats, and `first`, the number of the first.
  self.row = row

  -- Sets the seats of a list of row, place, .. to a state: neighbours at once.
  function self.set(places, sign)
    local at = 1
    while places[at] do
      local number, place, count = places[at], places[at + 1], 1
      at = at + 2
      while places[at] == number and places[at + 1] == place + count do
        at, count = at + 2, count + 1
      end
      set(number, place, sign, count)
    end
  end

  self.category_of = category_of

  -- Whether a list of row, place, .. names seats of this hall, at least one, and nothing else.
  function self.has(places)
    local last = categories[#categories]
    if #places == 0 or #places % 2 == 1 then
      return false
    end
    for at = 1, #places, 2 do
      local number, place = places[at], places[at + 1]
      local is_row = type(number) == 'number' and number >= 0 and number < last[1] + last[2] and number % 1 == 0
      if not is_row or type(place) ~= 'number' or place < 0 or place >= row(number).seats or place % 1 ~= 0 then
        return false
      end
    end
    return true
  end

  -- Holds k seats of a category, of which so many are free, and adds them to `into` as row, place.
  function self.pick(c, k, adjacent, into)
    if adjacent then
      local number = best(c, k - 1)
      if number then
        return take_neighbours(number, k, false, into)
      end
      number = best(c, k + LARGEST_GROUP - 1)
      if number then
        return take_neighbours(number, k, true, into)
      end
      -- The fewest rows: as many as possible from one row each time.
      while k > 0 do
        local from_row = k
        number = best(c, from_row + 2 * LARGEST_GROUP - 1)
        while not number do
          from_row = from_row - 1
          assert(from_row > 0, NO_ROW)
          number = best(c, from_row + 2 * LARGEST_GROUP - 1)
        end
        take_scattered(number, from_row, into)
        k = k - from_row
      end
      return
    end
    while k > 0 do
      local number = best(c, 2 * LARGEST_GROUP)
      assert(number, NO_ROW)
      local _, count = string.gsub(row(number).text, '0', '0')
      local from_row = min(k, count)
      take_scattered(number, from_row, into)
      k = k - from_row
    end
  end

  -- Writes what was set: each row once, and of the index what has changed, neighbouring rows together.
  function self.write()
    local bits, size = {}, 0
    local function add(base, run)
      bits[size + 1], bits[size + 2] = 'SET', WIDTH[run.count]
      bits[size + 3], bits[size + 4] = decimal(base + run.last - run.count + 1), run.yes and ONES[run.count] or '0'
      size = size + 4
      if size >= 4 * BITS_AT_A_TIME then
        redis.call('BITFIELD', free, unpack(bits))
        bits, size = {}, 0
      end
    end
    for c, list in ipairs(changed) do
      table.sort(list, function(a, b)
        return a.number < b.number
      end)
      local category, runs = categories[c], {}
      for _, one in ipairs(list) do
        redis.call('SETRANGE', seats, one.from, one.text)
        local now = answers_now(one)
        local differ, at = bxor(answers(one.old), now), one.number - category[1]
        while differ ~= 0 do
          local lowest = band(differ, -differ)
          differ = bxor(differ, lowest)
          local question, yes = QUESTION[lowest], band(now, lowest) ~= 0
          local run = runs[question]
          if run and run.last == at - 1 and run.yes == yes and run.count < 32 then
            run.last, run.count = at, run.count + 1
          else
            if run then
              add(8 * (category[3] + question * category[4]), run)
            end
            runs[question] = { last = at, count = 1, yes = yes }
          end
        end
      end
      for question, run in pairs(runs) do
        add(8 * (category[3] + question * category[4]), run)
      end
    end
    if size > 0 then
      redis.call('BITFIELD', free, unpack(bits))
    end
  end

  return self
end

local STATES = { held = true, paid = true, cancelled = true, expired = true, refunded = true }

-- An order as it is stored: { user, state, cents, due, { row, place, .. }, late, { holder, .. } }. Nil where nobody
-- can read it, or its seats are none of the hall's: one torn order must not stop the others of its batch.
local function order_of(stored, hall)
  local whole, record = pcall(cmsgpack.unpack, stored or '')
  local is_order = whole and type(record) == 'table' and type(record[1]) == 'string' and STATES[record[2]]
    and type(record[3]) == 'number' and type(record[4]) == 'number' and type(record[5]) == 'table'
  return is_order and hall.has(record[5]) and record or nil
end

-- Ends orders and puts their seats back: `ended` is a list of { order, record, new state, was paid }, each
-- order once. Writes everything but the event.
local function orders_release(hall, ended, counts, holders, orders, deadlines, bought)
  local of_seat, of_order, gone, moved = {}, {}, {}, {}
  for _, one in ipairs(ended) do
    local order, record, state, was_paid = unpack(one)
    local places = record[5]
    hall.set(places, '0')
    for at = 1, #places, 2 do
      local number, place = places[at], places[at + 1]
      of_seat[#of_seat + 1] = decimal(hall.row(number).first + place)
      local name = (was_paid and 'sold:' or 'held:') .. hall.category_of(number)
      moved[name] = (moved[name] or 0) + 1
    end
    record[2] = state
    of_order[#of_order + 1], of_order[#of_order + 2] = order, cmsgpack.pack(record)
    gone[#gone + 1] = order
  end
  for _, one in ipairs(ended) do
    local record = one[2]
    redis.call('HINCRBY', bought, record[1], -#record[5] / 2)
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
