-- lib/stock: requests for stock, and what is cached of it (README, "Records"). Prepended to the scripts whose headers
-- include it.

-- Positions of the fields in a request's record.
local USER, QUANTITY, STATE, LEFT = 1, 2, 3, 4

-- A request's record; nil if it cannot be read. One that cannot must not stop the others in its batch.
local function read_request(stored)
  local is_packed, record = pcall(cmsgpack.unpack, stored or '')
  local is_request = is_packed and type(record) == 'table' and type(record[USER]) == 'string'
    and type(record[QUANTITY]) == 'number' and type(record[STATE]) == 'string' and type(record[LEFT]) == 'number'
  return is_request and record or nil
end

-- A whole number as text, without the exponent that Lua gives large ones.
local function whole(number)
  return string.format('%.0f', number)
end

-- What is left, as it is cached; nil if it is not.
local function cached_quantity(quantity)
  local stored = redis.call('GET', quantity)
  return stored and whole_number('quantity', stored, -2 ^ 53) or nil
end

-- Whether what is left has come down to the low mark from above it.
local function has_crossed(low_mark, before, after)
  local mark = tonumber(low_mark or nil)
  return mark ~= nil and before > mark and after <= mark
end
