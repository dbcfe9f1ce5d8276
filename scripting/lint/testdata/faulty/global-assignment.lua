total = 0  -- want: global-assignment
for i = 1, #KEYS do total = total + redis.call('LLEN', KEYS[i]) end  -- want: global-assignment
return total
