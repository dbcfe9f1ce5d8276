local jobs = redis.call('ZRANGEBYSCORE', KEYS[1], 0, ARGV[1], 'LIMIT', 0, 1)
if jobs then return jobs[1] end  -- want: always-true
return false
