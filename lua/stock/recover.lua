-- stock/recover: restores one chunk of a lost sale from the ledger. The sale stays suspended until resume.lua reopens
-- it. Sending a chunk again changes nothing.
--
-- Includes lib/recovery
-- KEYS 1 meta      HASH    the state, and during a recovery its token and next chunk
--      2 quantity  STRING  what is left: not cached after a recovery
--      3 requests  HASH    request id -> its record, a `request`
--      4 stats     HASH    exact counts
--      5 events    STREAM
-- ARGV 1           token of this recovery
--      2           number of the chunk, from 0; the first one deletes what is left of the sale
--      3 ..        request id and record, alternating
--
-- Reply: code: 0 done, 500 repeat: the chunk is already restored
--      1007 exists: the sale is live, there is nothing to recover
--      1008 out of order: this is not the newest recovery, or a chunk before this one is missing
-- Event: none
-- Cost: at most 6 commands; the time grows with the chunk, not with the sale.

local token, chunk, number = ARGV[1], tonumber(ARGV[2]), #ARGV - 2

assert(number % 2 == 0, 'recover takes two arguments for each request')

local refusal = chunk_refusal(meta, token, chunk)
if refusal then
  return { refusal }
end

begin_chunk(meta, token, chunk, quantity, requests, stats, events)
if number > 0 then
  redis.call('HSET', requests, unpack(ARGV, 3))
end
chunk_done(meta, token, chunk)
return { DONE }
