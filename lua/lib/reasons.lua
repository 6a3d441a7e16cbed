-- lib/reasons: why operators made the changes of a batch. Prepended to the scripts whose headers include it.

-- The reasons of the attempts of a batch that changed something, in their order. Every `step`-th argument, from number
-- `first` on, is that of an attempt, "" for none.
local function reasons_of_done(reply, first, step)
  local reasons = {}
  for at = first, #ARGV, step do
    if reply[2 * (at - first) / step + 1] == DONE then
      reasons[#reasons + 1] = ARGV[at]
    end
  end
  return reasons
end

-- The further fields of an event, and the reason of each of its changes, if any has one.
local function with_reasons(fields, reasons)
  if table.concat(reasons) ~= '' then
    fields[#fields + 1], fields[#fields + 2] = 'reasons', cmsgpack.pack(reasons)
  end
  return unpack(fields)
end
