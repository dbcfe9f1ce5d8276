package redislib_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// TestRecordsWithoutSomeValues unpacks records in rounds. In each record other values are nil. From
// the second round on the layout of each record is known.
func TestRecordsWithoutSomeValues(t *testing.T) {
	L := testState()
	chunk, err := lua.Compile(`
local function order(t) local s = "" for k, v in pairs(t) do s = s .. tostring(k) .. "=" .. tostring(v) .. " " end return s end
local names = {"a", "b", "key", "next", "a", "id", "value", "x1", "x2", "x3", "last"}
local seen, n = {}, 0
for round = 1, 6 do
	for mask = 0, 2047, 7 do
		local text, expected, count = "", {}, 0
		for i, name in ipairs(names) do
			if mask % 3 ~= 0 or i % 5 ~= 0 then
				local v
				if math.floor(mask / 2^i) % 2 == 1 then v = i end
				text = text .. cmsgpack.pack(name) .. cmsgpack.pack(v)
				expected[name], count = v, count + 1
			end
		end
		local t = cmsgpack.unpack(string.char(0x80 + count) .. text)
		for _, name in ipairs(names) do assert(t[name] == expected[name], name) end
		local now = order(t)
		t.more, t.a, t.other = 1, 2, 3
		now = now .. order(t)
		assert(now == (seen[mask] or now), now)
		seen[mask], n = now, n + 1
	end
end
return n`, "=records")
	require.NoError(t, err)
	results, err := L.Run(L.Load(chunk))
	require.NoError(t, err)
	n, _ := results[0].AsNumber()
	require.Equal(t, 6*293.0, n)
}
