-- coupon/redeem: redeems a batch of coupons by their codes, each once. A redemption is identified by its request id: if
-- it is repeated, it gets the same answer.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/coupons
-- KEYS 1 meta     HASH    the state
--      2 coupons  HASH    code -> its record, a `coupon`
--      3 stats    HASH    exact counts
--      4 events   STREAM
--      5 codes    HASH    own code -> the key in `coupons` of the coupon that has it
-- ARGV 1          what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2          now, epoch milliseconds; "" for Redis' time
--      3 ..       code and request id of each attempt in turn, 1 .. CODES_AT_A_TIME attempts
--
-- Reply: for each attempt two values, code and detail, then what the caller has seen now:
--      0 redeemed, 500 repeat: this request redeemed it, 1028 another request did, 1029 it was given back, 1060 this
--      request had redeemed it, and that was taken back, 1061 not valid yet, 1062 no longer valid
--                                cmsgpack list: user, when it was claimed, when that happened, begins or ended,
--                                and how the code is spelled in a sale with own codes
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1027 unknown code    ""
--
-- Event "redeemed": at, n coupons, data = cmsgpack list of user, code and request id of each, flat
-- Cost: 5 commands to read, 6 in a sale with own codes; 4 more if any is redeemed, 1 if any was repeated, and 1 if any
--       was refused.

local seen, now, n = ARGV[1], ARGV[2], (#ARGV - 2) / 2

assert(n >= 1 and n % 1 == 0, 'redeem takes two arguments for each attempt')

now = time_of_call(now)

local state, generation, recent, format, was_given, validity, packed_lists =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'validity', 'lists'))
local needed = was_given and { events, coupons, stats } or { events }
needed = with_lists(needed, packed_lists, codes)
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)

-- A sale that an older program has opened has no such field.
local from, till = string.match(validity or ' ', '^(%d*) (%d*)$')
if not from then
  unreadable('validity')
end
from, till = tonumber(from), tonumber(till)
local invalid = from and tonumber(now) < from and { NOT_VALID_YET, from }
  or till and tonumber(now) >= till and { NO_LONGER_VALID, till }

local given = named_attempts(2)
local ids = coupons_named(codes, lists_of(packed_lists), given)
local stored = redis.call('HMGET', coupons, unpack(ids))
local reply, changed, ended, repeats, refusals = end_coupons(ids, given, stored, 'redeemed', now, invalid)

redis.call('HGET', stats, 'calls')
local outcomes = { redeemed = #ended / 3, ended_repeat = repeats, ended_refused = refusals }

if #ended > 0 then
  seen = add_event(meta, events, generation, recent, 'type', 'redeemed', 'at', now, 'n', #ended / 3,
    'data', cmsgpack.pack(ended))
  redis.call('HSET', coupons, unpack(packed_coupons(changed)))
end
add_counts(stats, outcomes)
reply[2 * n + 1] = seen
return reply
