-- red_packet/refund: refunds the unclaimed money of an expired sale to the sender, once.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence
-- KEYS 1 pending  LIST    packets not yet claimed
--      2 meta     HASH    the terms and the state
--      3 stats    HASH    exact counts
--      4 events   STREAM
-- ARGV 1          what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2          now, epoch milliseconds; "" for Redis' time
--
-- Reply: code, detail, and what the caller has seen now:
--      0 done, 500 repeat    the refunded cents
--      1009 not expired      the end of the sale, epoch milliseconds
--      1005 unknown sale, 1006 still opening, 1012 suspended, 1025 suspended by this call, as something of it is lost,
--      1026 newer format, 1034 trimmed    0
--
-- Event "refunded": at, cents, packets
-- Cost: 8 commands to read, 4 to write; the packets themselves are freed in the background.

local pending, meta, stats, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local seen, now = ARGV[1], ARGV[2]

assert(#KEYS == 4, 'refund takes 4 keys')
assert(#ARGV == 2, 'refund takes 2 arguments')

now = time_of_call(now)

local state, generation, recent, format, was_given, expires_at, total_cents, refunded_cents =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'expires_at', 'total_cents',
    'refunded_cents'))

local needed = was_given and { events, stats } or { events }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed,
  { opening = true, refunded = true }) or state == 'opening' and OPENING
if refusal then
  return { refusal, 0, '' }
end
seen = seen_so_far(generation, recent)
if state == 'refunded' or state == 'closed' then
  return { REPEAT, whole_number('refunded_cents', refunded_cents, 0), seen }
end
expires_at = whole_number('expires_at', expires_at, 0)

local cents = whole_number('total_cents', total_cents, 1) - tonumber(redis.call('HGET', stats, 'claimed_cents') or 0)
local packets = redis.call('LLEN', pending)
if packets == 0 and cents > 0 then
  return { suspend_lost(meta), 0, '' } -- the packets that nobody has
end
if tonumber(now) < expires_at then
  return { NOT_EXPIRED, expires_at, seen }
end

local event_id = next_event_id(events, recent)
may_write('hash', meta, 'HSET')
may_write('list', pending, 'UNLINK')
may_write('stream', events, 'XADD')

redis.call('HSET', meta, 'state', 'refunded', 'refunded_cents', cents, 'refunded', packets)
redis.call('UNLINK', pending)
local id = redis.call('XADD', events, event_id, 'type', 'refunded', 'at', now, 'cents', cents, 'packets', packets)
return { DONE, cents, note_event(meta, generation, recent, id) }
