-- lib/stream: what Redis tells of a stream, by name. Put before the scripts whose headers name it.

-- The fields of an XINFO reply, which come as one flat list of name and value.
local function by_name(flat)
  local fields = {}
  for i = 1, #flat, 2 do
    fields[flat[i]] = flat[i + 1]
  end
  return fields
end

-- What XINFO STREAM tells of a stream that is there.
local function stream_info(events)
  return by_name(redis.call('XINFO', 'STREAM', events))
end

-- What XINFO GROUPS tells of the group "ledger", which marks what the ledger has; nil before its first mark.
local function ledger_group(events)
  for _, flat in ipairs(redis.call('XINFO', 'GROUPS', events)) do
    local group = by_name(flat)
    if group['name'] == 'ledger' then
      return group
    end
  end
end

-- Milliseconds and sequence of an id "<milliseconds>-<sequence>".
local function parts_of_id(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(seq)
end
