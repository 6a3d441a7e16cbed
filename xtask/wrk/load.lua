-- Asks as fast as it can: wrk -s load.lua URL -- METHOD PATH BODY USERS
--
-- `%s` in BODY becomes a user that no request before it named, whose name begins with USERS. A body without it, and a
-- GET, which sends none, cost wrk the same work, so that endpoints can be compared. Prints one line of JSON at the end.

local threads = 0
local method, path, body, users
local asked = 0

function setup(thread)
    threads = threads + 1
    thread:set("thread", threads)
end

function init(args)
    method, path, body, users = args[1], args[2], args[3], args[4]
    wrk.headers["Content-Type"] = "application/json"
    -- Files of the pages as browsers ask for them.
    if path:sub(1, 5) == "/pkg/" then
        wrk.headers["Accept-Encoding"] = "br"
    end
end

function request()
    asked = asked + 1
    local user = string.format("%s-%d-%08d", users, thread, asked)
    local filled = string.format(body, user)
    return wrk.format(method, path, nil, method == "POST" and filled or nil)
end

-- No `response` here: it would make wrk read every header, and slow both sides of the comparison.

function done(summary, latency)
    local errors = summary.errors
    print(string.format('{"requests": %d, "seconds": %.6f, "failed": %d, "p50_us": %d, "p99_us": %d}', summary.requests,
        summary.duration / 1e6, errors.status + errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50), latency:percentile(99)))
end
