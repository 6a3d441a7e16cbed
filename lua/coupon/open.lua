-- coupon/open: opens a sale of coupons. One with lists accepts claims only once they are uploaded (coupon/upload).
--
-- Includes lib/stream, lib/fence, lib/plan
-- KEYS 1 meta    HASH    the terms and the state
--      2 events  STREAM
-- ARGV 1         now, epoch milliseconds; "" for Redis' time
--      2         the time zone in which days begin
--      3         the key of the codes, drawn for this sale; no term of it
--      4         whether what is given back goes on counting against the limits: 0 or 1
--      5         when coupons can be redeemed: from and until, epoch milliseconds, a blank between; empty for none
--      6         the table of limits, a cmsgpack list of `limit`, in the order in which they refuse
--      7         the plan (README, "Life"); "" for none
--      8         how many own codes and how many users will be uploaded, a blank between; "0 0" for no lists
--      9 ..      name and maximum of each, alternating; the maximum is "" for no limit
--
-- Reply: code:
--      0 done
--      500 repeat: the sale is already open on these terms, even if its limits were changed since
--      1038 too late: the start or the end has passed, or the end is not after the start; its field follows
--      1007 the id is taken by a sale on different terms, or by one that is being recovered
-- Event "opened": at, the terms and the key of the codes; table = ARGV 6; limits = cmsgpack list of name and maximum,
--      alternating; plan = ARGV 7 and lists = ARGV 8, if there are any, and format, if older programs cannot read it
-- Cost: 6 commands, and 1 for each limit; 1 more if there is a stream already.

local now, zone, code_key, given_back_counts = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local validity, packed_table, plan, lists, limits = ARGV[5], ARGV[6], ARGV[7], ARGV[8], { unpack(ARGV, 9) }

assert(#limits % 2 == 0, 'open takes two arguments for each limit')

now = time_of_call(now)

local packed = cmsgpack.pack(limits)
local terms = table.concat({ zone, given_back_counts, unpack(limits) }, ' ')
if validity ~= ' ' then
  terms = terms .. ' valid ' .. validity
end
if lists ~= '0 0' then
  terms = terms .. ' lists ' .. lists
end
local state, its_terms, its_plan, generation =
  unpack(redis.call('HMGET', meta, 'state', 'terms', 'plan', 'generation'))
if state then
  -- A sale that is being recovered has a state but no terms yet.
  return { its_terms == terms and (its_plan or '') == plan and REPEAT or EXISTS }
end

local fields, _, late = read_plan(plan, now)
if late then
  return { TOO_LATE, late }
end

local noted = further_fields(plan, lists ~= '0 0' and { 'lists', lists } or nil)
if validity ~= ' ' and #noted == 0 then
  -- An older program does not know it.
  noted = { 'format', FORMAT }
end
if lists ~= '0 0' then
  fields[#fields + 1], fields[#fields + 2] = 'lists', lists .. ' 0 0'
end
local opened = id_after(events, generation or '0-0', 1)
ensure_allowed(meta, 'XADD', 'HSET')

local id = redis.call('XADD', events, opened, 'type', 'opened', 'at', now, 'time_zone', zone,
  'code_key', code_key, 'given_back_counts', given_back_counts, 'validity', validity, 'table', packed_table,
  'limits', packed, unpack(noted))
redis.call('HSET', meta, 'state', 'open', 'terms', terms, 'basis', zone .. ' ' .. code_key,
  'given_back_counts', given_back_counts, 'validity', validity, 'table', packed_table, 'opened_at', now,
  unpack(fields))
for i = 1, #limits, 2 do
  redis.call('HSET', meta, 'limit:' .. limits[i], limits[i + 1])
end
begin_generation(meta, id, id)
return { DONE }
