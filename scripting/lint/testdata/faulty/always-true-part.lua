local jobs, n = redis.call('ZRANGE', KEYS[1], 0, 9), redis.call('ZCARD', KEYS[1])
if jobs and #jobs > 0 then return jobs[1] end
if not (jobs and next(jobs)) or n and n > 5 then return n end
if jobs and n > 9 then return jobs[2] end  -- want: always-true
return ARGV[1] == '1' and jobs or n
