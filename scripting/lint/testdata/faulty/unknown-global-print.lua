-- for: 7.0
print('here')  -- want: unknown-global
return os.clock()  -- want: unknown-global
