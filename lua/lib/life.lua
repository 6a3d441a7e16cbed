-- lib/life: whether a sale accepts attempts, by its start, its end and its pauses; and the clock of holds. The same for
-- every kind of sale. Prepended to the scripts whose headers include it.
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

-- By how much hold time is behind the time: the pauses that have stopped it, and the one that stops it now.
local function hold_lag(now, held_ms, paused_at, hold_clock)
  local lag = held_ms and whole_number('held_ms', held_ms, 0) or 0
  if hold_clock == 'stops' then
    lag = lag + math.max(now - whole_number('paused_at', paused_at, 0), 0)
  end
  return lag
end
