-- lab/article_red_packet: the article's script for claiming a red packet, for comparison in benchmarks only. One
-- attempt per call. The packet is JSON, decoded and encoded again for each winner. The winners wait in a list until a
-- single writer drains them into a database. Commands, order and data are the same.
--
-- KEYS 1 pending   LIST  packets as JSON {"id":..,"money":..}
--      2 consumed  LIST  the same with "userId", newest first
--      3 claimants HASH  user -> user
--      4 the user  (not a key: the article passes it here, which a cluster would refuse)
-- ARGV none
--
-- Reply: the packet with its user, as JSON; nil if the user already has one or none is left
-- Event: none
-- Cost: 4 commands for each winner

local pending, consumed, claimants, user = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

assert(#KEYS == 4, 'article_red_packet takes 4 keys')
assert(#ARGV == 0, 'article_red_packet takes no arguments')

if redis.call('HEXISTS', claimants, user) == 1 then
  return nil
end

local json = redis.call('RPOP', pending)
if not json then
  return nil
end

local packet = cjson.decode(json)
packet.userId = user
json = cjson.encode(packet)
redis.call('HSET', claimants, user, user)
redis.call('LPUSH', consumed, json)
return json
