-- store/rights: finds the commands that the server's user may not run, and those that this Redis does not know. Changes
-- nothing.
--
-- Flags: no-writes
-- KEYS 1 ledger  STRING  a key that every server writes to; user rights may depend on the key
-- ARGV 1 ..      commands; a subcommand follows its command after a bar, as in Redis' own lists
--
-- Reply: code 0 done, a list of the commands that the user may not run, and a list of those that Redis does not know
-- Event: none
-- Cost: no commands.

local forbidden, unknown = {}, {}
for _, right in ipairs(ARGV) do
  local command, subcommand = string.match(right, '^([^|]+)|?(.*)$')
  -- Of a command that it does not know, Redis raises an error.
  local is_known, may_run =
    pcall(redis.acl_check_cmd, command, unpack(subcommand == '' and { ledger } or { subcommand, ledger }))
  if not is_known then
    unknown[#unknown + 1] = right
  elseif not may_run then
    forbidden[#forbidden + 1] = right
  end
end
return { DONE, forbidden, unknown }
