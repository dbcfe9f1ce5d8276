local job = cjson.decode(redis.call('LPOP', KEYS[1]))  -- want: nil-reply
return job.id
