-- ledger/ack_and_trim: acknowledges the recorded entries of the ledger, and trims entries that are no longer needed.
-- The acknowledgement is the consumer group "ledger": its last delivered id is the last entry in the database.
--
-- Flags: allow-oom
-- Includes lib/stream
-- KEYS 1 events  STREAM
-- ARGV 1         id of the last entry that the ledger has
--      2         how many it has, that one included
--      3         entries older than this id are trimmed, but none that the ledger does not have
--
-- Reply: code: 0 done, 1005 unknown sale
--      1025 lost: the last entry that the ledger has is not in the stream. Another Redis may have taken the place of
--      the one that it was read from: what is earlier need not be in the ledger, and nothing was changed
-- Event: none
-- Cost: 5 commands; the time grows with the number of entries trimmed.

local applied, count, keep_from = ARGV[1], ARGV[2], ARGV[3]

if redis.call('EXISTS', events) == 0 then
  return { UNKNOWN_SALE }
end
if find_entry(events, applied) ~= 'here' then
  return { LOST }
end
local group = ledger_group(events)
-- Another writer may have acknowledged more entries since this one recorded its own.
local is_behind = group and compare_ids(group['last-delivered-id'], applied) > 0
local applied_ms, applied_seq = parts_of_id(applied)
local keep_ms, keep_seq = parts_of_id(keep_from)
if keep_ms > applied_ms or (keep_ms == applied_ms and keep_seq > applied_seq) then
  keep_from = applied
end

if not group then
  redis.call('XGROUP', 'CREATE', events, 'ledger', applied, 'ENTRIESREAD', count)
elseif not is_behind then
  redis.call('XGROUP', 'SETID', events, 'ledger', applied, 'ENTRIESREAD', count)
end
redis.call('XTRIM', events, 'MINID', '=', keep_from)
return { DONE }
