local mean = ARGV[1] / ARGV[2]
if mean > 1 then return {mean, tostring(ARGV[1])} end  -- want: fraction-reply
return {mean, tostring(mean)}
