-- sale/begin_recovery: begins a recovery of a sale that is lost or suspended. From now on only this recovery may
-- restore the sale, until another one begins. A process that stalled and goes on later is refused by every script that
-- it calls.
--
-- KEYS 1 meta  HASH  the state, the recovery's token, and the number of the chunk that comes next
--      2 ..    the keys that a recovery does not restore: they are deleted
-- ARGV 1       token of this recovery
--
-- Reply: code: 0 done
--      1007 exists: the sale is live, there is nothing to recover
-- Event: none
-- Cost: 5 commands.

local token = ARGV[1]

-- Anything else stored under the key of the record is deleted.
local stored = redis.call('TYPE', meta).ok
local state = stored == 'hash' and redis.call('HGET', meta, 'state')
if state and state ~= 'suspended' then
  return { EXISTS }
end

if stored ~= 'hash' then
  redis.call('UNLINK', meta)
end
if #KEYS > 1 then
  redis.call('UNLINK', unpack(KEYS, 2))
end
-- A server may recover a sale that is gone as a whole by itself, also after this recovery was interrupted.
local lost = stored == 'none' and { 'lost', '0-0' } or {}
redis.call('HSET', meta, 'state', 'suspended', 'recovery', token, 'next_chunk', 0, unpack(lost))
return { DONE }
