-- coupon/void: takes a batch of redemptions back, each once, by the code of the coupon and the request id of the
-- redemption. The coupon is claimed again: it can be redeemed by another request, or given back. It has counted against
-- the limits all the while.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/coupons, lib/reasons
-- KEYS 1 meta     HASH    the state
--      2 coupons  HASH    code -> its record, a `coupon`
--      3 stats    HASH    exact counts
--      4 events   STREAM
--      5 codes    HASH    own code -> the key in `coupons` of the coupon that has it
-- ARGV 1          what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2          now, epoch milliseconds; "" for Redis' time
--      3 ..       code, request id, and why, which may be empty, of each redemption in turn, 1 .. CODES_AT_A_TIME
--                 redemptions
--
-- Reply: for each redemption two values, code and detail, then what the caller has seen now:
--      0 taken back, 500 repeat: it was taken back before
--                                cmsgpack list: user, when the coupon was claimed, when the redemption was taken back,
--                                and how the code is spelled in a sale with own codes
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1014 limit reached: MOST redemptions of the coupon were taken back before, 1027 unknown
--      code, 1033 unknown request: it did not redeem the coupon    ""
--
-- Event "voided": at, n coupons, data = cmsgpack list of user, code and request id of the redemption of each, flat;
--       if any has a reason, reasons = cmsgpack list of the reason of each
-- Cost: 5 commands to read, 6 in a sale with own codes; 5 more if any is taken back, 1 if any was repeated, and 1 if
--       any was refused.

local seen, now, n = ARGV[1], ARGV[2], (#ARGV - 2) / 3

assert(n >= 1 and n % 1 == 0, 'void takes three arguments for each redemption')

now = time_of_call(now)

local MOST = 100 -- redemptions of a coupon that are taken back

local state, generation, recent, format, was_given, packed_lists =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'lists'))
local needed = was_given and { events, coupons, stats } or { events }
needed = with_lists(needed, packed_lists, codes)
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)

local given = named_attempts(3)
local ids = coupons_named(codes, lists_of(packed_lists), given)
local stored = redis.call('HMGET', coupons, unpack(ids))

local reply, records, changed, taken_back, repeats, refusals = {}, {}, {}, {}, 0, 0
for i = 1, n do
  local id, code, request, detail = ids[i], given[2 * i - 1], given[2 * i], ''
  local record = records[id] or read_coupon(stored[i])
  local answer
  records[id] = record
  if not record then
    answer = UNKNOWN_CODE
  elseif voided_at(record, request) then
    answer, repeats = REPEAT, repeats + 1
  elseif record[STATE] ~= 'redeemed' or record[ENDED_BY] ~= request then
    answer = UNKNOWN_REQUEST
  elseif #(record[VOIDED] or {}) >= MOST then
    answer = LIMIT_REACHED
  else
    answer = DONE
    local voided = record[VOIDED] or {}
    voided[#voided + 1] = { request, tonumber(now) }
    record[STATE], record[ENDED_AT], record[ENDED_BY], record[VOIDED] = 'claimed', tonumber(now), '', voided
    changed[id] = record
    local size = #taken_back
    taken_back[size + 1], taken_back[size + 2] = record[USER], record[OWN] or code
    taken_back[size + 3] = request
  end
  if answer == DONE or answer == REPEAT then
    detail = cmsgpack.pack({ record[USER], record[CLAIMED_AT], voided_at(record, request), record[OWN] })
  else
    refusals = refusals + 1
  end
  reply[2 * i - 1], reply[2 * i] = answer, detail
end

redis.call('HGET', stats, 'calls')
local number = #taken_back / 3
local outcomes = { redeemed = -number, voided = number, ended_repeat = repeats, ended_refused = refusals }

if number > 0 then
  seen = add_event(meta, events, generation, recent, 'type', 'voided', 'at', now, 'n', number,
    'data', cmsgpack.pack(taken_back), with_reasons({}, reasons_of_done(reply, 5, 3)))
  redis.call('HSET', coupons, unpack(packed_coupons(changed)))
  -- A program of version 1 cannot read such a record.
  redis.call('HSET', meta, 'format', FORMAT)
end
add_counts(stats, outcomes)
reply[2 * n + 1] = seen
return reply
