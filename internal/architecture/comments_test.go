package architecture

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// properNames look like identifiers and are none of this code: of Redis' and Lua's sources, of
// others, and placeholders.
var properNames = strings.Fields(`
	clientsCron forceCommandPropagation freeClient hasActiveChildProcess mustObeyClient processCommand
	FuncState hexDigits luaL_error luaL_checkint luaH_resize ValueType
	FreeBSD GitHub HeavyKeeper HyperLogLog KeyDB KiB McIlroy MiB MurmurHash2 MurmurHash64A RedisBloom RedisJSON
	RedisTimeSeries RediSearch SplitMix64
	cmdX TestCart NaN`)

var (
	innerCapital = regexp.MustCompile(`(?:^|[^\\.\w])([A-Za-z][a-z0-9]*[a-z][A-Z]\w*|[a-z][A-Z]\w*)`)
	callWithout  = regexp.MustCompile(`(?:^|[^\\.\w])([A-Za-z]\w*)\(\)`)
	qualified    = regexp.MustCompile(`(?:^|[^\\.\w])([A-Za-z]\w*)\.([A-Z]\w*)`)
	fileName     = regexp.MustCompile(`[\w./-]*\w\.(?:go|md)\b`)
	anyWord      = regexp.MustCompile(`[A-Za-z]\w*`)
	majorVersion = regexp.MustCompile(`^v\d+$`)
	ownName      = regexp.MustCompile(`^(?:([a-z]\w*)|([A-Z]\w*) (?:returns|reports)) `)
)

// names are what comments may name.
type names struct {
	words   map[string]bool            // identifiers, and words in string literals
	members map[string]map[string]bool // of packages and types: what they declare
	open    map[string]bool            // types with members that are declared elsewhere
	imports map[string][]string        // the paths of packages, by their last element
	files   []string
}

// TestCommentsNameWhatExists finds names in comments that are not, or no longer, in the code: words
// with an inner capital, name(), Type.Method, package.Name, files. A name that goes leaves such
// comments behind, since no compiler reads them.
func TestCommentsNameWhatExists(t *testing.T) {
	files := allFiles(t)
	n := namesIn(files)
	for _, f := range files {
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				for _, name := range n.strange(filepath.Dir(f.path), c.Text) {
					t.Errorf("%s: a comment names %s, which does not exist: %s", f.path, name, c.Text)
				}
			}
		}
		for _, d := range f.ast.Decls {
			if name, doc := documented(d); name != "" && !strings.HasPrefix(name, "Test") {
				first := ownName.FindStringSubmatch(doc)
				if first != nil && cmp.Or(first[1], first[2]) != name {
					t.Errorf("%s: the comment on %s begins as if it were on %s", f.path, name, first[0])
				}
			}
		}
	}
}

// documented returns the name of a function, or of a type that is declared alone, and its comment.
func documented(d ast.Decl) (name, doc string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name, d.Doc.Text()
	case *ast.GenDecl:
		if spec, ok := d.Specs[0].(*ast.TypeSpec); ok && len(d.Specs) == 1 {
			return spec.Name.Name, d.Doc.Text()
		}
	}
	return "", ""
}

func namesIn(files []file) *names {
	n := &names{words: make(map[string]bool), members: make(map[string]map[string]bool),
		open: make(map[string]bool), imports: make(map[string][]string)}
	for _, name := range properNames {
		n.words[name] = true
	}
	for _, f := range files {
		n.files = append(n.files, filepath.ToSlash(f.path))
		for _, imp := range f.ast.Imports {
			to, _ := strconv.Unquote(imp.Path.Value)
			if name := packageOf(to); !slices.Contains(n.imports[name], to) {
				n.imports[name] = append(n.imports[name], to)
			}
		}
		n.declare(f.ast)
		ast.Inspect(f.ast, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.Ident:
				n.words[node.Name] = true
			case *ast.BasicLit:
				for _, w := range anyWord.FindAllString(node.Value, -1) {
					n.words[w] = true
				}
			}
			return true
		})
	}
	return n
}

// packageOf returns the name that a package has, as far as its path tells.
func packageOf(importPath string) string {
	if dir, last := path.Split(importPath); dir != "" && majorVersion.MatchString(last) {
		importPath = path.Clean(dir)
	}
	return strings.TrimPrefix(path.Base(importPath), "go-")
}

