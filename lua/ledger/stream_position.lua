-- ledger/stream_position: the end of a sale's stream, and the ledger's position in it. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream
-- KEYS 1 events  STREAM
-- ARGV 1         id of the last entry that the ledger has, "0-0" if it has none; "" to use the acknowledged one
--
-- Reply: code, and with code 0:
--      entries in the stream, id of the last entry ever added, number of entries ever added,
--      `at` of the first entry that the ledger does not have, "" if it has all,
--      id of the last entry acknowledged as recorded, and how many are, that one included
--      code 1005 unknown sale, or anything but a stream is stored there: no values
-- Event: none
-- Cost: 4 commands, each of constant time.

local applied = ARGV[1]

if redis.call('TYPE', events)['ok'] ~= 'stream' then
  return { UNKNOWN_SALE }
end
local stream, group = stream_info(events), ledger_group(events)
local acknowledged, acknowledged_count = '0-0', 0
if group then
  acknowledged, acknowledged_count = group['last-delivered-id'], group['entries-read'] or 0
end
if applied == '' then
  applied = acknowledged
end
local waiting_since = ''
-- Nothing can follow the last possible id, and Redis refuses to search after it.
local is_last = applied == '18446744073709551615-18446744073709551615'
local first = not is_last and redis.call('XRANGE', events, '(' .. applied, '+', 'COUNT', 1)[1]
if first then
  local _, fields = unpack(first)
  waiting_since = by_name(fields)['at'] or ''
end
return {
  DONE, stream['length'], stream['last-generated-id'], stream['entries-added'], waiting_since, acknowledged,
  acknowledged_count,
}
