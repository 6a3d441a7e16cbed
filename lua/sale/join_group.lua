-- sale/join_group: puts an id into a group, before its sale is opened. Only the name of the group is stored where the
-- record of a sale without a group would be. So the id cannot have a sale there, too, and the group is found by the id.
--
-- Includes lib/stream, lib/fence, lib/plan
-- KEYS 1 meta  HASH  where the record of a sale with this id, without a group, would be
-- ARGV 1       now, epoch milliseconds; "" for Redis' time
--      2       the group
--      3       the plan with which the sale is to be opened (README, "Life"); "" for none
--
-- Reply: code:
--      0 done
--      500 repeat: the id is in this group already
--      1038 too late: the start or the end has passed, or the end is not after the start; nothing was stored
--      1007 the id is taken, by a sale of another group or of none
-- Event: none
-- Cost: 3 commands.

local now, group, plan = ARGV[1], ARGV[2], ARGV[3]

now = time_of_call(now)

local state, its_group = unpack(redis.call('HMGET', meta, 'state', 'group'))
if state or its_group then
  return { not state and its_group == group and REPEAT or EXISTS }
end
-- An opening that is too late takes no id.
local _, _, late = read_plan(plan, now)
if late then
  return { TOO_LATE }
end

redis.call('HSET', meta, 'group', group)
return { DONE }
