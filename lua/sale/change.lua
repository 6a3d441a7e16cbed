-- sale/change: changes the life of a sale of any kind: pauses and resumes it, moves its start and end, reopens it once
-- it was closed, or changes its texts. A change is identified by its request id: if it is repeated, nothing is changed.
-- Nor is it where everything is so already.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/life, lib/pause, lib/plan
-- KEYS 1 meta    HASH    the state and the fields of the life
--      2 events  STREAM
-- ARGV 1         what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2         now, epoch milliseconds; "" for Redis' time
--      3         request id
--      4         the change: "paused", "resumed", "scheduled", "reopened" or "described"
--      5 ..      what is changed, name and value, alternating: reason and hold_clock ("runs" or "stops") of a pause;
--                opens_at or opens_in_s, and ends_at or ends_in_s, times: epoch milliseconds, or seconds from now, of
--                an end from the start if that is to come; title_en, title_zh, description_en and description_zh of
--                texts, "" for none. If only the start of red packets moves, their end moves with it
--
-- Reply: code, detail, and what the caller has seen now:
--      0 done, 500 repeat    start, end and time of the call, with blanks between, "-" for none
--      1038 too late         the same: the start or the end that is to be changed has passed, or the new one has, or
--                            the end would not be after the start; nothing was changed
--      1004 expired          the end of the sale; nothing was changed
--      1020 closed           when an operator closed the sale; nothing was changed
--      1037 refunded         ""; the rest of the money was refunded, so the sale cannot be reopened
--      1024 another change has this request id, or one with other values; nothing was changed
--      1005 unknown sale, 1006 still opening, 1012 suspended, 1025 suspended by this call, as something of it is lost,
--      1026 newer format, 1034 trimmed    ""
--
-- Event "paused", "resumed", "scheduled", "reopened" or "described": at, request = cmsgpack list of the request id,
--       digest = SHA-1 of change and values as they were given, and the changed fields: reason and hold_clock; held_ms
--       (by how much hold time is behind, if it stood); opens_at, ends_at (expires_at of a red packet); the texts;
--       delta = 0 and sum for stock
-- Cost: 3 commands to read, and 1 for each text that is given; 3 to write, and 1 where a field is removed.

local seen, now, request, change = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

assert(#ARGV % 2 == 0, 'change takes two arguments for each field')
assert(({ paused = 1, resumed = 1, scheduled = 1, reopened = 1, described = 1 })[change], 'change knows no such change')

now = time_of_call(now)

local given = pairs_of({ unpack(ARGV, 5) })

local state, generation, recent, format, sum, closed_at, opens_at, ends_at, expires_at, paused_at, hold_clock, held_ms,
  refunded_cents, packed = unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'sum',
    'closed_at', 'opens_at', 'ends_at', 'expires_at', 'paused_at', 'hold_clock', 'held_ms', 'refunded_cents',
    'changes'))
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, { events },
  { opening = true, refunded = true }) or state == 'opening' and OPENING
if refusal then
  return { refusal, '', '' }
end
seen = seen_so_far(generation, recent)

local at = tonumber(now)
local start = opens_at and whole_number('opens_at', opens_at, 0)
-- A red packet has its end among its terms.
local END = expires_at and 'expires_at' or 'ends_at'
local finish = (expires_at or ends_at) and whole_number('the end', expires_at or ends_at, 0)
local has_ended = state == 'refunded' or finish and at >= finish

-- Start, end and time of the call, as a text.
local function times(first, last)
  return (first and whole(first) or '-') .. ' ' .. (last and whole(last) or '-') .. ' ' .. now
end

local digest = redis.sha1hex(table.concat({ unpack(ARGV, 4) }, '\0'))
local changes, known = read_changes(packed, request, digest)
if known then
  return { known, times(start, finish), seen }
end

-- Decide: the code, or else what is set and what is removed.
local code, detail = nil, times(start, finish)
local noted, set, removed = {}, {}, {} -- fields of the event, and of `meta`: name and value, alternating; and names

