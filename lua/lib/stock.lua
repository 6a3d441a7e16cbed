-- lib/stock: requests for stock, and the cached quantity (README, "Records"). Prepended to the scripts whose headers
-- include it.

-- Positions of the fields in a request's record.
local USER, QUANTITY, STATE, LEFT = 1, 2, 3, 4

-- Whether a value is a whole number, and Lua rounds neither it nor the next one.
local function is_exact(value)
  return type(value) == 'number' and value % 1 == 0 and math.abs(value) < 2 ^ 53
end

-- A request's record; nil if there is none.
local function read_request(stored)
  local is_packed, record = pcall(cmsgpack.unpack, stored or '')
  local is_request = is_packed and type(record) == 'table' and type(record[USER]) == 'string'
    and is_exact(record[QUANTITY]) and type(record[STATE]) == 'string' and is_exact(record[LEFT])
  if stored and not is_request then
    unreadable('a request')
  end
  return is_request and record or nil
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
