-- coupon/user: a user's coupons, and how many more each limit allows. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream, lib/fence, lib/coupons
-- KEYS 1 meta     HASH    the limits, their latest windows, the state
--      2 counts   HASH    "<scope>:<value>" -> what is counted for it, a `count`
--      3 coupons  HASH    code -> its record, a `coupon`
-- ARGV 1          now, epoch milliseconds; "" for Redis' time
--      2          what the caller goes by, as for claim.lua
--      3          the windows, as for claim.lua
--      4          the user
--      5          newest coupons to return, at most
--      6 ..       scope and value, alternating, of what else is asked for
--
-- Reply: code, and with code 0:
--      cmsgpack list of each limit and how many more it allows, -1 for no limit; limits of other scopes are left out
--      flat list of key and record of the newest coupons, the newest first
--      code 1030 other terms: as for claim.lua
--      code 1005 unknown sale, 1026 newer format: no values
-- Event: none
-- Cost: 4 commands, and 1 for each coupon.

local now, basis, starts, user, most = ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local others = { unpack(ARGV, 6) }

assert(#others % 2 == 0, 'user takes two arguments for each further scope')

now = time_of_call(now)

local state, its_basis, packed_table, lists = unpack(redis.call('HMGET', meta, 'state', 'basis', 'table', 'lists'))
if not its_basis or state == 'archived' then
  return { UNKNOWN_SALE }
end
if its_basis ~= basis then
  return { OTHER_TERMS, now .. ' ' .. its_basis }
end
local limits = limits_of(meta, packed_table)
local refusal = place_limits(limits, starts, now)
if refusal then
  return { refusal, now .. ' ' .. its_basis }
end
limit_to_codes(limits, lists_of(lists))

local values = { sale = '', user = user }
for i = 1, #others, 2 do
  values[others[i]] = others[i + 1]
end
local asked, fields = {}, { 'user:' .. user }
local scopes = scopes_of(limits)
for _, scope in ipairs(scopes) do
  fields[#fields + 1] = scope.prefix .. (values[scope.name] or '')
end
local stored = redis.call('HMGET', counts, unpack(fields))
for s, scope in ipairs(scopes) do
  read_count(scope, stored[s + 1])
end
for _, limit in ipairs(limits) do
  if values[limit.scope] then
    asked[#asked + 1] = limit
  end
end

local held, code = {}, newest_of(stored[1])
while code ~= '' and #held < 2 * most do
  local packed = redis.call('HGET', coupons, code)
  local record = read_coupon(packed)
  if not record then
    break
  end
  held[#held + 1], held[#held + 2] = code, packed
  code = record[PREVIOUS]
end
return { DONE, cmsgpack.pack(left_of(asked, {})), held }
