-- lib/stream: the fields of XINFO replies, by name. Prepended to the scripts whose headers include it.

-- An XINFO reply, which is a flat list of names and values, as a table.
local function by_name(flat)
  local fields = {}
  for i = 1, #flat, 2 do
    fields[flat[i]] = flat[i + 1]
  end
  return fields
end

-- The reply of XINFO STREAM for a stream that exists.
local function stream_info(events)
  return by_name(redis.call('XINFO', 'STREAM', events))
end

-- The reply of XINFO GROUPS for the group "ledger", which marks what the ledger has recorded; nil before
-- the first mark.
local function ledger_group(events)
  for _, flat in ipairs(redis.call('XINFO', 'GROUPS', events)) do
    local group = by_name(flat)
    if group['name'] == 'ledger' then
      return group
    end
  end
end

-- Milliseconds and sequence number of an id "<milliseconds>-<sequence>".
local function parts_of_id(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(seq)
end
