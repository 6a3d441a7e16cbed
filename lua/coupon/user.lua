-- coupon/user: what a user holds, and how many more each limit allows. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream, lib/fence, lib/coupons
-- KEYS 1 meta     HASH    the limits, their latest windows, the state
--      2 counts   HASH    "<scope>:<value>" -> what is counted for it, a `count`
--      3 coupons  HASH    code -> its record, a `coupon`
-- ARGV 1          now, epoch milliseconds; "" for Redis' time
--      2          what the caller goes by, as for claim.lua
--      3          the limits, as for claim.lua
--      4          the user
--      5          newest coupons to return, at most 100
--
-- Reply: code, and with code 0:
--      cmsgpack list of each limit and how many more it allows, -1 for no limit
--      flat list of code and record of the newest coupons, the newest first
--      code 1030 other terms: what the sale goes by
--      code 1005 unknown sale: no values
-- Event: none
-- Cost: 2 commands, and 1 for each coupon.

local meta, counts, coupons = KEYS[1], KEYS[2], KEYS[3]
local now, basis, limits, user, most = ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3]), ARGV[4], tonumber(ARGV[5])

assert(#KEYS == 3, 'user takes 3 keys')
assert(#ARGV == 5 and most <= 100, 'user takes 5 arguments, and returns 100 coupons at most')

now = time_of_call(now)

local terms = redis.call('HMGET', meta, unpack(fields_of_limits(limits, { 'state', 'basis' })))
local state, its_basis = unpack(terms, 1, 2)
if not its_basis or state == 'archived' then
  return { UNKNOWN_SALE }
end
if its_basis ~= basis then
  return { OTHER_TERMS, its_basis }
end
limits = limits_at(limits, terms, 3, now)

local stored = redis.call('HMGET', counts, 'sale:', 'user:' .. user)
local counted = { sale = stored[1], user = stored[2] }
for _, scope in ipairs(scopes_of(limits)) do
  read_count(scope, counted[scope.name])
end

local held, code = {}, newest_of(counted.user)
while code ~= '' and #held < 2 * most do
  local packed = redis.call('HGET', coupons, code)
  local record = read_coupon(packed)
  if not record then
    break
  end
  held[#held + 1], held[#held + 2] = code, packed
  code = record[PREVIOUS]
end
return { DONE, cmsgpack.pack(left_of(limits, {})), held }
