-- Redis runs Lua 5.1 with these globals.
std = "lua51"
read_globals = { "redis", "bit", "cjson", "cmsgpack", "struct", "KEYS", "ARGV" }
max_line_length = 120

-- What precedes each script (src/store/script.rs): constants, shared files, and locals for its KEYS.
local function text_of(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end
local constants = { "FORMAT" }
for name in text_of("src/store/reply_code.rs"):gmatch('= %d+, "([%l ]+)"') do
  constants[#constants + 1] = name:upper():gsub(" ", "_")
end
local function add_locals(names, shared)
  for line in text_of("lua/" .. shared .. ".lua"):gmatch("[^\n]+") do
    local defined = line:match("^local function ([%w_]+)") or line:match("^local ([%w_, ]+)")
    for name in (defined or ""):gmatch("[%w_]+") do
      names[#names + 1] = name
    end
  end
end
for path in io.popen("ls lua/*/*.lua"):lines() do
  local names = { unpack(constants) }
  add_locals(names, "lib/reads")
  if path:find("^lua/lib/") then
    for _, shared in ipairs({ "lib/stream", "lib/fence", "lib/life", "lib/rows", "lib/orders", "lib/changes" }) do
      add_locals(names, shared)
    end
    files[path] = { ignore = { "211" }, read_globals = names }
  elseif not path:find("^lua/lab/") and not path:find("^lua/bench/") then
    local header = text_of(path)
    for shared in (header:match("\n%-%- Includes ([^\n]+)") or ""):gmatch("[^, ]+") do
      add_locals(names, shared)
    end
    for key in header:match("\n%-%- KEYS.-\n%-%- ARGV"):gmatch("%d+ +([%l_]+) +%u+") do
      names[#names + 1] = key
    end
    files[path] = { read_globals = names }
  end
end

-- wrk calls these functions of its script, and gives it these values.
files["xtask/wrk"] = { globals = { "wrk", "setup", "init", "request", "done" }, read_globals = { "thread" } }
