-- sale/seal: seals a finished sale of any kind, so that it cannot change while the ledger marks it as archived and its
-- keys are deleted.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence
-- KEYS 1 meta        HASH    the state
--      2 events      STREAM
--      3 crowd_lock  STRING  the crowd running at the sale
--      4 unsettled   ANY     what is still to be settled, by the sale's kind
-- ARGV 1             what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2             now, epoch milliseconds; "" for Redis' time
--      3             id of the last entry that the ledger has
--
-- Reply: code, and what the caller has seen now: 0 done, 500 repeat: already sealed
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed
--      1021 not closed: neither closed, nor past its end, nor expired and refunded
--      1022 pending: something is still to be settled, or a crowd is running at the sale
--      1023 behind: the ledger does not have the last entry
-- Event: none
-- Cost: 5 commands to read, 1 to write, each of constant time.

local seen, now, applied = ARGV[1], ARGV[2], ARGV[3]

now = time_of_call(now)

local state, generation, recent, format, ends_at =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'recent', 'format', 'ends_at'))
if state == 'archived' then
  return { REPEAT, '' }
end
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, { events },
  { opening = true, refunded = true })
if refusal then
  return { refusal, '' }
end
seen = seen_so_far(generation, recent)
local has_ended = ends_at and tonumber(now) >= whole_number('ends_at', ends_at, 0)
if state ~= 'closed' and state ~= 'refunded' and not has_ended then
  return { NOT_CLOSED, seen }
end
if redis.call('EXISTS', crowd_lock, unsettled) > 0 then
  return { PENDING, seen }
end
if stream_info(events)['last-generated-id'] ~= applied then
  return { BEHIND, seen }
end

redis.call('HSET', meta, 'state', 'archived')
return { DONE, seen }
