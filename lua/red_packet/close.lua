-- red_packet/close: closes a sale early, and refunds the unclaimed money in the same step.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/life, lib/pause
-- KEYS 1 pending  LIST    packets not yet claimed
--      2 meta     HASH    the terms and the state
--      3 stats    HASH    exact counts
--      4 events   STREAM
-- ARGV 1          what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2          now, epoch milliseconds; "" for Redis' time
--
-- Reply: code, and what the caller has seen now:
--      0 done, 500 repeat: already closed, or expired and refunded
--      1005 unknown sale, 1006 still opening, 1012 suspended, 1025 suspended by this call, as something of it is lost,
--      1026 newer format, 1034 trimmed
--
-- Event "closed": at, cents and packets that were refunded, held_ms where hold time stood (lib/life)
-- Cost: 5 commands to read, 4 to write, and 1 where the sale was paused; the packets themselves are freed in the
--       background.

local seen, now = ARGV[1], ARGV[2]

now = time_of_call(now)

local state, generation, recent, format, was_given, total_cents, paused_at, hold_clock, held_ms =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'total_cents', 'paused_at',
    'hold_clock', 'held_ms'))

local needed = was_given and { events, stats } or { events }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed,
  { opening = true, refunded = true }) or state == 'opening' and OPENING
if refusal then
  return { refusal, '' }
end
if state == 'closed' or state == 'refunded' then
  return { REPEAT, seen_so_far(generation, recent) }
end

local claimed_cents = whole_number('claimed_cents', redis.call('HGET', stats, 'claimed_cents') or '0', 0)
local cents = whole_number('total_cents', total_cents, 1) - claimed_cents
local packets = redis.call('LLEN', pending)
if packets == 0 and cents > 0 then
  return { suspend_lost(meta), '' } -- packets that nobody has are missing
end

local held = held_in_pause(now, held_ms, paused_at, hold_clock)
ensure_allowed(meta, 'UNLINK')
if state == 'paused' then
  ensure_allowed(meta, 'HDEL')
end
seen = add_event(meta, events, generation, recent, 'type', 'closed', 'at', now, 'cents', cents, 'packets', packets,
  unpack(held))
redis.call('HSET', meta, 'state', 'closed', 'closed_at', now, 'refunded_cents', cents, 'refunded', packets,
  unpack(held))
if state == 'paused' then
  end_pause(meta)
end
redis.call('UNLINK', pending)
return { DONE, seen }
