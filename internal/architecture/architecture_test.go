// Package architecture holds the test of the layers: which package may import which, which may read
// the clock, and which may reach beyond Go: third-party code, system calls, unsafe.
package architecture

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/miniserver-go/miniserver/"

// layers are the packages from top to bottom. A package may import only packages of lower layers.
var layers = [][]string{
	{"bench", "examples/programs", "internal/console/browser", "miniredis/compare", "miniredis/compare/suites"},
	{"cmd/miniserver", "internal/e2e"},
	{"internal/cli"},
	{"internal/cli/serve", "internal/cli/script", "internal/cli/test", "internal/cli/lint", "internal/cli/files",
		"internal/cli/remote", "internal/cli/help"},
	{"internal/cli/subcommand", "internal/cli/goruntime"},
	{"cluster"},
	{".", "miniredis"},
	{"miniredis/server"},
	{"internal/console/consoletest"},
	{"internal/console"},
	{"internal/hunt"},
	{"internal/difftest"},
	{"internal/readme"},
	{"internal/corpus"},
	{"internal/corpus/family"},
	{"internal/transcript"},
	{"internal/luacases"},
	{"internal/likeness"},
	{"internal/reference"},
	{"internal/launch", "internal/progress", "internal/dataset", "internal/quick", "internal/hunt/linear"},
	{"internal/assembly"},
	{"internal/shards"},
	{"internal/testkit"},
	{"persistence/fixture"},
	{"scripting/tools", "search"},
	{"server", "scripting", "internal/replication", "internal/replication/migrate", "persistence/journal",
		"internal/sentinel", "internal/group"},
	{"internal/group/consensus"},
	{"internal/replication/psync"},
	{"persistence/jsonlines"},
	{"persistence/snapshot"},
	{"persistence/payload"},
	{"scripting/cache", "scripting/library", "scripting/recording"},
	{"scripting/redislib", "scripting/ldb", "scripting/dap", "scripting/profile", "scripting/program",
		"scripting/reply"},
	{"scripting/debugger"},
	{"scripting/lint"},
	{"scripting/lua"},
	{"scripting/lua/generate"},
	{"scripting/lua/syntax"},
	{"scripting/lua/number"},
	{"internal/commands"},
	{"internal/commands/geo", "internal/commands/ratelimit", "internal/commands/keys", "internal/commands/clients",
		"internal/commands/debug"},
	{"internal/commands/strings", "internal/commands/hashes", "internal/commands/lists", "internal/commands/sets",
		"internal/commands/zsets", "internal/commands/streams", "internal/commands/bitmaps",
		"internal/commands/sketches", "internal/commands/json", "internal/commands/arrays",
		"internal/commands/timeseries", "internal/commands/vectors",
		"internal/commands/explain",
		"internal/commands/introspection",
		"internal/commands/server", "internal/commands/cluster",
		"internal/commands/config", "internal/commands/slowlog", "internal/commands/latency",
		"internal/commands/hotkeys",
		"internal/commands/pubsub",
		"internal/commands/tracking", "internal/commands/monitor", "internal/commands/transactions",
		"internal/commands/acl"},
	{"internal/commands/search"},
	{"internal/commands/elements", "internal/commands/shutdown", "internal/commands/defrag",
		"internal/commands/encodings"},
	{"internal/engine"},
	{"internal/search/lint"},
	{"internal/search/aggregate"},
	{"internal/search/index"},
	{"internal/search/query", "internal/search/expr"},
	{"internal/search/text"},
	{"internal/eviction"},
	{"internal/config", "internal/permission"},
	{"internal/command", "internal/event"},
	{"persistence/disk"},
	{"persistence/rdb"},
	{"internal/keyspace"},
	{"internal/acl"},
	{"internal/glob", "internal/regex"},
	{"ds/json/path", "ds/vectors/filter"},
	{"ds/zset", "ds/hash", "ds/set", "ds/list", "ds/stream", "ds/hll", "ds/bloom", "ds/cuckoo", "ds/countmin",
		"ds/topk", "ds/tdigest", "ds/json", "ds/array", "ds/timeseries", "ds/vectors", "ds/str", "ds/suggest"},
	{"ds/table"},
	{"ds/listpack", "ds/expiry", "ds/frozen"},
	{"ds/skiplist", "ds/ziplist", "ds/dict", "ds/deadlines", "ds/intset", "ds/geohash", "ds/bitmap", "ds/xxh3",
		"ds/murmur", "ds/partsort", "ds/pages", "ds/hnsw"},
	{"ds/arena", "ds/value/valuetest"},
	{"ds/sizeclass", "ds/slab", "ds/value"},
	{"ds/parallel", "ds/simd", "internal/libm", "internal/release", "internal/errno", "internal/spelling",
		"internal/invariants"},
	{"internal/topology"},
	{"resp", "examples", "packaging/completions", "internal/slot", "internal/build"},
}

// knowsTime are the packages that may read the machine's clock and throw dice, with those below
// them.
var knowsTime = []string{
	".", "miniredis", "server", "persistence/journal", "persistence/snapshot", "scripting/dap", "internal/replication",
	"internal/group", "internal/console", "internal/assembly", "internal/cli", "bench", "examples/programs",
	"internal/corpus", "internal/difftest", "internal/hunt", "internal/launch", "internal/luacases",
	"internal/progress", "internal/readme", "internal/reference", "internal/transcript",
}

// atSurface reports whether the package, or one it is part of, is listed in knowsTime.
func atSurface(pkg string) bool {
	return slices.ContainsFunc(knowsTime, func(p string) bool { return pkg == p || strings.HasPrefix(pkg, p+"/") })
}

