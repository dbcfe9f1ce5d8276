return redis.call('SUBSCRIBE', 'news')  -- want: not-in-scripts
