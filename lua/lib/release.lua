-- lib/release: ends orders and releases their seats. Prepended, after lib/orders, to the scripts whose headers include
-- it.

-- The numbers of tickets of these orders' users, by user.
local function read_tickets(bought, records)
  local users, tickets = {}, {}
  for _, record in pairs(records) do
    users[#users + 1] = record[USER]
  end
  if #users > 0 then
    for at, stored in ipairs(redis.call('HMGET', bought, unpack(users))) do
      tickets[users[at]] = whole_number('the tickets of a user', stored or '0', 0)
    end
  end
  return tickets
end

-- Subtracts the tickets of an ending order from its user's tickets.
local function take_tickets(tickets, record)
  local left = tickets[record[USER]] - #record[PLACES] / SEAT
  if left < 0 then
    unreadable('the tickets of a user, who has fewer than the order')
  end
  tickets[record[USER]] = left
end

-- Prepares the writes for ended orders, whose seats become free. `ended` lists, for each order, its id, its record, and
-- whether it was paid. Each order appears once. `tickets` are the remaining tickets of their users. Makes sure
-- of the rights to write them, and reads each key that they change.
local function prepare_release(hall, ended, meta, counts, holders, deadlines, tickets)
  local seats, records, names, totals, moved = {}, {}, {}, {}, {}
  for _, one in ipairs(ended) do
    local record = one.record
    local places = record[PLACES]
    hall.set(places, '0')
    for at = 1, #places, SEAT do
      local number, place = places[at], places[at + 1]
      seats[#seats + 1] = decimal(hall.row(number).first + place)
      local c = hall.category_of(number)
      local from, to = (one.was_paid and 'sold:' or 'held:') .. c, 'free:' .. c
      moved[from], moved[to] = (moved[from] or 0) - 1, (moved[to] or 0) + 1
    end
    totals[#totals + 1], totals[#totals + 2] = record[USER], decimal(tickets[record[USER]])
    records[#records + 1], records[#records + 2] = one.order, cmsgpack.pack(record)
    names[#names + 1] = one.order
  end
  ensure_allowed(meta, 'SETRANGE', 'BITFIELD', 'HDEL', 'ZREM')
  redis.call('HGET', holders, seats[1])
  redis.call('ZMSCORE', deadlines, names[1])
  return { seats = seats, records = records, names = names, totals = totals, counts = counts_with(counts, moved) }
end

-- Writes all of that. The caller writes the event before.
local function release_orders(hall, release, counts, holders, orders, deadlines, bought)
  redis.call('HSET', bought, unpack(release.totals))
  hall.write()
  redis.call('HSET', counts, unpack(release.counts))
  redis.call('HDEL', holders, unpack(release.seats))
  redis.call('HSET', orders, unpack(release.records))
  redis.call('ZREM', deadlines, unpack(release.names))
end
