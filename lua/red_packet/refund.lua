-- red_packet/refund: refunds the unclaimed money of an expired sale to the sender, once.
--
-- Flags: allow-oom
-- KEYS 1 pending  LIST    packets not yet claimed
--      2 meta     HASH    the terms and the state
--      3 stats    HASH    exact counts
--      4 events   STREAM
-- ARGV 1          now, epoch milliseconds
--
-- Reply: code and detail:
--      0 done, 500 repeat    the refunded cents
--      1009 not expired      the end of the sale, epoch milliseconds
--      1005 unknown sale, 1006 still opening, 1012 suspended    0
--
-- Event "refunded": at, cents, packets
-- Cost: 2 commands to read, 4 to write; the packets themselves are freed in the background.

local pending, meta, stats, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now = ARGV[1]

assert(#KEYS == 4, 'refund takes 4 keys')
assert(#ARGV == 1, 'refund takes 1 argument')

local state, expires_at, total_cents, refunded_cents =
  unpack(redis.call('HMGET', meta, 'state', 'expires_at', 'total_cents', 'refunded_cents'))

if not state or state == 'archived' then
  return { UNKNOWN_SALE, 0 }
end
if state == 'opening' then
  return { OPENING, 0 }
end
if state == 'suspended' then
  return { SUSPENDED, 0 }
end
if state == 'refunded' or state == 'closed' then
  return { REPEAT, tonumber(refunded_cents) }
end
if tonumber(now) < tonumber(expires_at) then
  return { NOT_EXPIRED, tonumber(expires_at) }
end

local cents = tonumber(total_cents) - tonumber(redis.call('HGET', stats, 'claimed_cents') or 0)
local packets = redis.call('LLEN', pending)

redis.call('HSET', meta, 'state', 'refunded', 'refunded_cents', cents, 'refunded', packets)
redis.call('UNLINK', pending)
redis.call('XADD', events, '*', 'type', 'refunded', 'at', now, 'cents', cents, 'packets', packets)
return { DONE, cents }
