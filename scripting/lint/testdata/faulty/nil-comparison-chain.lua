local owner = redis.call('GET', KEYS[1])
if owner == nil or owner == '' then return 0 end  -- want: nil-comparison
if owner == ARGV[1] or owner == nil or ARGV[2] == '1' or owner == false then return 1 end
return 2
