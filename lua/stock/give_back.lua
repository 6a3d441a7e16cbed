-- stock/give_back: takes back units of deductions, because their orders failed: all that the user still has of one, or
-- a part. Never more comes back than was deducted.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/stock, lib/reasons
-- KEYS 1 meta      HASH    the terms, the state, the sum of all changes
--      2 quantity  STRING  what is left, as long as it is cached
--      3 requests  HASH    request id -> its record, a `request`
--      4 stats     HASH    exact counts
--      5 events    STREAM
--      6 users     HASH    user -> units that the user has; only if the sale has a limit
--      7 deadlines ZSET    request id -> deadline of its reservation; only if the sale holds
-- ARGV 1           what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2           now, epoch milliseconds; "" for Redis' time
--      3 ..        of each attempt, 1 .. REQUESTS_AT_A_TIME: request id of the deduction; how many units come back, ""
--                  for all that the user still has; id of the return, "" for none; why, may be empty
--
-- Reply: for each attempt two values, code and detail, then what the caller has seen now:
--      0 given back, 500 repeat: it was before; of a return without an id, all units were back before
--      1032 not enough: the user has fewer of it, and nothing was changed
--      1017 the reservation has expired, so its units were back before
--                            cmsgpack list: user, how many this return gave back, how many the user still has of it
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed, 1033 no deduction has this request id, 1024 another quantity was given back under this
--      id, 1014 too many parts of the deduction came back    ""
--
-- Event "returned": at, n attempts, delta, sum, data = cmsgpack list of user, request id and quantity of each, flat;
--       if any is a part or has an id, returns = cmsgpack list of the ids, and format; if any has a reason, reasons =
--       cmsgpack list of the reason of each
-- Cost: 6 commands to read; 6 more if any is given back, one less where nothing is cached; 1 more if any was repeated,
--       and 1 if any was refused. With a limit, 1 more to read and 1 to write; with a hold time, up to 1 and 1.

local seen, now, n = ARGV[1], ARGV[2], (#ARGV - 2) / 4

assert(n >= 1 and n % 1 == 0, 'give_back takes four arguments for each attempt')

now = time_of_call(now)

local PARTS = 100 -- parts of one deduction that may come back; each is remembered

local state, generation, recent, format, was_given, sum, limit, hold_ms, held =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'given', 'sum', 'limit_per_user',
    'hold_ms', 'held'))
local needed = was_given and { events, requests, stats } or { events }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return refuse_all(n, refusal)
end
seen = seen_so_far(generation, recent)
sum = whole_number('sum', sum, -2 ^ 53)
limit = optional_term('limit_per_user', limit)
hold_ms = optional_term('hold_ms', hold_ms)
held = hold_ms and whole_number('held', held, 0)

local ids, wants = {}, {}
for i = 1, n do
  local wanted = ARGV[4 * i]
  ids[i], wants[i] = ARGV[4 * i - 1], wanted ~= '' and tonumber(wanted) or nil
  if wanted ~= '' and not (wants[i] and wants[i] >= 1 and wants[i] % 1 == 0) then
    error({ err = 'UNTRIED an attempt gives back no whole quantity of 1 or more' })
  end
end
local stored = redis.call('HMGET', requests, unpack(ids))
local cached = cached_quantity(quantity)

