-- sale/seal: seals a sale of any kind that is over, so that it cannot change while the ledger marks it as archived and
-- its keys are deleted.
--
-- Flags: allow-oom
-- Includes lib/stream
-- KEYS 1 meta        HASH    the state
--      2 events      STREAM
--      3 crowd_lock  STRING  the crowd running at the sale
--      4 unsettled   ANY     what is still to be settled, by the sale's kind
-- ARGV 1             id of the last entry that the ledger has
--
-- Reply: code: 0 done, 500 repeat: already sealed
--      1005 unknown sale, 1012 suspended
--      1021 not closed: neither closed nor expired and refunded
--      1022 pending: something is still to be settled, or a crowd is running at the sale
--      1023 behind: the ledger does not have the last entry
-- Event: none
-- Cost: 4 commands to read, 1 to write, each of constant time.

local meta, events, crowd_lock, unsettled = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local applied = ARGV[1]

assert(#KEYS == 4, 'seal takes 4 keys')
assert(#ARGV == 1, 'seal takes 1 argument')

local state = redis.call('HGET', meta, 'state')
if not state then
  return { UNKNOWN_SALE }
end
if state == 'archived' then
  return { REPEAT }
end
if state == 'suspended' then
  return { SUSPENDED }
end
if state ~= 'closed' and state ~= 'refunded' then
  return { NOT_CLOSED }
end
if redis.call('EXISTS', crowd_lock, unsettled) > 0 then
  return { PENDING }
end
if stream_info(events)['last-generated-id'] ~= applied then
  return { BEHIND }
end

may_write('hash', meta, 'HSET')
redis.call('HSET', meta, 'state', 'archived')
return { DONE }
