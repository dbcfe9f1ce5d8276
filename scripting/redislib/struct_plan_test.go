package redislib_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// twice calls struct.pack and struct.unpack two times each from a place in the code that has not
// seen the format. The first call parses the format, the second one uses the plan that the first
// one kept.
const twice = `
local values = {0, 1, -1, 7.5, -7.5, 127, 128, 255, 256, -32768, 65535, 2^31, -2^31, 2^32 - 1, 2^53, -2^53, 2^63, 2^64,
	1/0, -1/0, 0/0, 1e300, 1e-300, "12", "ab", "", ("x"):rep(300), true}
local formats = {"b", "B", ">h", "<H", ">H", "l", ">L", "<i3", ">I3", ">i7", "I7", "i8", ">I8", "d", ">d", ">f", "f",
	"c0", "c1", "c2", "c300", "I9", "s", "x", "!4b", "!4i", "bi", ">bi", ">I4hbdc0", "<c2B", ">i5b", "bx", "b c1", ">b<h"}
local log = {}
for _, format in ipairs(formats) do
	local pack = loadstring("return pcall(struct.pack, ...)")
	local direct = loadstring("local f, a, b, c, d, e = ... local s = struct.pack(f, a, b, c, d, e) return s")
	local unpack = loadstring("local function list(...) return ... end local s, data, at = ... return list(struct.unpack(s, data, at))")
	pcall(direct, format, 1, 1, 1, 1, "ab")
	for _, v in ipairs(values) do
		local cold, first = pack(format, v, v, v, v, v)
		local warm, second = pcall(direct, format, v, v, v, v, v)
		assert(cold == warm and (not cold or first == second), format .. " packs " .. tostring(v) .. " in two ways")
		log[#log + 1] = tostring(cold)
		if cold then
			for _, data in ipairs{second, second:sub(1, -2), second .. "12345678"} do
				pcall(unpack, format, (" "):rep(32))
				for position = 1, 2 do
					local a, b = {pcall(struct.unpack, format, data, position)}, {pcall(unpack, format, data, position)}
					assert(a[1] == b[1] and (not a[1] or #a == #b), format .. " unpacks in two ways")
					for i = 2, a[1] and #a or 1 do
						assert(tostring(a[i]) == tostring(b[i]), format .. " unpacks " .. tostring(v) .. " as " .. tostring(a[i]) .. " and " .. tostring(b[i]))
					end
				end
			end
		end
	end
end
return #log`

func TestStructByPlanAndByLayout(t *testing.T) {
	L := testState()
	chunk, err := lua.Compile(twice, "=twice")
	require.NoError(t, err)
	results, err := L.Run(L.Load(chunk))
	require.NoError(t, err)
	n, _ := results[0].AsNumber()
	require.Equal(t, 34*28.0, n)
}
