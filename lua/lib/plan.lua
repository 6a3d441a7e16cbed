-- lib/plan: start, end, texts and currency of a sale, as given at its opening and in changes of them. Prepended to the
-- scripts whose headers include it.

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
  for _, name in ipairs({ 'opens_at', 'ends_at', 'title_en', 'title_zh', 'description_en', 'description_zh',
    'currency' }) do
    if plan[name] then
      fields[#fields + 1], fields[#fields + 2] = name, plan[name]
    end
  end
  return fields, opens_at, late or nil
end

-- What an opening's event has beside the terms that every sale of its kind has: `further`, a flat list, and the plan,
-- if there is one. An older program cannot read these, so the event has its format as well then, and where `is_newer`
-- says that it cannot read the terms.
local function further_fields(packed, further, is_newer)
  local fields = { unpack(further or {}) }
  if packed ~= '' then
    fields[#fields + 1], fields[#fields + 2] = 'plan', packed
  end
  if #fields > 0 or is_newer then
    fields[#fields + 1], fields[#fields + 2] = 'format', FORMAT
  end
  return fields
end

-- The newest changes: request id and SHA-1 of the change, alternating, newest first; and the code of the answer to this
-- one if its request id is among them: a repeat, or another change.
local function read_changes(packed, request, digest)
  local is_packed, changes = pcall(cmsgpack.unpack, packed or '\144')
  if not is_packed or type(changes) ~= 'table' then
    unreadable('the changes')
  end
  for i = 1, #changes, 2 do
    if changes[i] == request then
      return changes, changes[i + 1] == digest and REPEAT or OTHER_REQUEST
    end
  end
  return changes
end

-- The changes with a new one, as `meta` has them.
local function with_change(changes, request, digest)
  local kept = 2 * 32 -- a request id and a digest of each
  return cmsgpack.pack({ request, digest, unpack(changes, 1, math.min(#changes, kept - 2)) })
end
