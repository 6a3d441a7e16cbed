-- lib/items: the sales of one attempt at several of them, which are of one group. Prepended, after lib/stream, to the
-- scripts whose headers include it.

-- The keys of the sale of an item. Each of the n sales has as many.
local function keys_of(i, n)
  local each = #KEYS / n
  return unpack(KEYS, each * (i - 1) + 1, each * i)
end

-- Reads the sales of n items, in their order, by a function that gets the number of the item and the keys of its sale,
-- and returns what it has read; if a sale refuses everything, its code as well, and no more are read. Returns what was
-- read, and that code. What cannot be read ends the script, and the error says of which item it is, so that the server
-- suspends that sale only.
local function read_items(n, read)
  local items = {}
  for i = 1, n do
    local is_read, item, refusal = pcall(read, i, keys_of(i, n))
    if not is_read then
      local why = type(item) == 'table' and item.err or tostring(item)
      if string.find(why, '^UNREADABLE ') or string.find(why, 'WRONGTYPE ', 1, true) then
        error({ err = 'UNREADABLE item ' .. i .. ': ' .. why })
      end
      error(item)
    end
    items[i] = item
    if refusal then
      return items, refusal
    end
  end
  return items
end

-- Ends the script, before its first write, if a stream might take no event, as no id is left. The first of several
-- events is the first write, and none of the others may fail after it.
local function ensure_takes_event(events)
  local ms, seq = parts_of_id(stream_info(events)['last-generated-id'])
  if ms >= 2 ^ 53 or seq >= 2 ^ 53 then
    unreadable('the stream takes no event')
  end
end

-- What the caller has seen of each sale now.
local function seen_of(items)
  local seen = {}
  for i, item in ipairs(items) do
    seen[i] = item.seen or ''
  end
  return seen
end
