-- Runs a program and returns what it printed, with its error at the end. Globals it made are removed.
local function run(source)
  local lines = {}
  local before = {}
  for k, v in pairs(_G) do before[k] = v end
  print = function(...)
    local parts = {}
    for i = 1, select("#", ...) do parts[i] = tostring((select(i, ...))) end
    lines[#lines + 1] = table.concat(parts, "\t")
  end
  -- what f throws or returns, on one line
  try = function(f, ...)
    if type(f) == "string" then
      local problem
      f, problem = loadstring(f, "=t")
      if not f then print("syntax", problem) return end
    end
    local function show(ok, ...)
      if ok then print("ok", ...) else print("error", ...) end
    end
    show(pcall(f, ...))
  end
  local f, problem = loadstring(source, "=t")
  if not f then
    print("syntax", problem)
  else
    local ok, problem = pcall(f)
    if not ok then print("error", problem) end
  end
  for k in pairs(_G) do if before[k] == nil then _G[k] = nil end end
  for k, v in pairs(before) do if _G[k] ~= v then _G[k] = v end end
  return (table.concat(lines, "\n"):gsub("0x%x+", "ADDRESS"))
end
