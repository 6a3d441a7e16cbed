-- lib/recovery: shared by recover.lua and resume.lua of every kind. Prepended to the scripts whose headers include it.
--
-- A recovery restores a lost sale chunk by chunk. While it runs, `meta` has the state "suspended", the token of the
-- newest recovery in `recovery` (sale/begin_recovery), and the number of the next expected chunk in `next_chunk`. A
-- recovery finds another token, or none, if another recovery has overtaken it or the sale is live again. `lost`, the
-- event whose loss has suspended the sale, stays until the end, so that a recovery that was interrupted is made again.

-- The code that refuses a chunk; nil if it is accepted.
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

-- Marks a chunk as restored, once it is, and sets these further fields. Where one has failed half-way, no later one is
-- accepted.
local function chunk_done(meta, token, chunk, ...)
  redis.call('HSET', meta, 'state', 'suspended', 'recovery', token, 'next_chunk', chunk + 1, ...)
end

-- Comes before the writes of a chunk. The first chunk deletes the rest of the lost sale: its record and these keys. The
-- sale stays suspended, even if that chunk fails.
local function begin_chunk(meta, token, chunk, ...)
  if chunk == 0 then
    local lost = redis.call('HGET', meta, 'lost')
    redis.call('UNLINK', meta, ...)
    chunk_done(meta, token, -1, unpack(lost and { 'lost', lost } or {}))
  end
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

-- Makes the stream, which is missing, continue after the last of the ledger's `entries`, even if this machine's clock
-- is behind. This is the first write of a script: it fails where something else stands in its place.
local function continue_stream(meta, events, applied, entries)
  ensure_allowed(meta, 'XADD', 'HSET', 'HDEL', 'HGET', 'SET')
  redis.call('XGROUP', 'CREATE', events, 'ledger', applied, 'MKSTREAM')
  redis.call('XSETID', events, applied, 'ENTRIESADDED', entries, 'MAXDELETEDID', applied)
  redis.call('XGROUP', 'SETID', events, 'ledger', applied, 'ENTRIESREAD', entries)
end

-- Ends the recovery. `restored` is the number of given things that it has restored. Removes its fields, and begins
-- another generation (lib/fence).
local function recovery_done(meta, applied, generation, restored)
  redis.call('HDEL', meta, 'recovery', 'next_chunk', 'lost')
  if restored > 0 then
    note_given(meta)
  end
  begin_generation(meta, generation, applied)
end
