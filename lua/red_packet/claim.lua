-- red_packet/claim: answers a batch of attempts at one sale, in their order. A user gets one packet. A user who already
-- has one gets the same packet again, whatever has happened since.
--
-- Includes lib/stream, lib/fence, lib/life
-- KEYS 1 pending    LIST    packets not yet claimed, "<no>:<cents>", in the order of their numbers
--      2 claimants  HASH    user -> "<no>:<cents>"
--      3 meta       HASH    the terms, the state, the luckiest claim
--      4 stats      HASH    exact counts: outcome -> attempts, "amount:<column>" -> claims
--      5 events     STREAM  one entry for all winners of the batch
--      6 attempts   STREAM  a sample of attempts that changed nothing, capped
-- ARGV 1            what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2            now, epoch milliseconds; "" for Redis' time
--      3            the request ids of the attempts, one cmsgpack list; written to the event unchanged
--      4 .. n+3     user of each attempt, n = 1 .. MAX_BATCH
--
-- Reply: for each attempt two values, code and detail, then what the caller has seen now:
--      0 won, 500 repeat           "<no>:<cents>"
--      1003 sold out               ""
--      1004 expired                the end of the sale, epoch milliseconds
--      1020 closed                 when an operator closed the sale, epoch milliseconds
--      1035 not open               the start of the sale and the time of the call, with a blank between
--      1036 paused                 when an operator paused the sale, and why, with a blank between
--      1005 unknown sale, 1006 still opening, 1012 suspended, 1025 suspended by this call, as something of it is lost,
--      1026 newer format, 1034 trimmed    ""
--
-- Event "claimed": at, n claims, data = cmsgpack [user, packet, ...], requests = ARGV 3,
--      places = cmsgpack list of each winner's position in the batch, from 1
-- Cost: 6 commands to read and count; for winners up to 8 more (with the first 9), and one per histogram column that
--       they fall into; for the others up to 4 more, or 5 where nobody wins. The size of the batch does not matter.

local argv, seen, now = ARGV, ARGV[1], ARGV[2] -- a local is read faster than a global in the loops
local requests, n = ARGV[3], #ARGV - 3
local find, sub, floor = string.find, string.sub, math.floor

assert(n >= 1, 'claim takes at least one attempt')

now = time_of_call(now)

local SAMPLE = 8 -- attempts that changed nothing, per batch

-- Read.

local state, generation, recent, format, was_given, packets_in_all, expires_at, bucket_cents, best_cents, closed_at,
  opens_at, paused_at, reason = unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given',
    'count', 'expires_at', 'bucket_cents', 'best_cents', 'closed_at', 'opens_at', 'paused_at', 'pause_reason'))

local needed = was_given and { events, claimants, stats } or { events }
local code = sale_refusal(meta, events, seen, state, generation, recent, format, needed,
  { opening = true, refunded = true }) or state == 'opening' and OPENING
if code then
  return refuse_all(n, code)
end

-- The code for attempts that come too early or too late, whatever is left, and its detail.
local barred, why
if state == 'refunded' then
  barred, why = EXPIRED, expires_at
else
  if state ~= 'closed' then
    whole_number('expires_at', expires_at, 0)
  end
  barred, why = refusal_by_life(now, state, closed_at, opens_at, expires_at, paused_at, reason)
end
bucket_cents, best_cents = whole_number('bucket_cents', bucket_cents, 1), whole_number('best_cents', best_cents, 0)
local held = redis.call('HMGET', claimants, unpack(argv, 4))

-- `wanting[user]` is false from a user's first attempt in the batch on, and the packet once the user has one. So a
-- second attempt of the same user sees the effect of the first.
local wanting, want = {}, 0
if not barred then
  for i = 1, n do
    local user = argv[i + 3]
    if not held[i] and wanting[user] == nil then
      wanting[user] = false
      want = want + 1
    end
  end
end

local packets = {}
if want > 0 then
  packets = redis.call('LRANGE', pending, 0, want - 1)
end
-- If packets are neither won nor pending, they are not sold out: Redis has lost them.
if #packets < want then
  local won = whole_number('won', redis.call('HGET', stats, 'won') or '0', 0)
  if won + #packets < whole_number('count', packets_in_all, 1) then
    return refuse_all(n, suspend_lost(meta))
  end
end

-- Decide. A packet that cannot be read ends the script here.

local reply, given = {}, 0
local claims, places = {}, {}
local repeats, refusals, sample = 0, 0, {}
local cents_won, columns = 0, {}
local best

for i = 1, n do
  local user = argv[i + 3]
  local packet = held[i] or wanting[user]
  code = REPEAT
  if not packet then
    packet = packets[given + 1]
    if packet then
      code = DONE
      given = given + 1
      wanting[user] = packet
      claims[2 * given - 1], claims[2 * given] = user, packet
      places[given] = i

      local colon = find(packet, ':', 1, true)
      local cents = colon and tonumber(sub(packet, colon + 1))
      if not cents or cents < 1 or cents % 1 ~= 0 or cents > 1e15 then
        unreadable('a packet')
      end
      cents_won = cents_won + cents
      local column = floor((cents - 1) / bucket_cents)
      columns[column] = (columns[column] or 0) + 1
      if cents > best_cents then
        best_cents, best = cents, given
      end
    elseif barred then
      code, packet = barred, why
    else
      code, packet = SOLD_OUT, ''
    end
  end

  if code ~= DONE then
    if code == REPEAT then
      repeats = repeats + 1
    else
      refusals = refusals + 1
    end
    if #sample < 2 * SAMPLE then
      sample[#sample + 1], sample[#sample + 2] = user, tostring(code)
    end
  end
  reply[2 * i - 1], reply[2 * i] = code, packet
end

local added = { calls = 1, won = given, claimed_cents = cents_won, ['repeat'] = repeats }
added[barred == EXPIRED and 'expired' or REFUSED_BY_LIFE[barred] or 'sold_out'] = refusals
for column, count in pairs(columns) do
  added['amount:' .. column] = count
end
redis.call('HGET', stats, 'calls')
if given > 0 then
  ensure_allowed(meta, 'LPOP')
end

-- Write, the event first.

seen = seen_so_far(generation, recent)

if given > 0 then
  seen = add_event(meta, events, generation, recent, 'type', 'claimed', 'at', now, 'n', given,
    'data', cmsgpack.pack(claims), 'places', cmsgpack.pack(places), 'requests', requests)
  redis.call('LPOP', pending, given)
  redis.call('HSET', claimants, unpack(claims))
  note_given(meta, was_given)
  if best then
    redis.call('HSET', meta, 'best_cents', best_cents, 'best_user', claims[2 * best - 1],
      'best_packet', claims[2 * best], 'best_at', now)
  end
end

add_counts(stats, added)
add_sample(attempts, now, sample)

reply[2 * n + 1] = seen
return reply
