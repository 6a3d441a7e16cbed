-- ticket/snapshot: a consistent snapshot of a sale for its page. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream
-- KEYS 1 meta      HASH    the terms and the state
--      2 seats     STRING  one byte per seat
--      3 counts    HASH    "<state>:<category>" -> seats
--      4 heat      STRING  four bytes per row: number of attempts that wanted a seat in it
--      5 stats     HASH    exact counts
--      6 events    STREAM
--      7 attempts  STREAM  a sample of attempts that changed nothing
--      8 crowd     STRING  the latest crowd, JSON
-- ARGV 1         entries of `attempts` to return, at most
--
-- Reply: code, and with code 0:
--      meta             flat list of field and value: those that the page shows
--      counts, stats    flat lists of field and value
--      seats, heat      as stored
--      id of the last event
--      the newest entries of `attempts`, newest first
--      crowd, or nil
--      code 1005 unknown sale: no values
-- Event: none
-- Cost: 9 commands; the time grows with the hall, whose bytes are copied.

local sample_wanted = tonumber(ARGV[1])

local state, terms = state_and_fields(meta, 'opened_at', 'limit', 'hold_ms', 'opens_at', 'ends_at', 'paused_at',
  'pause_reason', 'hold_clock', 'title_en', 'title_zh', 'description_en', 'description_zh', 'currency')
if not state or state == 'archived' then
  return { UNKNOWN_SALE }
end
-- While the sale is suspended, its events may be gone.
local last = redis.call('EXISTS', events) == 1 and stream_info(events)['last-generated-id'] or '0-0'
return {
  DONE, terms, redis.call('HGETALL', counts), redis.call('HGETALL', stats), redis.call('GET', seats),
  redis.call('GET', heat), last, redis.call('XREVRANGE', attempts, '+', '-', 'COUNT', sample_wanted),
  redis.call('GET', crowd),
}
