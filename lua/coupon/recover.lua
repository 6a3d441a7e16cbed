-- coupon/recover: restores one chunk of a lost sale from the ledger. The sale stays suspended until resume.lua reopens
-- it. Sending a chunk again changes nothing.
--
-- Includes lib/recovery
-- KEYS 1 meta      HASH    the state, and during a recovery its token and next chunk
--      2 counts    HASH    "<scope>:<value>" -> what is counted for it, a `count`
--      3 coupons   HASH    code -> its record, a `coupon`
--      4 stats     HASH    exact counts
--      5 events    STREAM
-- ARGV 1           token of this recovery
--      2           number of the chunk, from 0; the first one deletes what is left of the sale
--      3           c, coupons in this chunk
--      4 .. 2c+3   code and record of each coupon, alternating
--      2c+4 ..     field and value of `counts`, alternating
--
-- Reply: code: 0 done, 500 repeat: the chunk is already restored
--      1007 exists: the sale is live, there is nothing to recover
--      1008 out of order: this is not the newest recovery, or a chunk before this one is missing
-- Event: none
-- Cost: at most 7 commands; the time grows with the chunk, not with the sale.

local token, chunk, number = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local rest = #ARGV - 3 - 2 * number

assert(rest >= 0 and rest % 2 == 0, 'recover takes as many coupons as it says, and counts with their values')

local refusal = chunk_refusal(meta, token, chunk)
if refusal then
  return { refusal }
end

begin_chunk(meta, token, chunk, counts, coupons, stats, events)
if number > 0 then
  redis.call('HSET', coupons, unpack(ARGV, 4, 2 * number + 3))
end
if rest > 0 then
  redis.call('HSET', counts, unpack(ARGV, 2 * number + 4))
end
chunk_done(meta, token, chunk)
return { DONE }
