-- ledger/claim_streams: notes which ledger this Redis feeds, so that no other trims its streams. A script, as a server
-- must start on a full Redis too.
--
-- Flags: allow-oom
-- KEYS 1 ledger  STRING  the identity of the ledger that this Redis feeds
-- ARGV 1         identity of the caller's ledger
--      2         "1": also where it feeds another, "0": only where it feeds none
--
-- Reply: code: 0 done: noted now, 500 repeat: it feeds this ledger already
--      1010 taken: it feeds another ledger
-- Event: none
-- Cost: at most 3 commands.

local ledger = KEYS[1]
local identity, adopt = ARGV[1], ARGV[2]

assert(#KEYS == 1, 'claim_streams takes 1 key')
assert(#ARGV == 2, 'claim_streams takes 2 arguments')

local fed = redis.call('GET', ledger)
if fed == identity then
  return { REPEAT }
end
if fed and adopt ~= '1' then
  return { TAKEN }
end
may_write('string', ledger, 'SET')
redis.call('SET', ledger, identity)
return { DONE }
