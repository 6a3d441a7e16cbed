-- ledger/lease: takes, renews or gives back the lease for writing the ledger.
-- The lease only saves work; the database prevents duplicate writes.
--
-- KEYS 1 writer  STRING  the process that writes; expires when it falls silent
-- ARGV 1         the process that asks
--      2         duration of the lease in milliseconds; 0 gives the lease back
--
-- Reply: code and the process that holds the lease, "" if none does:
--      0 done: taken, renewed or given back
--      1010 taken: another process holds it
-- Event: none
-- Cost: 2 commands.

local lease = KEYS[1]
local asks, for_ms = ARGV[1], tonumber(ARGV[2])

assert(#KEYS == 1, 'lease takes 1 key')
assert(#ARGV == 2, 'lease takes 2 arguments')

local has = redis.call('GET', lease)
if has and has ~= asks then
  return { TAKEN, has }
end
if for_ms == 0 then
  redis.call('DEL', lease)
  return { DONE, '' }
end
redis.call('SET', lease, asks, 'PX', for_ms)
return { DONE, asks }
