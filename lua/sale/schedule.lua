-- sale/schedule: schedules the automatic archiving of a sale that is closed or has an end. A script, because it must
-- work on a full Redis: archiving is what frees memory.
--
-- Flags: allow-oom
-- KEYS 1 closed  ZSET  "<kind>:<sale>" -> when it was closed, or ends, epoch milliseconds
-- ARGV 1         "<kind>:<sale>"
--      2         when it was closed, or ends, or 0 for at once, epoch milliseconds
--      3         "NX": only where it is not scheduled yet, "XX": only where it is, "LT": only where it is not yet, or
--                for later, "": in any case
--
-- Reply: code: 0 done: scheduled by this call, 500 repeat: it was there before
-- Event: none
-- Cost: 2 commands.

local name, at, mode = ARGV[1], ARGV[2], ARGV[3]

local was = redis.call('ZSCORE', closed, name)
if was and (mode == 'NX' or mode == 'LT' and tonumber(was) <= tonumber(at)) or not was and mode == 'XX' then
  return { REPEAT }
end
redis.call('ZADD', closed, at, name)
return { was and REPEAT or DONE }
