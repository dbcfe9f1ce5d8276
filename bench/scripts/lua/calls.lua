local function add(a, b) return a + b end
local function twice(f, n) return f(f(n, 1), 2) end
local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end
local sum = 0
for i = 1, 1600 do
  sum = twice(add, sum)
end
return sum + fib(16)
