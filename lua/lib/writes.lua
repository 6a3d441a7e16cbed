-- lib/writes: what a script checks before it writes. Prepended to every script.

-- Whether the user may run a command on a key. A subcommand follows its command after a bar.
local function is_allowed(command, key)
  local bar = string.find(command, '|', 1, true)
  if bar then
    return redis.acl_check_cmd(string.sub(command, 1, bar - 1), string.sub(command, bar + 1), key)
  end
  return redis.acl_check_cmd(command, key)
end

-- Ends the script if it could not write to a key: if the key has another type, or if the user may not run one of the
-- commands on it. Redis does not roll back, so a script asks this for everything that it calls from its first write on,
-- before that write. A missing key has any type; `kind` is "any" for what is replaced or deleted whatever it is, and
-- "none" if the key must be missing.
local function may_write(kind, key, ...)
  local found = kind ~= 'any' and redis.call('TYPE', key).ok
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

-- A whole number that a script goes by, from `least` on. Ends the script if it is missing, or has a form that Redis'
-- own commands do not take ("1e3", "0x10").
local function whole_number(name, stored, least)
  local number = type(stored) == 'string' and string.match(stored, '^%-?%d+$') and tonumber(stored)
  if not number or number < least or number > 2 ^ 53 then
    error({ err = 'UNTRIED ' .. name .. ' of the sale cannot be read' })
  end
  return number
end
