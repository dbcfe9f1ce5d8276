local ttl
if #ARGV < 2 then
  ttl = ARGV[2]  -- want: missing-element
else
  ttl = ARGV[2]
end
if 3 > #ARGV then ttl = ARGV[1] end
return {ttl, ARGV[3]}
