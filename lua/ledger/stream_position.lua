-- ledger/stream_position: the position of a sale's stream, and of the ledger in it. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream
-- KEYS 1 events  STREAM
-- ARGV 1         id of the last entry that the ledger has, "0-0" where it has none; "" for what is acknowledged
--
-- Reply: code, and with code 0:
--      entries in the stream, id of the last one ever, entries ever added,
--      `at` of the first entry that the ledger does not have, "" where it has all,
--      id of the last entry acknowledged as recorded, how many are, itself included
--      code 1005 unknown sale: nothing more
-- Event: none
-- Cost: 4 commands, each of constant time.

local events = KEYS[1]
local applied = ARGV[1]

assert(#KEYS == 1, 'stream_position takes 1 key')
assert(#ARGV == 1, 'stream_position takes 1 argument')

if redis.call('EXISTS', events) == 0 then
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
local first = redis.call('XRANGE', events, '(' .. applied, '+', 'COUNT', 1)[1]
if first then
  local _, fields = unpack(first)
  waiting_since = by_name(fields)['at'] or ''
end
return {
  DONE, stream['length'], stream['last-generated-id'], stream['entries-added'], waiting_since, acknowledged,
  acknowledged_count,
}
