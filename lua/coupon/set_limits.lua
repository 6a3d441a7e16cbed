-- coupon/set_limits: changes limits of a sale, for all claims that follow. A limit below what is claimed takes nothing
-- away: it only refuses further claims.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence
-- KEYS 1 meta    HASH    the limits and the state
--      2 events  STREAM
-- ARGV 1         what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2         now, epoch milliseconds; "" for Redis' time
--      3 ..      for each limit its name, 1 if it is to be changed or 0, and its maximum, "" for no limit
--
-- Reply: code, cmsgpack list of name and maximum of each limit in force, alternating, "" for no limit, and what the
--      caller has seen now:
--      0 done, 500 repeat: they were in force already
--      1020 closed: nothing was changed
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as what the caller has seen is lost, 1026 newer
--      format: no list
--
-- Event "limits": at, limits = cmsgpack list of name and maximum of each limit in force from now on
-- Cost: 5 commands to read, 2 to write, and 1 for each limit.

local meta, events = KEYS[1], KEYS[2]
local seen, now, n = ARGV[1], ARGV[2], (#ARGV - 2) / 3
local given = { unpack(ARGV, 3) }

assert(#KEYS == 2, 'set_limits takes 2 keys')
assert(n >= 1 and n % 1 == 0, 'set_limits takes 2 arguments and three for each limit')

now = time_of_call(now)

local asked = { 'state', 'generation', 'recent', 'format' }
for i = 1, n do
  asked[4 + i] = 'limit:' .. given[3 * i - 2]
end
local terms = redis.call('HMGET', meta, unpack(asked))
local state, generation, recent, format = unpack(terms, 1, 4)
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format)
if refusal then
  return { refusal, '', '' }
end
seen = seen_so_far(generation, recent)

local in_force, changed = {}, false
for i = 1, n do
  local name, is_set, maximum = given[3 * i - 2], given[3 * i - 1] == '1', given[3 * i]
  local before = terms[4 + i]
  -- What is missing is no limit that was lifted: that is stored as "".
  if not is_set and before ~= '' then
    whole_number('the limit ' .. name, before, 0)
  end
  changed = changed or is_set and maximum ~= before
  in_force[2 * i - 1], in_force[2 * i] = name, is_set and maximum or before
end
if state == 'closed' then
  return { CLOSED, '', seen }
end
local packed = cmsgpack.pack(in_force)
if not changed then
  return { REPEAT, packed, seen }
end

local event_id = next_event_id(events, recent)
may_write('hash', meta, 'HSET')
may_write('stream', events, 'XADD')

for i = 1, #in_force, 2 do
  redis.call('HSET', meta, 'limit:' .. in_force[i], in_force[i + 1])
end
local id = redis.call('XADD', events, event_id, 'type', 'limits', 'at', now, 'limits', packed)
return { DONE, packed, note_event(meta, generation, recent, id) }
