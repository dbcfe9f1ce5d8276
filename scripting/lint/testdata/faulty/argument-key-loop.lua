local total = 0
for _, name in ipairs(ARGV) do
  total = total + redis.call('STRLEN', name)  -- want: argument-key
end
return total
