package lint

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// globals are the global variables of a source.
type globals struct {
	values   map[string]*value // what the script assigned to them, and to "table.x" of a library
	unknowns []unknownGlobal   // those that were read and are not there
}

// unknownGlobal is a place where a global is read that is not there.
type unknownGlobal struct {
	name string
	at   int32
}

// assignsGlobal reports an assignment to a global.
func (r *run) assignsGlobal(e *syntax.GlobalExpr) {
	r.report("global-assignment", e.At,
		"%s is a global variable, and scripts cannot assign to globals: declare it with local.", e.Name)
}

// protects is when the libraries became read-only.
var protects = release.From("6.2.7")

// assignsField notes an assignment to a field of a library, and reports it where it fails. Uses of
// the field are no mistakes then: they would go with the assignment.
func (r *run) assignsField(e *syntax.IndexExpr, library, field string, v *value) {
	name := fieldOf(library, field)
	if name == "" {
		return
	}
	if r.linter.target.Has(protects) {
		r.report("global-assignment", e.At, "%s is a field of a library, and scripts cannot change libraries: "+
			"declare a local variable.", name)
	}
	r.globals.values[name] = v
}

// fieldOf returns the full name of a field of a library, "" of what is no library. In Valkey,
// server is another name for redis, whose functions keep their one name here.
func fieldOf(library, field string) string {
	switch {
	case library == "server":
		library = "redis"
	case libraries[library] == "":
		return ""
	}
	return library + "." + field
}

// report reports globals that are not there, unless the script assigns to them, which
// is reported instead. It reports each name once.
func (g *globals) report(r *run) {
	told := make(map[string]bool)
	for _, u := range g.unknowns {
		if g.values[u.name] == nil && !told[u.name] {
			told[u.name] = true
			r.report("unknown-global", u.at, "%s does not exist in %s: %s.", u.name, r.linter.target, insteadOf(u.name))
		}
	}
}

// global returns the value of a global variable: KEYS or ARGV, what the script assigned to it, or
// what the target has. In a library of functions there are no KEYS and ARGV, and functions get them
// as parameters. Nothing is reported yet: a later line may assign to the name.
func (r *run) global(e *syntax.GlobalExpr) *value {
	if !r.functionLibrary {
		for _, in := range r.inputs {
			if in.name == e.Name {
				return in.value()
			}
		}
	}
	if v := r.globals.values[e.Name]; v != nil {
		return v
	}
	if inputName := e.Name == "KEYS" || e.Name == "ARGV"; !inputName && r.linter.knows(e.Name, "") {
		v := &value{kinds: isFunction, builtin: e.Name, parts: []part{{fromUnknown, e.Name}}}
		if _, fields := libraries[e.Name]; fields || e.Name == "server" {
			v.kinds = isTable
		}
		return v
	}
	if r.silent == 0 {
		r.globals.unknowns = append(r.globals.unknowns, unknownGlobal{e.Name, e.At})
	}
	return unknownAt("global " + e.Name)
}

// field returns a field of a library: what the script assigned to it, or what the target has. Names
// in capitals and math's constants are numbers or texts, all others functions.
func (r *run) field(e *syntax.IndexExpr, library string, key *value) *value {
	name := fieldOf(library, key.text)
	if name == "" {
		return unknownAt(library)
	}
	if v := r.globals.values[name]; v != nil && key.exact {
		return v
	}
	if key.exact && !r.linter.knows(library, key.text) {
		r.report("unknown-global", e.At, "%s does not exist in %s: %s.", name, r.linter.target, insteadOf(name))
	}
	v := &value{kinds: isFunction, builtin: name, parts: []part{{fromUnknown, name}}}
	if name := key.text; name == strings.ToUpper(name) || name == "pi" || name == "huge" {
		v = numberOf()
		if strings.HasSuffix(name, "_VERSION") || name == "SERVER_NAME" {
			v.kinds = isText
		}
	}
	return v
}
