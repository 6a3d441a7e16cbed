-- red_packet/snapshot: a consistent snapshot of a sale for its page. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream
-- KEYS 1 pending   LIST    packets not yet claimed
--      2 meta      HASH    the terms, the state, the luckiest claim
--      3 stats     HASH    exact counts
--      4 events    STREAM
--      5 attempts  STREAM  a sample of attempts that changed nothing
--      6 crowd     STRING  the latest crowd at this sale, as JSON
-- ARGV 1           newest claims to return, at least
--      2           newest entries of the sample to return
--
-- Reply: code, and with code 0:
--      meta, stats      flat lists of field and value; of meta those that the page shows
--      pending packets
--      id of the last event, "0-0" if there is none
--      newest "claimed" events, newest first, as XREVRANGE gives them
--      newest entries of the sample, newest first
--      crowd, or nil
--      code 1005 unknown sale: no values
-- Event: none
-- Cost: 8 or 9 commands; the time grows with what is requested, not with the sale.

local claims_wanted, sample_wanted = tonumber(ARGV[1]), ARGV[2]

local state, terms = state_and_fields(meta, 'total_cents', 'count', 'splitter', 'opened_at', 'expires_at',
  'bucket_cents', 'best_user', 'best_packet', 'best_at', 'refunded', 'refunded_cents',
  'opens_at', 'ends_at', 'paused_at', 'pause_reason', 'hold_clock', 'title_en', 'title_zh', 'description_en',
  'description_zh', 'currency')
if not state or state == 'archived' then
  return { UNKNOWN_SALE }
end

local last = '0-0'
if redis.call('EXISTS', events) == 1 then
  last = stream_info(events)['last-generated-id']
end

-- An entry holds the winners of a whole batch. Reads entries until there are enough claims, beginning with one: under
-- load one is enough, and 32 of them would be 8,000 claims. (The newest entry may not be a claim at all.)
local latest, claims, before = {}, 0, '+'
for _, most in ipairs({ 1, claims_wanted }) do
  if claims < claims_wanted then
    for _, entry in ipairs(redis.call('XREVRANGE', events, before, '-', 'COUNT', most)) do
      local id, fields = unpack(entry)
      before = '(' .. id
      local event = by_name(fields)
      if event['type'] == 'claimed' and claims < claims_wanted then
        claims = claims + (tonumber(event['n']) or 0)
        latest[#latest + 1] = entry
      end
    end
  end
end

return {
  DONE, terms, redis.call('HGETALL', stats), redis.call('LLEN', pending), last, latest,
  redis.call('XREVRANGE', attempts, '+', '-', 'COUNT', sample_wanted),
  redis.call('GET', crowd),
}
