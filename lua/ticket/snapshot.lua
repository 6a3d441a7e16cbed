-- ticket/snapshot: the figures of a sale, of one moment. Changes nothing.
--
-- KEYS 1 meta    HASH    the terms and the state
--      2 counts  HASH    "<state>:<category>" -> seats
--      3 stats   HASH    exact counts
--      4 events  STREAM
-- ARGV none
--
-- Reply: code, and with code 0:
--      meta, counts, stats    flat lists of field and value
--      id of the last event
--      code 1005 unknown sale: nothing more
-- Event: none
-- Cost: 4 commands, each of constant time.

local meta, counts, stats, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

assert(#KEYS == 4, 'snapshot takes 4 keys')
assert(#ARGV == 0, 'snapshot takes no arguments')

local DONE, UNKNOWN_SALE = 0, 1005

local terms = redis.call('HGETALL', meta)
if #terms == 0 then
  return { UNKNOWN_SALE }
end
local last
local stream = redis.call('XINFO', 'STREAM', events)
for i = 1, #stream, 2 do
  if stream[i] == 'last-generated-id' then
    last = stream[i + 1]
  end
end
return { DONE, terms, redis.call('HGETALL', counts), redis.call('HGETALL', stats), last }
