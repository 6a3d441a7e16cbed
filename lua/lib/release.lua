-- lib/release: ends orders and releases their seats. Prepended, after lib/orders, to the scripts whose headers include
-- it.

-- The numbers of tickets of these orders' users, by user. Numbers that cannot be read are left out.
local function read_tickets(bought, records)
  local users, tickets = {}, {}
  for _, record in pairs(records) do
    users[#users + 1] = record[USER]
  end
  if #users > 0 then
    for at, stored in ipairs(redis.call('HMGET', bought, unpack(users))) do
      tickets[users[at]] = read_whole(stored, 0)
    end
  end
  return tickets
end

-- Subtracts the tickets of an ending order from its user's tickets. Returns whether there were enough. If not, that
-- number is as unreadable as an order.
local function take_tickets(tickets, record)
  local left = (tickets[record[USER]] or 0) - #record[PLACES] / SEAT
  if left < 0 then
    return false
  end
  tickets[record[USER]] = left
  return true
end

-- Prepares the writes for ended orders, whose seats become free. `ended` lists, for each order, its id, its record, and
-- whether it was paid. Each order appears once. `tickets` are the remaining tickets of their users. Ends the script if
-- the counts of seats cannot be read.
local function prepare_release(hall, ended, counts, tickets)
  local seats, records, names, totals, moved, changed = {}, {}, {}, {}, {}, {}
  for _, one in ipairs(ended) do
    local record = one.record
    local places = record[PLACES]
    hall.set(places, '0')
    for at = 1, #places, SEAT do
      local number, place = places[at], places[at + 1]
      seats[#seats + 1] = decimal(hall.row(number).first + place)
      local from = (one.was_paid and 'sold:' or 'held:') .. hall.category_of(number)
      if not moved[from] then
        changed[#changed + 1], changed[#changed + 2] = from, 'free:' .. string.sub(from, 6)
      end
      moved[from] = (moved[from] or 0) + 1
    end
    totals[#totals + 1], totals[#totals + 2] = record[USER], decimal(tickets[record[USER]])
    records[#records + 1], records[#records + 2] = one.order, cmsgpack.pack(record)
    names[#names + 1] = one.order
  end
  may_count(counts, changed)
  return { seats = seats, records = records, names = names, totals = totals, moved = moved }
end

-- Writes all of that. The caller writes the event before and the counts of outcomes, and must have checked that it may.
local function release_orders(hall, release, counts, holders, orders, deadlines, bought)
  redis.call('HSET', bought, unpack(release.totals))
  hall.write()
  for from, count in pairs(release.moved) do
    redis.call('HINCRBY', counts, from, -count)
    redis.call('HINCRBY', counts, 'free:' .. string.sub(from, 6), count)
  end
  redis.call('HDEL', holders, unpack(release.seats))
  redis.call('HSET', orders, unpack(release.records))
  redis.call('ZREM', deadlines, unpack(release.names))
end
