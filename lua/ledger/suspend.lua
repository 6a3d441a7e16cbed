-- ledger/suspend: suspends a sale of which the ledger knows more than Redis does, before it gives away
-- again what somebody already has. This happens when Redis comes back without its last second. The
-- sale's history is not touched: the ledger has it.
--
-- Flags: allow-oom
-- Includes lib/stream
-- KEYS 1 meta    HASH    the terms and the state
--      2 events  STREAM
-- ARGV 1         milliseconds part of the id of the last entry that the ledger has
--      2         its sequence part
--
-- Reply: code: 0 done, 500 repeat: already suspended
--      1005 unknown sale
--      1011 in step: Redis knows everything that the ledger knows; nothing was changed
-- Event: none
-- Cost: 5 commands, each of constant time.

local meta, events = KEYS[1], KEYS[2]
local applied_ms, applied_seq = tonumber(ARGV[1]), tonumber(ARGV[2])

assert(#KEYS == 2, 'suspend takes 2 keys')
assert(#ARGV == 2, 'suspend takes 2 arguments')

-- Compares an id with the ledger's last: negative before it, 0 if equal, positive after it.
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
-- There may have been claims since Redis came back. Then the end of the stream is newer than the ledger's last entry,
-- but that entry is missing from the middle. Entries missing from the head, or deleted, were not lost.
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
