-- ledger/keep_audit: keeps the audit of a sale for the board. Whoever audits may be paused and go on later: if another
-- audit was kept since this one began, the one of the later event stays, and of the same event, the later one.
-- Otherwise this one is kept whatever its event: after a loss, the events of a sale end earlier than before.
--
-- Flags: allow-oom
-- Includes lib/stream
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
if kept and kept ~= seen then
  local this, other = cjson.decode(audit), cjson.decode(kept)
  local later = compare_ids(this['event_id'], other['event_id'])
  if later < 0 or later == 0 and this['at'] < other['at'] then
    return { UP_TO_DATE }
  end
end
redis.call('HSET', audits, name, audit)
return { DONE }
