-- lib/reads: what cannot be read, numbers, and counts of outcomes. Prepended to every script.

-- Ends the script, which has written nothing yet, because something of the sale cannot be read. The server that called
-- it suspends the sale. It does the same where Redis ends a script because a key has another type.
local function unreadable(what)
  error({ err = 'UNREADABLE ' .. what })
end

-- A stored whole number, at least `least`. It ends the script if it is missing, or so large that Lua would round it or
-- the next one, or has a form that Redis' own commands neither take nor write ("1e3", "0x10", "010", "-0").
local function whole_number(name, stored, least)
  local is_whole = type(stored) == 'string' and (stored == '0' or string.find(stored, '^%-?[1-9]%d*$') ~= nil)
  local number = is_whole and tonumber(stored)
  if not number or number < least or math.abs(number) >= 2 ^ 53 then
    unreadable(name)
  end
  return number
end

-- A whole number as text. Lua would write large ones with an exponent.
local function whole(number)
  return string.format('%.0f', number)
end

-- Adds to counts of outcomes, by name. These are the last writes of a script: only a text that somebody has stored in
-- place of such a count may refuse one. (To read each count before would take longer than to add to it.)
local function add_counts(stats, added)
  for name, number in pairs(added) do
    if number ~= 0 then
      redis.call('HINCRBY', stats, name, number)
    end
  end
end
