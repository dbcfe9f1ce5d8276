local sum = 0
for i = 1, 1000 do
  sum = (sum * 31 + i) % 65521
end
return sum
