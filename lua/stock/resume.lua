-- stock/resume: reopens a sale once recover.lua has restored every chunk. Its quantity is not cached: the first attempt
-- causes it to be loaded.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/recovery
-- KEYS 1 meta      HASH    the terms, the state, the sum of all changes
--      2 quantity  STRING  what is left: not cached after a recovery
--      3 requests  HASH    request id -> its record, a `request`
--      4 stats     HASH    exact counts
--      5 events    STREAM
--      6 users     HASH    user -> units that the user has
--      7 deadlines ZSET    request id -> deadline of its reservation
-- ARGV 1           token of the recovery
--      2           now, epoch milliseconds; "" for Redis' time
--      3           requests that must exist
--      4           cached quantities that must exist: none
--      5           id of the last entry that the ledger has: the stream continues after it
--      6           how many entries it has, including that one
--      7           the generation that begins, later than that entry and than every generation before: the id of the
--                  event
--      8           entries that were in the stream but never reached the ledger
--      9           users that must exist
--      10          deadlines that must exist
--      11          m, fields of meta
--      12 .. 2m+11 field and value, alternating: the terms, the state, the sum
--      2m+12 ..    field and value, alternating: stats
--
-- Reply: code: 0 done, 500 repeat: the sale is already live
--      1005 unknown sale
--      1008 out of order: this is not the newest recovery
--      1013 incomplete: requests, users or deadlines are missing
--
-- Event "recovered": at, delta = 0, sum, won, unseen
-- Cost: 16 commands, 1 more where anything was given.

local token, now, must_hold, must_cache = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local applied, entries, generation, unseen = ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local must_count, must_expire, fields = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])

assert(#ARGV >= 11 + 2 * fields and #ARGV % 2 == 1 and compare_ids(generation, applied) > 0,
  'resume takes as many fields as it says, and goes on later than the ledger')

now = time_of_call(now)

local refusal = resume_refusal(meta, token)
if refusal then
  return { refusal }
end
if redis.call('HLEN', requests) ~= must_hold or redis.call('EXISTS', quantity) ~= must_cache
  or redis.call('HLEN', users) ~= must_count or redis.call('ZCARD', deadlines) ~= must_expire
then
  return { INCOMPLETE }
end

local sum
for at = 12, 2 * fields + 10, 2 do
  if ARGV[at] == 'sum' then
    sum = ARGV[at + 1]
  end
end
redis.call('HLEN', stats)

continue_stream(meta, events, applied, entries)
redis.call('HSET', meta, unpack(ARGV, 12, 2 * fields + 11))
if #ARGV > 2 * fields + 11 then
  redis.call('HSET', stats, unpack(ARGV, 2 * fields + 12))
end
recovery_done(meta, applied, generation, must_hold)
redis.call('XADD', events, generation, 'type', 'recovered', 'at', now, 'delta', 0, 'sum', sum, 'won', must_hold,
  'unseen', unseen)
note_event(meta, generation, nil, generation)
return { DONE }
