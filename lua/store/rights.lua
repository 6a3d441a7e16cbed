-- store/rights: finds the commands of all scripts that the server's user may not run. Changes nothing.
--
-- Flags: no-writes
-- KEYS 1 ledger  STRING  a key that every server writes to; user rights may depend on the key
-- ARGV 1 ..      commands; a subcommand follows its command after a bar, as in Redis' own lists
--
-- Reply: code 0 done, and each of these commands that the user may not run
-- Event: none
-- Cost: no commands.

local reply = { DONE }
for _, right in ipairs(ARGV) do
  local command, subcommand = string.match(right, '^([^|]+)|?(.*)$')
  if not redis.acl_check_cmd(command, unpack(subcommand == '' and { ledger } or { subcommand, ledger })) then
    reply[#reply + 1] = right
  end
end
return reply
