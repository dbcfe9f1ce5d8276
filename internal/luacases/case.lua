-- Evaluates one case and shows what it gives on one line: results between
-- commas, tables with their keys sorted, or the error.

local function quote(s)
  return '"' .. s:gsub('[%z\1-\31"\\\127-\255]', function(c) return ("\\%03d"):format(c:byte()) end) .. '"'
end

local function number(n)
  local s = ("%.14g"):format(n)
  if n == n and tonumber(s) ~= n then s = ("%.17g"):format(n) end
  return s
end

local one

local function contents(t, depth)
  if depth > 20 then return "..." end
  local parts, keyed, n = {}, {}, 0
  while rawget(t, n + 1) ~= nil do
    n = n + 1
    parts[n] = one(t[n], depth + 1)
  end
  for k, v in pairs(t) do
    if type(k) ~= "number" or k < 1 or k > n or k % 1 ~= 0 then
      keyed[#keyed + 1] = "[" .. one(k, depth + 1) .. "]=" .. one(v, depth + 1)
    end
  end
  table.sort(keyed)
  for i = 1, #keyed do parts[n + i] = keyed[i] end
  return table.concat(parts, ",")
end

function one(v, depth)
  local kind = type(v)
  if kind == "string" then return quote(v) end
  if kind == "number" then return number(v) end
  if kind == "table" then return "{" .. contents(v, depth) .. "}" end
  if kind == "nil" or kind == "boolean" then return tostring(v) end
  return kind
end

local function show(count, ...)
  local parts = {}
  for i = 1, count do parts[i] = one((select(i, ...)), 0) end
  return table.concat(parts, ", ")
end

local function outcome(ok, ...)
  if ok then return show(select("#", ...), ...) end
  local problem = ...
  return "error: " .. (type(problem) == "string" and quote(problem):sub(2, -2) or one(problem, 0))
end

local function case(source)
  local f, problem = loadstring("return " .. source, "=case")
  if not f then f, problem = loadstring(source, "=case") end
  if not f then return "syntax: " .. quote(problem):sub(2, -2) end
  return outcome(pcall(f))
end
