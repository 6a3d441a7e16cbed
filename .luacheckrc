-- Redis runs Lua 5.1 with these globals.
std = "lua51"
read_globals = { "redis", "bit", "cjson", "cmsgpack", "struct", "KEYS", "ARGV" }
max_line_length = 120

-- What shared files define for the scripts behind them.
local codes = {
  "DONE", "REPEAT", "SEAT_TAKEN", "NOT_ENOUGH_SEATS", "SOLD_OUT", "EXPIRED", "UNKNOWN_SALE", "OPENING", "EXISTS",
  "OUT_OF_ORDER", "NOT_EXPIRED", "TAKEN", "UP_TO_DATE", "SUSPENDED", "INCOMPLETE", "LIMIT_REACHED", "OTHER_USER",
  "UNKNOWN_ORDER", "ENDED", "UNREADABLE_RECORD", "BROKEN_INDEX", "CLOSED",
  "NOT_CLOSED", "PENDING", "BEHIND", "OTHER_REQUEST", "LOST", "NEWER_FORMAT",
  "UNKNOWN_CODE", "REDEEMED", "RETURNED", "OTHER_TERMS",
  "NOT_CACHED", "NOT_ENOUGH", "UNKNOWN_REQUEST", "TRIMMED",
}
local writes = { "may_write", "is_allowed", "read_whole", "whole_number" }
local stream = { "by_name", "state_and_fields", "stream_info", "ledger_group", "parts_of_id", "compare_ids", "find_entry", "has_had" }
local fence = {
  "FORMAT", "sale_refusal", "suspend_lost", "note_event", "note_given", "begin_generation", "seen_so_far", "refuse_all",
  "redis_time", "time_of_call", "id_of_now", "may_add_event", "add_event", "id_after",
}
local recovery = { "chunk_refusal", "chunk_done", "resume_refusal", "recovery_done" }
local rows = { "PRICE", "SEAT", "decimal", "open_rows" }
local orders = {
  "USER", "STATE", "CENTS", "DUE", "PLACES", "PAYMENTS", "HOLDERS", "PICKS", "read_order", "order_refusal",
  "order_detail", "may_count", "held_and_sold", "lacks_orders",
}
local release = { "read_tickets", "take_tickets", "prepare_release", "release_orders" }
local coupons = {
  "USER", "PREVIOUS", "WINDOWS", "OTHERS", "read_coupon", "unpacked_or_untried", "limits_of", "place_limits", "scopes_of", "read_count",
  "write_count", "newest_of", "left_of", "end_coupons", "packed_coupons",
}
local stock = { "USER", "QUANTITY", "STATE", "LEFT", "read_request", "whole", "cached_quantity", "sum_after", "has_crossed" }
local function all(...)
  local names = {}
  for _, list in ipairs({ ... }) do
    for _, name in ipairs(list) do
      names[#names + 1] = name
    end
  end
  return names
end
files["lua/red_packet"] = { read_globals = all(codes, writes, stream, fence, recovery) }
files["lua/coupon"] = { read_globals = all(codes, writes, stream, fence, recovery, coupons) }
files["lua/stock"] = { read_globals = all(codes, writes, stream, fence, recovery, stock) }
files["lua/ticket"] = { read_globals = all(codes, writes, stream, fence, recovery, rows, orders, release) }
files["lua/ledger"] = { read_globals = all(codes, writes, stream) }
files["lua/crowd"] = { read_globals = all(codes, writes) }
files["lua/store"] = { read_globals = all(codes, writes) }
files["lua/sale"] = { read_globals = all(codes, writes, stream, fence) }
files["lua/lib"] = { ignore = { "211" }, read_globals = all(codes, writes, stream, fence, rows, orders) }

-- wrk calls these functions of its script, and gives it these values.
files["xtask/wrk"] = { globals = { "wrk", "setup", "init", "request", "done" }, read_globals = { "thread" } }
