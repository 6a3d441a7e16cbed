-- ticket/resume: reopens a sale once recover.lua has restored every chunk.
--
-- Flags: allow-oom
-- Includes lib/stream, lib/fence, lib/recovery
-- KEYS 1 meta       HASH    the terms and the state
--      2 seats      STRING  one byte per seat
--      3 layout     STRING  first seat and number of seats of each row
--      4 free       STRING  the index of free seats
--      5 counts     HASH    "<state>:<category>" -> seats
--      6 holders    HASH    seat -> order
--      7 orders     HASH    order -> its record
--      8 stats      HASH    exact counts
--      9 events     STREAM
-- ARGV 1            token of the recovery
--      2            now, epoch milliseconds; "" for Redis' time
--      3            orders that must exist
--      4            held or sold seats that must have a holder
--      5            id of the last entry that the ledger has: the stream continues after it
--      6            how many entries it has, that one included
--      7            the generation that begins, later than that entry and than every generation before: the id of
--                   the event
--      8            entries that were in the stream but never reached the ledger
--      9            seats, as stored
--     10            layout, as stored
--     11            free, as stored
--     12            counts, cmsgpack: field and value, alternating
--     13            stats, the same
--     14 ..         field and value of meta, alternating
--
-- Reply: code: 0 done, 500 repeat: the sale is already live
--      1005 unknown sale
--      1008 out of order: this is not the newest recovery
--      1013 incomplete: orders or holders are missing
--
-- Event "recovered": at, won: orders restored, unseen
-- Cost: 19 commands, 1 more where anything was given; the time grows with the hall: a millisecond for 60,000 seats.

local token, now, must_be, must_hold = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local applied, entries, generation, unseen = ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local all_seats, rows, index = ARGV[9], ARGV[10], ARGV[11]

assert(#ARGV >= 15 and #ARGV % 2 == 1 and compare_ids(generation, applied) > 0,
  'resume takes two arguments for each field, and goes on later than the ledger')

now = time_of_call(now)

local numbers, figures = cmsgpack.unpack(ARGV[12]), cmsgpack.unpack(ARGV[13])

local refusal = resume_refusal(meta, token)
if refusal then
  return { refusal }
end
if redis.call('HLEN', orders) ~= must_be or redis.call('HLEN', holders) ~= must_hold then
  return { INCOMPLETE }
end

redis.call('HLEN', counts)
redis.call('HLEN', stats)

continue_stream(meta, events, applied, entries)
redis.call('SET', seats, all_seats)
redis.call('SET', layout, rows)
redis.call('SET', free, index)
redis.call('HSET', counts, unpack(numbers))
redis.call('HSET', stats, unpack(figures))
redis.call('HSET', meta, unpack(ARGV, 14))
recovery_done(meta, applied, generation, must_be)
redis.call('XADD', events, generation, 'type', 'recovered', 'at', now, 'won', must_be, 'unseen', unseen)
note_event(meta, generation, nil, generation)
return { DONE }
