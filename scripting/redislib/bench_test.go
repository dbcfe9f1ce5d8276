package redislib_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// records is a document of n records, about 100 bytes of JSON each.
const records = `
local function records(n)
  local t = {}
  for i = 1, n do
    t[i] = {id=i, name="user"..i, email="user"..i.."@example.com", active=true, score=i*1.5, tags={"a","b","c"}}
  end
  return t
end
`

// benchmarks are chunks that return the function to time.
var benchmarks = []struct{ name, source string }{
	{"structPack", `return function() return struct.pack("Bc0I", 5, "hello", 7) end`},
	{"structUnpack", `local s = struct.pack("Bc0I", 5, "hello", 7) return function() return struct.unpack("Bc0I", s) end`},
	{"cjsonEncode1K", records + `local t = records(10) return function() return cjson.encode(t) end`},
	{"cjsonDecode1K", records + `local s = cjson.encode(records(10)) return function() return cjson.decode(s) end`},
	{"cjsonEncode100K", records + `local t = records(1000) return function() return cjson.encode(t) end`},
	{"cjsonDecode100K", records + `local s = cjson.encode(records(1000)) return function() return cjson.decode(s) end`},
	{"cmsgpackPack1K", records + `local t = records(10) return function() return cmsgpack.pack(t) end`},
	{"cmsgpackUnpack1K", records + `local s = cmsgpack.pack(records(10)) return function() return cmsgpack.unpack(s) end`},
	{"cmsgpackPack100K", records + `local t = records(1000) return function() return cmsgpack.pack(t) end`},
	{"cmsgpackUnpack100K", records + `local s = cmsgpack.pack(records(1000)) return function() return cmsgpack.unpack(s) end`},
}

func BenchmarkLibrary(b *testing.B) {
	for _, row := range benchmarks {
		b.Run(row.name, func(b *testing.B) {
			L := testState()
			chunk, err := lua.Compile(row.source, "=bench")
			require.NoError(b, err)
			f := L.Call1(L.Load(chunk).Value())
			b.ReportAllocs()
			for b.Loop() {
				L.Call1(f)
			}
		})
	}
}
