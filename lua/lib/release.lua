-- lib/release: releases the seats of orders that end, or of which a part comes back. Prepended, after lib/changes, to
-- the scripts whose headers include it.

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

-- Subtracts the seats of an order that come back from its user's tickets.
local function take_tickets(tickets, record, places)
  local left = tickets[record[USER]] - #places / SEAT
  if left < 0 then
    unreadable('the tickets of a user, who has fewer than the order')
  end
  tickets[record[USER]] = left
end

-- Prepares the writes for seats that become free. `released` has, for each return, the id of the order, its record
-- after it, the seats, and whether these were paid. `tickets` are the remaining tickets of the users. Makes sure of the
-- rights to write them, and reads each key that they change.
local function prepare_release(hall, released, meta, counts, holders, deadlines, tickets)
  local seats, records, ended, totals, moved = {}, {}, {}, {}, {}
  for _, one in ipairs(released) do
    local record, places = one.record, one.places
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
    if record[STATE] ~= 'held' and record[STATE] ~= 'paid' then
      ended[#ended + 1] = one.order
    end
  end
  ensure_allowed(meta, 'SETRANGE', 'BITFIELD', 'HDEL', 'ZREM')
  redis.call('HGET', holders, seats[1])
  redis.call('ZMSCORE', deadlines, released[1].order)
  return { seats = seats, records = records, ended = ended, totals = totals, counts = counts_with(counts, moved) }
end

-- Writes all of that. The caller writes the event before.
local function release_seats(hall, release, counts, holders, orders, deadlines, bought)
  redis.call('HSET', bought, unpack(release.totals))
  hall.write()
  redis.call('HSET', counts, unpack(release.counts))
  redis.call('HDEL', holders, unpack(release.seats))
  redis.call('HSET', orders, unpack(release.records))
  if #release.ended > 0 then
    redis.call('ZREM', deadlines, unpack(release.ended))
  end
end
