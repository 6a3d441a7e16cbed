-- lib/coupons: coupons, their limits, and what is counted for these (README, "Records"). Prepended to the scripts whose
-- headers include it.
--
-- A limit is data: whose coupons it counts (its scope: the sale, a user), over which periods (its windows), and how
-- many there may be. No script knows any limit by its name.

-- Positions of the fields in a coupon's record.
local USER, STATE, CLAIMED_AT, PREVIOUS, WINDOWS, OTHERS, ENDED_AT, ENDED_BY = 1, 2, 3, 4, 5, 6, 7, 8

-- Positions of the fields in a limit, as the caller gives it.
local NAME, SCOPE, PLACE, STARTS = 1, 2, 3, 4

-- A coupon's record; nil if it cannot be read. One that cannot must not stop the others in its batch.
local function read_coupon(stored)
  local is_packed, record = pcall(cmsgpack.unpack, stored or '')
  local is_coupon = is_packed and type(record) == 'table' and type(record[USER]) == 'string'
    and type(record[CLAIMED_AT]) == 'number' and type(record[WINDOWS]) == 'string' and type(record[OTHERS]) == 'table'
    and (record[STATE] == 'claimed' or type(record[ENDED_BY]) == 'string' and type(record[ENDED_AT]) == 'number')
  return is_coupon and record or nil
end

-- The fields of `meta` for what is in force: of each limit its maximum, and its latest window.
local function fields_of_limits(limits, fields)
  for _, limit in ipairs(limits) do
    fields[#fields + 1], fields[#fields + 2] = 'limit:' .. limit[NAME], 'window:' .. limit[NAME]
  end
  return fields
end

-- The maximum of a limit; infinite if there is none, which is stored as "".
local function maximum_of(name, stored)
  return stored == '' and math.huge or whole_number('the limit ' .. name, stored, 0)
end

-- The limits in force at a time: their maximum, infinite if there is none; their window; and the mark of what is
-- counted in it, which has the window's start unless it lasts for ever. `terms` has the values of `fields_of_limits`,
-- from place `at` on. A window never ends before a later one has begun: if the clock goes back, claims count towards
-- the later window, so that nobody gets more in either.
local function limits_at(limits, terms, at, now)
  local placed = {}
  now = tonumber(now)
  for l, limit in ipairs(limits) do
    local starts, latest = limit[STARTS], tonumber(terms[at + 1] or nil)
    local window, mark = starts[1], limit[NAME]
    if window then
      if now < window or now >= starts[#starts] then
        error({ err = 'UNTRIED the windows of ' .. mark .. ' do not reach ' .. now })
      end
      for i = 2, #starts - 1 do
        if now >= starts[i] then
          window = starts[i]
        end
      end
      if latest and latest > window then
        window = latest
      end
      mark = string.format('%s@%.0f', mark, window)
    end
    placed[l] = {
      name = limit[NAME], scope = limit[SCOPE], place = limit[PLACE], maximum = maximum_of(limit[NAME], terms[at]),
      window = window, is_later = window ~= latest, mark = mark, prefix = ' ' .. mark .. '=',
    }
    at = at + 2
  end
  return placed
end

-- The scopes of limits, in the order of their first limits: each with the place of its value in an attempt, 0 for the
-- sale itself, the limits that count it, and `now`, which has a count for each of these, in their order.
local function scopes_of(limits)
  local scopes = {}
  for _, limit in ipairs(limits) do
    local scope = scopes[limit.scope]
    if not scope then
      scope = {
        name = limit.scope, prefix = limit.scope .. ':', place = limit.place, by_mark = {}, now = {}, first = '',
      }
      scopes[#scopes + 1], scopes[limit.scope] = scope, scope
    end
    scope[#scope + 1] = limit
    scope.by_mark[limit.mark] = #scope
    scope.first = scope.first .. limit.prefix .. '1'
    limit.counts, limit.nth = scope.now, #scope
  end
  return scopes
end

-- Reads into `scope.now` what is counted for one value of a scope. Counts of windows that are over are read as 0.
local function read_count(scope, stored)
  local now, by_mark = scope.now, scope.by_mark
  for k = 1, #scope do
    now[k] = 0
  end
  if stored then
    for mark, number in string.gmatch(stored, '(%S+)=(%d+)') do
      local k = by_mark[mark]
      if k then
        now[k] = tonumber(number)
      end
    end
  end
end

-- What is counted for a value, as it is stored: its newest coupon, and the counts.
local function write_count(scope, newest)
  local text, now = newest, scope.now
  for k = 1, #scope do
    text = text .. scope[k].prefix .. now[k]
  end
  return text
end

-- The newest coupon of what is counted for a value.
local function newest_of(stored)
  return stored and string.match(stored, '^%S*') or ''
end

-- How many more each limit allows, of what was read last: adds name and number of each to a list; -1 if there is no
-- limit.
local function left_of(limits, left)
  for l = 1, #limits do
    local limit = limits[l]
    local free = limit.maximum - limit.counts[limit.nth]
    left[#left + 1] = limit.name
    left[#left + 1] = limit.maximum == math.huge and -1 or free > 0 and free or 0
  end
  return left
end

-- Ends coupons that are claimed, each once. `attempts` has code and request id, alternating. Returns the reply, the
-- records that changed, by code, and for each of these user, code and request id, flat.
local function end_coupons(attempts, stored, state, now)
  local reply, records, changed, ended, repeats, refusals = {}, {}, {}, {}, 0, 0
  for i = 1, #attempts / 2 do
    local code, request = attempts[2 * i - 1], attempts[2 * i]
    local record, detail = records[code] or read_coupon(stored[i]), ''
    local answer
    records[code] = record
    if not record then
      answer, refusals = stored[i] and UNREADABLE_ORDER or UNKNOWN_CODE, refusals + 1
    else
      if record[STATE] == 'claimed' then
        answer, record[STATE], record[ENDED_AT], record[ENDED_BY] = DONE, state, tonumber(now), request
        changed[code] = record
        local size = #ended
        ended[size + 1], ended[size + 2], ended[size + 3] = record[USER], code, request
      elseif record[STATE] == state and record[ENDED_BY] == request then
        answer, repeats = REPEAT, repeats + 1
      else
        answer, refusals = record[STATE] == 'redeemed' and REDEEMED or RETURNED, refusals + 1
      end
      detail = cmsgpack.pack({ record[USER], record[CLAIMED_AT], record[ENDED_AT] })
    end
    reply[2 * i - 1], reply[2 * i] = answer, detail
  end
  return reply, changed, ended, repeats, refusals
end

-- Records by code, as HSET takes them.
local function packed_coupons(records)
  local fields = {}
  for code, record in pairs(records) do
    fields[#fields + 1], fields[#fields + 2] = code, cmsgpack.pack(record)
  end
  return fields
end
