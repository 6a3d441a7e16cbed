-- stock/open: opens a sale of stock. Its quantity is not cached before the first attempt.
--
-- Includes lib/stream, lib/fence, lib/plan
-- KEYS 1 meta    HASH    the terms, the state, the sum of all changes
--      2 events  STREAM
-- ARGV 1         now, epoch milliseconds; "" for Redis' time
--      2         quantity
--      3         time to live of the cached quantity, milliseconds
--      4         low mark; "" for none
--      5         how many units a user may have at once; "" for any number
--      6         how long a deduction is held before it is confirmed, milliseconds; "" if it needs no confirmation
--      7         the plan (README, "Life"); "" for none
--      8         the group; "" for none. The keys are those of a sale of the group then, and the id is in it already
--                (sale/join_group.lua)
--
-- Reply: code:
--      0 done
--      500 repeat: the sale is already open on these terms
--      1038 too late: the start or the end has passed, or the end is not after the start; its field follows
--      1007 the id is taken by a sale on different terms, or by one that is being recovered
-- Event "opened": at, delta = sum = quantity, quantity, ttl_ms, low_mark; limit_per_user, hold_ms, group and plan, if
--       there are any, and then format
-- Cost: 6 commands, 1 more if there is a stream already.

local now, quantity, ttl_ms, low_mark, limit_per_user, hold_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local plan, group = ARGV[7], ARGV[8]

now = time_of_call(now)

-- What most sales do not have is not stored for them.
local terms, further = table.concat({ quantity, ttl_ms, low_mark }, ' '), {}
if limit_per_user ~= '' then
  further = { 'limit_per_user', limit_per_user }
end
if hold_ms ~= '' then
  further[#further + 1], further[#further + 2] = 'hold_ms', hold_ms
end
if group ~= '' then
  further[#further + 1], further[#further + 2] = 'group', group
end
if #further > 0 then
  terms = table.concat({ terms, limit_per_user, hold_ms, group ~= '' and group or nil }, ' ')
end
local state, its_terms, its_plan, generation, its_group =
  unpack(redis.call('HMGET', meta, 'state', 'terms', 'plan', 'generation', 'group'))
-- The id may be in a group, without a sale yet.
if state or its_group then
  -- A sale that is being recovered has a state but no terms yet.
  return { its_terms == terms and (its_plan or '') == plan and REPEAT or EXISTS }
end

local fields, _, late = read_plan(plan, now)
if late then
  return { TOO_LATE, late }
end

for _, values in ipairs({ further, hold_ms ~= '' and { 'held', 0 } or {} }) do
  for _, value in ipairs(values) do
    fields[#fields + 1] = value
  end
end
local opened = id_after(events, generation or '0-0', 1)
ensure_allowed(meta, 'XADD', 'HSET')

local id = redis.call('XADD', events, opened, 'type', 'opened', 'at', now, 'delta', quantity, 'sum', quantity,
  'quantity', quantity, 'ttl_ms', ttl_ms, 'low_mark', low_mark, unpack(further_fields(plan, further)))
redis.call('HSET', meta, 'state', 'open', 'terms', terms, 'quantity', quantity, 'sum', quantity, 'ttl_ms', ttl_ms,
  'low_mark', low_mark, 'opened_at', now, unpack(fields))
begin_generation(meta, id, id)
return { DONE }
