-- lib/stock: requests for stock, the units of users, and the cached quantity (README, "Records"). Prepended to the
-- scripts whose headers include it.

-- Positions of the fields in a request's record. The last two are missing where nothing uses them.
local USER, QUANTITY, STATE, LEFT, DUE, RETURNS = 1, 2, 3, 4, 5, 6

-- The states in which a user has the units of a request, except those that came back.
local HAS_UNITS = { deducted = true, held = true, confirmed = true }

-- Whether a value is a whole number, and Lua rounds neither it nor the next one.
local function is_exact(value)
  return type(value) == 'number' and value % 1 == 0 and math.abs(value) < 2 ^ 53
end

-- Whether a value is a list of returns: id and quantity of each.
local function is_returns(value)
  if type(value) ~= 'table' then
    return false
  end
  for _, part in ipairs(value) do
    if type(part) ~= 'table' or type(part[1]) ~= 'string' or not is_exact(part[2]) then
      return false
    end
  end
  return true
end

-- A request's record; nil if there is none.
local function read_request(stored)
  local is_packed, record = pcall(cmsgpack.unpack, stored or '')
  local is_request = is_packed and type(record) == 'table' and type(record[USER]) == 'string'
    and is_exact(record[QUANTITY]) and type(record[STATE]) == 'string' and is_exact(record[LEFT])
    and (record[DUE] == nil and record[STATE] ~= 'held' or is_exact(record[DUE]))
    and (record[RETURNS] == nil or is_returns(record[RETURNS]))
  if stored and not is_request then
    unreadable('a request')
  end
  return is_request and record or nil
end

-- How many units of a request its user still has.
local function kept_of(record)
  if not HAS_UNITS[record[STATE]] then
    return 0
  end
  local kept = record[QUANTITY]
  for _, part in ipairs(record[RETURNS] or {}) do
    kept = kept - part[2]
  end
  if kept < 0 then
    unreadable('a request of which more came back than it had')
  end
  return kept
end

-- The deadline of a request as replies give it: by the clock, which hold time is behind by `lag` (lib/life). 0 if it
-- has none.
local function deadline_by_clock(record, lag)
  return (record[DUE] or 0) + (record[STATE] == 'held' and lag or 0)
end

-- A limit or a time among the terms of a sale; nil if it has none.
local function optional_term(name, stored)
  return stored and whole_number(name, stored, 1) or nil
end

-- How many units users have now, by user. Only a sale with a limit counts them.
local function read_units(users, names)
  local units = {}
  for at, stored in ipairs(redis.call('HMGET', users, unpack(names))) do
    units[names[at]] = whole_number('the units of a user', stored or '0', 0)
  end
  return units
end

-- Units of users, by user, as arguments of HSET.
local function units_as_fields(units)
  local fields = {}
  for user, count in pairs(units) do
    fields[#fields + 1], fields[#fields + 2] = user, whole(count)
  end
  return fields
end

-- A count after units are taken from it. Ends the script if there are fewer, or there is no such count.
local function less(what, count, units)
  if not count or units > count then
    unreadable(what .. ', which are fewer than those of a request')
  end
  return count - units
end

-- The cached quantity; nil if it is not cached.
local function cached_quantity(quantity)
  local stored = redis.call('GET', quantity)
  return stored and whole_number('quantity', stored, -2 ^ 53) or nil
end

-- The sum of all changes after one more; nil if the sum, or the quantity cached then, is too large to be exact.
local function sum_after(sum, cached, change)
  local after = sum + change
  return is_exact(after) and is_exact((cached or 0) + change) and after or nil
end

-- The same for a change that must be made. Ends the script, which has written nothing yet, if there is none.
local function exact_sum(sum, cached, change)
  return sum_after(sum, cached, change) or error({ err = 'UNTRIED the sum of all changes would not be exact' })
end

-- Whether the quantity has come down to the low mark from above it.
local function has_crossed(low_mark, before, after)
  local mark = tonumber(low_mark or nil)
  return mark ~= nil and before > mark and after <= mark
end
