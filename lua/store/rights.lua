-- store/rights: finds the commands that the server's user may not run, and those that this Redis does not know. Changes
-- nothing, but counts as a script that writes, so that Redis refuses it where it takes no writes.
--
-- Flags: allow-oom
-- KEYS none: every master of a cluster is asked, whatever it has
-- ARGV 1         a key that servers write to; user rights may depend on the key
--      2 ..      commands; a subcommand follows its command after a bar, as in Redis' own lists
--
-- Reply: code 0 done, a list of the commands that the user may not run, and a list of those that Redis does not know
-- Event: none
-- Cost: no commands.

local key, forbidden, unknown = ARGV[1], {}, {}
for place = 2, #ARGV do
  local right = ARGV[place]
  local command, subcommand = string.match(right, '^([^|]+)|?(.*)$')
  -- Of a command that it does not know, Redis raises an error.
  local is_known, may_run =
    pcall(redis.acl_check_cmd, command, unpack(subcommand == '' and { key } or { subcommand, key }))
  if not is_known then
    unknown[#unknown + 1] = right
  elseif not may_run then
    forbidden[#forbidden + 1] = right
  end
end
return { DONE, forbidden, unknown }
