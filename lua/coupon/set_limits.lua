-- coupon/set_limits: changes limits of a sale, for all later claims. A limit below the number of claimed coupons takes
-- nothing away: it only refuses further claims. An edit is identified by its request id as long as it is among the
-- newest 64. A repeated edit gets the original answer, and does not undo later edits. This also holds for an edit that
-- changed nothing: it has an event, too.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/coupons
-- KEYS 1 meta    HASH    the limits, the newest edits, the state
--      2 events  STREAM
-- ARGV 1         what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2         now, epoch milliseconds; "" for Redis' time
--      3         request id of the edit
--      4 ..      name and maximum of each limit to change, alternating; the maximum is "" for no limit
--
-- Reply: code, a value, and what the caller has seen now:
--      0 done, 500 repeat: they were in force already, or this request has set them
--                          cmsgpack list of name and maximum of each limit in force, alternating, "" for no limit
--      1030 other terms: the sale has no such limit; its name
--      1020 closed, 1024 the request id was used for another edit    ""
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed    ""
--
-- Event "limits": at, limits = cmsgpack list of name and maximum of each limit in force from now on; data = cmsgpack
--      list of the request id, then ARGV 4 ..
-- Cost: 4 commands to read, 3 to write.

local seen, now, request = ARGV[1], ARGV[2], ARGV[3]
local given = { unpack(ARGV, 4) }

assert(#given >= 2 and #given % 2 == 0, 'set_limits takes two arguments for each limit')

now = time_of_call(now)

local KEPT = 64 -- edits
local REQUEST, GIVEN, SET = 1, 2, 3 -- positions in a kept edit: request id, its changes, the limits in force then

local state, generation, recent, format, packed_table, packed_edits =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'table', 'edits'))
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, { events })
if refusal then
  return { refusal, '', '' }
end
seen = seen_so_far(generation, recent)

local edits = packed_edits and unpacked('the edits of the limits', packed_edits) or {}
for _, edit in ipairs(edits) do
  if edit[REQUEST] == request then
    if table.concat(edit[GIVEN], ' ') ~= table.concat(given, ' ') then
      return { OTHER_REQUEST, '', seen }
    end
    return { REPEAT, cmsgpack.pack(edit[SET]), seen }
  end
end
if state == 'closed' then
  return { CLOSED, '', seen }
end

local maxima, is_changed = {}, false
for i = 1, #given, 2 do
  maxima[given[i]] = given[i + 1]
end
local in_force, fields = {}, {}
for _, limit in ipairs(limits_of(meta, packed_table, maxima)) do
  local maximum = maxima[limit.name] or limit.stored
  maxima[limit.name] = nil
  is_changed = is_changed or maximum ~= limit.stored
  local last = #in_force
  in_force[last + 1], in_force[last + 2] = limit.name, maximum
  fields[last + 1], fields[last + 2] = 'limit:' .. limit.name, maximum
end
for name, maximum in pairs(maxima) do
  -- Lifting a limit that the sale never had changes nothing.
  if maximum ~= '' then
    return { OTHER_TERMS, name, seen }
  end
end
local packed = cmsgpack.pack(in_force)
table.insert(edits, 1, { request, given, in_force })
edits[KEPT + 1] = nil

seen = add_event(meta, events, generation, recent, 'type', 'limits', 'at', now, 'limits', packed,
  'data', cmsgpack.pack({ request, unpack(given) }))
redis.call('HSET', meta, 'edits', cmsgpack.pack(edits), unpack(fields))
return { is_changed and DONE or REPEAT, packed, seen }
