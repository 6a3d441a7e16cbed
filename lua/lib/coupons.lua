-- lib/coupons: coupons, their limits, and the counts for these (README, "Records"). Prepended to the scripts whose
-- headers include it.
--
-- A limit is data: its scope (whose coupons it counts: the sale, a user), its window (over which periods: ever, a day,
-- an hour), and its maximum. No script knows any limit by its name: each sale has its own table.

-- Positions of the fields in a coupon's record.
-- luacheck: push no max line length
local USER, STATE, CLAIMED_AT, PREVIOUS, WINDOWS, OTHERS, ENDED_AT, ENDED_BY, VOIDED, OWN = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
-- luacheck: pop

-- Positions of the fields in a limit of a sale's table.
local NAME, SCOPE, WINDOW = 1, 2, 3

-- A coupon's record; nil if there is none.
local function read_coupon(stored)
  local is_packed, record = pcall(cmsgpack.unpack, stored or '')
  local is_coupon = is_packed and type(record) == 'table' and type(record[USER]) == 'string'
    and type(record[CLAIMED_AT]) == 'number' and type(record[WINDOWS]) == 'string' and type(record[OTHERS]) == 'table'
    and (record[STATE] == 'claimed' or type(record[ENDED_BY]) == 'string' and type(record[ENDED_AT]) == 'number')
    and (record[VOIDED] == nil or type(record[VOIDED]) == 'table')
    and (record[OWN] == nil or type(record[OWN]) == 'string')
  if stored and not is_coupon then
    unreadable('a coupon')
  end
  return is_coupon and record or nil
end

-- The lists of a sale, from its field of `meta`: how many own codes and invited users it has, and how many of each were
-- uploaded; nil if it has none.
local function lists_of(stored)
  if not stored then
    return nil
  end
  local own, only_for, codes, users = string.match(stored, '^(%d+) (%d+) (%d+) (%d+)$')
  local lists = { own = tonumber(own), only_for = tonumber(only_for), codes = tonumber(codes), users = tonumber(users) }
  if not own or whole(lists.own) ~= own or whole(lists.only_for) ~= only_for or whole(lists.codes) ~= codes
    or whole(lists.users) ~= users or lists.codes > lists.own or lists.users > lists.only_for then
    unreadable('lists')
  end
  lists.is_whole = lists.codes == lists.own and lists.users == lists.only_for
  return lists
end

