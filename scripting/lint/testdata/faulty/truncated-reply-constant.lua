return {redis.call('GET', KEYS[1]), nil, 0}  -- want: truncated-reply
