-- bench/article_ticket: the article's script for buying tickets, for comparison in benchmarks only. One attempt per
-- call. Unsold seats are JSON in a hash, and the request is JSON, too. Commands, order and data are the same. But keys
-- are passed in KEYS, whereas the article builds them in the script.
--
-- KEYS 1 unsold     HASH  seat -> JSON of the seat, for the wanted category
--      2 locked     HASH  the same for seats that were taken
--      3 remaining  HASH  category -> seats left
--      4 record     HASH  request -> "1"
-- ARGV 1            "1" for chosen seats, "2" for any seats
--      2            the request
--      3            JSON [{"ticketCategoryId":..,"ticketCount":..}]
--      4            JSON [{"id":..},..] of the chosen seats
--
-- Reply: JSON with code 0 and the seats, or the reason for refusal: 500, 1001, 1002, 1003
-- Event: none
-- Cost: 3 commands plus 3 per seat, for one category; 1 more where any seats will do: HKEYS, which reads every unsold
--       seat

local unsold, locked, remaining, record = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local strategy, request, stock, chosen = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

assert(#KEYS == 4, 'article_ticket takes 4 keys')
assert(#ARGV == 4, 'article_ticket takes 4 arguments')

if redis.call('HEXISTS', record, request) == 1 then
  return cjson.encode({ code = 500 })
end
stock = cjson.decode(stock)
local bought = {}

local function move(seat)
  local json = redis.call('HGET', unsold, seat)
  if not json then
    return false
  end
  redis.call('HDEL', unsold, seat)
  redis.call('HSET', locked, seat, json)
  bought[#bought + 1] = json
  return true
end

if strategy == '1' then
  for _, seat in ipairs(cjson.decode(chosen)) do
    if not move(tostring(seat.id)) then
      return cjson.encode({ code = 1001 })
    end
  end
else
  for _, item in ipairs(stock) do
    local seats = redis.call('HKEYS', unsold)
    if #seats < item.ticketCount then
      return cjson.encode({ code = 1002 })
    end
    for i = 1, item.ticketCount do
      move(seats[i])
    end
  end
end

for _, item in ipairs(stock) do
  if redis.call('HINCRBY', remaining, tostring(item.ticketCategoryId), -item.ticketCount) < 0 then
    return cjson.encode({ code = 1003 })
  end
end
redis.call('HSET', record, request, '1')
return cjson.encode({ code = 0, purchaseSeatList = bought })
