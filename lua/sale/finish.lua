-- sale/finish: deletes the data of an archived sale from Redis. Its record stays for a while: a server may have asked
-- the ledger whether the id is free before the sale was marked there, and may open it only now.
--
-- Flags: allow-oom
-- KEYS 1 meta    HASH    the state
--      2 events  STREAM
--      3 ..      the other keys of the sale
-- ARGV 1         how long the record stays, seconds
--
-- Reply: code: 0 done
--      1007 exists: the sale is not archived here; nothing was deleted
-- Event: none
-- Cost: 3 commands; Redis frees what the keys hold in the background.

local kept_for = ARGV[1]

local state = redis.call('HGET', meta, 'state')
if state and state ~= 'archived' then
  return { EXISTS }
end

redis.call('EXPIRE', meta, kept_for, 'NX')
redis.call('UNLINK', events, unpack(KEYS, 3))
return { DONE }
