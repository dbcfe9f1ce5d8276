function table.sum(list)  -- want: global-assignment
  local sum = 0
  for _, n in ipairs(list) do sum = sum + n end
  return sum
end
string.empty = ''  -- want: global-assignment
return table.sum(ARGV) .. string.empty
