-- ticket/open: opens a sale of seats, all at once.
--
-- Includes lib/stream, lib/fence, lib/plan
-- KEYS 1 meta    HASH    the terms and the state
--      2 seats   STRING  one byte per seat: "0" free, "3" blocked
--      3 layout  STRING  six bytes per row: first seat, number of seats
--      4 free    STRING  the index of free seats
--      5 counts  HASH    "<state>:<category>" -> seats
--      6 events  STREAM
-- ARGV 1         now, epoch milliseconds; "" for Redis' time
--      2         seats, as stored: free or blocked
--      3         layout, as stored
--      4         free, as stored
--      5         hall, as the client described it, JSON
--      6         prices, JSON: cents by category
--      7         limit of tickets per user
--      8         hold time, milliseconds
--      9         name of the hall, "" for a custom layout
--      10        the plan (README, "Life"); "" for none
--      11        "1" if a hold can be extended, else ""
--      12        "1" if the hall has what an older program cannot read: rows with names, numbers, gaps or aisles of
--                their own, or marks; else ""
--      13 ..     category, and its numbers of free and of blocked seats, alternating
--
-- Reply: code:
--      0 done
--      500 repeat: the sale is already open on these terms
--      1038 too late: the start or the end has passed, or the end is not after the start; its field follows
--      1007 the id is taken by a sale on different terms, or by one that is being recovered
-- Event "opened": at and the terms; extendable = 1 if a hold can be extended; plan = ARGV 10, if there is one
-- Cost: 10 commands plus one per category, one more if seats of it are blocked, and one if there is a stream already;
--       the time grows with the hall: a millisecond for 60,000 seats.

local now, all_seats, rows, index = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local hall, prices, limit, hold_ms, hall_name, plan = ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10]
local extendable, is_newer = ARGV[11], ARGV[12] == '1'

assert(#ARGV >= 15 and #ARGV % 3 == 0, 'open takes three arguments for each category')

now = time_of_call(now)

local state, its_hall, its_prices, its_limit, its_hold_ms, its_plan, is_extendable =
  unpack(redis.call('HMGET', meta, 'state', 'hall', 'prices', 'limit', 'hold_ms', 'plan', 'extendable'))
if state then
  -- A sale that is being recovered has a state but no terms yet.
  local is_same = its_hall == hall and its_prices == prices and its_limit == limit and its_hold_ms == hold_ms
    and (its_plan or '') == plan and (is_extendable or '') == extendable
  return { is_same and REPEAT or EXISTS }
end

local fields, _, late = read_plan(plan, now)
if late then
  return { TOO_LATE, late }
end
local further = extendable ~= '' and { 'extendable', extendable } or {}
for _, word in ipairs(further) do
  fields[#fields + 1] = word
end

local opened = id_after(events, '0-0', 1)
ensure_allowed(meta, 'XADD', 'SET', 'UNLINK', 'HSET')

local id = redis.call('XADD', events, opened, 'type', 'opened', 'at', now, 'hall', hall, 'prices', prices,
  'limit', limit, 'hold_ms', hold_ms, unpack(further_fields(plan, further, is_newer)))
redis.call('SET', seats, all_seats)
redis.call('SET', layout, rows)
redis.call('SET', free, index)
redis.call('UNLINK', counts)
for i = 13, #ARGV, 3 do
  redis.call('HSET', counts, 'free:' .. ARGV[i], ARGV[i + 1], 'held:' .. ARGV[i], 0, 'sold:' .. ARGV[i], 0)
  if ARGV[i + 2] ~= '0' then
    redis.call('HSET', counts, 'blocked:' .. ARGV[i], ARGV[i + 2])
  end
end
redis.call('HSET', meta, 'state', 'open', 'hall', hall, 'hall_name', hall_name, 'prices', prices, 'limit', limit,
  'hold_ms', hold_ms, 'opened_at', now, unpack(fields))
begin_generation(meta, id, id)
return { DONE }
