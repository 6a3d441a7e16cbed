-- ledger/suspend: suspends a sale of which the ledger knows more than Redis does, before it gives away
-- again what somebody already has. This happens when Redis comes back without its last second, or when
-- somebody has stored something else in the place of the stream. Or suspends one that lacks a whole key, because
-- Redis has evicted it, or that an operator wants to be rebuilt from the ledger. The sale's history is not touched: the
-- ledger has it.
--
-- Flags: allow-oom
-- Includes lib/stream
-- KEYS 1 meta    HASH    the terms and the state
--      2 events  STREAM
--      3 ..      keys that are there once something was given
-- ARGV 1         id of the last entry that the ledger has; "" suspends whatever Redis knows, even if it says that the
--                sale is archived: the caller has asked the ledger
--
-- Reply: code: 0 done, 500 repeat: already suspended
--      1005 unknown sale
--      1011 up to date: Redis knows everything that the ledger knows; nothing was changed
-- Event: none
-- Cost: 8 commands, each of constant time.

local meta, events = KEYS[1], KEYS[2]
local applied = ARGV[1]

assert(#KEYS >= 2, 'suspend takes 2 keys or more')
assert(#ARGV == 1, 'suspend takes 1 argument')

-- Something else in its place lets no script give anything away.
if redis.call('TYPE', meta)['ok'] ~= 'hash' then
  return { UNKNOWN_SALE }
end
local state, was_given = unpack(redis.call('HMGET', meta, 'state', 'given'))
local stored = redis.call('TYPE', events)['ok']
-- This is left of an archived sale for a while: nothing is lost.
if not state or state == 'archived' and stored == 'none' and applied ~= '' then
  return { UNKNOWN_SALE }
end
if state == 'suspended' then
  return { REPEAT }
end
-- There may have been claims since Redis came back. Then the end of the stream is newer than the ledger's last entry,
-- but that entry is missing from the middle.
local is_whole = not was_given or state == 'archived' or redis.call('EXISTS', meta, unpack(KEYS, 2)) == #KEYS
if applied ~= '' and is_whole and (stored == 'stream' or stored == 'none') and has_had(events, applied) then
  return { UP_TO_DATE }
end
may_write('hash', meta, 'HSET')
redis.call('HSET', meta, 'state', 'suspended')
return { DONE }
