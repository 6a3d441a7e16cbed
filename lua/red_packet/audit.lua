-- red_packet/audit: a consistent set of figures for an audit. Changes nothing.
--
-- Flags: no-writes
-- Includes lib/stream
-- KEYS 1 pending    LIST    packets not yet claimed
--      2 claimants  HASH    user -> packet
--      3 meta       HASH    the terms and the state
--      4 stats      HASH    exact counts
--      5 events     STREAM
-- ARGV none
--
-- Reply: code, and with code 0:
--      id of the last event, meta as a flat list, pending packets, claimants, won, claimed cents
--      code 1005 unknown sale, or without its events, 1006 still opening: no values
-- Event: none
-- Cost: 7 commands, each of constant time. The data that grows with the sale (each packet)
--       is read outside this script, in chunks.

local state, total_cents = unpack(redis.call('HMGET', meta, 'state', 'total_cents'))
if not total_cents or state == 'archived' then
  return { UNKNOWN_SALE }
end
if state == 'opening' then
  return { OPENING }
end
if redis.call('EXISTS', events) == 0 then
  return { UNKNOWN_SALE }
end

local won, claimed_cents = unpack(redis.call('HMGET', stats, 'won', 'claimed_cents'))
return {
  DONE, stream_info(events)['last-generated-id'], redis.call('HGETALL', meta),
  redis.call('LLEN', pending), redis.call('HLEN', claimants), tonumber(won or 0), tonumber(claimed_cents or 0),
}
