-- coupon/claim: answers a batch of attempts at one sale, in their order. An attempt gets a coupon if every limit allows
-- one more. Its code follows from its request id, so the same request sent again gets the same code, whatever has
-- happened since.
--
-- Includes lib/stream, lib/fence, lib/coupons
-- KEYS 1 meta      HASH    the limits, their latest windows, the state
--      2 counts    HASH    "<scope>:<value>" -> what is counted for it, a `count`
--      3 coupons   HASH    code -> its record, a `coupon`
--      4 stats     HASH    exact counts: outcome -> attempts, "minute:<0 to 59>" -> claims
--      5 events    STREAM  one entry for all winners of the batch
--      6 attempts  STREAM  a sample of attempts that changed nothing, capped
-- ARGV 1           what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2           now, epoch milliseconds; "" for Redis' time
--      3           what the caller goes by: the time zone in which the windows begin, and the key of the codes, with a
--                  blank between
--      4           the limits, a cmsgpack list of `limit`, in the order in which they refuse
--      5           n, attempts, 1 .. 256
--      6           the attempts, one flat cmsgpack list: for each user, request id, its code, and what further scopes
--                  need; written to the event unchanged
--
-- Reply: for each attempt two values, code and detail, then what the caller has seen now:
--      0 won, 500 repeat     the coupon's code
--      1014 limit reached    cmsgpack list: the limit that refuses, then each limit and how many more it allows
--      1020 closed           when an operator closed the sale, epoch milliseconds
--      1030 other terms      what the sale goes by; nothing was tried
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as what the caller has seen is lost, 1026 newer
--      format, 1015 the request id was used by another user, 1018 unreadable coupon    ""
--
-- Event "claimed": at, n claims, data = ARGV 6, places = cmsgpack list of each winner's position in the batch, from 1
-- Cost: 10 commands to read and count; for winners 6 more; for the others up to 2 more, and 1 for each limit that
--       refuses. The size of the batch does not matter.

local meta, counts, coupons, stats, events, attempts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local seen, now, basis, n, argv = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[5]), ARGV[6]
local limits, list = cmsgpack.unpack(ARGV[4]), cmsgpack.unpack(argv)
local stride = #list / n

