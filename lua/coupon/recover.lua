-- coupon/recover: restores one chunk of a lost sale from the ledger. The sale stays suspended until resume.lua reopens
-- it. Sending a chunk again changes nothing.
--
-- Includes lib/recovery
-- KEYS 1 meta      HASH    the state, and during a recovery its token and next chunk
--      2 counts    HASH    "<scope>:<value>" -> what is counted for it, a `count`
--      3 coupons   HASH    code -> its record, a `coupon`
--      4 stats     HASH    exact counts
--      5 events    STREAM
--      6 codes     HASH    own code -> the key in `coupons` of the coupon that has it
--      7 pending   LIST    own codes that nobody has, in the order in which they are given
--      8 invited   HASH    the users who may claim, if not all may
-- ARGV 1           token of this recovery
--      2           number of the chunk, from 0; the first one deletes what is left of the sale
--      3           numbers of what follows in this chunk: fields of `coupons`, `counts` and `codes`, entries of
--                  `pending`, fields of `invited`; blanks between
--      4 ..        these in their order, of a hash field and value, alternating
--
-- Reply: code: 0 done, 500 repeat: the chunk is already restored
--      1007 exists: the sale is live, there is nothing to recover
--      1008 out of order: this is not the newest recovery, or a chunk before this one is missing
-- Event: none
-- Cost: at most 10 commands; the time grows with the chunk, not with the sale.

local token, chunk = ARGV[1], tonumber(ARGV[2])
local sizes, total, WORDS = {}, 0, { 2, 2, 2, 1, 2 } -- of what follows: arguments, and how many for each
for number in string.gmatch(ARGV[3], '%d+') do
  sizes[#sizes + 1] = WORDS[#sizes + 1] * number
  total = total + sizes[#sizes]
end

assert(#sizes == #WORDS and #ARGV == 3 + total, 'recover takes as much as it says')

local refusal = chunk_refusal(meta, token, chunk)
if refusal then
  return { refusal }
end

begin_chunk(meta, token, chunk, counts, coupons, stats, events, codes, pending, invited)
-- The next part of what the chunk has, for a command.
local from = 4
local function next_part(size)
  from = from + size
  return unpack(ARGV, from - size, from - 1)
end
if sizes[1] > 0 then
  redis.call('HSET', coupons, next_part(sizes[1]))
end
if sizes[2] > 0 then
  redis.call('HSET', counts, next_part(sizes[2]))
end
if sizes[3] > 0 then
  redis.call('HSET', codes, next_part(sizes[3]))
end
if sizes[4] > 0 then
  redis.call('RPUSH', pending, next_part(sizes[4]))
end
if sizes[5] > 0 then
  redis.call('HSET', invited, next_part(sizes[5]))
end
chunk_done(meta, token, chunk)
return { DONE }
