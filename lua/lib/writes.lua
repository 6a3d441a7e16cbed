-- lib/writes: the checks of a script before its writes. Prepended to every script.

-- Whether the user may run a command on a key. A subcommand follows its command after a bar.
local function is_allowed(command, key)
  local bar = string.find(command, '|', 1, true)
  if bar then
    return redis.acl_check_cmd(string.sub(command, 1, bar - 1), string.sub(command, bar + 1), key)
  end
  return redis.acl_check_cmd(command, key)
end

-- Ends the script if it could not write to a key: if the key has another type, or if the user may not run one of the
-- commands on it. Redis does not roll back. So, before its first write, a script checks this for all of its calls from
-- that write on. A missing key has any type. `kind` is
--      a type    for a key that has it or is missing
--      "read"    for a key that this call has read by a command of its type: with another, it has ended there
--      "any"     for what is replaced or deleted whatever it is
--      "none"    for a key that must be missing
-- This cannot tell whether a stream takes one more entry, so adding the event is the first write (lib/stream).
local function may_write(kind, key, ...)
  local found = kind ~= 'any' and kind ~= 'read' and redis.call('TYPE', key).ok
  if found and found ~= 'none' and found ~= kind then
    error({ err = 'UNTRIED ' .. key .. ' is of type ' .. found .. ', not ' .. kind })
  end
  for at = 1, select('#', ...) do
    local command = select(at, ...)
    if not is_allowed(command, key) then
      error({ err = 'UNTRIED the user may not run ' .. command .. ' on ' .. key })
    end
  end
end

-- A stored whole number, at least `least`. Nil if it is missing, or so large that Lua would round it or the next one,
-- or has a form that Redis' own commands neither take nor write ("1e3", "0x10", "010", "-0").
local function read_whole(stored, least)
  local is_whole = type(stored) == 'string' and (stored == '0' or string.find(stored, '^%-?[1-9]%d*$') ~= nil)
  local number = is_whole and tonumber(stored)
  return number and number >= least and math.abs(number) < 2 ^ 53 and number or nil
end

-- A whole number that a script needs. Ends the script if there is none.
local function whole_number(name, stored, least)
  local number = read_whole(stored, least)
  if not number then
    error({ err = 'UNTRIED ' .. name .. ' of the sale cannot be read' })
  end
  return number
end