assert(#KEYS == 6, 'claim takes 6 keys')
assert(#ARGV == 6 and n >= 1 and n <= 256 and stride >= 3 and stride % 1 == 0, 'claim takes 1 to 256 attempts')

now = time_of_call(now)

local SAMPLE = 8 -- attempts that changed nothing, per batch
local USER_AT, CODE_AT = 1, 3 -- places in an attempt; further scopes come after these

-- Read.

local terms = redis.call('HMGET', meta, unpack(fields_of_limits(limits,
  { 'state', 'generation', 'recent', 'format', 'closed_at', 'basis' })))
local state, generation, recent, format, closed_at, its_basis = unpack(terms, 1, 6)

local refusal = sale_refusal(meta, events, seen, state, generation, recent, format)
if refusal then
  return refuse_all(n, refusal)
end
if its_basis ~= basis then
  local refused = {}
  for i = 1, n do
    refused[2 * i - 1], refused[2 * i] = OTHER_TERMS, its_basis or ''
  end
  refused[2 * n + 1] = seen_so_far(generation, recent)
  return refused
end
limits = limits_at(limits, terms, 7, now)

local scopes = scopes_of(limits)

-- What is counted for, each once: "<scope>:<value>".
local codes, fields, number_of, size = {}, {}, {}, 0 -- field -> its number
for s = 1, #scopes do
  local scope = scopes[s]
  local place, prefix, numbers = scope.place, scope.prefix, {} -- of each attempt
  for i = 1, place > 0 and n or 1 do
    local field = place > 0 and prefix .. list[(i - 1) * stride + place] or prefix
    local number = number_of[field]
    if not number then
      size = size + 1
      number, number_of[field], fields[size] = size, size, field
    end
    numbers[i] = number
  end
  scope.numbers = numbers
end
for i = 1, n do
  codes[i] = list[(i - 1) * stride + CODE_AT]
end
local stored = redis.call('HMGET', coupons, unpack(codes))
local counted = redis.call('HMGET', counts, unpack(fields)) -- by number, as stored

-- Decide.

local reply, places, new_coupons, is_changed, owner_of = {}, {}, {}, {}, {} -- code -> user, of what the batch has won
local given, repeats, closed, refused, sample = 0, 0, 0, {}, {}
local newest_of_all -- coupon of the sale
-- A new record is packed by hand: most of it is the same for the whole batch.
local char, at, windows, others = string.char, tonumber(now), {}, {}
for _, limit in ipairs(limits) do
  windows[#windows + 1] = limit.window and limit.mark
end
local claimed = cmsgpack.pack('claimed') .. cmsgpack.pack(at) .. '\217'
local counted_in = cmsgpack.pack(table.concat(windows, ' '))
local nothing = counted_in .. cmsgpack.pack(others)

for i = 1, n do
  local base, code = (i - 1) * stride, codes[i]
  local user, by = list[base + USER_AT], ''
  local answer, detail
  local owner = owner_of[code]
  if stored[i] and not owner then
    local record = read_coupon(stored[i])
    owner = record and record[USER]
  end
  if owner == user then
    answer, detail, repeats = REPEAT, code, repeats + 1
  elseif owner then
    answer, detail = OTHER_USER, ''
  elseif stored[i] then
    answer, detail = UNREADABLE_ORDER, ''
  elseif state == 'closed' then
    answer, detail, closed = CLOSED, closed_at, closed + 1
  else
    for s = 1, #scopes do
      local scope = scopes[s]
      if scope.place > 0 then
        local number = scope.numbers[i]
        scope.number, scope.stored = number, counted[number]
        read_count(scope, scope.stored)
      elseif not scope.number then
        -- Of the sale, read once and written once.
        scope.number = scope.numbers[1]
        read_count(scope, counted[scope.number])
      end
    end
    local refusing
    for l = 1, #limits do
      local limit = limits[l]
      if limit.counts[limit.nth] >= limit.maximum then
        refusing = limit.name
        break
      end
    end
    if refusing then
      answer, by, detail = LIMIT_REACHED, refusing, cmsgpack.pack(left_of(limits, { refusing }))
      refused[by] = (refused[by] or 0) + 1
    else
      local previous, rest = '', nothing
      for s = 1, #scopes do
        local scope = scopes[s]
        local counts_now, number = scope.now, scope.number
        for k = 1, #scope do
          counts_now[k] = counts_now[k] + 1
        end
        is_changed[number] = true
        if scope.place == 0 then
          newest_of_all = code
        else
          if scope.place == USER_AT then
            previous = newest_of(scope.stored)
          else
            others[#others + 1] = fields[number]
          end
          counted[number] = scope.stored and write_count(scope, code) or code .. scope.first
        end
      end
      if #others > 0 then
        rest, others = counted_in .. cmsgpack.pack(others), {}
      end
      given = given + 1
      places[given], owner_of[code] = i, user
      new_coupons[2 * given - 1] = code
      new_coupons[2 * given] = '\150\217' .. char(#user) .. user .. claimed .. char(#previous) .. previous .. rest
      answer, detail = DONE, code
    end
  end
  if answer ~= DONE and #sample < 3 * SAMPLE then
    local last = #sample
    sample[last + 1], sample[last + 2], sample[last + 3] = user, tostring(answer), by
  end
  reply[2 * i - 1], reply[2 * i] = answer, detail
end

local event_id = given > 0 and next_event_id(events, recent)
may_write('hash', meta, 'HSET')
may_write('hash', counts, 'HSET')
may_write('hash', coupons, 'HSET')
may_write('hash', stats, 'HINCRBY', 'HSET')
may_write('stream', events, 'XADD')
may_write('stream', attempts, 'XADD')
local minute = math.floor(at / 60000)
local minute_field = 'minute:' .. minute % 60
local this_minute = redis.call('HGET', stats, minute_field)

-- All checks are done: write.

redis.call('HINCRBY', stats, 'calls', 1)
seen = seen_so_far(generation, recent)

if given > 0 then
  for s = 1, #scopes do
    local scope = scopes[s]
    if scope.place == 0 then
      counted[scope.number] = write_count(scope, newest_of_all)
    end
  end
  local new_counts, last = {}, 0
  for number = 1, size do
    if is_changed[number] then
      new_counts[last + 1], new_counts[last + 2] = fields[number], counted[number]
      last = last + 2
    end
  end
  redis.call('HSET', counts, unpack(new_counts))
  redis.call('HSET', coupons, unpack(new_coupons))
  for _, limit in ipairs(limits) do
    if limit.window and limit.is_later then
      redis.call('HSET', meta, 'window:' .. limit.name, string.format('%.0f', limit.window))
    end
  end
  local id = redis.call('XADD', events, event_id, 'type', 'claimed', 'at', now, 'n', given, 'data', argv,
    'places', cmsgpack.pack(places))
  seen = note_event(meta, generation, recent, id)
  redis.call('HINCRBY', stats, 'won', given)
  local its_minute, so_far = string.match(this_minute or '', '^(%d+)=(%d+)$')
  so_far = tonumber(its_minute) == minute and so_far or 0
  redis.call('HSET', stats, minute_field, string.format('%.0f=%.0f', minute, so_far + given))
end

if repeats > 0 then
  redis.call('HINCRBY', stats, 'repeat', repeats)
end
if closed > 0 then
  redis.call('HINCRBY', stats, 'closed', closed)
end
for by, count in pairs(refused) do
  redis.call('HINCRBY', stats, 'refused:' .. by, count)
end
if #sample > 0 then
  redis.call('XADD', attempts, 'MAXLEN', '~', 100, '*', 'at', now, 'data', cmsgpack.pack(sample))
end

reply[2 * n + 1] = seen
return reply
