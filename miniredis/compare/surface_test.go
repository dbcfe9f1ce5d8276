package compare

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	gotypes "go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	theirs = "github.com/alicebob/miniredis/v2"
	ours   = "github.com/miniserver-go/miniserver/miniredis"
)

// packages are those of the original that tests import, by what follows its path.
var packages = []string{"", "/server"}

// left are names of the original that are not here, or not with the same signature, and why. A name
// is written as in the table.
var left = map[string]string{}

// others are packages of the original that are not here, and why.
var others = map[string]string{
	"fpconv":      "the original needs it itself; Redis' numbers are in the server",
	"geohash":     "the original needs it itself; commands such as `GEOADD` are in the server",
	"gopher-json": "the original needs it itself; `cjson` is in the server",
	"hyperloglog": "the original needs it itself; `PFADD` and its relatives are in the server",
	"integration": "the original's tests",
	"metro":       "the original needs it itself",
	"proto":       "a client that the original's tests use; any client of Redis does the same",
	"size":        "the original needs it itself, for `MEMORY USAGE`",
}

var update = flag.Bool("update", false, "write the table of names into the page")

const page = "../../docs/start/miniredis.md"

// TestSurface: each exported name of the original is here with the same signature, or is listed
// with a reason; and the page shows that.
func TestSurface(t *testing.T) {
	var table strings.Builder
	known := map[string]bool{}
	names := 0
	for _, sub := range packages {
		original, here := surface(t, theirs+sub), surface(t, ours+sub)
		require.NotEmpty(t, original)
		fmt.Fprintf(&table, "\n**`miniredis%s`**\n\n| | the same here |\n|---|---|\n", sub)
		for _, group := range groups(original) {
			var same []string
			for _, name := range slices.Sorted(maps.Keys(original)) {
				if groupOf(name) != group {
					continue
				}
				full := strings.TrimPrefix(sub+"."+name, "/")
				why, differs := left[full]
				known[full] = differs
				switch {
				case !differs && here[name] == "":
					t.Errorf("%s is missing, and there is no reason for it", full)
				case !differs && here[name] != original[name]:
					t.Errorf("%s: the original is %s, and this is %s", full, original[name], here[name])
				case differs:
					require.NotEqual(t, original[name], here[name], "%s does not differ: %s", full, why)
				default:
					same = append(same, "`"+strings.TrimPrefix(name, group+".")+"`")
				}
			}
			names += len(same)
			fmt.Fprintf(&table, "| %s | %s |\n", title(group), strings.Join(same, ", "))
		}
	}
	for name := range left {
		require.True(t, known[name], "the original has no %s", name)
	}
	head := fmt.Sprintf("All %d exported names and signatures of version %s are here", names, version(t))
	if len(left) > 0 {
		head += fmt.Sprintf(", but for %d", len(left))
	}
	requireOnPage(t, head+":\n"+table.String()+leftOut(t))
}

// leftOut returns the table of what is not here.
func leftOut(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\nNot here:\n\n| | why |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(left)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, left[name])
	}
	var missing []string
	dir := goList(t, "-f", "{{.Dir}}", theirs)[0]
	for _, pkg := range goList(t, "-f", "{{.ImportPath}}", theirs+"/...") {
		if sub := strings.TrimPrefix(pkg, theirs); !slices.Contains(packages, sub) {
			missing = append(missing, strings.TrimPrefix(sub, "/"))
		}
	}
	require.DirExists(t, dir)
	require.Equal(t, slices.Sorted(maps.Keys(others)), missing, "packages of the original")
	for _, name := range missing {
		fmt.Fprintf(&b, "| package `%s` | %s |\n", name, others[name])
	}
	return b.String()
}

// version returns that of the original.
func version(t *testing.T) string { return goList(t, "-f", "{{.Module.Version}}", theirs)[0] }

// requireOnPage checks that the page has a text between its marks, or writes it there.
func requireOnPage(t *testing.T, text string) {
	const begin, end = "<!-- names -->\n", "<!-- end of names -->\n"
	old, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(old), begin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644))
		return
	}
	require.Equal(t, before+begin+"\n"+text+"\n"+end+after, string(old),
		"go test ./miniredis/compare -run Surface -update")
}

