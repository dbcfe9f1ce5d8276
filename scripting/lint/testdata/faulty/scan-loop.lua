local cursor, n = '0', 0
repeat
  local page = redis.call('HSCAN', KEYS[1], cursor)  -- want: scan-loop
  cursor, n = page[1], n + #page[2]
until cursor == '0'
return n