type file struct {
	pkg, path string
	test      bool
	ast       *ast.File
}

// sources returns the files of all modules that are no tests.
func sources(t *testing.T) []file {
	return slices.DeleteFunc(allFiles(t), func(f file) bool { return f.test })
}

// allFiles returns the files of all modules, those of tests too.
func allFiles(t *testing.T) []file {
	files, err := parsed()
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return slices.Clone(files)
}

// parsed parses all files once, as all tests read the same.
var parsed = sync.OnceValues(func() (files []file, err error) {
	root := filepath.Join("..", "..")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" ||
			strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		pkg, err := filepath.Rel(root, filepath.Dir(path))
		files = append(files, file{filepath.ToSlash(pkg), path, strings.HasSuffix(path, "_test.go"), parsed})
		return err
	})
	return files, err
})

func layerOf(pkg string) int {
	return slices.IndexFunc(layers, func(names []string) bool {
		return slices.ContainsFunc(names,
			func(n string) bool { return pkg == n || strings.HasPrefix(pkg, n+"/") && n == "bench" })
	})
}

func TestArrowsPointDown(t *testing.T) {
	for _, f := range sources(t) {
		from := layerOf(f.pkg)
		if from < 0 {
			require.Failf(t, "package is not in the drawing", "%s", f.pkg)
		}
		for _, imp := range f.ast.Imports {
			path, _ := strconv.Unquote(imp.Path.Value)
			if to, ours := strings.CutPrefix(path+"/", module); ours {
				to = cmp.Or(strings.TrimSuffix(to, "/"), ".")
				require.Greater(t, layerOf(to), from-boolInt(samePackage(f.pkg, to)), "%s imports %s", f.path, to)
			}
		}
	}
}

func samePackage(a, b string) bool {
	return strings.HasPrefix(a, "bench") && strings.HasPrefix(b, "bench")
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestNoStrayClockOrDice(t *testing.T) {
	forbidden := map[string][]string{"time": {"Now", "Since", "Until", "Sleep", "After", "NewTimer", "NewTicker"}}
	for _, f := range sources(t) {
		if atSurface(f.pkg) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Obj == nil {
				require.NotContains(t, forbidden[pkg.Name], sel.Sel.Name, "%s uses %s.%s", f.path,
					pkg.Name, sel.Sel.Name)
			}
			return true
		})
		for _, imp := range f.ast.Imports {
			require.NotEqual(t, `"math/rand"`, imp.Path.Value, "%s: dice are handed in", f.path)
		}
	}
}

// TestDurationsAreOfTheMonotonicClock finds moments that are kept as a number since 1970: if
// somebody sets the wall clock, the time that has passed since then is wrong, so a sync or a time
// limit may be an hour late.
func TestDurationsAreOfTheMonotonicClock(t *testing.T) {
	for _, f := range sources(t) {
		if strings.HasPrefix(f.pkg, "bench") || strings.HasPrefix(f.pkg, "examples") ||
			strings.HasPrefix(f.pkg, "internal/hunt") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if method, ok := n.(*ast.SelectorExpr); ok && strings.HasPrefix(method.Sel.Name, "Unix") {
				if call, ok := method.X.(*ast.CallExpr); ok {
					now, ok := call.Fun.(*ast.SelectorExpr)
					require.False(t, ok && now.Sel.Name == "Now" && len(call.Args) == 0, "%s keeps time.Now().%s",
						f.path, method.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestNoGoroutineBelowTheSurface(t *testing.T) {
	for _, f := range sources(t) {
		if atSurface(f.pkg) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			_, isGo := n.(*ast.GoStmt)
			require.False(t, isGo, "%s starts a goroutine", f.path)
			return true
		})
	}
}

// TestErrorsAreUsed finds errors that no code sends any more.
func TestErrorsAreUsed(t *testing.T) {
	type name struct{ pkg, name string } // pkg is empty for exported names, which other packages may use
	nameIn := func(pkg, n string) name {
		if ast.IsExported(n) {
			pkg = ""
		}
		return name{pkg, n}
	}
	declared, used := map[name]string{}, map[name]int{}
	for _, f := range sources(t) {
		if filepath.Base(f.path) == "errors.go" {
			for n := range f.ast.Scope.Objects {
				declared[nameIn(f.pkg, n)] = f.path
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[nameIn(f.pkg, id.Name)]++
			}
			return true
		})
	}
	require.NotEmpty(t, declared)
	for n, path := range declared {
		require.Greater(t, used[n], 1, "%s: %s is never sent", path, n.name)
	}
}

// TestErrorsAreComplete finds an Error that is a format by mistake, which nothing would complete,
// and a format without a verb.
func TestErrorsAreComplete(t *testing.T) {
	verb := regexp.MustCompile(`%(\[\d\])?[a-z]`)
	for _, f := range sources(t) {
		if filepath.Base(f.path) != "errors.go" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			value := spec.Values[0]
			conversion, isError := value.(*ast.CallExpr)
			if isError {
				value = conversion.Args[0]
			}
			text := literals(value)
			require.NotEmpty(t, text, "%s: %s", f.path, spec.Names[0])
			isFormat := !isError && spec.Type == nil
			require.Equal(t, isFormat, verb.MatchString(text), "%s: %s", f.path, spec.Names[0])
			return false
		})
	}
}

// literals returns the strings of a sum as they are written, one after the other; empty if one of
// its terms is none.
func literals(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value
	case *ast.BinaryExpr:
		if left, right := literals(e.X), literals(e.Y); left != "" && right != "" {
			return left + right
		}
	}
	return ""
}
