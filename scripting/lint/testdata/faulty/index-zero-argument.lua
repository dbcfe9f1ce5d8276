local limit = tonumber(ARGV[0])  -- want: index-from-one
return limit
