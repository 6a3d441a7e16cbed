-- stock/audit: data for an audit: the figures, or a slice of the requests, each with the id of the last event that it
-- reflects. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream
-- KEYS 1 meta      HASH    the terms, the state, the sum of all changes
--      2 quantity  STRING  what is left, as long as it is cached
--      3 requests  HASH    request id -> its record, a `request`
--      4 stats     HASH    exact counts
--      5 events    STREAM
-- ARGV 1           "figures", or "requests" for a slice of them
--      2           cursor of the slice: 0, or as returned with the previous slice
--      3           approximate number of fields in the slice
--
-- Reply: code, id of the last event; for figures:
--      meta and stats as flat lists, number of requests, what is cached, or nil
--      for a slice: cursor of the next one, "0" after the last; fields and values, alternating
--      code 0 done, 1005 unknown sale, or without its events: no values
-- Event: none
-- Cost: 7 commands for the figures, 4 for a slice; the time grows with the slice, not with the sale.

local part, from, count = ARGV[1], ARGV[2], ARGV[3]

local state, sum = unpack(redis.call('HMGET', meta, 'state', 'sum'))
if not sum or state == 'archived' or redis.call('EXISTS', events) == 0 then
  return { UNKNOWN_SALE }
end
local last = stream_info(events)['last-generated-id']
if part == 'requests' then
  local next_from, fields = unpack(redis.call('HSCAN', requests, from, 'COUNT', count))
  return { DONE, last, next_from, fields }
end
return {
  DONE, last, redis.call('HGETALL', meta), redis.call('HGETALL', stats), redis.call('HLEN', requests),
  redis.call('GET', quantity),
}
