-- stock/open: opens a sale of stock. Its quantity is not cached before the first attempt.
--
-- Includes lib/stream, lib/fence
-- KEYS 1 meta    HASH    the terms, the state, the sum of all changes
--      2 events  STREAM
-- ARGV 1         now, epoch milliseconds; "" for Redis' time
--      2         quantity
--      3         time to live of the cached quantity, milliseconds
--      4         low mark; "" for none
--
-- Reply: code:
--      0 done
--      500 repeat: the sale is already open on these terms
--      1007 the id is taken by a sale on different terms, or by one that is being recovered
-- Event "opened": at, delta = sum = quantity, quantity, ttl_ms, low_mark
-- Cost: 6 commands, 1 more if there is a stream already.

local now, quantity, ttl_ms, low_mark = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

now = time_of_call(now)

local terms = table.concat({ quantity, ttl_ms, low_mark }, ' ')
local state, its_terms, generation = unpack(redis.call('HMGET', meta, 'state', 'terms', 'generation'))
if state then
  -- A sale that is being recovered has a state but no terms yet.
  return { its_terms == terms and REPEAT or EXISTS }
end

local opened = id_after(events, generation or '0-0', 1)
ensure_allowed(meta, 'XADD', 'HSET')

local id = redis.call('XADD', events, opened, 'type', 'opened', 'at', now, 'delta', quantity, 'sum', quantity,
  'quantity', quantity, 'ttl_ms', ttl_ms, 'low_mark', low_mark)
redis.call('HSET', meta, 'state', 'open', 'terms', terms, 'quantity', quantity, 'sum', quantity, 'ttl_ms', ttl_ms,
  'low_mark', low_mark, 'opened_at', now)
begin_generation(meta, id, id)
return { DONE }
