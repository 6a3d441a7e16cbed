-- ledger/mark: where a sale's stream stands, seen from where the ledger is. Changes nothing.
--
-- KEYS 1 events  STREAM
-- ARGV 1         id of the last entry that the ledger has, "0-0" where it has none; "" for what is marked
--
-- Reply: code, and with code 0:
--      entries in the stream, id of the last one ever, entries ever added,
--      `at` of the first entry that the ledger has not, "" where it has all,
--      id of the last entry marked as in the ledger, how many are, itself included
--      code 1005 unknown sale: nothing more
-- Event: none
-- Cost: 4 commands, each of constant time.

local events = KEYS[1]
local applied = ARGV[1]

assert(#KEYS == 1, 'mark takes 1 key')
assert(#ARGV == 1, 'mark takes 1 argument')

local DONE, UNKNOWN_SALE = 0, 1005

if redis.call('EXISTS', events) == 0 then
  return { UNKNOWN_SALE }
end
local stream, info = redis.call('XINFO', 'STREAM', events), {}
for i = 1, #stream, 2 do
  info[stream[i]] = stream[i + 1]
end
local marked, marked_count = '0-0', 0
for _, group in ipairs(redis.call('XINFO', 'GROUPS', events)) do
  if group[2] == 'ledger' then
    marked, marked_count = group[8], group[10] or 0
  end
end
if applied == '' then
  applied = marked
end
local waiting_since = ''
local first = redis.call('XRANGE', events, '(' .. applied, '+', 'COUNT', 1)[1]
if first then
  -- Each event begins with its type and the time at which it happened.
  waiting_since = first[2][4] or ''
end
return {
  DONE, info['length'], info['last-generated-id'], info['entries-added'], waiting_since, marked, marked_count,
}
