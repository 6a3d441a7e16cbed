-- stock/open: opens a sale of stock. Its quantity is not cached before the first attempt.
--
-- Includes lib/stream, lib/fence
-- KEYS 1 meta    HASH    the terms, the state, the sum of all changes
--      2 events  STREAM
-- ARGV 1         now, epoch milliseconds; "" for Redis' time
--      2         quantity
--      3         time to live of the cached quantity, milliseconds
--      4         low mark; "" for none
--      5         how many units a user may have at once; "" for any number
--      6         how long a deduction is held before it is confirmed, milliseconds; "" if it needs no confirmation
--
-- Reply: code:
--      0 done
--      500 repeat: the sale is already open on these terms
--      1007 the id is taken by a sale on different terms, or by one that is being recovered
-- Event "opened": at, delta = sum = quantity, quantity, ttl_ms, low_mark; limit_per_user and hold_ms, if there are any,
--       and then format
-- Cost: 6 commands, 1 more if there is a stream already.

local now, quantity, ttl_ms, low_mark, limit_per_user, hold_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

now = time_of_call(now)

-- What most sales do not have is not stored for them. An older program could not read it.
local terms, further, event, record = table.concat({ quantity, ttl_ms, low_mark }, ' '), {}, {}, {}
if limit_per_user ~= '' then
  further = { 'limit_per_user', limit_per_user }
end
if hold_ms ~= '' then
  further[#further + 1], further[#further + 2] = 'hold_ms', hold_ms
  record = { 'held', 0 }
end
if #further > 0 then
  terms = table.concat({ terms, limit_per_user, hold_ms }, ' ')
  event = { 'format', FORMAT, unpack(further) }
end
for _, value in ipairs(further) do
  record[#record + 1] = value
end
local state, its_terms, generation = unpack(redis.call('HMGET', meta, 'state', 'terms', 'generation'))
if state then
  -- A sale that is being recovered has a state but no terms yet.
  return { its_terms == terms and REPEAT or EXISTS }
end

local opened = id_after(events, generation or '0-0', 1)
ensure_allowed(meta, 'XADD', 'HSET')

local id = redis.call('XADD', events, opened, 'type', 'opened', 'at', now, 'delta', quantity, 'sum', quantity,
  'quantity', quantity, 'ttl_ms', ttl_ms, 'low_mark', low_mark, unpack(event))
redis.call('HSET', meta, 'state', 'open', 'terms', terms, 'quantity', quantity, 'sum', quantity, 'ttl_ms', ttl_ms,
  'low_mark', low_mark, 'opened_at', now, unpack(record))
begin_generation(meta, id, id)
return { DONE }
