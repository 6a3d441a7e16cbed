-- lib/orders: orders and their records (README, "Records"). Prepended, after lib/rows, to the scripts whose headers
-- include it.

-- Positions of the fields in an order's record.
local USER, STATE, CENTS, DUE, PLACES, PAYMENTS, HOLDERS, PICKS = 1, 2, 3, 4, 5, 6, 7, 8

local STATES = { held = true, paid = true, cancelled = true, expired = true, refunded = true }

-- An order's record; nil if it cannot be read, or if its seats do not belong to the hall. One unreadable order must
-- not stop the others in its batch.
local function read_order(stored, hall)
  local is_packed, record = pcall(cmsgpack.unpack, stored or '')
  local is_order = is_packed and type(record) == 'table' and type(record[USER]) == 'string' and STATES[record[STATE]]
    and type(record[CENTS]) == 'number' and type(record[DUE]) == 'number' and type(record[PLACES]) == 'table'
    and type(record[PAYMENTS]) == 'table' and type(record[HOLDERS]) == 'table' and type(record[PICKS]) == 'table'
  return is_order and hall.has(record[PLACES]) and record or nil
end

-- The code for an order without a readable record.
local function order_refusal(stored)
  return stored and UNREADABLE_RECORD or UNKNOWN_ORDER
end

-- The detail of an order in a reply.
local function order_detail(order, record)
  return cmsgpack.pack({ order, record[STATE], record[CENTS], record[DUE], record[PLACES] })
end

-- Ends the script if one of these counts exists and is not a whole number. The script is going to add to them.
local function may_count(key, fields)
  if #fields > 0 then
    for at, stored in ipairs(redis.call('HMGET', key, unpack(fields))) do
      if stored then
        whole_number(fields[at], stored, -2 ^ 53)
      end
    end
  end
end

-- The number of held seats, and of sold seats, in all categories.
local function held_and_sold(counts)
  local all, held, sold = redis.call('HGETALL', counts), 0, 0
  for i = 1, #all, 2 do
    local state = string.match(all[i], '^%a+')
    local number = whole_number(all[i], all[i + 1], -2 ^ 53)
    held, sold = held + (state == 'held' and number or 0), sold + (state == 'sold' and number or 0)
  end
  return held, sold
end

-- Whether Redis lacks data of held and sold seats: a deadline for each order with held seats, and a holder of each
-- seat.
local function lacks_orders(held, sold, deadlines, holders)
  return held > 0 and redis.call('EXISTS', deadlines) == 0 or held + sold > 0 and redis.call('EXISTS', holders) == 0
end
