-- ticket/resume: opens a sale again of which recover.lua has put every chunk back.
--
-- Flags: allow-oom
-- Includes lib/recovery
-- KEYS 1 meta       HASH    the terms and the state
--      2 seats      STRING  a byte for each seat
--      3 layout     STRING  first seat and seats of each row
--      4 free       STRING  the index of free seats
--      5 counts     HASH    "<state>:<category>" -> seats
--      6 holders    HASH    seat -> order
--      7 orders     HASH    order -> its record
--      8 stats      HASH    exact counts
--      9 events     STREAM
-- ARGV 1            token of the recovery
--      2            now, epoch milliseconds
--      3            orders that must be there
--      4            seats that must have a holder
--      5            id of the last entry that the ledger has: the stream goes on after it
--      6            how many entries it has, that one included
--      7            entries that were in the stream and that the ledger never saw
--      8            seats, as they are stored
--      9            layout, as it is stored
--     10            free, as it is stored
--     11            fields of meta, cmsgpack: field, value, in turn
--     12            fields of counts, the same
--     13            fields of stats, the same
--
-- Reply: code: 0 done, 500 repeat: the sale is alive already
--      1005 unknown sale
--      1008 out of turn: another recovery is at it
--      1013 incomplete: orders or holders are missing
--
-- Event "recovered": at, won: orders put back, unseen
-- Cost: 14 commands; the time grows with the hall: a millisecond for 60,000 seats.

local meta, seats, layout, free, counts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local holders, orders, stats, events = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local token, now, must_be, must_hold = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local applied, entries, unseen = ARGV[5], ARGV[6], ARGV[7]
local all_seats, rows, index = ARGV[8], ARGV[9], ARGV[10]

assert(#KEYS == 9, 'resume takes 9 keys')
assert(#ARGV == 13, 'resume takes 13 arguments')

local refusal = resume_refusal(meta, token)
if refusal then
  return { refusal }
end
if redis.call('HLEN', orders) ~= must_be or redis.call('HLEN', holders) ~= must_hold then
  return { INCOMPLETE }
end

redis.call('SET', seats, all_seats)
redis.call('SET', layout, rows)
redis.call('SET', free, index)
redis.call('HSET', counts, unpack(cmsgpack.unpack(ARGV[12])))
redis.call('HSET', stats, unpack(cmsgpack.unpack(ARGV[13])))
redis.call('HSET', meta, unpack(cmsgpack.unpack(ARGV[11])))
recovery_done(meta, events, applied, entries)
redis.call('XADD', events, '*', 'type', 'recovered', 'at', now, 'won', must_be, 'unseen', unseen)
return { DONE }
