-- stock/recover: restores one chunk of a lost sale from the ledger. The sale stays suspended until resume.lua reopens
-- it. Sending a chunk again changes nothing.
--
-- Includes lib/recovery
-- KEYS 1 meta      HASH    the state, and during a recovery its token and next chunk
--      2 quantity  STRING  what is left: not cached after a recovery
--      3 requests  HASH    request id -> its record, a `request`
--      4 stats     HASH    exact counts
--      5 events    STREAM
--      6 users     HASH    user -> units that the user has
--      7 deadlines ZSET    request id -> deadline of its reservation
-- ARGV 1           token of this recovery
--      2           number of the chunk, from 0; the first one deletes what is left of the sale
--      3           u, users of the chunk
--      4           d, deadlines of the chunk
--      5 ..        user and units, u times; deadline and request id, d times; request id and record, alternating
--
-- Reply: code: 0 done, 500 repeat: the chunk is already restored
--      1007 exists: the sale is live, there is nothing to recover
--      1008 out of order: this is not the newest recovery, or a chunk before this one is missing
-- Event: none
-- Cost: at most 8 commands; the time grows with the chunk, not with the sale.

local token, chunk, number_of_users, number_due = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local first_due = 5 + 2 * number_of_users
local first_request = first_due + 2 * number_due
local number = #ARGV - first_request + 1

assert(number >= 0 and number % 2 == 0, 'recover takes two arguments for each user, deadline and request')

local refusal = chunk_refusal(meta, token, chunk)
if refusal then
  return { refusal }
end

begin_chunk(meta, token, chunk, quantity, requests, stats, events, users, deadlines)
if number_of_users > 0 then
  redis.call('HSET', users, unpack(ARGV, 5, first_due - 1))
end
if number_due > 0 then
  redis.call('ZADD', deadlines, unpack(ARGV, first_due, first_request - 1))
end
if number > 0 then
  redis.call('HSET', requests, unpack(ARGV, first_request))
end
chunk_done(meta, token, chunk)
return { DONE }
