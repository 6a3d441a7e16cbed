-- ticket/close: closes a sale. No more seats can be held. Held orders can still be paid or cancelled, and expire as
-- usual.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/life, lib/pause
-- KEYS 1 meta    HASH    the terms and the state
--      2 events  STREAM
-- ARGV 1         what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2         now, epoch milliseconds; "" for Redis' time
--
-- Reply: code, and what the caller has seen now:
--      0 done, 500 repeat: already closed
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed
--
-- Event "closed": at; held_ms where hold time stood (lib/life)
-- Cost: 3 commands to read, 3 to write, and 1 where the sale was paused.

local seen, now = ARGV[1], ARGV[2]

now = time_of_call(now)

local state, generation, recent, format, paused_at, hold_clock, held_ms = unpack(redis.call('HMGET', meta, 'state',
  'generation', 'recent', 'format', 'paused_at', 'hold_clock', 'held_ms'))
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, { events })
if refusal then
  return { refusal, '' }
end
if state == 'closed' then
  return { REPEAT, seen_so_far(generation, recent) }
end

local held = held_in_pause(now, held_ms, paused_at, hold_clock)
if state == 'paused' then
  ensure_allowed(meta, 'HDEL')
end
seen = add_event(meta, events, generation, recent, 'type', 'closed', 'at', now, unpack(held))
redis.call('HSET', meta, 'state', 'closed', 'closed_at', now, unpack(held))
if state == 'paused' then
  end_pause(meta)
end
return { DONE, seen }
