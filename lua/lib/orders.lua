-- lib/orders: orders and their records (README, "Records"). Prepended, after lib/rows, to the scripts whose headers
-- include it.

-- Positions of the fields in an order's record. The last two are missing where nothing uses them.
local USER, STATE, CENTS, DUE, PLACES, PAYMENTS, HOLDERS, PICKS, RETURNS, EXTENDED_BY = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10

local STATES = { held = true, paid = true, cancelled = true, expired = true, refunded = true }

-- Whether a value is a list of parts that came back: request id and seats of each.
local function is_parts(value, hall)
  if type(value) ~= 'table' then
    return false
  end
  for _, part in ipairs(value) do
    if type(part) ~= 'table' or type(part[1]) ~= 'string' or type(part[2]) ~= 'table' or not hall.has(part[2]) then
      return false
    end
  end
  return true
end

-- An order's record, whose seats belong to the hall; nil if there is none.
local function read_order(stored, hall)
  local is_packed, record = pcall(cmsgpack.unpack, stored or '')
  local is_order = is_packed and type(record) == 'table' and type(record[USER]) == 'string' and STATES[record[STATE]]
    and type(record[CENTS]) == 'number' and type(record[DUE]) == 'number' and type(record[PLACES]) == 'table'
    and type(record[PAYMENTS]) == 'table' and type(record[HOLDERS]) == 'table' and type(record[PICKS]) == 'table'
    and (record[RETURNS] == nil or is_parts(record[RETURNS], hall))
    and (record[EXTENDED_BY] == nil or type(record[EXTENDED_BY]) == 'string')
  if stored and not (is_order and hall.has(record[PLACES])) then
    unreadable('an order')
  end
  return stored and record or nil
end

-- The seats of a list that another one does not have.
local function places_without(places, others)
  local is_other, rest = {}, {}
  for at = 1, #others, SEAT do
    is_other[others[at] .. ':' .. others[at + 1]] = true
  end
  for at = 1, #places, SEAT do
    if not is_other[places[at] .. ':' .. places[at + 1]] then
      rest[#rest + 1], rest[#rest + 2] = places[at], places[at + 1]
    end
  end
  return rest
end

-- The seats of an order that did not come back with a part of it.
local function places_left(record)
  local places = record[PLACES]
  for _, part in ipairs(record[RETURNS] or {}) do
    places = places_without(places, part[2])
  end
  return places
end

-- The seats that an order has, or had when it ended: with its last part, if that was all that it had.
local function places_now(record)
  local left, parts = places_left(record), record[RETURNS]
  return #left > 0 and left or parts[#parts][2]
end

local lag_of_holds = 0

-- Has replies give deadlines by the clock: hold time is behind it by this (lib/life).
local function report_by_clock(lag)
  lag_of_holds = lag
end

-- An order in a reply.
local function order_in_reply(order, record)
  local due = record[DUE] + (record[STATE] == 'held' and lag_of_holds or 0)
  local was_extended = record[EXTENDED_BY] and 1 or 0
  return { order, record[STATE], record[CENTS], due, places_now(record), was_extended, record[PICKS] }
end

-- The same as the whole detail of a reply.
local function order_detail(order, record)
  return cmsgpack.pack(order_in_reply(order, record))
end

-- Whether Redis lacks data of held and sold seats: a deadline for each order with held seats, and a holder of each
-- seat.
local function lacks_orders(held, sold, deadlines, holders)
  return held > 0 and redis.call('EXISTS', deadlines) == 0 or held + sold > 0 and redis.call('EXISTS', holders) == 0
end
