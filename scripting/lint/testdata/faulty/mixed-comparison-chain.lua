local limit = redis.call('GET', KEYS[1])
if limit == 0 or limit == nil or limit == '0' or not limit then return 0 end
local used = redis.call('ZCARD', KEYS[2])
if used == nil or (used == false or used == 0) then return limit end
if used ~= nil and used ~= false and used > 9 then return 1 end
if limit == 0 or limit == '' then return 2 end
if limit == 1 or used == 2 then return 4 end  -- want: mixed-comparison
if used == true or limit == '5' then return 5 end  -- want: mixed-comparison
return used
