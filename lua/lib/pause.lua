-- lib/pause: the end of a pause, by an operator or with the closing of the sale. Prepended, after lib/life, to the
-- scripts whose headers include it.

-- What the end of a pause adds to its event and to `meta`: the lag of hold time, if it stood.
local function held_in_pause(now, held_ms, paused_at, hold_clock)
  return hold_clock == 'stops' and { 'held_ms', whole(hold_lag(now, held_ms, paused_at, hold_clock)) } or {}
end

-- Removes the fields of a pause. The script has made sure of the right to do so.
local function end_pause(meta)
  redis.call('HDEL', meta, 'paused_at', 'pause_reason', 'hold_clock')
end
