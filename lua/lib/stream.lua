-- lib/stream: the fields of XINFO replies and records, by name; ids of events. Prepended to the scripts whose headers
-- include it.

-- An XINFO reply as a table. The reply is a flat list of names and values.
local function by_name(flat)
  local fields = {}
  for i = 1, #flat, 2 do
    fields[flat[i]] = flat[i + 1]
  end
  return fields
end

-- The state of a sale; and the state with the other fields of its record, in the form of HGETALL.
local function state_and_fields(meta, ...)
  local names, fields = { 'state', ... }, {}
  local found = redis.call('HMGET', meta, unpack(names))
  for at, name in ipairs(names) do
    if found[at] then
      fields[#fields + 1], fields[#fields + 2] = name, found[at]
    end
  end
  return found[1], fields
end

-- The reply of XINFO STREAM for a stream that exists.
local function stream_info(events)
  return by_name(redis.call('XINFO', 'STREAM', events))
end

-- The reply of XINFO GROUPS for the group "ledger", which marks the recorded entries; nil before the first mark.
local function ledger_group(events)
  for _, flat in ipairs(redis.call('XINFO', 'GROUPS', events)) do
    local group = by_name(flat)
    if group['name'] == 'ledger' then
      return group
    end
  end
end

-- Whether a number, given in digits only, has at most 64 bits.
local function is_u64(digits)
  local longest = '18446744073709551615'
  return #digits < #longest or #digits == #longest and digits <= longest
end

-- Milliseconds and sequence number of an id "<milliseconds>-<sequence>".
local function parts_of_id(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  if not ms or not is_u64(ms) or not is_u64(seq) then
    unreadable('the id of an event')
  end
  return tonumber(ms), tonumber(seq)
end

-- Compares two ids: negative if the first is earlier, 0 if they are equal, positive if it is later.
local function compare_ids(one, other)
  local ms, seq = parts_of_id(one)
  local other_ms, other_seq = parts_of_id(other)
  return ms == other_ms and seq - other_seq or ms - other_ms
end

-- The location of an entry: "here", in the stream; "gone", before its head or deleted, so that the stream cannot tell
-- whether it ever had it; or "lost", beyond the end or missing from the middle.
local function find_entry(events, id)
  if #redis.call('XRANGE', events, id, id) == 1 then
    return 'here'
  end
  if redis.call('EXISTS', events) == 0 then
    return id == '0-0' and 'gone' or 'lost'
  end
  local stream = stream_info(events)
  local beyond_the_end = compare_ids(id, stream['last-generated-id'])
  local is_before_the_head = stream['entries-added'] > stream['length']
    and compare_ids(stream['recorded-first-entry-id'], id) > 0
  local is_gone = beyond_the_end == 0
    or beyond_the_end < 0 and (is_before_the_head or compare_ids(stream['max-deleted-entry-id'], id) >= 0)
  return is_gone and 'gone' or 'lost'
end

-- Whether the last entry of the ledger is or was in the stream. A stream is trimmed only before an entry that it has
-- and that the ledger has (ledger/ack_and_trim), so a gone entry was there.
local function has_had(events, id)
  return find_entry(events, id) ~= 'lost'
end

-- Adds to the sample of attempts that changed nothing. It is only shown, so it does not matter whether that fails.
local function add_sample(attempts, now, sample)
  if #sample > 0 then
    redis.pcall('XADD', attempts, 'MAXLEN', '~', 100, '*', 'at', now, 'data', cmsgpack.pack(sample))
  end
end
