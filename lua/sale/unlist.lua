-- sale/unlist: removes a sale from the list, and from everything else stored by its name. A script, because it must
-- work on a full Redis: archiving is what frees memory.
--
-- Flags: allow-oom
-- KEYS 1 sales     ZSET    "<kind>:<sale>" -> when it was opened
--      2 audits    HASH    "<kind>:<sale>" -> the last audit, JSON
--      3 closed    ZSET    "<kind>:<sale>" -> when it was closed
--      4 unlisted  STRING  how often a sale was taken off the list
-- ARGV 1           "<kind>:<sale>"
--
-- Reply: code: 0 done
-- Event: none
-- Cost: 7 commands.

local name = ARGV[1]

redis.call('ZSCORE', sales, name)
redis.call('HEXISTS', audits, name)
redis.call('ZSCORE', closed, name)

-- INCR comes first, because it fails if the value is not a number.
redis.call('INCR', unlisted)
redis.call('ZREM', sales, name)
redis.call('HDEL', audits, name)
redis.call('ZREM', closed, name)
return { DONE }
