-- lib/reasons: why operators made the changes of a batch. Prepended to the scripts whose headers include it.

-- The further fields of an event, and the reason of each of its changes, in their order, if any has one ("" for none).
local function with_reasons(fields, reasons)
  if table.concat(reasons) ~= '' then
    fields[#fields + 1], fields[#fields + 2] = 'reasons', cmsgpack.pack(reasons)
  end
  return unpack(fields)
end
