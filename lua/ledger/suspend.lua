-- ledger/suspend: stops a sale of which the ledger knows more than Redis does, before it gives away
-- what somebody has already. A Redis that came back without its last second is such a one. The sale's
-- history is not touched: the ledger has it.
--
-- Flags: allow-oom
-- Includes lib/stream
-- KEYS 1 meta    HASH    the terms and the state
--      2 events  STREAM
-- ARGV 1         milliseconds part of the id of the last entry that the ledger has
--      2         its sequence part
--
-- Reply: code: 0 done, 500 repeat: it is suspended already
--      1005 unknown sale
--      1011 in step: Redis knows all that the ledger knows; nothing was changed
-- Event: none
-- Cost: 5 commands, each of constant time.

local meta, events = KEYS[1], KEYS[2]
local applied_ms, applied_seq = tonumber(ARGV[1]), tonumber(ARGV[2])

assert(#KEYS == 2, 'suspend takes 2 keys')
assert(#ARGV == 2, 'suspend takes 2 arguments')

-- An id before what the ledger has is negative, one after it positive, the same is 0.
local function beside_applied(id)
  local ms, seq = parts_of_id(id)
  return ms == applied_ms and seq - applied_seq or ms - applied_ms
end

local state = redis.call('HGET', meta, 'state')
if not state then
  return { UNKNOWN_SALE }
end
if state == 'suspended' then
  return { REPEAT }
end
local stream = { ['last-generated-id'] = '0-0', ['max-deleted-entry-id'] = '0-0', ['recorded-first-entry-id'] = '0-0' }
if redis.call('EXISTS', events) == 1 then
  stream = stream_info(events)
end
local last = beside_applied(stream['last-generated-id'])
-- Somebody may have claimed before anybody looked. Then the end is newer, and yet what the ledger has last is missing
-- from the middle. What is missing from the head, or was taken out, was not lost.
local taken_out = beside_applied(stream['max-deleted-entry-id']) >= 0
local from_the_head = beside_applied(stream['recorded-first-entry-id']) > 0
if last == 0 or last > 0 and (taken_out or from_the_head) then
  return { IN_STEP }
end
local applied = ARGV[1] .. '-' .. ARGV[2]
if last > 0 and #redis.call('XRANGE', events, applied, applied) == 1 then
  return { IN_STEP }
end
redis.call('HSET', meta, 'state', 'suspended')
return { DONE }
