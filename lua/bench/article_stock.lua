-- bench/article_stock: the article's idea for deducting cached stock, for comparison in benchmarks only. If the
-- quantity is cached, the script renews its time to live and deducts in the same step. It has a fix that the article
-- lacks: the quantity does not go below zero. One attempt per call, no request id, no event. The caller holds a lock on
-- the item meanwhile.
--
-- KEYS 1 stock  STRING  what is left
-- ARGV 1        quantity
--      2        time to live, seconds
--
-- Reply: what is left; -1 if that is too little; nil if it is not cached
-- Event: none
-- Cost: 4 commands

local stock = KEYS[1]
local wanted, ttl_s = tonumber(ARGV[1]), ARGV[2]

assert(#KEYS == 1, 'article_stock takes 1 key')
assert(#ARGV == 2, 'article_stock takes 2 arguments')

if redis.call('EXISTS', stock) == 0 then
  return nil
end
redis.call('EXPIRE', stock, ttl_s)
if tonumber(redis.call('GET', stock)) < wanted then
  return -1
end
return redis.call('DECRBY', stock, wanted)
