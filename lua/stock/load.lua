-- stock/load: caches the quantity of a sale again: what the ledger has, and what has changed since the entry that
-- it recorded last. Both are exact, so no change is lost, however late the ledger is. Only who holds the lock of the
-- rebuild may; what comes from a caller that has lost it, because it took too long, changes nothing.
--
-- Includes lib/stream, lib/fence, lib/stock
-- KEYS 1 meta      HASH    the terms, the state, the sum of all changes
--      2 quantity  STRING  what is left, as long as it is cached
--      3 rebuild   STRING  the token of who rebuilds; expires
--      4 stats     HASH    exact counts
--      5 events    STREAM
-- ARGV 1           what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2           now, epoch milliseconds; "" for Redis' time
--      3           token of the rebuild
--      4           the quantity in the ledger
--      5           id of the last entry in it, "0-0" before the first
--      6           the server that rebuilds
--
-- Reply: code, how much is left, and what the caller has seen now:
--      0 done, 500 repeat: it is cached already
--      1010 taken: another rebuild has the lock, or none does; nothing was changed
--      1034 trimmed: the stream no longer has what came after that entry, so the ledger has it: read it again
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as what the caller has seen is lost, 1026 newer
--      format
--
-- Event: none
-- Cost: 5 commands to read, 1 more where the ledger has nothing yet or the sale was recovered; 4 to write.

local meta, quantity, rebuild, stats, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local seen, now, token, recorded, applied, server =
  ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], ARGV[6]

assert(#KEYS == 5, 'load takes 5 keys')
assert(#ARGV == 6 and recorded, 'load takes 6 arguments')

now = time_of_call(now)

local KEPT = 512 -- bytes of the newest rebuilds

local state, generation, recent, format, sum, ttl_ms, rebuilds = unpack(redis.call('HMGET', meta, 'state', 'generation',
  'recent', 'format', 'sum', 'ttl_ms', 'rebuilds'))
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format)
if refusal then
  return { refusal, 0, '' }
end
seen = seen_so_far(generation, recent)
if redis.call('GET', rebuild) ~= token then
  return { TAKEN, 0, seen }
end
local cached = redis.call('GET', quantity)
if cached then
  return { REPEAT, tonumber(cached), seen }
end

-- The sum of all changes when the ledger's last entry was added: from that entry, which the writer keeps in the stream,
-- or from the first entry of a stream of which the ledger has nothing: after an opening, or a recovery.
local then_sum
local entry = redis.call('XRANGE', events, applied, applied)[1]
if entry then
  then_sum = tonumber(by_name(entry[2])['sum'])
else
  entry = redis.call('XRANGE', events, '-', '+', 'COUNT', 1)[1]
  local event = entry and by_name(entry[2]) or {}
  local is_first = event['type'] == 'opened' and applied == '0-0' or event['type'] == 'recovered'
  if is_first and compare_ids(entry[1], applied) > 0 then
    then_sum = event['sum'] - event['delta']
  end
end
if not then_sum then
  return { TRIMMED, 0, seen }
end
local left = recorded + sum - then_sum

may_write('hash', meta, 'HSET')
may_write('string', quantity, 'SET')
may_write('string', rebuild, 'UNLINK')
may_write('hash', stats, 'HINCRBY')

redis.call('SET', quantity, whole(left), 'PX', ttl_ms)
redis.call('UNLINK', rebuild)
redis.call('HINCRBY', stats, 'rebuilds', 1)
redis.call('HSET', meta, 'rebuilds',
  string.sub(now .. ' ' .. server .. ' ' .. whole(left) .. '\n' .. (rebuilds or ''), 1, KEPT))
return { DONE, left, seen }
