-- ledger/suspend: suspends a sale if the ledger knows more of it than Redis does, before Redis gives away again what
-- somebody already has. This happens when Redis comes back without its last second, or when somebody has stored
-- something else under the key of the stream. Also suspends a sale without one of its keys, because Redis has evicted
-- it, and a sale that an operator wants to rebuild from the ledger. The sale's history is not changed: the ledger has
-- it.
--
-- Flags: allow-oom
-- Includes lib/stream
-- KEYS 1 meta    HASH    the terms and the state
--      2 events  STREAM
--      3 ..      keys that exist from the opening on, then those that exist once something was given
-- ARGV 1         id of the last entry that the ledger has; "" suspends whatever Redis knows, even if it says that the
--                sale is archived, unless its stream is gone: the caller has asked the ledger
--      2         how many of the keys from the third on exist from the opening on
--
-- Reply: code: 0 done, 500 repeat: already suspended
--      1005 unknown sale
--      1011 up to date: Redis knows everything that the ledger knows, and lacks no key; nothing was changed
-- Event: none
-- Cost: 8 commands, each of constant time.

local applied, from_opening = ARGV[1], tonumber(ARGV[2])

assert(#KEYS >= 2 + from_opening, 'suspend takes as many keys as it says')

-- If something else is stored under this key, no script gives anything away.
if redis.call('TYPE', meta)['ok'] ~= 'hash' then
  return { UNKNOWN_SALE }
end
local state, was_given = unpack(redis.call('HMGET', meta, 'state', 'given'))
local stored = redis.call('TYPE', events)['ok']
-- The record of an archived sale stays for a while: nothing is lost. The caller may have asked the ledger long ago.
if not state or state == 'archived' and stored == 'none' then
  return { UNKNOWN_SALE }
end
if state == 'suspended' then
  return { REPEAT }
end
-- There may have been claims since Redis came back. Then the end of the stream is newer than the ledger's last entry,
-- but that entry is missing from the middle.
local needed = was_given and #KEYS or 2 + from_opening
local is_whole = state == 'archived' or redis.call('EXISTS', meta, unpack(KEYS, 3, needed)) == needed - 1
if applied ~= '' and is_whole and (stored == 'stream' or stored == 'none') then
  if has_had(events, applied) then
    return { UP_TO_DATE }
  end
  -- A server may recover the sale by itself.
  redis.call('HSET', meta, 'state', 'suspended', 'lost', applied)
  return { DONE }
end
redis.call('HSET', meta, 'state', 'suspended')
return { DONE }
