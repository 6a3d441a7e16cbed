-- lib/rows: rows of seats, and the index of free seats. Prepended to the scripts whose headers include it.
--
-- A row is a string with one byte per seat: "0" free, "1" held, "2" sold, "3" blocked. `seats` is the concatenation of
-- all rows, the best of each category first. `layout` has six bytes per row: its first seat (4 bytes) and its number
-- of seats (2 bytes), low byte first.
--
-- For each category and each of 30 questions, the index `free` has one bit per row: whether its answer is yes. So the
-- best row for a group is the first set bit, whatever the size of the hall. The questions, for k = 1 .. 10:
--      k - 1        k adjacent seats fit without leaving a single seat beside them
--      k + 9        k adjacent seats fit
--      k + 19       k seats are free
--
-- Changes are kept in tables until every attempt of a batch is decided. Then they are written at once.

-- Positions of the fields in a category (README, "Records").
local FIRST_ROW, ROW_COUNT, FIRST_BYTE, BYTES, PRICE = 1, 2, 3, 4, 5
-- Number of values per seat in a list of seats: row and place.
local SEAT = 2

local LARGEST_GROUP = 10

-- The answers for a gap of each length, as bits. FITS[12] applies to all longer gaps.
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

-- The question of each bit of an answer: a number from 0.
local QUESTION = {}
for question = 0, 3 * LARGEST_GROUP - 1 do
  QUESTION[bit.lshift(1, question)] = question
end

local ROWS_AT_A_TIME = 32 -- of `layout`, six bytes each
local BITS_AT_A_TIME = 1500 -- of the index, four arguments each

-- A number as a string for a command. Redis formats a Lua number as a fraction, which is four times slower.
local function decimal(number)
  return string.format('%d', number)
end

-- For each number of bits: their BITFIELD type, and the value with all bits set.
local WIDTH, ONES = {}, {}
for count = 1, 32 do
  WIDTH[count], ONES[count] = 'u' .. count, decimal(2 ^ count - 1)
end

