-- lib/changes: the orders that a batch changes. Prepended, after lib/orders, to the scripts whose headers include it.

-- Every `step`-th argument, from number `first` on.
local function arguments(first, step)
  local values = {}
  for at = first, #ARGV, step do
    values[#values + 1] = ARGV[at]
  end
  return values
end

-- The records of these orders, by id. A batch changes an order in its record here.
local function read_orders(orders, ids, hall)
  local records = {}
  for i, stored in ipairs(redis.call('HMGET', orders, unpack(ids))) do
    local order = ids[i]
    records[order] = records[order] or read_order(stored, hall)
  end
  return records
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
