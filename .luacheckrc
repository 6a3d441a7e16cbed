-- Redis runs Lua 5.1 with these globals.
std = "lua51"
read_globals = { "redis", "cjson", "cmsgpack", "KEYS", "ARGV" }
max_line_length = 120

-- wrk calls these functions of its script, and gives it these values.
files["xtask/wrk"] = { globals = { "wrk", "setup", "init", "request", "done" }, read_globals = { "thread" } }
