-- lib/orders: orders and their records (README, "Records"). Prepended, after lib/rows, to the scripts whose headers
-- include it.

-- Positions of the fields in an order's record.
local USER, STATE, CENTS, DUE, PLACES, PAYMENTS, HOLDERS, PICKS = 1, 2, 3, 4, 5, 6, 7, 8

local STATES = { held = true, paid = true, cancelled = true, expired = true, refunded = true }

-- An order's record, whose seats belong to the hall; nil if there is none.
local function read_order(stored, hall)
  local is_packed, record = pcall(cmsgpack.unpack, stored or '')
  local is_order = is_packed and type(record) == 'table' and type(record[USER]) == 'string' and STATES[record[STATE]]
    and type(record[CENTS]) == 'number' and type(record[DUE]) == 'number' and type(record[PLACES]) == 'table'
    and type(record[PAYMENTS]) == 'table' and type(record[HOLDERS]) == 'table' and type(record[PICKS]) == 'table'
  if stored and not (is_order and hall.has(record[PLACES])) then
    unreadable('an order')
  end
  return stored and record or nil
end

local lag_of_holds = 0

-- Has replies give deadlines by the clock: hold time is behind it by this (lib/life).
local function report_by_clock(lag)
  lag_of_holds = lag
end

-- The detail of an order in a reply.
local function order_detail(order, record)
  local due = record[DUE] + (record[STATE] == 'held' and lag_of_holds or 0)
  return cmsgpack.pack({ order, record[STATE], record[CENTS], due, record[PLACES] })
end

-- Counts of seats after something is added to them, by name, as arguments of HSET.
local function counts_with(counts, added)
  local names, fields = {}, {}
  for name in pairs(added) do
    names[#names + 1] = name
  end
  for at, stored in ipairs(redis.call('HMGET', counts, unpack(names))) do
    local name = names[at]
    fields[2 * at - 1], fields[2 * at] = name, whole(whole_number(name, stored or '0', -2 ^ 53) + added[name])
  end
  return fields
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