-- Before the decisions, as they change it.
local known, names = {}, {}
for i = 1, n do
  local request = ids[i]
  known[request] = known[request] or read_request(stored[i])
  names[#names + 1] = known[request] and known[request][USER]
end
local units_of = limit and #names > 0 and read_units(users, names)

-- What a return under this id gave back; nil if there was none.
local function returned_by(record, id)
  for _, part in ipairs(record[RETURNS] or {}) do
    if id ~= '' and part[1] == id then
      return part[2]
    end
  end
end

-- What the last return gave back.
local function returned_last(record)
  local parts = record[RETURNS] or {}
  return #parts > 0 and parts[#parts][2] or record[QUANTITY]
end

local reply, changed, given, returns, settled, units, repeats, refusals = {}, {}, {}, {}, {}, 0, 0, 0
local has_parts, units_now = false, {}
for i = 1, n do
  local request, wanted, id = ids[i], wants[i], ARGV[4 * i + 1]
  local record = known[request]
  local of_state = record and record[STATE]
  local answer
  local amount = 0
  if not record or not (HAS_UNITS[of_state] or of_state == 'returned' or of_state == 'expired') then
    -- None, or a restock or a correction.
    answer, refusals = UNKNOWN_REQUEST, refusals + 1
  else
    local kept, before = kept_of(record), returned_by(record, id)
    if before and wanted and wanted ~= before then
      answer, refusals = OTHER_REQUEST, refusals + 1
    elseif before then
      answer, amount, repeats = REPEAT, before, repeats + 1
    elseif of_state == 'expired' then
      answer, refusals = ENDED, refusals + 1
    elseif kept == 0 and not wanted and id == '' then
      answer, amount, repeats = REPEAT, returned_last(record), repeats + 1
    elseif kept == 0 or (wanted or kept) > kept then
      answer, refusals = NOT_ENOUGH, refusals + 1
    elseif wanted and #(record[RETURNS] or {}) >= PARTS then
      answer, refusals = LIMIT_REACHED, refusals + 1
    else
      amount, answer = wanted or kept, DONE
      if amount < record[QUANTITY] or id ~= '' then
        local parts = record[RETURNS] or {}
        parts[#parts + 1] = { id, amount }
        record[DUE], record[RETURNS], has_parts = record[DUE] or 0, parts, true
      end
      if of_state == 'held' then
        held = less('the units held', held, amount)
      end
      if amount == kept then
        record[STATE] = 'returned'
        if of_state == 'held' then
          settled[#settled + 1] = request
        end
      end
      if limit then
        local user = record[USER]
        units_of[user] = less('the units of a user', units_of[user], amount)
        units_now[user] = units_of[user]
      end
      local size = #given
      given[size + 1], given[size + 2], given[size + 3] = record[USER], request, amount
      returns[#returns + 1] = id
      units, changed[request] = units + amount, record
    end
  end
  local is_told = answer == DONE or answer == REPEAT or answer == NOT_ENOUGH or answer == ENDED
  reply[2 * i - 1], reply[2 * i] = answer, is_told and cmsgpack.pack({ record[USER], amount, kept_of(record) }) or ''
end

local new_sum = exact_sum(sum, cached, units)
redis.call('HGET', stats, 'calls')
local outcomes = { returned = units, returned_repeat = repeats, returned_refused = refusals }

if #given > 0 then
  ensure_allowed(meta, 'INCRBY')
  if #settled > 0 then
    ensure_allowed(meta, 'ZREM')
    redis.call('ZMSCORE', deadlines, settled[1])
  end
  local records, record_now = {}, { 'sum', whole(new_sum) }
  for request, record in pairs(changed) do
    records[#records + 1], records[#records + 2] = request, cmsgpack.pack(record)
  end
  if hold_ms then
    record_now[3], record_now[4] = 'held', whole(held)
  end
  if has_parts then
    -- An older program would give the parts back once more.
    record_now[#record_now + 1], record_now[#record_now + 2] = 'format', FORMAT
  end

  seen = add_event(meta, events, generation, recent, 'type', 'returned', 'at', now, 'n', #given / 3,
    'delta', whole(units), 'sum', whole(new_sum), 'data', cmsgpack.pack(given),
    with_reasons(has_parts and { 'format', FORMAT, 'returns', cmsgpack.pack(returns) } or {},
      reasons_of_done(reply, 6, 4)))
  redis.call('HSET', meta, unpack(record_now))
  if cached then
    redis.call('INCRBY', quantity, whole(units))
  end
  redis.call('HSET', requests, unpack(records))
  if limit then
    redis.call('HSET', users, unpack(units_as_fields(units_now)))
  end
  if #settled > 0 then
    redis.call('ZREM', deadlines, unpack(settled))
  end
end
add_counts(stats, outcomes)
reply[2 * n + 1] = seen
return reply
