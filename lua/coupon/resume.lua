-- coupon/resume: reopens a sale once recover.lua has restored every chunk.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/recovery
-- KEYS 1 meta     HASH    the limits and the state
--      2 counts   HASH    "<scope>:<value>" -> what is counted for it, a `count`
--      3 coupons  HASH    code -> its record, a `coupon`
--      4 stats    HASH    exact counts
--      5 events   STREAM
--      6 codes    HASH    own code -> the key in `coupons` of the coupon that has it
--      7 pending  LIST    own codes that nobody has, in the order in which they are given
--      8 invited  HASH    the users who may claim, if not all may
-- ARGV 1          token of the recovery
--      2          now, epoch milliseconds; "" for Redis' time
--      3          coupons that must exist
--      4          counts that must exist
--      5          id of the last entry that the ledger has: the stream continues after it
--      6          how many entries it has, that one included
--      7          the generation that begins, later than that entry and than every generation before: the id of the
--                 event
--      8          entries that were in the stream but never reached the ledger
--      9          how many fields of `codes`, entries of `pending` and fields of `invited` must exist, blanks between
--      10         m, fields of meta
--      11 .. 2m+10 field and value, alternating: the terms, the limits in force, their windows, the lists, the state
--      2m+11 ..   field and value, alternating: stats
--
-- Reply: code: 0 done, 500 repeat: the sale is already live
--      1005 unknown sale
--      1008 out of order: this is not the newest recovery
--      1013 incomplete: coupons, counts or entries of a list are missing
--
-- Event "recovered": at, won, unseen
-- Cost: 17 commands, 1 more where anything was given.

local token, now, must_hold, must_count = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local applied, entries, generation, unseen = ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local must_list, fields = ARGV[9], tonumber(ARGV[10])

assert(#ARGV >= 10 + 2 * fields and #ARGV % 2 == 0 and compare_ids(generation, applied) > 0,
  'resume takes as many fields as it says, and goes on later than the ledger')

now = time_of_call(now)

local refusal = resume_refusal(meta, token)
if refusal then
  return { refusal }
end
local listed = { redis.call('HLEN', codes), redis.call('LLEN', pending), redis.call('HLEN', invited) }
if redis.call('HLEN', coupons) ~= must_hold or redis.call('HLEN', counts) ~= must_count
  or table.concat(listed, ' ') ~= must_list then
  return { INCOMPLETE }
end

redis.call('HLEN', stats)

continue_stream(meta, events, applied, entries)
redis.call('HSET', meta, unpack(ARGV, 11, 2 * fields + 10))
if #ARGV > 2 * fields + 10 then
  redis.call('HSET', stats, unpack(ARGV, 2 * fields + 11))
end
recovery_done(meta, applied, generation, must_hold)
redis.call('XADD', events, generation, 'type', 'recovered', 'at', now, 'won', must_hold, 'unseen', unseen)
note_event(meta, generation, nil, generation)
return { DONE }