// declare notes what a file declares in its package and in its types.
func (n *names) declare(f *ast.File) {
	pkg := strings.TrimSuffix(f.Name.Name, "_test")
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			n.add(pkg, d.Name.Name)
			if d.Recv != nil {
				n.add(typeName(d.Recv.List[0].Type), d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					n.add(pkg, spec.Name.Name)
					n.declareType(spec)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						n.add(pkg, name.Name)
					}
				}
			}
		}
	}
}

func (n *names) declareType(spec *ast.TypeSpec) {
	name := spec.Name.Name
	n.add(name, "")
	switch spec.Type.(type) {
	case *ast.StructType, *ast.InterfaceType:
	default:
		n.open[name] = true
	}
	ast.Inspect(spec.Type, func(node ast.Node) bool {
		if field, ok := node.(*ast.Field); ok {
			for _, id := range field.Names {
				n.add(name, id.Name)
			}
			if len(field.Names) == 0 {
				n.add(name, typeName(field.Type))
				n.open[name] = true
			}
		}
		return true
	})
}

func (n *names) add(of, name string) {
	if n.members[of] == nil {
		n.members[of] = make(map[string]bool)
	}
	n.members[of][name] = true
}

// typeName returns the name of a type without its package, its parameters and its star.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// strange returns the names in a comment of a file in folder that do not exist.
func (n *names) strange(folder, text string) (list []string) {
	for _, of := range []*regexp.Regexp{innerCapital, callWithout} {
		for _, m := range of.FindAllStringSubmatch(text, -1) {
			known := n.words[m[1]] || n.words[strings.TrimSuffix(m[1], "s")]
			if !known && !slices.Contains(list, m[1]) {
				list = append(list, m[1])
			}
		}
	}
	for _, m := range qualified.FindAllStringSubmatch(text, -1) {
		if !n.has(m[1], m[2]) {
			list = append(list, m[1]+"."+m[2])
		}
	}
	for _, name := range fileName.FindAllString(text, -1) {
		if !strings.Contains(text, "://") && !n.hasFile(folder, name) {
			list = append(list, name)
		}
	}
	return list
}

// has reports whether a package or a type has the member. A package of others is read when a
// comment first names something that it is not known to declare.
func (n *names) has(of, member string) bool {
	if n.members[of][member] || n.open[of] || n.words[of+"."+member] {
		return true
	}
	if of == strings.ToUpper(of) { // the name of a command
		return true
	}
	if from := n.imports[of]; from != nil {
		n.imports[of] = nil
		for _, path := range from {
			for _, f := range declarations(path) {
				n.declare(f)
			}
		}
		return n.members[of][member]
	}
	return n.members[of] == nil && n.words[member]
}

// declarations parses a package of the standard library or of a module; none if there is no such
// one.
func declarations(of string) (list []*ast.File) {
	cmd := exec.Command("go", "list", "-f", "{{.Dir}}", of)
	cmd.Dir = filepath.Join("..", "..")
	dir, _ := cmd.Output()
	paths, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
	for _, p := range paths {
		if f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.SkipObjectResolution); err == nil {
			list = append(list, f)
		}
	}
	return list
}

// hasFile reports whether there is a file of that name: in a folder, in the repository, or in Go's
// sources.
func (n *names) hasFile(folder, name string) bool {
	for _, root := range []string{folder, filepath.Join("..", ".."), goSources()} {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err == nil {
			return true
		}
	}
	return slices.ContainsFunc(n.files, func(p string) bool { return strings.HasSuffix(p, "/"+name) })
}

var goSources = sync.OnceValue(func() string {
	root, _ := exec.Command("go", "env", "GOROOT").Output()
	return filepath.Join(strings.TrimSpace(string(root)), "src")
})

// TestStrangeNames shows what the test above finds. Names that do not exist have a ~ inside here.
func TestStrangeNames(t *testing.T) {
	n := namesIn(allFiles(t))
	for text, want := range map[string]string{
		"See Keyspace.Lookup and keyspace.New.":   "",
		"See strings.Builder, and raft.Storage.": "",
		"BF.ADD, GitHub, https://x/y.go, \\uXXXX": "",
		"none~Such, and gone~Away() too":          "none~Such gone~Away",
		"keyspace.No~Such, Entry.No~Such":         "keyspace.No~Such Entry.No~Such",
		"strings.No~Such, no~such.go":             "strings.No~Such no~such.go",
	} {
		real := func(text string) string { return strings.ReplaceAll(text, "~", "") }
		require.Equal(t, real(want), strings.Join(n.strange(".", real(text)), " "), text)
	}
}
