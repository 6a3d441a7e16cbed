-- ledger/keep_audit: keeps the audit of a sale for the board, unless one that began later was kept meanwhile. A server
-- may be paused during its audit.
--
-- Flags: allow-oom
-- KEYS 1 audits  HASH  "<kind>:<sale>" -> the last audit, JSON
-- ARGV 1         "<kind>:<sale>"
--      2         what was kept when this audit began; "" for nothing
--      3         this audit, JSON
--
-- Reply: code: 0 done; 1011 up to date: what is kept is newer
-- Event: none
-- Cost: at most 2 commands.

local name, seen, audit = ARGV[1], ARGV[2], ARGV[3]

local kept = redis.call('HGET', audits, name)
if kept and kept ~= seen and cjson.decode(kept)['at'] > cjson.decode(audit)['at'] then
  return { UP_TO_DATE }
end
redis.call('HSET', audits, name, audit)
return { DONE }
