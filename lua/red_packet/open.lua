-- red_packet/open: loads one chunk of packets into a sale. The last chunk opens it. A sale accepts claims only once
-- every packet is loaded. Sending a chunk again changes nothing. The first chunk of a sale without a record deletes the
-- pending packets: they are left from another sale.
--
-- Includes lib/stream, lib/fence, lib/plan
-- KEYS 1 pending  LIST    packets, "<no>:<cents>", in the order of their numbers
--      2 meta     HASH    the terms and the state
--      3 events   STREAM
-- ARGV 1          now, epoch milliseconds; "" for Redis' time
--      2          total, cents
--      3          count of packets in the whole sale
--      4          splitter
--      5          seed of the split
--      6          life of the sale from its start on, seconds
--      7          width of a histogram column, cents
--      8          number of the first packet of this chunk, from 1
--      9          the plan (README, "Life"), without an end; "" for none
--      10 ..      the chunk's packets, "<no>:<cents>", 1 or more
--
-- Reply: code and the number of packets loaded:
--      0 done
--      500 repeat: the sale is already open on these terms
--      1007 the id is taken by a sale on different terms
--      1038 too late: the start has passed
--      1008 out of order: a chunk before this one is missing
--
-- Event "opened" (with the last chunk): at and the terms: everything needed to rebuild the sale; plan =
--      ARGV 9, if there is one
-- Cost: 4 commands; one more with the first chunk, and one if another sale has left packets; 4 more with the last one,
--       and one if there is a stream already. The time grows with the chunk, not with the sale.

local now, total, count, splitter = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local seed, life_s, bucket_cents, first = ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8])
local plan, chunk = ARGV[9], #ARGV - 9

assert(chunk >= 1, 'open takes at least one packet')

now = time_of_call(now)

local state, generation, its_total, its_count, its_splitter, its_seed, its_life_s, its_plan =
  unpack(redis.call('HMGET', meta, 'state', 'generation', 'total_cents', 'count', 'splitter', 'seed', 'life_s', 'plan'))
local found = redis.call('LLEN', pending)
local loaded = state and found or 0

if state then
  local is_same = its_total == total and its_count == count and its_splitter == splitter and its_seed == seed
    and its_life_s == life_s and (its_plan or '') == plan
  if not is_same then
    return { EXISTS, loaded }
  end
  if state ~= 'opening' then
    return { REPEAT, tonumber(count) }
  end
end

if first + chunk - 1 <= loaded then
  return { DONE, loaded }
end
if first ~= loaded + 1 or first + chunk - 1 > tonumber(count) then
  return { OUT_OF_ORDER, loaded }
end

-- The sale's life begins when it opens, or when it starts, not when its first packet was loaded.
local fields, opens_at, late = read_plan(plan, now)
if late and not state then
  return { TOO_LATE, loaded }
end
local expires_at = string.format('%d', (opens_at or now) + life_s * 1000)
-- With the first chunk: a sale that is opening again, because Redis has lost its end, is not opened anew.
generation = generation or id_of_now()
local opened = loaded + chunk == tonumber(count) and id_after(events, generation, 1)
ensure_allowed(meta, 'XADD', 'UNLINK', 'RPUSH', 'HSET')

local id = opened and redis.call('XADD', events, opened, 'type', 'opened', 'at', now,
  'total_cents', total, 'count', count, 'splitter', splitter, 'seed', seed, 'life_s', life_s,
  'bucket_cents', bucket_cents, 'expires_at', expires_at, unpack(further_fields(plan)))
if found > loaded then
  redis.call('UNLINK', pending)
end
loaded = redis.call('RPUSH', pending, unpack(ARGV, 10))
if not state then
  redis.call('HSET', meta, 'state', 'opening', 'generation', generation, 'format', FORMAT,
    'total_cents', total, 'count', count, 'splitter', splitter,
    'seed', seed, 'life_s', life_s, 'bucket_cents', bucket_cents, 'best_cents', 0,
    'opened_at', now, 'expires_at', expires_at, unpack(fields))
end
if id then
  redis.call('HSET', meta, 'state', 'open', 'opened_at', now, 'expires_at', expires_at, unpack(fields))
  note_event(meta, generation, nil, id)
end
return { DONE, loaded }
