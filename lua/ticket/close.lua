-- ticket/close: closes a sale. No more seats can be held; held orders can still be paid or cancelled, and expire as
-- usual.
--
-- Flags: allow-oom
-- KEYS 1 meta    HASH    the terms and the state
--      2 events  STREAM
-- ARGV 1         now, epoch milliseconds
--
-- Reply: code: 0 done, 500 repeat: already closed
--      1005 unknown sale, 1012 suspended
--
-- Event "closed": at
-- Cost: 1 command to read, 2 to write.

local meta, events = KEYS[1], KEYS[2]
local now = ARGV[1]

assert(#KEYS == 2, 'close takes 2 keys')
assert(#ARGV == 1, 'close takes 1 argument')

local state = redis.call('HGET', meta, 'state')
if not state or state == 'archived' then
  return { UNKNOWN_SALE }
end
if state == 'suspended' then
  return { SUSPENDED }
end
if state == 'closed' then
  return { REPEAT }
end

redis.call('HSET', meta, 'state', 'closed', 'closed_at', now)
redis.call('XADD', events, '*', 'type', 'closed', 'at', now)
return { DONE }
