-- Posts JSON as fast as it can: wrk -s post.lua URL -- PATH BODY ROUND
--
-- `%s` in BODY becomes a user that no request before it named. A body without it costs wrk the same work, so that two
-- endpoints can be compared. Prints one line of JSON at the end.

local threads = 0
local path, body, round
local asked = 0

function setup(thread)
    threads = threads + 1
    thread:set("thread", threads)
end

function init(args)
    path, body, round = args[1], args[2], args[3]
    wrk.headers["Content-Type"] = "application/json"
end

function request()
    asked = asked + 1
    local user = string.format("%s-%d-%08d", round, thread, asked)
    return wrk.format("POST", path, nil, string.format(body, user))
end

-- No `response` here: it would make wrk read every header, and slow both sides of the comparison.

function done(summary)
    local errors = summary.errors
    print(string.format('{"requests": %d, "seconds": %.6f, "failed": %d}', summary.requests, summary.duration / 1e6,
        errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
