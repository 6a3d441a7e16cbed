-- crowd/keep: keeps a text for a while: the status of a run, or a request to stop it. A script, because it must work on
-- a full Redis: a run that cannot report its progress would be taken for lost, and could not be stopped.
--
-- Flags: allow-oom
-- KEYS 1 kept    STRING
-- ARGV 1         the text
--      2         for how long, seconds
--
-- Reply: code 0 done
-- Event: none
-- Cost: 1 command.

local text, for_s = ARGV[1], ARGV[2]

redis.call('SET', kept, text, 'EX', for_s)
return { DONE }
