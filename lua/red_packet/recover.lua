-- red_packet/recover: restores one chunk of a lost sale from the ledger. The sale stays suspended until
-- resume.lua reopens it. Sending a chunk again changes nothing.
--
-- Includes lib/recovery
-- KEYS 1 pending    LIST    packets not yet claimed
--      2 claimants  HASH    user -> packet
--      3 meta       HASH    the state, and during a recovery its token and next chunk
--      4 stats      HASH    exact counts
--      5 events     STREAM
-- ARGV 1            token of this recovery
--      2            number of the chunk, from 0; the first one deletes what is left of the sale
--      3            p, packets in this chunk
--      4 .. p+3     the packets, "<no>:<cents>", in the order of their numbers
--      p+4 ..       user and packet, alternating, for each claim in this chunk
--
-- Reply: code: 0 done, 500 repeat: the chunk is already restored
--      1007 exists: the sale is live, there is nothing to recover
--      1008 out of order: this is not the newest recovery, or a chunk before this one is missing
-- Event: none
-- Cost: at most 7 commands; the time grows with the chunk, not with the sale.

local token, chunk, packets = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

assert((#ARGV - 3 - packets) % 2 == 0, 'recover takes as many packets as it says, and two arguments for each claim')

local refusal = chunk_refusal(meta, token, chunk)
if refusal then
  return { refusal }
end

begin_chunk(meta, token, chunk, pending, claimants, stats, events)
if packets > 0 then
  redis.call('RPUSH', pending, unpack(ARGV, 4, packets + 3))
end
if #ARGV > packets + 3 then
  redis.call('HSET', claimants, unpack(ARGV, packets + 4))
end
chunk_done(meta, token, chunk)
return { DONE }
