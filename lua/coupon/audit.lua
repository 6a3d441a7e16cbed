-- coupon/audit: data for an audit: the figures, or a slice of one of the hashes, each with the id of the last event
-- that it reflects. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream
-- KEYS 1 meta      HASH    the limits and the state
--      2 counts    HASH    "<scope>:<value>" -> what is counted for it, a `count`
--      3 coupons   HASH    code -> its record, a `coupon`
--      4 stats    HASH    exact counts
--      5 events   STREAM
--      6 codes    HASH    own code -> the key in `coupons` of the coupon that has it
--      7 pending  LIST    own codes that nobody has, in the order in which they are given
--      8 invited  HASH    the users who may claim, if not all may
-- ARGV 1           "figures", or the key to read a slice of: "counts", "coupons", "codes", "pending", "invited"
--      2           cursor of the slice: 0, or as returned with the previous slice; of `pending`, how many entries at
--                  its end were read
--      3           approximate number of fields in the slice
--
-- Reply: code, id of the last event; for figures:
--      meta and stats as flat lists, numbers of coupons, of pending codes, and of invited users
--      for a slice: cursor of the next one, "0" after the last; fields and values, alternating, or entries
--      code 0 done, 1005 unknown sale, or without its events: no values
-- Event: none
-- Cost: 8 commands for the figures, 4 for a slice; the time grows with the slice, not with the sale.

local part, from, count = ARGV[1], ARGV[2], ARGV[3]

local state, basis = unpack(redis.call('HMGET', meta, 'state', 'basis'))
if not basis or state == 'archived' or redis.call('EXISTS', events) == 0 then
  return { UNKNOWN_SALE }
end
local last = stream_info(events)['last-generated-id']

local slice
if part == 'counts' then
  slice = redis.call('HSCAN', counts, from, 'COUNT', count)
elseif part == 'coupons' then
  slice = redis.call('HSCAN', coupons, from, 'COUNT', count)
elseif part == 'codes' then
  slice = redis.call('HSCAN', codes, from, 'COUNT', count)
elseif part == 'invited' then
  slice = redis.call('HSCAN', invited, from, 'COUNT', count)
elseif part == 'pending' then
  -- From its end, which only grows: what is given leaves at the other.
  local entries = redis.call('LRANGE', pending, -(from + count), -(from + 1))
  slice = { #entries == tonumber(count) and whole(from + count) or '0', entries }
else
  return {
    DONE, last, redis.call('HGETALL', meta), redis.call('HGETALL', stats), redis.call('HLEN', coupons),
    redis.call('LLEN', pending), redis.call('HLEN', invited),
  }
end
local next_from, fields = unpack(slice)
return { DONE, last, next_from, fields }
