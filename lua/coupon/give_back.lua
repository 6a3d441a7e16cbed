-- coupon/give_back: takes a batch of coupons back by their codes, each once. Each limit that counted a coupon then
-- counts one less, as long as the window of the claim lasts. If the sale says so, returned coupons go on counting
-- instead. An own code is given to somebody else after all others that are pending, unless it goes on counting.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/coupons, lib/reasons
-- KEYS 1 meta     HASH    the state, and whether what is given back counts
--      2 counts   HASH    "<scope>:<value>" -> what is counted for it, a `count`
--      3 coupons  HASH    code -> its record, a `coupon`
--      4 stats    HASH    exact counts
--      5 events   STREAM
--      6 codes    HASH    own code -> the key in `coupons` of the coupon that has it
--      7 pending  LIST    own codes that nobody has, in the order in which they are given
-- ARGV 1          what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2          now, epoch milliseconds; "" for Redis' time
--      3 ..       code, request id, and why, which may be empty, of each attempt in turn, 1 .. CODES_AT_A_TIME attempts
--
-- Reply: for each attempt two values, code and detail, then what the caller has seen now:
--      0 given back, 500 repeat: this request gave it back, 1028 it was redeemed, 1029 another request gave it back,
--      1060 this request had redeemed it, and that was taken back
--                                cmsgpack list: user, when it was claimed, when that happened, and how the code is
--                                spelled in a sale with own codes
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1027 unknown code    ""
--
-- Event "returned": at, n coupons, data = cmsgpack list of user, code and request id of each, flat; if any has a
--       reason, reasons = cmsgpack list of the reason of each
-- Cost: 5 commands to read; 6 more if any is given back, 4 where that goes on counting; 1 more if any was repeated,
--       and 1 if any was refused. In a sale with own codes, 1 more, and 3 more if any of these is pending again.

local seen, now, n = ARGV[1], ARGV[2], (#ARGV - 2) / 3

assert(n >= 1 and n % 1 == 0, 'give_back takes three arguments for each attempt')

now = time_of_call(now)

local state, generation, recent, format, was_given, given_back_counts, packed_lists = unpack(redis.call('HMGET', meta,
  'state', 'generation', 'recent', 'format', 'given', 'given_back_counts', 'lists'))
local needed = was_given and { events, coupons, counts, stats } or { events }
needed = with_lists(needed, packed_lists, codes)
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)

local given, lists = named_attempts(3), lists_of(packed_lists)
local ids = coupons_named(codes, lists, given)
local stored = redis.call('HMGET', coupons, unpack(ids))
local reply, changed, ended, repeats, refusals = end_coupons(ids, given, stored, 'returned', now)

-- The counts that include each coupon: for ever, or in a window from the coupon's record.
local fields, places, texts = {}, {}, {}
if given_back_counts ~= '1' then
  for _, record in pairs(changed) do
    for _, field in ipairs({ 'sale:', 'user:' .. record[USER], unpack(record[OTHERS]) }) do
      if not places[field] then
        places[field] = #fields + 1
        fields[#fields + 1] = field
      end
    end
  end
  if #fields > 0 then
    texts = redis.call('HMGET', counts, unpack(fields))
  end
  for _, record in pairs(changed) do
    local counted = {}
    for mark in string.gmatch(record[WINDOWS], '%S+') do
      counted[mark] = true
    end
    for _, field in ipairs({ 'sale:', 'user:' .. record[USER], unpack(record[OTHERS]) }) do
      local place = places[field]
      -- A table may have no limit that counts for the sale, or for users.
      texts[place] = texts[place] and string.gsub(texts[place], '(%S+)=(%d+)', function(mark, count)
        local is_counted = counted[mark] or not string.find(mark, '@', 1, true)
        return is_counted and mark .. '=' .. string.format('%.0f', math.max(count - 1, 0))
      end)
    end
  end
end

-- Own codes that somebody else may have now. Their requests go on naming the coupons that had them.
local again, named = {}, {}
if lists and lists.own > 0 and given_back_counts ~= '1' and #ended > 0 then
  redis.call('LLEN', pending)
  for i = 1, n do
    local code, record = given[2 * i - 1], changed[ids[i]]
    if record and not named[code] then
      named[code] = true
      again[#again + 1] = record[OWN] == code and code or code .. ' ' .. record[OWN]
      named[#named + 1], named[#named + 2] = code, ''
      named[#named + 1], named[#named + 2] = code .. ' ' .. record[ENDED_BY], ids[i]
      for _, voided in ipairs(record[VOIDED] or {}) do
        named[#named + 1], named[#named + 2] = code .. ' ' .. voided[1], ids[i]
      end
    end
  end
  ensure_allowed(meta, 'RPUSH')
end

redis.call('HGET', stats, 'calls')
local outcomes = { returned = #ended / 3, ended_repeat = repeats, ended_refused = refusals }

if #ended > 0 then
  seen = add_event(meta, events, generation, recent, 'type', 'returned', 'at', now, 'n', #ended / 3,
    'data', cmsgpack.pack(ended), with_reasons({}, reasons_of_done(reply, 5, 3)))
  redis.call('HSET', coupons, unpack(packed_coupons(changed)))
  local pairs_of = {}
  for place, field in ipairs(fields) do
    if texts[place] then
      pairs_of[#pairs_of + 1], pairs_of[#pairs_of + 2] = field, texts[place]
    end
  end
  if #pairs_of > 0 then
    redis.call('HSET', counts, unpack(pairs_of))
  end
  if #again > 0 then
    redis.call('RPUSH', pending, unpack(again))
    -- A coupon may have many requests, and Lua passes some thousand arguments at most.
    for first = 1, #named, 2000 do
      redis.call('HSET', codes, unpack(named, first, math.min(first + 1999, #named)))
    end
  end
end
add_counts(stats, outcomes)
reply[2 * n + 1] = seen
return reply
