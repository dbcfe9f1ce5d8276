local list, seed = {}, 7
for i = 1, 350 do
  seed = (seed * 1103515245 + 12345) % 2147483648
  table.insert(list, seed)
end
table.sort(list)
table.sort(list, function(a, b) return a > b end)
return list[1]
