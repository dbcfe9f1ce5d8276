local sum = 0
for i = 1, 10000 do
  sum = (sum * 31 + i) % 65521
end
return sum
