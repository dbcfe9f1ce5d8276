local text = string.rep('name=value; path=/some/where; expires=1700000000, ', 10)
local n = 0
for round = 1, 5 do
  local clean = text:gsub('(%w+)=([^;,]+)', '%2:%1')
  for key in text:gmatch('(%a+)=%d+') do
    n = n + #key
  end
  for i = 1, 20 do
    n = n + text:find('expires', i * 10, true) + clean:find('%d+', i)
  end
end
return n
