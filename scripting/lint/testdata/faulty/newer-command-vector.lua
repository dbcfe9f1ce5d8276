-- for: valkey:9.1
return redis.call('VCARD', KEYS[1])  -- want: newer-command
