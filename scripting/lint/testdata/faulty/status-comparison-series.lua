local created = redis.call('TS.CREATE', KEYS[1])
return created == 'OK'  -- want: status-comparison
