local n = 0
for round = 1, 5 do
  local parts = {}
  for i = 1, 100 do
    parts[i] = 'key:' .. i .. ':' .. i * 2
  end
  local all = table.concat(parts, ',')
  local text = ''
  for i = 1, 30 do
    text = text .. all:sub(i, i + 5) .. '|'
  end
  n = n + #all + #text
end
return n
