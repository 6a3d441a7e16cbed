-- lib/recovery: what recover.lua and resume.lua of every kind have in common. Put before the scripts whose headers
-- name it.
--
-- A recovery puts a lost sale back chunk by chunk. Meanwhile `meta` has the state "suspended", the recovery's
-- token in `recovery`, and in `next_chunk` the number of the chunk that it waits for.

-- Why a chunk may not be put in, as a code; nil where it may. The first chunk of another recovery always may: it
-- clears away what this one has done.
local function chunk_refusal(meta, token, chunk)
  local state, recovery, next_chunk = unpack(redis.call('HMGET', meta, 'state', 'recovery', 'next_chunk'))
  if state and state ~= 'suspended' then
    return EXISTS
  end
  if recovery ~= token then
    return chunk > 0 and OUT_OF_TURN or nil
  end
  local expected = tonumber(next_chunk)
  return chunk < expected and REPEAT or chunk > expected and OUT_OF_TURN or nil
end

-- Marks a chunk as put in.
local function chunk_done(meta, token, chunk)
  redis.call('HSET', meta, 'state', 'suspended', 'recovery', token, 'next_chunk', chunk + 1)
end

-- Why the sale may not be opened again by this recovery, as a code; nil where it may.
local function resume_refusal(meta, token)
  local state, recovery = unpack(redis.call('HMGET', meta, 'state', 'recovery'))
  if not state then
    return UNKNOWN_SALE
  end
  if state ~= 'suspended' then
    return REPEAT
  end
  return recovery ~= token and OUT_OF_TURN or nil
end

-- Ends the recovery: its marks go, and the stream goes on after the last of the `entries` that the ledger has, also
-- where this machine's clock is behind.
local function recovery_done(meta, events, applied, entries)
  redis.call('HDEL', meta, 'recovery', 'next_chunk')
  redis.call('XGROUP', 'CREATE', events, 'ledger', applied, 'MKSTREAM')
  redis.call('XSETID', events, applied, 'ENTRIESADDED', entries, 'MAXDELETEDID', applied)
  redis.call('XGROUP', 'SETID', events, 'ledger', applied, 'ENTRIESREAD', entries)
end
