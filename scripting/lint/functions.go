package lint

import (
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// callback is a function that a library registers.
type callback struct {
	body     *syntax.Function
	readOnly bool
}

// register notes redis.register_function(name, f) or redis.register_function{function_name = ..., callback = f}.
func (r *run) register(e *syntax.CallExpr) {
	values, _ := r.list(e.Args)
	if len(values) >= 2 && values[1].body != nil {
		r.callbacks = append(r.callbacks, callback{values[1].body, false})
		return
	}
	if len(values) != 1 || values[0].table == nil {
		return
	}
	options := values[0].table
	f := options.items["callback"]
	if f == nil || f.body == nil {
		return
	}
	c := callback{body: f.body}
	if flags := options.items["flags"]; flags != nil && flags.table != nil {
		for _, flag := range flags.table.items {
			c.readOnly = c.readOnly || flag.exact && flag.text == "no-writes"
		}
	}
	r.callbacks = append(r.callbacks, c)
}

// runCallback follows a function of a library as FCALL calls it: with the keys and the arguments. What it returns is the
// reply.
func (r *run) runCallback(c callback) {
	inputs := []*input{newInput("KEYS", fromKeys), newInput("ARGV", fromArgv)}
	for i, p := range c.body.Params {
		if i < len(inputs) {
			inputs[i].name = p.Name
			r.scope.values[p] = inputs[i].value()
		} else {
			r.scope.values[p] = &value{kinds: isNil}
		}
	}
	r.inputs = append(r.inputs, inputs...)
	r.readOnly = c.readOnly
	r.follow(&frame{fn: c.body, outer: r.frame, main: true})
	r.readOnly = false
}

// value returns KEYS or ARGV as a value.
func (in *input) value() *value {
	element := &value{kinds: isText, parts: []part{{in.from, in.name + "[?]"}}}
	return &value{kinds: isTable, table: &table{input: in, rest: element}, parts: []part{{fromUnknown, in.name}}}
}

// declaration is a local variable that holds an element of KEYS or ARGV, or a reply of redis.pcall.
type declaration struct {
	variable *syntax.Variable
	value    *value
}

// declares notes a local variable with its first value.
func (r *run) declares(v *syntax.Variable, known *value) {
	if strings.HasPrefix(v.Name, "_") || known == nil {
		return
	}
	if len(known.parts) == 1 && (known.parts[0].from == fromKeys || known.parts[0].from == fromArgv) || known.pending != nil {
		r.declared = append(r.declared, declaration{v, known})
	}
}

// global returns the value of a global variable.
func (r *run) global(e *syntax.GlobalExpr) *value {
	if !r.functionLibrary {
		for _, in := range r.inputs {
			if in.name == e.Name {
				return in.value()
			}
		}
	}
	if v := r.globals[e.Name]; v != nil {
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
		r.unknowns = append(r.unknowns, unknownGlobal{e.Name, e.At})
	}
	return unknownAt("global " + e.Name)
}

// field returns a field of a library.
func (r *run) field(e *syntax.IndexExpr, library string, key *value) *value {
	if libraries[library] == "" && library != "server" {
		return unknownAt(library)
	}
	name := fmt.Sprintf("%s.%s", library, key.text)
	if library == "server" {
		name = "redis." + key.text
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
