package lua_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// tracePrelude is what the traced scripts have besides Lua's libraries.
const tracePrelude = `KEYS, ARGV = {"key", "other"}, {"3", "60000", "1", "1", "1"}
redis = {call = function(name, ...) if name == "TIME" then return {"1700000000", "0"} end return 1 end, sha1hex = tostring}
redis.pcall = redis.call
cjson, cmsgpack, struct = {}, {}, {}
`

// traceHarness makes lua5.1 write each line that its line hook is called for, with the visible
// variables.
const traceHarness = tracePrelude + `
local f, problem = loadfile("script.lua")
if not f then io.write(problem) return end
local steps = 0
debug.sethook(function(_, line)
  if debug.getinfo(2, "S").source ~= "@script.lua" then return end
  steps = steps + 1
  if steps > 3000 then debug.sethook() return end
  local out = {line}
  for i = 1, 250 do
    local name, v = debug.getlocal(2, i)
    if not name then break end
    if name ~= "(*temporary)" then
      out[#out + 1] = name .. "=" .. (type(v) == "number" and tostring(v) or type(v))
    end
  end
  io.write(table.concat(out, " "), "\n")
end, "l")
pcall(f)
debug.sethook()
`

// recorder writes what a Tracer sees as traceHarness does.
type recorder struct {
	out   strings.Builder
	steps int
}

func (r *recorder) Reaches(int) {}

func (r *recorder) Line(L *lua.State, line int) {
	if r.steps++; r.steps > 3000 {
		return
	}
	fmt.Fprint(&r.out, line)
	for _, v := range L.Levels()[0].Locals() {
		text := v.Value.TypeName()
		if v.Value.Kind() == lua.KindNumber {
			text, _ = L.Describe(v.Value).ToString()
		}
		fmt.Fprintf(&r.out, " %s=%s", v.Name, text)
	}
	r.out.WriteByte('\n')
}

// traceHere returns what a Tracer sees of a script.
func traceHere(t *testing.T, source string) string {
	L := testState()
	prelude, err := lua.Compile(tracePrelude, "=prelude")
	require.NoError(t, err)
	_, err = L.Run(L.Load(prelude))
	require.NoError(t, err)
	r := &recorder{}
	proto, err := lua.CompileTraced(source, "@script.lua", r)
	require.NoError(t, err)
	_, _ = L.Run(L.Load(proto))
	return r.out.String()
}

// TestTraceLines: a Tracer is called for the lines that C Lua's line hook is called for, in the
// same order, and sees the same variables.
func TestTraceLines(t *testing.T) {
	path := reference.Require(t, "lua5.1")
	var files []string
	for _, pattern := range []string{"testdata/trace/*.lua", "../../examples/*.lua"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found)
		files = append(files, found...)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			want, have := runBeside(t, path, traceHarness, string(source)), traceHere(t, string(source))
			if want != have {
				t.Error(differences(want, have))
			}
		})
	}
}
