-- ticket/audit: data for an audit: the figures and every seat, or a slice of one of the hashes, each with the id of
-- the last event that it reflects. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream
-- KEYS 1 meta       HASH    the terms and the state
--      2 seats      STRING  one byte per seat
--      3 layout     STRING  first seat and number of seats of each row
--      4 free       STRING  index of free seats
--      5 counts     HASH    "<state>:<category>" -> seats
--      6 holders    HASH    seat -> order
--      7 orders     HASH    order -> its record
--      8 requests   HASH    request id -> order
--      9 deadlines  ZSET    order -> its deadline
--     10 bought     HASH    user -> tickets held and paid
--     11 stats      HASH    exact counts
--     12 events     STREAM
-- ARGV 1            "figures", or the key to read a slice of: "orders", "holders", "requests", "deadlines", "bought"
--      2            cursor of the slice: 0, or as returned with the previous slice
--      3            approximate number of fields in the slice
--
-- Reply: code, id of the last event; for figures:
--      meta as a flat list, seats, layout, free, counts and stats as flat lists, fields in holders, members in
--      deadlines
--      for a slice: cursor of the next one, "0" after the last; fields and values, alternating
--      code 0 done, 1005 unknown sale, or without its events: no values
-- Event: none
-- Cost: 11 commands for the figures, 4 for a slice; the time grows with the slice, not with the sale.

local part, from, count = ARGV[1], ARGV[2], ARGV[3]

local state, limit = unpack(redis.call('HMGET', meta, 'state', 'limit'))
if not limit or state == 'archived' or redis.call('EXISTS', events) == 0 then
  return { UNKNOWN_SALE }
end
local last = stream_info(events)['last-generated-id']

local slice
if part == 'orders' then
  slice = redis.call('HSCAN', orders, from, 'COUNT', count)
elseif part == 'holders' then
  slice = redis.call('HSCAN', holders, from, 'COUNT', count)
elseif part == 'requests' then
  slice = redis.call('HSCAN', requests, from, 'COUNT', count)
elseif part == 'deadlines' then
  slice = redis.call('ZSCAN', deadlines, from, 'COUNT', count)
elseif part == 'bought' then
  slice = redis.call('HSCAN', bought, from, 'COUNT', count)
else
  return {
    DONE, last, redis.call('HGETALL', meta), redis.call('GET', seats) or '', redis.call('GET', layout) or '',
    redis.call('GET', free) or '', redis.call('HGETALL', counts), redis.call('HGETALL', stats),
    redis.call('HLEN', holders), redis.call('ZCARD', deadlines),
  }
end
local next_from, fields = unpack(slice)
return { DONE, last, next_from, fields }
