-- bench/article_coupon: the article's idea for claiming a coupon, for comparison in benchmarks only: three reads, three
-- comparisons, three updates. One attempt per call, no code, no event. (The article counts a user's coupons under the
-- coupon's id. Here they are counted under the user's id, as the article's text says.)
--
-- KEYS 1 today  HASH  user -> coupons claimed today
--      2 ever   HASH  user -> coupons claimed
--      3 total  HASH  sale -> coupons claimed
-- ARGV 1        most per user and day
--      2        most per user
--      3        most of all
--      4        user
--      5        sale
--
-- Reply: 0 claimed; the number of the constraint that refuses: 1 of the day, 2 of the user, 3 of the sale
-- Event: none
-- Cost: 6 commands for each winner

local today, ever, total = KEYS[1], KEYS[2], KEYS[3]
local most_today, most_ever, most, user, sale =
  tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]

assert(#KEYS == 3, 'article_coupon takes 3 keys')
assert(#ARGV == 5, 'article_coupon takes 5 arguments')

local got_today = redis.call('HGET', today, user)
if got_today and tonumber(got_today) >= most_today then
  return 1
end
local got = redis.call('HGET', ever, user)
if got and tonumber(got) >= most_ever then
  return 2
end
local got_by_all = redis.call('HGET', total, sale)
if got_by_all and tonumber(got_by_all) >= most then
  return 3
end

redis.call('HINCRBY', today, user, 1)
redis.call('HINCRBY', ever, user, 1)
redis.call('HINCRBY', total, sale, 1)
return 0
