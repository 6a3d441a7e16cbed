-- stock/load: caches the quantity of a sale again. The quantity is the sum of all changes. Each script changes this sum
-- together with the event that it adds, so it is exact, however late the ledger is and whatever it has lost. The
-- ledger's quantity is compared with it. Only the holder of the rebuild's lock may load. A caller that has lost the
-- lock, because it took too long, changes nothing. A Redis that has lost an entry of the ledger loads nothing either:
-- its sum is too old.
--
-- Includes lib/stream, lib/fence, lib/stock
-- KEYS 1 meta      HASH    the terms, the state, the sum of all changes
--      2 quantity  STRING  what is left, as long as it is cached
--      3 rebuild   STRING  the token of the server that rebuilds; expires
--      4 stats     HASH    exact counts
--      5 events    STREAM
-- ARGV 1           what the caller has seen of the sale: the end of the last reply to it, "" before the first
--      2           now, epoch milliseconds; "" for Redis' time
--      3           token of the rebuild
--      4           the quantity in the ledger; "" where it is known to lack something, because entries were set aside
--      5           id of the last entry in it, "0-0" before the first
--      6           name of the process that loads
--
-- Reply: code, how much is left, by how much the ledger differs, and what the caller has seen now:
--      0 done, 500 repeat: it is cached already
--      1010 taken: another rebuild has the lock, or none does; nothing was changed
--      1005 unknown sale, 1012 suspended, 1025 suspended by this call, as something of it is lost, 1026 newer
--      format, 1034 trimmed
--      The difference is the ledger's quantity plus all changes after its last entry, minus what is left; nil if the
--      ledger has no quantity, or the stream no longer has that entry.
--
-- Event: none
-- Cost: 7 commands to read, 3 more where the stream no longer has the ledger's last entry; 4 to write.

local seen, now, token, recorded, applied, server = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

assert(recorded == '' or tonumber(recorded), 'load takes a number')

now = time_of_call(now)

local KEPT = 1024 -- bytes of the newest rebuilds

local state, generation, recent, format, was_given, sum, ttl_ms, rebuilds = unpack(redis.call('HMGET', meta, 'state',
  'generation', 'recent', 'format', 'given', 'sum', 'ttl_ms', 'rebuilds'))
local needed = was_given and { events, stats } or { events }
local refusal = sale_refusal(meta, events, seen, state, generation, recent, format, needed)
if refusal then
  return { refusal, 0, false, '' }
end
seen = seen_so_far(generation, recent)
whole_number('sum', sum, -2 ^ 53)
ttl_ms = whole_number('ttl_ms', ttl_ms, 1)
if redis.call('GET', rebuild) ~= token then
  return { TAKEN, 0, false, seen }
end
local cached = cached_quantity(quantity)
if cached then
  return { REPEAT, cached, false, seen }
end
local entry = redis.call('XRANGE', events, applied, applied)[1]
if not entry and not has_had(events, applied) then
  return { suspend_lost(meta), 0, false, '' }
end
local difference = entry and recorded ~= '' and whole(recorded - by_name(entry[2])['sum']) or false

redis.call('HGET', stats, 'calls')
ensure_allowed(meta, 'SET', 'UNLINK', 'HSET', 'HINCRBY')

redis.call('SET', quantity, sum, 'PX', whole(ttl_ms))
redis.call('UNLINK', rebuild)
redis.call('HSET', meta, 'rebuilds', string.sub(
  table.concat({ now, server, sum, difference or '' }, ' ') .. '\n' .. (rebuilds or ''), 1, KEPT))
redis.call('HINCRBY', stats, 'rebuilds', 1)
return { DONE, tonumber(sum), difference, seen }
