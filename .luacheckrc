-- Redis runs Lua 5.1 with these globals.
std = "lua51"
read_globals = { "redis", "bit", "cjson", "cmsgpack", "struct", "KEYS", "ARGV" }
max_line_length = 120

-- Put before the scripts that use them.
files["lua/lib"] = { ignore = { "211" } }
files["lua/ticket"] = { read_globals = { "rows_open", "orders_release", "order_of", "decimal" } }

-- wrk calls these functions of its script, and gives it these values.
files["xtask/wrk"] = { globals = { "wrk", "setup", "init", "request", "done" }, read_globals = { "thread" } }