local function put(list, name, value)
  list[#list + 1], list[#list + 2] = name, value
end

local decide = {}

function decide.paused()
  if state == 'closed' then
    code, detail = CLOSED, whole(whole_number('closed_at', closed_at, 0))
  elseif has_ended then
    code, detail = EXPIRED, whole(finish)
  elseif state == 'paused' then
    code = REPEAT
  else
    noted = { 'reason', given.reason, 'hold_clock', given.hold_clock }
    set = { 'state', 'paused', 'paused_at', now, 'pause_reason', given.reason, 'hold_clock', given.hold_clock }
  end
end

function decide.resumed()
  if state == 'closed' then
    code, detail = CLOSED, whole(whole_number('closed_at', closed_at, 0))
  elseif state ~= 'paused' then
    code = REPEAT
  else
    noted = held_in_pause(at, held_ms, paused_at, hold_clock)
    set, removed = { 'state', 'open', unpack(noted) }, { 'paused_at', 'pause_reason', 'hold_clock' }
  end
end

function decide.scheduled()
  local first = given_time(given.opens_at, given.opens_in_s, at)
  local from = first or start
  local last = given_time(given.ends_at, given.ends_in_s, from and from > at and from or at)
  if first and start and not last and expires_at then
    -- Red packets last as long as before.
    last = finish + first - start
  end
  local moves_start, moves_end = first and first ~= start, last and last ~= finish
  if state == 'closed' then
    code, detail = CLOSED, whole(whole_number('closed_at', closed_at, 0))
  elseif not moves_start and not moves_end then
    code = REPEAT
  elseif has_ended or moves_start and (not start or at >= start or first < at) or moves_end and last <= at
    or (last or finish) and (last or finish) <= (first or start or 0) then
    code = TOO_LATE
  else
    if moves_start then
      put(noted, 'opens_at', whole(first))
    end
    if moves_end then
      put(noted, END, whole(last))
    end
    set, detail = { unpack(noted) }, times(first or start, last or finish)
  end
end

function decide.reopened()
  local last = given_time(given.ends_at, given.ends_in_s, start and start > at and start or at)
  if state == 'closed' and refunded_cents then
    code, detail = REFUNDED, ''
  elseif has_ended then
    code, detail = EXPIRED, whole(finish)
  elseif state ~= 'closed' then
    code = REPEAT
  elseif last and (last <= at or last <= (start or 0)) then
    code = TOO_LATE
  else
    if last and last ~= finish then
      noted = { END, whole(last) }
    end
    set, removed, detail = { 'state', 'open', unpack(noted) }, { 'closed_at' }, times(start, last or finish)
  end
end

function decide.described()
  for i = 5, #ARGV, 2 do
    local name, text = ARGV[i], ARGV[i + 1]
    if (redis.call('HGET', meta, name) or '') ~= text then
      put(noted, name, text)
      if text == '' then
        removed[#removed + 1] = name
      else
        put(set, name, text)
      end
    end
  end
  code = #noted == 0 and REPEAT or nil
end

decide[change]()
if code then
  return { code, detail, seen }
end

-- An older program does not know what a life is, and would give before the start, in a pause, or after the end.
put(set, 'format', FORMAT)
put(set, 'changes', with_change(changes, request, digest))
put(noted, 'digest', digest)
if sum then
  whole_number('sum', sum, -2 ^ 53)
  put(noted, 'delta', 0)
  put(noted, 'sum', sum)
end
if #removed > 0 then
  ensure_allowed(meta, 'HDEL')
end

seen = add_event(meta, events, generation, recent, 'type', change, 'at', now, 'request', cmsgpack.pack({ request }),
  unpack(noted))
redis.call('HSET', meta, unpack(set))
if #removed > 0 then
  redis.call('HDEL', meta, unpack(removed))
end
return { DONE, detail, seen }
