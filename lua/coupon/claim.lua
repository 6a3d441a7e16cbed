-- coupon/claim: answers a batch of attempts at one sale, in their order. An attempt gets a coupon if the sale is for
-- its user, and every limit allows one more. The coupon's code follows from the request id, so a repeated request gets
-- the same code, whatever has happened since. In a sale with own codes, that is only the key of the coupon: its code is
-- the first one that nobody has.
--
-- Includes lib/stream, lib/fence, lib/life, lib/coupons
-- KEYS 1 meta      HASH    the limits, their latest windows, the state
--      2 counts    HASH    "<scope>:<value>" -> what is counted for it, a `count`
--      3 coupons   HASH    code -> its record, a `coupon`
--      4 stats     HASH    exact counts: outcome -> attempts, "minute:<0 to 59>" -> claims
--      5 events    STREAM  one entry for all winners of the batch
--      6 attempts  STREAM  a sample of attempts that changed nothing, capped
--      7 codes     HASH    own code -> the key in `coupons` of the coupon that has it
--      8 pending   LIST    own codes that nobody has, in the order in which they are given
--      9 invited   HASH    the users who may claim, if not all may
-- ARGV 1           what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2           now, epoch milliseconds; "" for Redis' time
--      3           what the caller goes by: the time zone in which the windows begin, and the key of the codes, with a
--                  blank between
--      4           the windows around now: a cmsgpack map from kind ("day", "hour") to a list of their starts and the
--                  end of the last one
--      5           n, attempts, 1 .. MAX_BATCH
--      6           the attempts, one flat cmsgpack list: for each user, request id, its code, and its value of each
--                  further scope; written to the event unchanged
--      7 ..        the further scopes, in the order of their values
--
-- Reply: for each attempt two values, code and detail, then what the caller has seen now:
--      0 won                 the coupon's code
--      500 repeat            the coupon's code and its state, with a blank between
--      1014 limit reached    cmsgpack list: the limit that refuses, then each limit and how many more it allows
--      1020 closed           when an operator closed the sale, epoch milliseconds
--      1004 expired          the end of the sale, epoch milliseconds
--      1035 not open         the start of the sale and the time of the call, with a blank between
--      1036 paused           when an operator paused the sale, and why, with a blank between
--      1080 not invited      ""
--      1030 other terms      the time of the call and what the sale goes by, with a blank between; nothing was tried
--      1005 unknown sale, 1006 its lists are not uploaded yet, 1012 suspended, 1025 suspended by this call, as
--      something of it is lost, 1026 newer format, or a limit of a kind or scope that the caller does not know, 1034
--      trimmed, 1015 the request id was used by another user    ""
--
-- Event "claimed": at, n claims, data = ARGV 6, words = how many of it each attempt has, places = cmsgpack list of each
--      winner's position in the batch, from 1; in a sale with own codes own = cmsgpack list of the code of each winner,
--      and format
-- Cost: 8 commands to read and count; for winners 6 more (with the first 7), and 1 for each limit whose window is new;
--       for the others up to 3 more, and 1 for each limit that refuses. In a sale with own codes 1 more, and 3 more for
--       winners; in one that is not for everybody 1 more. The size of the batch does not matter.

local seen, now, basis, n, argv = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[5]), ARGV[6]
local starts, list = cmsgpack.unpack(ARGV[4]), cmsgpack.unpack(argv)
local stride = 3 + #ARGV - 6

assert(n >= 1 and #list == n * stride, 'claim takes as many attempts as it says')

now = time_of_call(now)

local SAMPLE = 8 -- attempts that changed nothing, per batch
local USER_AT, CODE_AT = 1, 3 -- positions in an attempt; the values of further scopes come after these

-- Read.

local state, generation, recent, format, was_given, closed_at, opens_at, ends_at, paused_at, reason, its_basis,
  packed_table, packed_lists = unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given',
    'closed_at', 'opens_at', 'ends_at', 'paused_at', 'pause_reason', 'basis', 'table', 'lists'))
local needed = was_given and { events, coupons, counts, stats } or { events }
needed = with_lists(needed, packed_lists, codes, invited)
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)
local barred, why = refusal_by_life(now, state, closed_at, opens_at, ends_at, paused_at, reason)
local lists = lists_of(packed_lists)
local has_own = lists and lists.own > 0
if lists and not lists.is_whole and not barred then
  return refuse_all(n, OPENING)
end

if not string.find(its_basis or '', ' ', 1, true) then
  unreadable('basis')