-- The rows of a hall, from its keys and its categories.
local function open_rows(seats, layout, free, categories)
  local band, bor, bxor = bit.band, bit.bor, bit.bxor
  local find, sub, rep, byte = string.find, string.sub, string.rep, string.byte
  local floor, abs, min, max = math.floor, math.abs, math.min, math.max
  local rows, layouts = {}, {} -- number -> row; chunk of `layout` -> its bytes
  local has_read_index = false
  local changed, open = {}, {} -- category -> changed rows; changed rows with a free seat (see `best`)
  local passed_rows, next_answers = {}, {} -- question of a category -> how far `best` has searched
  -- Cached by the row's string, because many rows look alike: its answers, and where groups fit.
  local known_answers, known_starts = {}, {}
  for c = 1, #categories do
    changed[c], open[c] = {}, {}
  end

  -- The answers of a row, as 30 bits.
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
      if number < category[FIRST_ROW] + category[ROW_COUNT] then
        return c
      end
    end
  end

  local function row(number)
    local one = rows[number]
    if not one then
      local at = floor(number / ROWS_AT_A_TIME)
      local bytes = layouts[at]
      if not bytes then
        local size = 6 * ROWS_AT_A_TIME
        bytes = redis.call('GETRANGE', layout, decimal(size * at), decimal(size * (at + 1) - 1))
        layouts[at] = bytes
      end
      local place = 6 * (number - ROWS_AT_A_TIME * at)
      if #bytes < place + 6 then
        unreadable('the layout')
      end
      local first, count = struct.unpack('<I4I2', bytes, place + 1)
      local from = decimal(first)
      local text = redis.call('GETRANGE', seats, from, decimal(first + count - 1))
      if #text < count then
        unreadable('the seats')
      end
      one = { number = number, first = first, from = from, seats = count, text = text }
      rows[number] = one
    end
    return one
  end

  -- Changes the string of a row. Its new answers are computed when they are needed. The index changes with it, so it is
  -- read before: if its key has another type, the script ends here.
  local function change(one, text)
    has_read_index = has_read_index or redis.call('STRLEN', free)
    if not one.is_open then
      local c = category_of(one.number)
      local list = open[c]
      list[#list + 1], one.is_open = one, true
      if not one.old then
        one.old = one.text
        list = changed[c]
        list[#list + 1] = one
      end
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

  -- Sets `count` consecutive places of a row, from 0, to a state.
  local function set(number, place, sign, count)
    local one = row(number)
    local text = one.text
    change(one, sub(text, 1, place) .. rep(sign, count or 1) .. sub(text, place + (count or 1) + 1))
  end

  -- The best row of a category that answers a question with yes; nil if none does.
  --
  -- The index reflects the state before the batch, so it is used for rows that the batch has not changed; changed
  -- rows are checked directly. This stays cheap because of these tables:
  --      open          has every changed row with a free seat (and possibly full ones)
  --      passed_rows   for each question, how many of the best rows are ruled out: each of them is changed, or the
  --                    index says no. Within a batch, neither can be undone.
  --      next_answers  whether the index says yes for the row after those
  local function best(c, question)
    local category = categories[c]
    local first_row, count = category[FIRST_ROW], category[ROW_COUNT]
    local base = 8 * (category[FIRST_BYTE] + question * category[BYTES])
    local asked = c * 32 + question
    local passed, answers_next, found = passed_rows[asked] or 0, next_answers[asked], nil
    while passed < count do
      if not answers_next then
        local from, to = decimal(base + passed), decimal(base + count - 1)
        local at = redis.call('BITPOS', free, '1', from, to, 'BIT')
        if at < 0 then
          passed = count
          break
        end
        passed, answers_next = at - base, true
      end
      local one = rows[first_row + passed]
      if not (one and one.old) then
        found = first_row + passed
        break
      end
      passed, answers_next = passed + 1, false
    end
    passed_rows[asked], next_answers[asked] = passed, answers_next
    local mask, list, at = bit.lshift(1, question), open[c], 1
    while at <= #list do
      local one = list[at]
      local now = answers_now(one)
      if now == 0 then
        list[at] = list[#list]
        list[#list], one.is_open = nil, false
      else
        if (not found or one.number < found) and band(now, mask) ~= 0 then
          found = one.number
        end
        at = at + 1
      end
    end
    return found
  end

  -- The first of k adjacent free seats in a row: nearest to its middle; on a tie, the first. Nil if they do not fit.
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
      -- In each gap at most two starts leave a single seat, so the best start is within three of the nearest.
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

  -- Holds k adjacent seats of a category and adds them to `into`; rather where they leave no single seat. Returns
  -- whether they fit.
  local function take_group(c, k, into)
    local number, may_leave_one = best(c, k - 1), false
    if not number then
      number, may_leave_one = best(c, k + LARGEST_GROUP - 1), true
    end
    local first, size = number and start_of(row(number), k, may_leave_one), #into
    if not first then
      return false
    end
    set(number, first, '1', k)
    for i = 0, k - 1 do
      into[size + 1], into[size + 2] = number, first + i
      size = size + SEAT
    end
    return true
  end

  -- Holds k seats of a category in groups of at least two adjacent seats, large ones first and none larger than
  -- `largest`. Returns whether they fit; if not, nothing is held.
  local function take_groups(c, k, largest, into)
    if k == 0 then
      return true
    end
    for size = min(k, largest), 2, -1 do
      local had = #into
      if size ~= k - 1 and take_group(c, size, into) then
        if take_groups(c, k - size, size, into) then
          return true
        end
        for at = #into, had + SEAT, -SEAT do
          set(into[at - 1], into[at], '0')
          into[at - 1], into[at] = nil, nil
        end
      end
    end
    return false
  end

  -- Holds the k free seats of a row that are nearest to its middle; on a tie, the first. Returns whether there were k.
  local function take_scattered(number, k, into)
    local one, size = row(number), #into
    -- Outwards from the middle: the place to its left, and its mirror image.
    local left = floor((one.seats - 1) / 2)
    while k > 0 and left >= 0 do
      for _, place in ipairs({ left, one.seats - 1 - left }) do
        if k > 0 and byte(one.text, place + 1) == 48 then
          set(number, place, '1')
          into[size + 1], into[size + 2] = number, place
          size, k = size + SEAT, k - 1
        end
      end
      left = left - 1
    end
    return k == 0
  end

  -- Holds k free seats of a category in as few rows as possible: as many as possible from one row at a time. Returns
  -- whether the index led to them.
  local function take_singles(c, k, into)
    while k > 0 do
      local from_row, number = k, nil
      while not number and from_row > 0 do
        number = best(c, from_row + 2 * LARGEST_GROUP - 1)
        from_row = number and from_row or from_row - 1
      end
      if not number or not take_scattered(number, from_row, into) then
        return false
      end
      k = k - from_row
    end
    return true
  end

  -- Holds k free seats of a category, the best rows first. Returns whether the index led to them.
  local function take_best(c, k, into)
    while k > 0 do
      local number = best(c, 2 * LARGEST_GROUP)
      local _, count = string.gsub(number and row(number).text or '', '0', '0')
      if count == 0 then
        return false
      end
      local from_row = min(k, count)
      take_scattered(number, from_row, into)
      k = k - from_row
    end
    return true
  end

  local largest_groups = {} -- category -> a group that is larger does not fit any more

  -- The largest group of at most k seats that fits in a category.
  local function largest_group(c, k)
    local size = min(k, largest_groups[c] or k)
    while size > 0 and not best(c, size + LARGEST_GROUP - 1) do
      size = size - 1
    end
    if size < k then
      largest_groups[c] = size
    end
    return size
  end

  -- Holds k seats of a category side by side. If they do not fit, they are split: as few as possible sit alone, and the
  -- others in groups as large as possible. Returns whether the index led to enough seats.
  local function take_together(c, k, into)
    if take_group(c, k, into) then
      return true
    end
    local largest = largest_group(c, k)
    for alone = 0, k do
      if take_groups(c, k - alone, largest, into) then
        return take_singles(c, alone, into)
      end
    end
  end

  local self = {}

  -- A row as the batch has left it. `text` is its string, `first` the number of its first seat.
  self.row = row

  -- Sets the seats of a list to a state, adjacent seats together.
  function self.set(places, sign)
    local at = 1
    while places[at] do
      local number, place, count = places[at], places[at + 1], 1
      at = at + SEAT
      while places[at] == number and places[at + 1] == place + count do
        at, count = at + SEAT, count + 1
      end
      set(number, place, sign, count)
    end
  end

  self.category_of = category_of

  -- Whether a list is not empty and names only seats of this hall.
  function self.has(places)
    local last = categories[#categories]
    local rows_in_all = last[FIRST_ROW] + last[ROW_COUNT]
    if #places == 0 or #places % SEAT ~= 0 then
      return false
    end
    for at = 1, #places, SEAT do
      local number, place = places[at], places[at + 1]
      local is_row = type(number) == 'number' and number >= 0 and number < rows_in_all and number % 1 == 0
      if not is_row or type(place) ~= 'number' or place < 0 or place >= row(number).seats or place % 1 ~= 0 then
        return false
      end
    end
    return true
  end

  self.largest_group = largest_group

  -- Holds k seats of a category with at least that many free ones, and adds them to `into` in the order of the hall.
  -- Returns whether the index led to them.
  function self.pick(c, k, is_together, into)
    local found, take = {}, is_together and take_together or take_best
    if not take(c, k, found) then
      return false
    end
    local in_order, size = {}, #into
    for at = 1, #found, SEAT do
      in_order[#in_order + 1] = { found[at], found[at + 1] }
    end
    table.sort(in_order, function(a, b)
      return a[1] < b[1] or a[1] == b[1] and a[2] < b[2]
    end)
    for i, seat in ipairs(in_order) do
      into[size + SEAT * i - 1], into[size + SEAT * i] = seat[1], seat[2]
    end
    return true
  end

  -- Writes the changes: each row once, and the changed parts of the index, adjacent rows together.
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
        if one.text ~= one.old then
          redis.call('SETRANGE', seats, one.from, one.text)
        end
        local now = answers_now(one)
        local differ, at = bxor(answers(one.old), now), one.number - category[FIRST_ROW]
        while differ ~= 0 do
          local lowest = band(differ, -differ)
          differ = bxor(differ, lowest)
          local question, yes = QUESTION[lowest], band(now, lowest) ~= 0
          local run = runs[question]
          if run and run.last == at - 1 and run.yes == yes and run.count < 32 then
            run.last, run.count = at, run.count + 1
          else
            if run then
              add(8 * (category[FIRST_BYTE] + question * category[BYTES]), run)
            end
            runs[question] = { last = at, count = 1, yes = yes }
          end
        end
      end
      for question, run in pairs(runs) do
        add(8 * (category[FIRST_BYTE] + question * category[BYTES]), run)
      end
    end
    if size > 0 then
      redis.call('BITFIELD', free, unpack(bits))
    end
  end

  return self
end
