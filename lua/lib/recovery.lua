-- lib/recovery: shared by recover.lua and resume.lua of every kind. Prepended to the scripts whose headers include it.
--
-- A recovery restores a lost sale chunk by chunk. While it runs, `meta` has the state "suspended", the token of the
-- newest recovery in `recovery` (sale/begin_recovery), and the number of the next expected chunk in `next_chunk`. A
-- recovery finds another token, or none, if another recovery has overtaken it or the sale is live again.

-- The code that refuses a chunk; nil if it is accepted. The first chunk deletes the rest of the lost sale.
local function chunk_refusal(meta, token, chunk)
  local state, recovery, next_chunk = unpack(redis.call('HMGET', meta, 'state', 'recovery', 'next_chunk'))
  if state and state ~= 'suspended' then
    return EXISTS
  end
  if recovery ~= token then
    return OUT_OF_ORDER
  end
  local expected = whole_number('next_chunk', next_chunk, 0)
  return chunk < expected and REPEAT or chunk > expected and OUT_OF_ORDER or nil
end

-- Marks a chunk as restored.
local function chunk_done(meta, token, chunk)
  redis.call('HSET', meta, 'state', 'suspended', 'recovery', token, 'next_chunk', chunk + 1)
end

-- The code that refuses to reopen the sale; nil if this recovery may reopen it.
local function resume_refusal(meta, token)
  local state, recovery = unpack(redis.call('HMGET', meta, 'state', 'recovery'))
  if not state or state == 'archived' then
    return UNKNOWN_SALE
  end
  if state ~= 'suspended' then
    return REPEAT
  end
  return recovery ~= token and OUT_OF_ORDER or nil
end

-- Ends the recovery. `restored` is the number of given things that it has restored. Removes its fields, begins another
-- generation (lib/fence), and sets the stream to continue after the last of the ledger's `entries`, even if this
-- machine's clock is behind.
local function recovery_done(meta, events, applied, entries, generation, restored)
  redis.call('HDEL', meta, 'recovery', 'next_chunk')
  if restored > 0 then
    note_given(meta)
  end
  begin_generation(meta, generation, applied)
  redis.call('XGROUP', 'CREATE', events, 'ledger', applied, 'MKSTREAM')
  redis.call('XSETID', events, applied, 'ENTRIESADDED', entries, 'MAXDELETEDID', applied)
  redis.call('XGROUP', 'SETID', events, 'ledger', applied, 'ENTRIESREAD', entries)
end
