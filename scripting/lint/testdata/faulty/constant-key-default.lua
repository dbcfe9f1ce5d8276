local config = 'config'
local limit = redis.call('HGET', config, 'limit')  -- want: constant-key
return tonumber(limit or 10)