end
local limits = its_basis == basis and limits_of(meta, packed_table)
refusal = not limits and OTHER_TERMS or place_limits(limits, starts, now)
if not refusal then
  limit_to_codes(limits, lists)
end

-- The scopes with a value in each attempt, and the scope of the sale, which has no value.
local scopes, valued, of_sale = scopes_of(refusal and {} or limits), {}, nil
local place_of = { user = USER_AT }
for i = 7, #ARGV do
  place_of[ARGV[i]] = i - 3
end
for _, scope in ipairs(scopes) do
  scope.place, scope.numbers = place_of[scope.name], {} -- for each attempt, the number of its value
  if scope.name == 'sale' then
    of_sale = scope
  elseif scope.place then
    valued[#valued + 1] = scope
  else
    refusal = NEWER_FORMAT
  end
end
if refusal then
  local refused = refuse_all(n, refusal)
  for i = 1, refusal == OTHER_TERMS and n or 0 do
    refused[2 * i] = now .. ' ' .. its_basis
  end
  refused[2 * n + 1] = seen
  return refused
end

-- Everything with a count, each once: "<scope>:<value>".
local ids, users, fields, number_of, size = {}, {}, { 'sale:' }, {}, 1 -- field -> its number
for i = 1, n do
  local base = (i - 1) * stride
  ids[i], users[i] = list[base + CODE_AT], list[base + USER_AT]
  for s = 1, #valued do
    local scope = valued[s]
    local field = scope.prefix .. list[base + scope.place]
    local number = number_of[field]
    if not number then
      size = size + 1
      number, number_of[field], fields[size] = size, size, field
    end
    scope.numbers[i] = number
  end
end
local stored = redis.call('HMGET', coupons, unpack(ids))
local counted = redis.call('HMGET', counts, unpack(fields)) -- by number, as stored
local is_invited = lists and lists.only_for > 0 and redis.call('HMGET', invited, unpack(users))
local entries = has_own and redis.call('LRANGE', pending, 0, n - 1) or {}

-- Decide.

local reply, places, new_coupons, new_counts, owner_of = {}, {}, {}, {}, {} -- code -> user, if won in this batch
local given, repeats, barred_attempts, uninvited, refused, sample = 0, 0, 0, 0, {}, {}
local own_of, own_codes, readings, named = {}, {}, {}, {} -- key -> own code, and own codes in the order of the winners
-- Most of a new record is the same for the whole batch, so it is packed by hand.
local char, at, windows = string.char, tonumber(now), {}
local head = has_own and '\154\217' or '\150\217'
for _, limit in ipairs(limits) do
  windows[#windows + 1] = limit.window and limit.mark
end
local claimed = cmsgpack.pack('claimed') .. cmsgpack.pack(at) .. '\217'
local counted_in = cmsgpack.pack(table.concat(windows, ' '))
local alone = counted_in .. cmsgpack.pack({}) -- counted for the sale and the user only
local not_ended = cmsgpack.pack(0) .. cmsgpack.pack('') .. cmsgpack.pack({}) -- before an own code
-- The count of the sale before the batch, and how many more it allows.
local before, room = {}, math.huge
if of_sale then
  read_count(of_sale, counted[1])
  for k = 1, #of_sale do
    before[k] = of_sale.now[k]
    room = math.min(room, of_sale[k].maximum - before[k])
  end
end

-- The limit that refuses an attempt. Afterwards each scope has read the counts for the attempt.
local function refusing_limit(i)
  for k = 1, of_sale and #of_sale or 0 do
    of_sale.now[k] = before[k] + given
  end
  for s = 1, #valued do
    read_count(valued[s], counted[valued[s].numbers[i]])
  end
  for l = 1, #limits do
    local limit = limits[l]
    if limit.counts[limit.nth] >= limit.maximum then
      return limit.name
    end
  end
end

for i = 1, n do
  local code, user, by = ids[i], users[i], ''
  local answer, detail
  local owner, became, own = owner_of[code], 'claimed', own_of[code]
  if stored[i] and not owner then
    local record = read_coupon(stored[i])
    owner, became, own = record[USER], record[STATE], record[OWN]
  end
  if owner == user then
    answer, detail, repeats = REPEAT, (own or code) .. ' ' .. became, repeats + 1
  elseif owner then
    answer, detail = OTHER_USER, ''
  elseif barred then
    answer, detail, barred_attempts = barred, why, barred_attempts + 1
  elseif is_invited and not is_invited[i] then
    answer, detail, uninvited = NOT_INVITED, '', uninvited + 1
  else
    -- A coupon that is the first for all of its counts, as most are in a rush, is decided without reading any count.
    local is_first, refusing = given < room, nil
    for s = 1, #valued do
      local scope = valued[s]
      is_first = is_first and not counted[scope.numbers[i]] and scope.least >= 1
    end
    if not is_first then
      refusing = refusing_limit(i)
    end
    if refusing then
      answer, by, detail = LIMIT_REACHED, refusing, cmsgpack.pack(left_of(limits, { refusing }))
      refused[by] = (refused[by] or 0) + 1
    else
      local previous, rest, others = '', alone, nil
      for s = 1, #valued do
        local scope = valued[s]
        local number = scope.numbers[i]
        local text = counted[number]
        if scope.place == USER_AT then
          previous = newest_of(text)
        else
          others = others or {}
          others[#others + 1] = fields[number]
        end
        if text then
          for k = 1, #scope do
            scope.now[k] = scope.now[k] + 1
          end
          text = write_count(scope, code)
        else
          text = code .. scope.first
        end
        counted[number] = text
        local last = #new_counts
        new_counts[last + 1], new_counts[last + 2] = fields[number], text
      end
      if others then
        rest = counted_in .. cmsgpack.pack(others)
      end
      given = given + 1
      places[given], owner_of[code] = i, user
      new_coupons[2 * given - 1] = code
      answer, detail = DONE, code
      if has_own then
        if not entries[given] then
          -- Neither pending nor with a user: Redis has lost it.
          return refuse_all(n, suspend_lost(meta))
        end
        readings[given], own = read_own_code(entries[given])
        own_of[code], own_codes[given], detail = own, own, own
        named[2 * given - 1], named[2 * given] = readings[given], code
        rest = rest .. not_ended .. '\217' .. char(#own) .. own
      end
      new_coupons[2 * given] = head .. char(#user) .. user .. claimed .. char(#previous) .. previous .. rest
    end
  end
  if answer ~= DONE and #sample < 3 * SAMPLE then
    local last = #sample
    sample[last + 1], sample[last + 2], sample[last + 3] = user, tostring(answer), by
  end
  reply[2 * i - 1], reply[2 * i] = answer, detail
end

local minute = math.floor(at / 60000)
local minute_field = 'minute:' .. minute % 60
local this_minute = redis.call('HGET', stats, minute_field)
local added = { calls = 1, won = given, ['repeat'] = repeats }
if barred then
  added[REFUSED_BY_LIFE[barred]] = barred_attempts
end
if uninvited > 0 then
  added.not_invited = uninvited
end
for by, count in pairs(refused) do
  added['refused:' .. by] = count
end

local of_own = {}
if has_own and given > 0 then
  for _, id in ipairs(redis.call('HMGET', codes, unpack(readings))) do
    if id ~= '' then
      unreadable('a pending code') -- somebody has it
    end
  end
  of_own = { 'own', cmsgpack.pack(own_codes), 'format', FORMAT }
  ensure_allowed(meta, 'LPOP')
end

-- Write, the event first.

if given > 0 then
  seen = add_event(meta, events, generation, recent, 'type', 'claimed', 'at', now, 'n', given, 'data', argv,
    'words', stride, 'places', cmsgpack.pack(places), unpack(of_own))
  if has_own then
    redis.call('LPOP', pending, given)
    redis.call('HSET', codes, unpack(named))
  end
  if of_sale then
    for k = 1, #of_sale do
      of_sale.now[k] = before[k] + given
    end
    new_counts[#new_counts + 1] = 'sale:'
    new_counts[#new_counts + 1] = write_count(of_sale, new_coupons[2 * given - 1])
  end
  if #new_counts > 0 then
    redis.call('HSET', counts, unpack(new_counts))
  end
  redis.call('HSET', coupons, unpack(new_coupons))
  for _, limit in ipairs(limits) do
    if limit.is_later then
      redis.call('HSET', meta, 'window:' .. limit.name, string.format('%.0f', limit.window))
    end
  end
  note_given(meta, was_given)
end

if given > 0 then
  local its_minute, so_far = string.match(this_minute or '', '^(%d+)=(%d+)$')
  so_far = tonumber(its_minute) == minute and so_far or 0
  redis.call('HSET', stats, minute_field, whole(minute) .. '=' .. whole(so_far + given))
end
add_counts(stats, added)
add_sample(attempts, now, sample)

reply[2 * n + 1] = seen
return reply
