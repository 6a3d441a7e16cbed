-- stock/audit: data for an audit: the figures, or a slice of the requests or of the users' units, each with the id of
-- the last event that it reflects. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream
-- KEYS 1 meta      HASH    the terms, the state, the sum of all changes
--      2 quantity  STRING  what is left, as long as it is cached
--      3 requests  HASH    request id -> its record, a `request`
--      4 stats     HASH    exact counts
--      5 events    STREAM
--      6 users     HASH    user -> units that the user has; only if the sale has a limit
--      7 deadlines ZSET    request id -> deadline of its reservation; only if the sale holds
-- ARGV 1           "figures"; "requests" or "users" for a slice of them
--      2           cursor of the slice: 0, or as returned with the previous slice
--      3           approximate number of fields in the slice
--
-- Reply: code, id of the last event; for figures:
--      meta and stats as flat lists, number of requests, what is cached, or nil, number of users, number of deadlines
--      for a slice: cursor of the next one, "0" after the last; fields and values, alternating; of requests of a sale
--      that holds, the deadline of each, or nil
--      code 0 done, 1005 unknown sale, or without its events: no values
-- Event: none
-- Cost: 7 commands for the figures, 1 more with a limit and 1 with a hold time; 4 for a slice, 1 more of requests with
--       a hold time. The time grows with the slice, not with the sale.

local part, from, count = ARGV[1], ARGV[2], ARGV[3]

local state, sum, limit, hold_ms = unpack(redis.call('HMGET', meta, 'state', 'sum', 'limit_per_user', 'hold_ms'))
if not sum or state == 'archived' or redis.call('EXISTS', events) == 0 then
  return { UNKNOWN_SALE }
end
local last = stream_info(events)['last-generated-id']
if part == 'requests' then
  local next_from, fields = unpack(redis.call('HSCAN', requests, from, 'COUNT', count))
  local ids, due = {}, {}
  for at = 1, hold_ms and #fields or 0, 2 do
    ids[#ids + 1] = fields[at]
  end
  if #ids > 0 then
    due = redis.call('ZMSCORE', deadlines, unpack(ids))
  end
  return { DONE, last, next_from, fields, due }
end
if part == 'users' then
  local next_from, fields = unpack(redis.call('HSCAN', users, from, 'COUNT', count))
  return { DONE, last, next_from, fields }
end
return {
  DONE, last, redis.call('HGETALL', meta), redis.call('HGETALL', stats), redis.call('HLEN', requests),
  redis.call('GET', quantity), limit and redis.call('HLEN', users) or 0,
  hold_ms and redis.call('ZCARD', deadlines) or 0,
}
