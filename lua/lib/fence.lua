-- lib/fence: keeps a Redis that has lost its newest data from giving things away again. Prepended, after lib/stream, to
-- the scripts whose headers include it. Every script that adds an event includes it.
--
-- A script reports the progress of the sale to its caller: the generation of the sale's history and the last event in
-- it. A server sends the latest report back with its next call, as `seen`. If this Redis does not have that event, it
-- has lost it, and all other changes with it.
--
-- `meta` has the fields for the comparison. `generation` is an event id that is later with every opening and every
-- recovery, whatever clocks show, because the events before a recovery need not be in the stream after it. `recent` has
-- the ids of the newest events, each between two blanks, the newest first. `format` is the version of the sale's
-- records. `given` is set with the first thing given: from then on, its records must exist. `lost` is there while the
-- sale is suspended because an event is missing: the id of that event. A sale that is suspended for another reason, by
-- a person or because its data are damaged, has no `lost`, and no server recovers it by itself.

local RECENT = 180 -- bytes of `recent` that are kept with a new id: about ten ids
local STATES_OF_SALE = { open = true, paused = true, closed = true, suspended = true }

-- The fate of the event that the caller has seen: "lost" if this Redis does not have it; "gone" if the event is no
-- longer in the stream, so that this Redis cannot tell; nil if this Redis has it. If it is gone, the caller asks the
-- ledger, which has recorded all trimmed events, and appends the answer to `seen`: "recorded" or "missing". A replica
-- that was promoted without that event, and has sold and trimmed others since, has no trace of the loss.
local function fate_of(seen, events, generation, recent)
  if seen == '' then
    return nil
  end
  local its_generation, id, in_ledger = string.match(seen, '^(%S+) (%S+) ?(%l*)$')
  if its_generation ~= generation then
    -- The sale was recovered or opened anew since, or its state is the one before that.
    return compare_ids(its_generation, generation) > 0 and 'lost' or nil
  end
  -- Usually it is one of the newest, and no entry has to be read.
  if recent and string.find(recent, ' ' .. id .. ' ', 1, true) then
    return nil
  end
  local place = find_entry(events, id)
  if place == 'gone' and in_ledger ~= '' then
    return in_ledger ~= 'recorded' and 'lost' or nil
  end
  return place ~= 'here' and place or nil
end

-- Suspends a sale because this Redis lacks a key of it. Returns the code for that.
local function suspend_lost(meta)
  redis.call('HSET', meta, 'state', 'suspended')
  return LOST
end

-- The code that refuses every change of a sale; nil if changes are allowed. If this Redis has lost a part of a sale,
-- the first caller that knows suspends the sale for all others. `needed` are the keys that must exist by now: a Redis
-- that evicts deletes whole keys. `of_kind` has further possible states of a sale of the kind, if any.
local function sale_refusal(meta, events, seen, state, generation, recent, format, needed, of_kind)
  if not state or state == 'archived' then
    return UNKNOWN_SALE
  end
  -- First of all, because this program may not be able to read what a newer one has written.
  if (tonumber(format) or 0) > FORMAT then -- a sale that is being recovered has none
    return NEWER_FORMAT
  end
  if not STATES_OF_SALE[state] and not (of_kind and of_kind[state]) then
    unreadable('state')
  end
  if state == 'suspended' then
    return SUSPENDED
  end
  parts_of_id(generation or '')
  if state ~= 'opening' and redis.call('EXISTS', unpack(needed)) < #needed then
    return suspend_lost(meta)
  end
  local fate = fate_of(seen, events, generation, recent)
  if fate == 'gone' then
    return TRIMMED
  end
  if fate == 'lost' then
    -- If the caller knows a later generation, the recovery must use a later one still: otherwise it would be refused.
    local later, its_generation, id = generation, string.match(seen, '^(%S+) (%S+)')
    if compare_ids(its_generation, later) > 0 then
      later = its_generation
    end
    redis.call('HSET', meta, 'state', 'suspended', 'generation', later, 'lost', id)
    return LOST
  end
end

-- Notes the id of an event that was just added. Returns the state that the caller has seen now.
local function note_event(meta, generation, recent, id)
  redis.call('HSET', meta, 'recent', ' ' .. id .. string.sub(recent or ' ', 1, RECENT))
  return generation .. ' ' .. id
