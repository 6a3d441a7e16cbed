-- ledger/lease: takes, renews or gives back a lease: the right to write the ledger, to run the crowd of a sale or the
-- lab, or to load a quantity. A lease saves work and keeps order. Exactness (nothing is recorded twice) does not depend
-- on it.
--
-- Flags: allow-oom
-- KEYS 1 lease   STRING  its holder, gone when the holder has been silent for too long
-- ARGV 1         the process or run that asks
--      2         for how long, milliseconds; 0 gives the lease back
--
-- Reply: code and the holder of the lease, "" where nobody has it:
--      0 done: taken, renewed or given back
--      1010 taken: somebody else has it
-- Event: none
-- Cost: at most 3 commands.

local asks, for_ms = ARGV[1], tonumber(ARGV[2])

local has = redis.call('GET', lease)
if has and has ~= asks then
  -- All callers ask for the same duration. A lease that lasts longer was given before the clock went back, and one that
  -- lasts for ever was changed by hand. Its holder may be gone. A holder that is still there renews it in time.
  if for_ms > 0 then
    local left_ms = redis.call('PTTL', lease)
    if left_ms < 0 or left_ms > for_ms then
      redis.call('PEXPIRE', lease, for_ms)
    end
  end
  return { TAKEN, has }
end
if for_ms == 0 then
  redis.call('DEL', lease)
  return { DONE, '' }
end
redis.call('SET', lease, asks, 'PX', for_ms)
return { DONE, asks }
