-- ledger/suspend: stops a sale of which the ledger knows more than Redis does, before it gives away
-- what somebody has already. A Redis that came back without its last second is such a one. The sale's
-- history is not touched: the ledger has it.
--
-- KEYS 1 meta    HASH    the terms and the state
--      2 events  STREAM
-- ARGV 1         milliseconds part of the id of the last entry that the ledger has
--      2         its sequence part
--
-- Reply: code: 0 done, 500 repeat: it is suspended already
--      1005 unknown sale
--      1011 in step: Redis knows all that the ledger knows; nothing was changed
-- Event: none
-- Cost: 3 commands.

local meta, events = KEYS[1], KEYS[2]
local applied_ms, applied_seq = tonumber(ARGV[1]), tonumber(ARGV[2])

assert(#KEYS == 2, 'suspend takes 2 keys')
assert(#ARGV == 2, 'suspend takes 2 arguments')

local DONE, REPEAT, UNKNOWN_SALE, IN_STEP = 0, 500, 1005, 1011

local state = redis.call('HGET', meta, 'state')
if not state then
  return { UNKNOWN_SALE }
end
if state == 'suspended' then
  return { REPEAT }
end
local last_ms, last_seq = 0, 0
if redis.call('EXISTS', events) == 1 then
  local stream = redis.call('XINFO', 'STREAM', events)
  for i = 1, #stream, 2 do
    if stream[i] == 'last-generated-id' then
      local ms, seq = string.match(stream[i + 1], '^(%d+)-(%d+)$')
      last_ms, last_seq = tonumber(ms), tonumber(seq)
    end
  end
end
if last_ms > applied_ms or (last_ms == applied_ms and last_seq >= applied_seq) then
  return { IN_STEP }
end
redis.call('HSET', meta, 'state', 'suspended')
return { DONE }
