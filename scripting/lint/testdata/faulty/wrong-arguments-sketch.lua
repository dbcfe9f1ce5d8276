redis.call('TOPK.RESERVE', KEYS[1])  -- want: wrong-arguments
redis.call('CMS.INITBYDIM', KEYS[1], 2000)  -- want: wrong-arguments
return redis.call('TDIGEST.QUANTILE', KEYS[1], 0.5, 0.99)
