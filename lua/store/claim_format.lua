-- store/claim_format: stores the data version of a program that begins to serve, unless a newer one has served. A
-- script, because a server must start on a full Redis, too, and another may do so at the same time.
--
-- Flags: allow-oom
-- KEYS 1 format  STRING  the version of the data of the newest program that served on this Redis
-- ARGV 1         version of the caller's data
--
-- Reply: code and the version that is noted then:
--      0 done: noted now, 500 repeat: it was noted before
--      1026 newer format: a newer program has served
-- Event: none
-- Cost: at most 2 commands.

local version = tonumber(ARGV[1])

local noted = tonumber(redis.call('GET', format) or 0)
if noted > version then
  return { NEWER_FORMAT, noted }
end
if noted == version then
  return { REPEAT, version }
end
redis.call('SET', format, version)
return { DONE, version }
