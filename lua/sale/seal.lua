-- sale/seal: seals a sale that is over, of whatever kind, so that nothing can happen to it while the ledger marks it
-- archived and its keys are deleted.
--
-- KEYS 1 meta        HASH    the state
--      2 events      STREAM
--      3 pending     LIST    what must be empty: the packets of a red packet sale, the deadlines of held orders
--      4 crowd_lock  STRING  the crowd that is at the sale
-- ARGV 1             id of the last entry that the ledger has
--
-- Reply: code: 0 done, 500 repeat: it is sealed already
--      1005 unknown sale, 1012 suspended
--      1020 not closed: neither closed nor expired and refunded
--      1021 pending: orders are still held, or a crowd is at the sale
--      1022 behind: the ledger does not have the last entry
-- Event: none
-- Cost: 4 commands to look, 1 to write, each of constant time.

local meta, events, pending, crowd_lock = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local applied = ARGV[1]

assert(#KEYS == 4, 'seal takes 4 keys')
assert(#ARGV == 1, 'seal takes 1 argument')

local DONE, REPEAT, UNKNOWN_SALE, SUSPENDED, NOT_CLOSED, PENDING, BEHIND = 0, 500, 1005, 1012, 1020, 1021, 1022

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
if redis.call('EXISTS', pending) == 1 or redis.call('EXISTS', crowd_lock) == 1 then
  return { PENDING }
end
local stream, last = redis.call('XINFO', 'STREAM', events), nil
for i = 1, #stream, 2 do
  if stream[i] == 'last-generated-id' then
    last = stream[i + 1]
  end
end
if last ~= applied then
  return { BEHIND }
end

redis.call('HSET', meta, 'state', 'archived')
return { DONE }
