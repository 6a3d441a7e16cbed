-- ticket/recover: restores one chunk of a lost sale's orders from the ledger. The sale stays suspended until
-- resume.lua reopens it. Sending a chunk again changes nothing.
--
-- Includes lib/rows, lib/orders, lib/recovery
-- KEYS 1 meta       HASH    the state, and during a recovery its token and next chunk
--      2 seats      STRING  one byte per seat
--      3 layout     STRING  first seat and number of seats of each row
--      4 free       STRING  the index of free seats
--      5 counts     HASH    "<state>:<category>" -> seats
--      6 holders    HASH    seat -> order
--      7 orders     HASH    order -> its record
--      8 requests   HASH    request id -> order
--      9 deadlines  ZSET    order -> its deadline
--     10 bought     HASH    user -> tickets held and paid
--     11 stats      HASH    exact counts
--     12 events     STREAM
-- ARGV 1            token of this recovery
--      2            number of the chunk, from 0; the first one deletes what is left of the sale
--      3            orders, cmsgpack: { order, request id, its record,
--                   { numbers of its seats, .. } } for each
--      4            users, cmsgpack: user and number of tickets, alternating
--
-- Reply: code: 0 done, 500 repeat: the chunk is already restored
--      1007 exists: the sale is live, there is nothing to recover
--      1008 out of order: this is not the newest recovery, or a chunk before this one is missing
-- Event: none
-- Cost: at most 10 commands; the time grows with the chunk, not with the sale.

local token, chunk, given, users = ARGV[1], tonumber(ARGV[2]), cmsgpack.unpack(ARGV[3]), cmsgpack.unpack(ARGV[4])

assert(#users % 2 == 0, 'recover takes a number for each user')

local refusal = chunk_refusal(meta, token, chunk)
if refusal then
  return { refusal }
end

local of_order, of_request, of_seat, dues = {}, {}, {}, {}
for _, one in ipairs(given) do
  local order, request, record, numbers = unpack(one)
  of_order[#of_order + 1], of_order[#of_order + 2] = order, cmsgpack.pack(record)
  of_request[#of_request + 1], of_request[#of_request + 2] = request, order
  if record[STATE] == 'held' then
    dues[#dues + 1], dues[#dues + 2] = decimal(record[DUE]), order
  end
  for _, number in ipairs(numbers) do
    of_seat[#of_seat + 1], of_seat[#of_seat + 2] = number, order
  end
end

begin_chunk(meta, token, chunk, seats, layout, free, counts, holders, orders, requests, deadlines, bought, stats,
  events)
if #of_order > 0 then
  redis.call('HSET', orders, unpack(of_order))
  redis.call('HSET', requests, unpack(of_request))
end
if #of_seat > 0 then
  redis.call('HSET', holders, unpack(of_seat))
end
if #dues > 0 then
  redis.call('ZADD', deadlines, unpack(dues))
end
if #users > 0 then
  redis.call('HSET', bought, unpack(users))
end
chunk_done(meta, token, chunk)
return { DONE }