// groups returns the types whose methods and fields names are, and "" for those that are none.
func groups(names map[string]string) []string {
	of := map[string]bool{}
	for name := range names {
		of[groupOf(name)] = true
	}
	return slices.Sorted(maps.Keys(of))
}

func groupOf(name string) string {
	before, _, found := strings.Cut(name, ".")
	if !found {
		return ""
	}
	return before
}

func title(group string) string {
	if group == "" {
		return "functions, types, variables"
	}
	return "`" + group + "`"
}

// surface returns the exported names of a package with their signatures: fields and methods as
// Type.Name. Names of packages in the signatures are those of their folders.
func surface(t *testing.T, path string) map[string]string {
	pkg := load(t, path)
	names := map[string]string{}
	short := func(p *gotypes.Package) string {
		for _, root := range []string{theirs, ours} {
			if p.Path() == root || strings.HasPrefix(p.Path(), root+"/") {
				return "miniredis" + strings.TrimPrefix(p.Path(), root)
			}
		}
		return p.Path()
	}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		kind := strings.Fields(gotypes.ObjectString(o, short))[0]
		if _, isType := o.(*gotypes.TypeName); !isType {
			names[name] = kind + " " + written(o.Type(), short)
			continue
		}
		names[name] = kind + " " + shape(o.Type().Underlying(), short)
		methods := gotypes.NewMethodSet(gotypes.NewPointer(o.Type()))
		for i := range methods.Len() {
			if m := methods.At(i).Obj(); m.Exported() {
				names[name+"."+m.Name()] = written(m.Type(), short)
			}
		}
		if s, ok := o.Type().Underlying().(*gotypes.Struct); ok {
			for i := range s.NumFields() {
				if f := s.Field(i); f.Exported() {
					names[name+"."+f.Name()] = written(f.Type(), short)
				}
			}
		}
	}
	return names
}

// shape returns the type that a type is made of; what a struct has inside is told by its fields.
func shape(of gotypes.Type, short gotypes.Qualifier) string {
	if _, ok := of.(*gotypes.Struct); ok {
		return "struct"
	}
	return written(of, short)
}

// written returns a type as text, without the names of parameters, which do not matter to callers.
func written(of gotypes.Type, short gotypes.Qualifier) string {
	return strings.ReplaceAll(gotypes.TypeString(unnamed(of), short), "interface{}", "any")
}

// unnamed returns a type without the names of parameters.
func unnamed(of gotypes.Type) gotypes.Type {
	switch of := of.(type) {
	case *gotypes.Signature:
		params, results := unnamedTuple(of.Params()), unnamedTuple(of.Results())
		return gotypes.NewSignatureType(nil, nil, nil, params, results, of.Variadic())
	case *gotypes.Interface:
		var methods []*gotypes.Func
		for m := range of.Methods() {
			signature := unnamed(m.Type()).(*gotypes.Signature)
			methods = append(methods, gotypes.NewFunc(token.NoPos, m.Pkg(), m.Name(), signature))
		}
		return gotypes.NewInterfaceType(methods, nil).Complete()
	}
	return of
}

func unnamedTuple(of *gotypes.Tuple) *gotypes.Tuple {
	var vars []*gotypes.Var
	for v := range of.Variables() {
		vars = append(vars, gotypes.NewParam(token.NoPos, v.Pkg(), "", unnamed(v.Type())))
	}
	return gotypes.NewTuple(vars...)
}

// load reads what a package exports, as the compiler has written it.
func load(t *testing.T, path string) *gotypes.Package {
	type listed struct{ ImportPath, Export string }
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", path)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	exports := map[string]string{}
	for in := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		exports[p.ImportPath] = p.Export
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(filepath.Clean(exports[path])) }
	pkg, err := importer.ForCompiler(token.NewFileSet(), "gc", open).Import(path)
	require.NoError(t, err)
	return pkg
}

// goList returns the words that go list prints.
func goList(t *testing.T, args ...string) []string {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}
