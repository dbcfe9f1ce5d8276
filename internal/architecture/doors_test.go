package architecture

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A door is a way out of what Go checks and of what this repository holds: memory without types,
// system calls, C, code of third parties. There is none for C.
type door struct {
	imports string // a path, which stands for those below it, too
	code    string // the packages that may import it
	tests   string // those of which only tests may
}

// doors are all there are: what is not listed may not be imported. The tests of all packages may
// use testify.
var doors = []door{
	// Layouts in memory, and texts that are not copied.
	{"unsafe", `internal/commands/timeseries internal/commands/zsets ds/arena ds/array ds/bloom ds/countmin ds/cuckoo
		ds/deadlines ds/dict ds/expiry ds/hash ds/hnsw ds/json ds/list ds/pages ds/set ds/simd ds/skiplist ds/slab
		ds/str ds/stream ds/suggest ds/table ds/tdigest ds/timeseries ds/topk ds/value ds/vectors ds/zset
		internal/hunt internal/keyspace persistence/rdb resp scripting scripting/lua server`, ""},
	// Sockets, memory, disks, signals, and what errors mean.
	{"syscall", `bench internal/group/consensus internal/cli internal/cli/remote internal/cli/serve
		internal/errno internal/hunt persistence/disk persistence/snapshot server`,
		"internal/console/browser internal/e2e internal/readme persistence/journal persistence/payload scripting"},
	{"golang.org/x/sys", "bench bench/laboratory ds/simd ds/slab internal/cli/serve internal/hunt server",
		"internal/e2e"},
	// What is in the program.
	{"github.com/blevesearch/snowballstem", "internal/search/text", ""},
	{"github.com/google/btree", "ds/deadlines internal/search/index bench/laboratory", ""},
	{"github.com/google/go-dap", "scripting/dap", "internal/cli/script"},
	{"github.com/peterh/liner", "internal/cli/script", ""},
	{"github.com/spf13/pflag", `internal/cli internal/cli/files internal/cli/help internal/cli/lint
		internal/cli/remote internal/cli/script internal/cli/serve internal/cli/subcommand internal/cli/test`, ""},
	{"go.etcd.io/raft", "internal/group/consensus", ""},
	// What tests compare with.
	{"github.com/chromedp", "", "internal/console/browser"},
	{"github.com/prometheus/client_golang", "", "internal/console/browser"},
	{"github.com/tidwall/redcon", "", "server"},
	{"github.com/yuin/gopher-lua", "", "scripting/lua"},
	{"github.com/stretchr/testify", "internal/console/consoletest", ""},
	// What other modules have.
	{"github.com/anishathalye/porcupine", "internal/hunt/linear", ""},
	{"github.com/alicebob/miniredis", "", "miniredis/compare miniredis/compare/suites"},
	{"github.com/hibiken/asynq", "", "examples/programs"},
	{"github.com/redis/go-redis", "examples/programs", "miniredis/compare/suites"},
	{"gonum.org/v1/plot", "bench/charts", ""},
}

// TestDoors finds imports that no door allows, and packages that a door names for nothing.
func TestDoors(t *testing.T) {
	used := make(map[string]bool)
	for _, f := range allFiles(t) {
		for _, imp := range f.ast.Imports {
			path, _ := strconv.Unquote(imp.Path.Value)
			if !leadsOut(path) || f.test && strings.HasPrefix(path, testify) {
				continue
			}
			i := slices.IndexFunc(doors, func(d door) bool { return strings.HasPrefix(path+"/", d.imports+"/") })
			require.GreaterOrEqual(t, i, 0, "%s imports %s: there is no door", f.path, path)
			d := doors[i]
			code, tests := strings.Fields(d.code), strings.Fields(d.tests)
			allowed := slices.Contains(code, f.pkg) || f.test && slices.Contains(tests, f.pkg)
			require.True(t, allowed, "%s imports %s: see doors", f.path, path)
			if !f.test || !slices.Contains(code, f.pkg) {
				used[d.imports+" "+f.pkg] = true
			}
		}
	}
	listed := make(map[string]bool)
	for _, d := range doors {
		for _, pkg := range strings.Fields(d.code + " " + d.tests) {
			listed[d.imports+" "+pkg] = true
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(used)), slices.Sorted(maps.Keys(listed)))
}

const testify = "github.com/stretchr/testify/"

// leadsOut reports whether an import needs a door.
func leadsOut(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	ours := strings.HasPrefix(path+"/", module)
	return strings.Contains(first, ".") && !ours || slices.Contains([]string{"unsafe", "syscall", "C"}, path)
}
