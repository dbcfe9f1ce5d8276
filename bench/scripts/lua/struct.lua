local n = 0
for i = 1, 700 do
  local packed = struct.pack('>I4hbdc0', i, i, i % 100, i / 3, 'tail')
  local a, b, c, d = struct.unpack('>I4hbd', packed)
  n = n + #packed + a + b + c
end
return n
