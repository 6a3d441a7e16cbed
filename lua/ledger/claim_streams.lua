-- ledger/claim_streams: stores which ledger this Redis feeds, so that no other ledger trims its streams. Also gives the
-- data of this Redis an identity, so that the ledger knows its feeder. A script, because a server must start on a full
-- Redis, too.
--
-- Flags: allow-oom
-- KEYS 1 ledger  STRING  the identity of the ledger that this Redis feeds
--      2 data    STRING  the identity of the data of this Redis
-- ARGV 1         identity of the caller's ledger
--      2         "look" only to look; "claim" to note that this Redis feeds it unless it feeds another
--      3         an identity for the data of this Redis if they have none
--      4         the other ledger that a claim may replace, which is the one that the caller has seen here; "" for none
--
-- Reply: code: 0 done: noted now, or it has fed none; 500 repeat: it feeds this ledger already
--      1010 taken: it feeds another ledger
--      and the identity of the data
-- Event: none
-- Cost: at most 4 commands.

local identity, mode, new_id, replaced = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local fed, id = redis.call('GET', ledger), redis.call('GET', data)
if not id then
  redis.call('SET', data, new_id)
end
id = id or new_id
if fed == identity then
  return { REPEAT, id }
end
if mode == 'look' or (fed and fed ~= replaced) then
  return { fed and TAKEN or DONE, id }
end
redis.call('SET', ledger, identity)
return { DONE, id }
