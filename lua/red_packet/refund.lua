-- red_packet/refund: refunds the unclaimed money of an expired sale to the sender, once. A sale whose opening was never
-- finished is deleted, because nobody could claim from it. (If this Redis has lost the end of such a sale and the
-- ledger knows it, it counts as lost from then on.)
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
--      1006 still opening    1 if this call has deleted it, otherwise 0
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost,
--      1026 newer format, 1034 trimmed    0
--
-- Event "refunded": at, cents, packets
-- Cost: 5 commands to read, 4 to write, or 3 in all to delete one; the packets themselves are freed in the background.

local seen, now = ARGV[1], ARGV[2]

now = time_of_call(now)

local ABANDONED_AFTER_MS = 600000 -- from the first packets on; an opening takes a second or two

local state, generation, recent, format, was_given, opened_at, expires_at, total_cents, refunded_cents =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'opened_at', 'expires_at',
    'total_cents', 'refunded_cents'))

local needed = was_given and { events, stats } or { events }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed,
  { opening = true, refunded = true })
if refusal then
  return { refusal, 0, '' }
end
if state == 'opening' then
  local is_abandoned = tonumber(now) >= whole_number('opened_at', opened_at, 0) + ABANDONED_AFTER_MS
  if is_abandoned then
    redis.call('UNLINK', pending, meta)
  end
  return { OPENING, is_abandoned and 1 or 0, '' }
end
seen = seen_so_far(generation, recent)
if state == 'refunded' or state == 'closed' then
  return { REPEAT, whole_number('refunded_cents', refunded_cents, 0), seen }
end
expires_at = whole_number('expires_at', expires_at, 0)

local claimed_cents = whole_number('claimed_cents', redis.call('HGET', stats, 'claimed_cents') or '0', 0)
local cents = whole_number('total_cents', total_cents, 1) - claimed_cents
local packets = redis.call('LLEN', pending)
if packets == 0 and cents > 0 then
  return { suspend_lost(meta), 0, '' } -- packets that nobody has are missing
end
if tonumber(now) < expires_at then
  return { NOT_EXPIRED, expires_at, seen }
end

ensure_allowed(meta, 'UNLINK')
seen = add_event(meta, events, generation, recent, 'type', 'refunded', 'at', now, 'cents', cents, 'packets', packets)
redis.call('HSET', meta, 'state', 'refunded', 'refunded_cents', cents, 'refunded', packets)
redis.call('UNLINK', pending)
return { DONE, cents, seen }
