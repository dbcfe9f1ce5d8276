local rate = 0.5
return {1, rate, ARGV[1] * rate}  -- want: fraction-reply