end

-- Notes, with the first thing given, that something was given.
local function note_given(meta, was_given)
  if not was_given then
    redis.call('HSET', meta, 'given', 1)
  end
end

-- Begins a generation of a sale's history. `id` is its first event, or the last event before it.
local function begin_generation(meta, generation, id)
  redis.call('HSET', meta, 'generation', generation, 'recent', ' ' .. id .. ' ', 'format', FORMAT)
end

local ms_now, micros_now -- of Redis' time, read once, so that a script uses one time

-- Redis' time: milliseconds since the epoch, and microseconds of the second.
local function redis_time()
  if not ms_now then
    local seconds, micros = unpack(redis.call('TIME'))
    ms_now, micros_now = seconds * 1000 + math.floor(micros / 1000), tonumber(micros)
  end
  return ms_now, micros_now
end

-- The time that a call uses: Redis' own, unless the caller gives one, as tests do that move the clock.
local function time_of_call(given)
  return given == '' and string.format('%.0f', (redis_time())) or given
end

-- The id of an event that is added now: Redis' time to the microsecond, "<milliseconds>-<microseconds of it>". Redis
-- itself would count from 0 in each millisecond. Then a replica that is promoted without the newest events, and whose
-- clock is behind the other's, would reuse their ids for its next events, and nobody could tell them apart.
local function id_of_now()
  local ms, micros = redis_time()
  return string.format('%.0f-%.0f', ms, micros % 1000)
end

-- The id for an event that must be later than `other`, and than all entries of the stream. It is the id of now, if
-- Redis' clock shows a later time, or else the id that follows after `steps` steps.
local function id_after(events, other, steps)
  local last = redis.call('EXISTS', events) == 1 and stream_info(events)['last-generated-id'] or '0-0'
  local ms, seq = parts_of_id(compare_ids(last, other) > 0 and last or other)
  if redis_time() > ms then
    return id_of_now()
  end
  return string.format('%.0f-%.0f', ms, seq + steps)
end

-- Ends the script, before its first write, if the server's user may not run one of these commands, which it runs after
-- it. A server makes sure of its rights when it starts. But Redis does not replicate them, so a promoted replica may
-- have others.
local function ensure_allowed(meta, ...)
  for at = 1, select('#', ...) do
    local command = select(at, ...)
    if not redis.acl_check_cmd(command, meta) then
      error({ err = 'UNTRIED the user may not run ' .. command })
    end
  end
end

-- Adds an event with these fields and notes its id. This is the first write of a script: everything else was read
-- before, and only a stream may refuse a write all the same. Makes sure of the rights that all scripts need, but not of
-- further ones. Returns the state that the caller has seen now.
--
-- While the clock is behind the last event, because it went back, the id is a step after that event. With steps of one,
-- events added after a loss would have the ids of the lost events, so the step is taken from the microseconds. Redis
-- refuses an id that is not later than its last one, and changes nothing. This happens if `recent` lacks that event, or
-- if the clock has only just reached its millisecond.
local function add_event(meta, events, generation, recent, ...)
  ensure_allowed(meta, 'XADD', 'HSET', 'HINCRBY')
  local last = recent and string.match(recent, '^ (%d+%-%d+) ') or '0-0'
  local ms, micros = redis_time()
  local id = ms >= parts_of_id(last) and redis.pcall('XADD', events, id_of_now(), ...)
  if type(id) ~= 'string' then
    id = redis.pcall('XADD', events, id_after(events, last, 1 + micros), ...)
  end
  if type(id) ~= 'string' then
    -- "ERR" is about the id. Any other code says that Redis takes no writes now.
    error(string.find(id.err, '^ERR ') and { err = 'UNREADABLE the stream takes no event' } or id)
  end
  return note_event(meta, generation, recent, id)
end

-- The state seen by a caller that added no event.
local function seen_so_far(generation, recent)
  local id = recent and string.match(recent, '^ (%d+%-%d+) ')
  return id and generation .. ' ' .. id or ''
end

-- The reply to a batch of n attempts that all get the same code.
local function refuse_all(n, code)
  local reply = {}
  for i = 1, n do
    reply[2 * i - 1], reply[2 * i] = code, ''
  end
  reply[2 * n + 1] = ''
  return reply
end
