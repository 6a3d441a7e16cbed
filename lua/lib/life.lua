-- lib/life: start and end, pauses, and the clock of holds, the same for every kind of sale. Prepended to the scripts
-- whose headers include it.
--
-- Nothing is switched by a timer: each script compares the time of its call with the start and the end. Hold time is
-- the time less all pauses that have stopped it. Deadlines of holds are stored in it, so that a pause moves all of them
-- without a write.

-- The counts of refused attempts, by code.
local REFUSED_BY_LIFE = { [CLOSED] = 'closed', [EXPIRED] = 'ended', [NOT_OPEN] = 'not_open', [PAUSED] = 'paused' }

-- The code that refuses all new attempts, and its detail; nil if the sale accepts them.
local function refusal_by_life(now, state, closed_at, opens_at, ends_at, paused_at, reason)
  if state == 'closed' then
    return CLOSED, whole(whole_number('closed_at', closed_at, 0))
  elseif ends_at and tonumber(now) >= whole_number('the end', ends_at, 0) then
    return EXPIRED, ends_at
  elseif opens_at and tonumber(now) < whole_number('opens_at', opens_at, 0) then
    return NOT_OPEN, opens_at .. ' ' .. now
  elseif state == 'paused' then
    return PAUSED, whole(whole_number('paused_at', paused_at, 0)) .. ' ' .. (reason or '')
  end
end

-- The names and values of a flat list, as a table.
local function pairs_of(list)
  local values = {}
  for i = 1, #list, 2 do
    values[list[i]] = list[i + 1]
  end
  return values
end

-- A time that is given by one of two values: epoch milliseconds, or seconds after `from`. Nil for neither.
local function given_time(at, in_s, from)
  return tonumber(at) or in_s and from + 1000 * in_s or nil
end

-- The plan of a sale that is opened now: its fields of `meta`, flat; its start, if it has one; and the field with a
-- time that has passed, or with an end that is not after the start, if there is one. `packed` is a cmsgpack list of
-- names and values, alternating, or "" for no plan.
local function read_plan(packed, now)
  if packed == '' then
    return {}
  end
  now = tonumber(now)
  local plan = pairs_of(cmsgpack.unpack(packed))
  local opens_at = given_time(plan.opens_at, plan.opens_in_s, now)
  local ends_at = given_time(plan.ends_at, plan.ends_in_s, opens_at or now)
  local late = opens_at and opens_at <= now and 'opens_at' or ends_at and ends_at <= (opens_at or now) and 'ends_at'
  plan.opens_at, plan.ends_at = opens_at and whole(opens_at), ends_at and whole(ends_at)
  local fields = { 'plan', packed }
  for _, name in ipairs({ 'opens_at', 'ends_at', 'title_en', 'title_zh', 'description_en', 'description_zh', 'currency' }) do
    if plan[name] then
      fields[#fields + 1], fields[#fields + 2] = name, plan[name]
    end
  end
  return fields, opens_at, late or nil
end

-- The plan as a field of the event, if there is one.
local function noted_plan(packed)
  return packed ~= '' and { 'plan', packed } or {}
end

-- By how much hold time is behind the time: the pauses that have stopped it, and the one that stops it now.
local function hold_lag(now, held_ms, paused_at, hold_clock)
  local lag = held_ms and whole_number('held_ms', held_ms, 0) or 0
  if hold_clock == 'stops' then
    lag = lag + math.max(now - whole_number('paused_at', paused_at, 0), 0)
  end
  return lag
end

-- What the end of a pause adds to its event and to `meta`: the lag of hold time, if it stood.
local function held_in_pause(now, held_ms, paused_at, hold_clock)
  return hold_clock == 'stops' and { 'held_ms', whole(hold_lag(now, held_ms, paused_at, hold_clock)) } or {}
end

-- Removes the fields of a pause.
local function end_pause(meta)
  redis.call('HDEL', meta, 'paused_at', 'pause_reason', 'hold_clock')
end
