local n = 0
for i = 1, 400 do
  n = n + #string.format('%s:%05d:%.2f:%x', 'user', i, i / 3, i)
end
return n
