-- red_packet/close: closes a sale early, and refunds the unclaimed money in the same step.
--
-- Flags: allow-oom
-- KEYS 1 pending  LIST    packets not yet claimed
--      2 meta     HASH    the terms and the state
--      3 stats    HASH    exact counts
--      4 events   STREAM
-- ARGV 1          now, epoch milliseconds
--
-- Reply: code: 0 done, 500 repeat: already closed, or expired and refunded
--      1005 unknown sale, 1006 still opening, 1012 suspended
--
-- Event "closed": at, cents and packets that were refunded
-- Cost: 2 commands to read, 4 to write; the packets themselves are freed in the background.

local pending, meta, stats, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now = ARGV[1]

assert(#KEYS == 4, 'close takes 4 keys')
assert(#ARGV == 1, 'close takes 1 argument')

local terms = redis.call('HMGET', meta, 'state', 'total_cents')
local state = terms[1]

if not state or state == 'archived' then
  return { UNKNOWN_SALE }
end
if state == 'opening' then
  return { OPENING }
end
if state == 'suspended' then
  return { SUSPENDED }
end
if state == 'closed' or state == 'refunded' then
  return { REPEAT }
end

local cents = tonumber(terms[2]) - tonumber(redis.call('HGET', stats, 'claimed_cents') or 0)
local packets = redis.call('LLEN', pending)

redis.call('HSET', meta, 'state', 'closed', 'closed_at', now, 'refunded_cents', cents, 'refunded', packets)
redis.call('UNLINK', pending)
redis.call('XADD', events, '*', 'type', 'closed', 'at', now, 'cents', cents, 'packets', packets)
return { DONE }
