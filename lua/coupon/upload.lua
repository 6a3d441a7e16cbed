-- coupon/upload: uploads a part of a list of a sale: of its own codes, or of the users who may claim. Once all parts
-- are there, the sale accepts claims. Parts come in their order; sending one again changes nothing. A list names each
-- once.
--
-- Includes lib/stream, lib/fence, lib/coupons
-- KEYS 1 meta     HASH    the lists and the state
--      2 codes    HASH    own code -> the key in `coupons` of the coupon that has it
--      3 pending  LIST    own codes that nobody has, in the order in which they are given
--      4 invited  HASH    the users who may claim, if not all may
--      5 events   STREAM
-- ARGV 1          what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2          now, epoch milliseconds; "" for Redis' time
--      3          the list: "codes" or "users"
--      4          the place of the first entry of this part in the list, from 1
--      5          the entries as they go into the event: a cmsgpack list of own codes as they are spelled, or of users
--      6 ..       the entries, 1 .. LISTED_AT_A_TIME: what is compared of an own code, and after a blank how it is
--                 spelled if that differs; or a user
--
-- Reply: code, a value, and what the caller has seen now:
--      0 done, 500 repeat: the list reaches beyond it, and has all of its entries    the lists, as in `meta`
--      1007 exists       the first entry that the list has already; nothing was changed
--      1008 out of order: a part before this one is missing, or it overlaps what was uploaded before; 1024 other
--      request: the list reaches beyond it without one of its entries    the lists
--      1030 other terms: there are more entries than the sale was opened for    the lists; "" for a sale without any
--      1020 closed, 1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026
--      newer format, 1034 trimmed    ""
--
-- Event "listed": at, list = ARGV 3, first = ARGV 4, n entries, data = ARGV 5
-- Cost: 4 commands to read; to write 3, and 1 for each thousand entries, 2 of own codes.

local seen, now, list, first, packed = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local n = #ARGV - 5

assert(n >= 1 and first >= 1 and (list == 'codes' or list == 'users'), 'upload takes at least one entry of a list')

now = time_of_call(now)

local AT_ONCE = 1000 -- entries in one command

local state, generation, recent, format, packed_lists =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'lists'))
local needed = with_lists({ events }, packed_lists, codes, invited)
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return { refusal, '', '' }
end
seen = seen_so_far(generation, recent)
local lists = lists_of(packed_lists)
local wanted, so_far = 0, 0
if lists then
  wanted, so_far = lists[list == 'codes' and 'own' or 'only_for'], lists[list]
end
if first + n - 1 > wanted then
  return { OTHER_TERMS, packed_lists or '', seen }
end

local names, is_own = {}, list == 'codes'
for i = 1, n do
  names[i] = is_own and read_own_code(ARGV[5 + i]) or ARGV[5 + i]
end
local found
if is_own then
  found = redis.call('HMGET', codes, unpack(names))
  redis.call('LLEN', pending)
else
  found = redis.call('HMGET', invited, unpack(names))
end

if first + n - 1 <= so_far then
  for i = 1, n do
    if not found[i] then
      return { OTHER_REQUEST, packed_lists, seen }
    end
  end
  return { REPEAT, packed_lists, seen }
end
if first ~= so_far + 1 then
  return { OUT_OF_ORDER, packed_lists, seen }
end
if state == 'closed' then
  return { CLOSED, '', seen }
end
local named = {} -- what is to be stored, field and value, alternating
for i = 1, n do
  if found[i] or named[names[i]] then
    return { EXISTS, ARGV[5 + i], seen }
  end
  named[names[i]], named[2 * i - 1], named[2 * i] = true, names[i], ''
end
lists[list] = so_far + n
local numbers = { lists.own, lists.only_for, lists.codes, lists.users }
for i, number in ipairs(numbers) do
  numbers[i] = whole(number)
end
packed_lists = table.concat(numbers, ' ')
ensure_allowed(meta, 'RPUSH')

seen = add_event(meta, events, generation, recent, 'type', 'listed', 'at', now, 'list', list, 'first', first, 'n', n,
  'data', packed)
for from = 1, n, AT_ONCE do
  local upto = math.min(from + AT_ONCE - 1, n)
  if is_own then
    redis.call('HSET', codes, unpack(named, 2 * from - 1, 2 * upto))
    redis.call('RPUSH', pending, unpack(ARGV, 5 + from, 5 + upto))
  else
    redis.call('HSET', invited, unpack(named, 2 * from - 1, 2 * upto))
  end
end
redis.call('HSET', meta, 'lists', packed_lists)
return { DONE, packed_lists, seen }
