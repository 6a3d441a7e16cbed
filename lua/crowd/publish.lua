-- crowd/publish: publishes the status of a run as the latest crowd at its sale, if the run still has the sale. After a
-- long silence, another crowd may have come.
--
-- Flags: allow-oom
-- KEYS 1 crowd       STRING  the latest crowd at this sale, JSON
--      2 crowd_lock  STRING  the run in progress at this sale
-- ARGV 1             the run
--      2             its status, JSON
--      3             for how long it is kept, seconds
--
-- Reply: code: 0 done
--      1010 taken: the sale is another run's, or nobody's; nothing was published
-- Event: none
-- Cost: at most 2 commands.

local run, status, for_s = ARGV[1], ARGV[2], ARGV[3]

if redis.call('GET', crowd_lock) ~= run then
  return { TAKEN }
end
redis.call('SET', crowd, status, 'EX', for_s)
return { DONE }
