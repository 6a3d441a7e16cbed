-- stock/snapshot: a consistent snapshot of a sale for its page. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream
-- KEYS 1 meta      HASH    the terms, the state, the sum of all changes
--      2 quantity  STRING  what is left, as long as it is cached
--      3 paused    STRING  exists as long as the ledger's writer skips this sale
--      4 stats     HASH    exact counts
--      5 events    STREAM
--      6 attempts  STREAM  a sample of attempts that changed nothing
--      7 crowd     STRING  the latest crowd at this sale, as JSON
-- ARGV 1           newest deductions to return, at least
--      2           newest entries of the sample to return
--
-- Reply: code, and with code 0:
--      meta, stats      flat lists of field and value; of meta those that the page shows
--      what is cached, or nil, and for how many more milliseconds
--      for how many more milliseconds the ledger's writer pauses; negative if it does not
--      id of the last event, "0-0" if there is none
--      newest "deducted" events, newest first, as XREVRANGE gives them
--      newest entries of the sample, newest first
--      crowd, or nil
--      code 1005 unknown sale: no values
-- Event: none
-- Cost: 10 or 11 commands; the time grows with what is requested, not with the sale.

local deductions_wanted, sample_wanted = tonumber(ARGV[1]), ARGV[2]

local state, terms = state_and_fields(meta, 'sum', 'quantity', 'ttl_ms', 'low_mark', 'low_at', 'rebuilds', 'opened_at',
  'opens_at', 'ends_at', 'paused_at', 'pause_reason', 'hold_clock', 'title_en', 'title_zh', 'description_en',
  'description_zh', 'currency', 'limit_per_user', 'hold_ms', 'held', 'group')
if not state or state == 'archived' then
  return { UNKNOWN_SALE }
end

local last = '0-0'
if redis.call('EXISTS', events) == 1 then
  last = stream_info(events)['last-generated-id']
end

-- An entry holds the winners of a whole batch, so one is enough under load. (The newest entry may be another event.)
local latest, deductions, before = {}, 0, '+'
for _, most in ipairs({ 1, deductions_wanted }) do
  if deductions < deductions_wanted then
    for _, entry in ipairs(redis.call('XREVRANGE', events, before, '-', 'COUNT', most)) do
      local id, fields = unpack(entry)
      before = '(' .. id
      local event = by_name(fields)
      if event['type'] == 'deducted' and deductions < deductions_wanted then
        deductions = deductions + (tonumber(event['n']) or 0)
        latest[#latest + 1] = entry
      end
    end
  end
end

return {
  DONE, terms, redis.call('HGETALL', stats), redis.call('GET', quantity), redis.call('PTTL', quantity),
  redis.call('PTTL', paused), last, latest, redis.call('XREVRANGE', attempts, '+', '-', 'COUNT', sample_wanted),
  redis.call('GET', crowd),
}
