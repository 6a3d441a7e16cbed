-- lib/orders: orders and their records (README, "Records"). Prepended, after lib/rows, to the scripts
-- whose headers include it.

-- Positions of the fields in an order's record.
local USER, STATE, CENTS, DUE, PLACES, PAYMENTS, HOLDERS, PICKS = 1, 2, 3, 4, 5, 6, 7, 8

local STATES = { held = true, paid = true, cancelled = true, expired = true, refunded = true }

-- An order's record; nil if it cannot be read, or if its seats do not belong to the hall. One unreadable order must
-- not stop the others in its batch.
local function read_order(stored, hall)
  local is_packed, record = pcall(cmsgpack.unpack, stored or '')
  local is_order = is_packed and type(record) == 'table' and type(record[USER]) == 'string' and STATES[record[STATE]]
    and type(record[CENTS]) == 'number' and type(record[DUE]) == 'number' and type(record[PLACES]) == 'table'
    and type(record[HOLDERS]) == 'table'
    and (record[PICKS] == nil or type(record[PICKS]) == 'table') -- before format 2, it was not kept
  if not is_order or not hall.has(record[PLACES]) then
    return nil
  end
  -- 0 before the first payment. Before request ids were kept, 1 if a payment had come after the end.
  if type(record[PAYMENTS]) ~= 'table' then
    record[PAYMENTS] = record[PAYMENTS] == 1 and { '', '' } or {}
  end
  return record
end

-- The code for an order without a readable record.
local function order_refusal(stored)
  return stored and UNREADABLE_ORDER or UNKNOWN_ORDER
end

-- The detail of an order in a reply.
local function order_detail(order, record)
  return cmsgpack.pack({ order, record[STATE], record[CENTS], record[DUE], record[PLACES] })
end

-- Ends the script if one of these counts, to which it is going to add, is there and is no whole number.
local function may_count(key, fields)
  if #fields > 0 then
    for at, stored in ipairs(redis.call('HMGET', key, unpack(fields))) do
      if stored then
        whole_number(fields[at], stored, -2 ^ 53)
      end
    end
  end
end

-- Writes orders that have ended, and releases their seats. `ended` lists, for each order, its id, its record, and
-- whether it was paid; each order appears once. The caller writes the counts of outcomes and the event, and has asked
-- for everything but these counts whether it may write.
local function release_orders(hall, ended, counts, holders, orders, deadlines, bought)
  local seats, records, names, users, moved, changed = {}, {}, {}, {}, {}, {}
  for _, one in ipairs(ended) do
    local record = one.record
    local places = record[PLACES]
    hall.set(places, '0')
    for at = 1, #places, SEAT do
      local number, place = places[at], places[at + 1]
      seats[#seats + 1] = decimal(hall.row(number).first + place)
      local from = (one.was_paid and 'sold:' or 'held:') .. hall.category_of(number)
      if not moved[from] then
        changed[#changed + 1], changed[#changed + 2] = from, 'free:' .. string.sub(from, 6)
      end
      moved[from] = (moved[from] or 0) + 1
    end
    users[#users + 1] = record[USER]
    records[#records + 1], records[#records + 2] = one.order, cmsgpack.pack(record)
    names[#names + 1] = one.order
  end
  may_count(counts, changed)
  may_count(bought, users)
  for _, one in ipairs(ended) do
    redis.call('HINCRBY', bought, one.record[USER], -#one.record[PLACES] / SEAT)
  end
  hall.write()
  for from, count in pairs(moved) do
    redis.call('HINCRBY', counts, from, -count)
    redis.call('HINCRBY', counts, 'free:' .. string.sub(from, 6), count)
  end
  redis.call('HDEL', holders, unpack(seats))
  redis.call('HSET', orders, unpack(records))
  redis.call('ZREM', deadlines, unpack(names))
end

-- How many seats are held, and how many are sold, in all categories.
local function held_and_sold(counts)
  local all, held, sold = redis.call('HGETALL', counts), 0, 0
  for i = 1, #all, 2 do
    local state = string.match(all[i], '^%a+')
    local number = whole_number(all[i], all[i + 1], -2 ^ 53)
    held, sold = held + (state == 'held' and number or 0), sold + (state == 'sold' and number or 0)
  end
  return held, sold
end

-- Whether Redis lacks what there must be for held and sold seats: a deadline for each order that holds some, and a
-- holder of each seat.
local function lacks_orders(held, sold, deadlines, holders)
  return held > 0 and redis.call('EXISTS', deadlines) == 0 or held + sold > 0 and redis.call('EXISTS', holders) == 0
end
