-- lab/program: runs statements of a program that a reader of the lab has written, in one step. Nothing of it is Lua:
-- each statement is an argument in one of six forms.
--
-- KEYS 1 stock STRING
--      2 got   HASH user -> number of items
-- ARGV 1       the user
--      2 ..    statements, their words separated by blanks; a value is a whole number or a name, <key> stock or got:
--              set <name> <number>
--              read <key> <name>
--              add <key> <number> <name, or - if the reply does not matter>
--              write <key> <value> <number>, the sum of both
--              if <value> <test> <value> <n>, which skips n statements unless the test holds
--              say <answer>, which ends the script
--
-- Reply: the answer, or an empty text; then each name that was read or replied to, and its number or an empty text
-- Event: none
-- Cost: a command for each statement that reads or changes a key

local stock, got, user = KEYS[1], KEYS[2], ARGV[1]

assert(#KEYS == 2, 'program takes 2 keys')
assert(#ARGV >= 2, 'program takes a user and statements')

local values, reply = {}, { '' }

-- A name without a value, which a branch would have given it, counts as 0.
local function value(word)
  if string.find(word, '^%-?%d+$') then
    return tonumber(word)
  end
  return values[word] or 0
end

local function whole(number)
  return string.format('%.0f', number)
end

local function note(name, number)
  values[name] = number
  reply[#reply + 1] = name
  reply[#reply + 1] = number and whole(number) or ''
end

local tests = {
  ['<'] = function(left, right) return left < right end,
  ['<='] = function(left, right) return left <= right end,
  ['='] = function(left, right) return left == right end,
  ['!='] = function(left, right) return left ~= right end,
  ['>='] = function(left, right) return left >= right end,
  ['>'] = function(left, right) return left > right end,
}

local at = 2
while at <= #ARGV and reply[1] == '' do
  local words = {}
  for word in string.gmatch(ARGV[at], '%S+') do
    words[#words + 1] = word
  end
  at = at + 1
  local verb, first, second, third, fourth = unpack(words)
  if verb == 'set' then
    values[first] = tonumber(second)
  elseif verb == 'read' then
    local stored
    if first == 'stock' then
      stored = redis.call('GET', stock)
    else
      stored = redis.call('HGET', got, user)
    end
    note(second, tonumber(stored))
  elseif verb == 'add' then
    local number
    if first == 'stock' then
      number = redis.call('INCRBY', stock, second)
    else
      number = redis.call('HINCRBY', got, user, second)
    end
    if third ~= '-' then
      note(third, number)
    end
  elseif verb == 'write' then
    local number = whole(value(second) + third)
    if first == 'stock' then
      redis.call('SET', stock, number)
    else
      redis.call('HSET', got, user, number)
    end
  elseif verb == 'if' then
    if not tests[second](value(first), value(third)) then
      at = at + fourth
    end
  elseif verb == 'say' then
    reply[1] = first
  else
    error('program has no statement ' .. tostring(verb))
  end
end
return reply
