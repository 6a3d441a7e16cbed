-- coupon/snapshot: a consistent snapshot of a sale for its page. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream
-- KEYS 1 meta      HASH    the limits and the state
--      2 counts    HASH    "<scope>:<value>" -> what is counted for it, a `count`
--      3 stats     HASH    exact counts
--      4 events    STREAM
--      5 attempts  STREAM  a sample of attempts that changed nothing
--      6 crowd     STRING  the latest crowd at this sale, as JSON
-- ARGV 1           newest claims to return, at least
--      2           newest entries of the sample to return
--      3 ..        fields of meta to return, beside the state
--
-- Reply: code, and with code 0:
--      meta, stats      flat lists of field and value; of meta the state, and those asked for
--      what is counted for the sale, as stored, or nil
--      id of the last event, "0-0" if there is none
--      newest "claimed" events, newest first, as XREVRANGE gives them
--      newest entries of the sample, newest first
--      crowd, or nil
--      code 1005 unknown sale: no values
-- Event: none
-- Cost: 7 to 9 commands; the time grows with what is requested, not with the sale.

local claims_wanted, sample_wanted = tonumber(ARGV[1]), ARGV[2]

local state, terms = state_and_fields(meta, unpack(ARGV, 3))
if not state or state == 'archived' then
  return { UNKNOWN_SALE }
end

local last = '0-0'
if redis.call('EXISTS', events) == 1 then
  last = stream_info(events)['last-generated-id']
end

-- An entry holds the winners of a whole batch, so one is enough under load. (The newest entry may not be a claim at
-- all.) Before the first claim, there may be long entries of lists.
local counted = redis.call('HGETALL', stats)
local latest, claims, before = {}, 0, '+'
for _, most in ipairs({ 1, claims_wanted }) do
  if claims < claims_wanted and (tonumber(by_name(counted)['won']) or 0) > 0 then
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
  DONE, terms, counted, redis.call('HGET', counts, 'sale:'), last, latest,
  redis.call('XREVRANGE', attempts, '+', '-', 'COUNT', sample_wanted),
  redis.call('GET', crowd),
}
