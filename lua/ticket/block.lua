-- ticket/block: takes free seats off sale, or puts blocked ones on sale again: all of them, or none. A request that is
-- repeated changes nothing.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/rows, lib/orders, lib/changes, lib/plan
-- KEYS 1 meta    HASH    the terms and the state
--      2 seats   STRING  one byte per seat
--      3 layout  STRING  first seat and number of seats of each row
--      4 free    STRING  the index of free seats
--      5 counts  HASH    "<state>:<category>" -> seats
--      6 events  STREAM
-- ARGV 1         what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2         now, epoch milliseconds; "" for Redis' time
--      3         the categories, as for reserve.lua
--      4         request id
--      5         the change: "blocked" or "unblocked"
--      6         why, may be empty
--      7         the seats, cmsgpack list of row and place of each, flat, at most MAX_BLOCKED of them, all different
--                and in the order of their numbers
--
-- Reply: code, detail, and what the caller has seen now:
--      0 done, 500 repeat    ""
--      1001 seat taken       the seats that are not free, or not blocked, and the state of each: cmsgpack list of row,
--                            place and state (0 free, 1 held, 2 sold, 3 blocked), flat; nothing was changed
--      1024 another change has this request id, or one of other seats; nothing was changed
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer format,
--      1034 trimmed    ""
--
-- Event "blocked" or "unblocked": at, n seats, request = cmsgpack list of the request id, digest = SHA-1 of ARGV 5 and
--       7, reason, data = ARGV 7
-- Cost: 3 commands to read, 2 more where the request is new, plus 1 or 2 per row of the seats; 5 to write, plus 1 per
--       changed row.

local seen, now, categories, request = ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3]), ARGV[4]
local change, reason, places = ARGV[5], ARGV[6], cmsgpack.unpack(ARGV[7])

assert(({ blocked = 1, unblocked = 1 })[change], 'block knows no such change')
assert(#places >= SEAT and #places % SEAT == 0, 'block takes row and place of at least one seat')

now = time_of_call(now)

local FREE, BLOCKED = '0', '3' -- a seat's byte

local from, to, added, taken = FREE, BLOCKED, 'blocked:', 'free:'
if change == 'unblocked' then
  from, to, added, taken = BLOCKED, FREE, 'free:', 'blocked:'
end

local state, generation, recent, format, packed = unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent',
  'format', 'changes'))
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format,
  { events, seats, layout, free, counts })
if refusal then
  return { refusal, '', '' }
end
seen = seen_so_far(generation, recent)

-- As with an order's changes, the reason does not make it another one.
local digest = redis.sha1hex(change .. '\0' .. ARGV[7])
local changes, known = read_changes(packed, request, digest)
if known then
  return { known, '', seen }
end

local hall = open_rows(seats, layout, free, categories)
local others, moved = {}, {}
for at = 1, #places, SEAT do
  local number, place = places[at], places[at + 1]
  local sign = string.sub(hall.row(number).text, place + 1, place + 1)
  if sign == from then
    local c = hall.category_of(number)
    moved[taken .. c], moved[added .. c] = (moved[taken .. c] or 0) - 1, (moved[added .. c] or 0) + 1
  else
    local size = #others
    others[size + 1], others[size + 2], others[size + 3] = number, place, tonumber(sign)
  end
end
if #others > 0 then
  return { SEAT_TAKEN, cmsgpack.pack(others), seen }
end

hall.set(places, to)
local counted = counts_with(counts, moved)
ensure_allowed(meta, 'SETRANGE', 'BITFIELD')

seen = add_event(meta, events, generation, recent, 'type', change, 'at', now, 'n', #places / SEAT,
  'request', cmsgpack.pack({ request }), 'digest', digest, 'reason', reason, 'data', ARGV[7])
hall.write()
redis.call('HSET', counts, unpack(counted))
-- An older program does not know blocked seats.
redis.call('HSET', meta, 'format', FORMAT, 'changes', with_change(changes, request, digest))
return { DONE, '', seen }
