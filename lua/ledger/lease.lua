-- ledger/lease: who writes the ledger. Takes, renews or gives back the lease.
-- The lease saves work; that nothing is written twice is the database's business.
--
-- KEYS 1 writer  STRING  the process that writes, gone when it is silent
-- ARGV 1         the process that asks
--      2         for how long, milliseconds; 0 gives the lease back
--
-- Reply: code and the process that has the lease, "" where none has:
--      0 done: taken, renewed or given back
--      1010 taken: another process has it
-- Event: none
-- Cost: 2 commands.

local writer = KEYS[1]
local asks, for_ms = ARGV[1], tonumber(ARGV[2])

assert(#KEYS == 1, 'lease takes 1 key')
assert(#ARGV == 2, 'lease takes 2 arguments')

local has = redis.call('GET', writer)
if has and has ~= asks then
  return { TAKEN, has }
end
if for_ms == 0 then
  redis.call('DEL', writer)
  return { DONE, '' }
end
redis.call('SET', writer, asks, 'PX', for_ms)
return { DONE, asks }