-- Adds the keys of the lists of which something was uploaded to those that must exist.
local function with_lists(needed, stored, codes, invited)
  local of_codes, of_users = string.match(stored or '', ' (%d+) (%d+)$')
  if (tonumber(of_codes) or 0) > 0 then
    needed[#needed + 1] = codes
  end
  if (tonumber(of_users) or 0) > 0 then
    needed[#needed + 1] = invited
  end
  return needed
end

-- Limits the sale to its own codes. A limit of the sale counts what users have, and so the codes that are not pending.
local function limit_to_codes(limits, lists)
  if lists and lists.own > 0 then
    for _, limit in ipairs(limits) do
      if limit.scope == 'sale' and limit.kind == 'ever' then
        limit.maximum = math.min(limit.maximum, lists.own)
      end
    end
  end
end

-- What is compared of an own code, and how it is spelled, from an entry of `pending`.
local function read_own_code(entry)
  local reading, spelling = string.match(entry, '^(%S+) ?(%S*)$')
  if not reading then
    unreadable('an own code')
  end
  return reading, spelling ~= '' and spelling or reading
end

-- Code and request id of each attempt, flat: the first two of each `step` arguments.
local function named_attempts(step)
  local attempts = {}
  for at = 3, #ARGV, step do
    attempts[#attempts + 1], attempts[#attempts + 2] = ARGV[at], ARGV[at + 1]
  end
  return attempts
end

-- The keys in `coupons` of the coupons that pairs of code and request id name: those codes, unless the sale has own
-- ones. `codes` has which coupon has each of these. A request that has given a code back goes on naming the coupon that
-- it ended, whoever has the code since.
local function coupons_named(codes, lists, attempts)
  local ids, fields = {}, {}
  for i = 1, #attempts / 2 do
    local code = attempts[2 * i - 1]
    ids[i], fields[2 * i - 1], fields[2 * i] = code, code .. ' ' .. attempts[2 * i], code
  end
  if lists and lists.own > 0 then
    local found = redis.call('HMGET', codes, unpack(fields))
    for i = 1, #ids do
      ids[i] = found[2 * i - 1] or found[2 * i] or ''
    end
  end
  return ids
end

-- Unpacks a part of the sale's terms.
local function unpacked(what, packed)
  local is_packed, list = pcall(cmsgpack.unpack, packed)
  if not is_packed or type(list) ~= 'table' then
    unreadable(what)
  end
  return list
end

-- The limits in force at a sale, in the order of its table, in which they refuse. Each has its maximum, which is
-- infinite if there is none, and the start of its latest window. A missing maximum is not a lifted limit: that is
-- stored as "". `given` has, by name, maxima that are about to be set: their stored values may be missing.
local function limits_of(meta, packed, given)
  local rows = unpacked('the limits', packed)
  local fields, limits = {}, {}
  for l, row in ipairs(rows) do
    fields[2 * l - 1], fields[2 * l] = 'limit:' .. row[NAME], 'window:' .. row[NAME]
  end
  local values = redis.call('HMGET', meta, unpack(fields))
  for l, row in ipairs(rows) do
    local stored, latest = values[2 * l - 1], tonumber(values[2 * l] or nil)
    local maximum = given and given[row[NAME]] or stored
    maximum = maximum == '' and math.huge or whole_number('the limit ' .. row[NAME], maximum, 0)
    limits[l] = {
      name = row[NAME], scope = row[SCOPE], kind = row[WINDOW], maximum = maximum, stored = stored, latest = latest,
    }
  end
  return limits
end

-- Places the limits in time: finds the window of each, and the mark of its count. The mark has the window's start,
-- unless the window lasts for ever. `starts` has, for each kind of window, the starts of the windows around now, and
-- the end of the last one. A window never ends before a later one has begun: if the clock goes back, claims count
-- towards the later window, so that nobody gets more in either. Returns the code that refuses the caller, if there is
-- one. A caller that does not know a kind of window is too old for the sale. A caller whose windows do not reach the
-- time must get new ones.
local function place_limits(limits, starts, now)
  now = tonumber(now)
  for _, limit in ipairs(limits) do
    limit.mark = limit.name
    if limit.kind ~= 'ever' then
      local those = starts[limit.kind]
      if not those then
        return NEWER_FORMAT
      end
      local window, latest = those[1], limit.latest
      if now < window or now >= those[#those] then
        return OTHER_TERMS
      end
      for i = 2, #those - 1 do
        if now >= those[i] then
          window = those[i]
        end
      end
      if latest and latest > window then
        window = latest
      end
      limit.window, limit.is_later = window, window ~= latest
      limit.mark = string.format('%s@%.0f', limit.name, window)
    end
    limit.prefix = ' ' .. limit.mark .. '='
  end
end

-- The scopes of limits, in the order of their first limits: each with its limits, the least that these allow, and
-- `now`, which has a count for each of them, in their order.
local function scopes_of(limits)
  local scopes = {}
  for _, limit in ipairs(limits) do
    local scope = scopes[limit.scope]
    if not scope then
      scope = { name = limit.scope, prefix = limit.scope .. ':', by_mark = {}, now = {}, first = '', least = math.huge }
      scopes[#scopes + 1], scopes[limit.scope] = scope, scope
    end
    scope[#scope + 1] = limit
    scope.by_mark[limit.mark] = #scope
    scope.first = scope.first .. limit.prefix .. '1'
    scope.least = math.min(scope.least, limit.maximum)
    limit.counts, limit.nth = scope.now, #scope
  end
  return scopes
end

-- Reads the counts for one value of a scope into `scope.now`. Counts of past windows are read as 0.
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

-- The counts for a value, as they are stored: its newest coupon, and the counts.
local function write_count(scope, newest)
  local text, now = newest, scope.now
  for k = 1, #scope do
    text = text .. scope[k].prefix .. now[k]
  end
  return text
end

-- The newest coupon of a value, from its stored counts.
local function newest_of(stored)
  return stored and string.match(stored, '^%S*') or ''
end

-- How many more each limit allows, by the counts read last: adds name and number of each to a list; -1 if there is no
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

-- When the redemption of a coupon by this request was taken back; nil if it was not.
local function voided_at(record, request)
  for _, voided in ipairs(record[VOIDED] or {}) do
    if voided[1] == request then
      return voided[2]
    end
  end
end

-- Ends claimed coupons, each once. A request whose redemption was taken back does not end the coupon again. `attempts`
-- has code and request id, alternating, and `ids` the key in `coupons` of each. With `refused`, nothing ends now for
-- this reason: its code, and the instant. Returns the reply; the changed records, by key; and user, code and request id
-- of each of these, flat.
local function end_coupons(ids, attempts, stored, state, now, refused)
  local reply, records, changed, ended, repeats, refusals = {}, {}, {}, {}, 0, 0
  for i = 1, #attempts / 2 do
    local id, code, request = ids[i], attempts[2 * i - 1], attempts[2 * i]
    local record, detail = records[id] or read_coupon(stored[i]), ''
    local answer, ended_at
    records[id] = record
    if not record then
      answer, refusals = UNKNOWN_CODE, refusals + 1
    else
      local voided = voided_at(record, request)
      if voided then
        answer, ended_at, refusals = TAKEN_BACK, voided, refusals + 1
      elseif record[STATE] == 'claimed' and refused then
        answer, ended_at, refusals = refused[1], refused[2], refusals + 1
      elseif record[STATE] == 'claimed' then
        answer, record[STATE], record[ENDED_AT], record[ENDED_BY] = DONE, state, tonumber(now), request
        changed[id] = record
        local size = #ended
        ended[size + 1], ended[size + 2], ended[size + 3] = record[USER], record[OWN] or code, request
      elseif record[STATE] == state and record[ENDED_BY] == request then
        answer, repeats = REPEAT, repeats + 1
      else
        answer, refusals = record[STATE] == 'redeemed' and REDEEMED or RETURNED, refusals + 1
      end
      detail = cmsgpack.pack({ record[USER], record[CLAIMED_AT], ended_at or record[ENDED_AT], record[OWN] })
    end
    reply[2 * i - 1], reply[2 * i] = answer, detail
  end
  return reply, changed, ended, repeats, refusals
end

-- Records by key, as arguments of HSET.
local function packed_coupons(records)
  local fields = {}
  for id, record in pairs(records) do
    fields[#fields + 1], fields[#fields + 2] = id, cmsgpack.pack(record)
  end
  return fields
end
