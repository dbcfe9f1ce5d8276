package recording

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Names are the names of host functions as scripts write them. They are collected when they are
// needed first.
type Names struct {
	Commands *command.Table
	Globals  func() []*lua.Table // of the sandboxes; of two names for a function the later one is used

	functions map[*lua.Function]string
	calls     map[[2]string]string // of redis.call and redis.pcall with a command, as it is typed
}

// Forget lets the names be collected anew: the sandboxes have others.
func (n *Names) Forget() { n.functions, n.calls = nil, nil }

// maxCallNames bounds the ways to type commands.
const maxCallNames = 1000

// Of returns the name of a host function, with the command for redis.call.
func (n *Names) Of(fn *lua.Function, first lua.Value) string {
	if n.functions == nil {
		n.functions, n.calls = make(map[*lua.Function]string), make(map[[2]string]string)
		for _, globals := range n.Globals() {
			nameFields(n.functions, "", globals)
		}
	}
	name, known := n.functions[fn]
	if !known {
		return fn.Name()
	}
	if text, ok := first.AsString(); ok && (name == "redis.call" || name == "redis.pcall") {
		return n.callName(name, text)
	}
	return name
}

// callName returns the name of redis.call with a command, without it if there is no such command.
func (n *Names) callName(name, typed string) string {
	if full, known := n.calls[[2]string{name, typed}]; known {
		return full
	}
	cmd := n.Commands.Named(typed)
	if cmd == nil {
		return name
	}
	full := name + " " + strings.ToUpper(cmd.Name)
	if len(n.calls) < maxCallNames {
		n.calls[[2]string{name, strings.Clone(typed)}] = full
	}
	return full
}

// nameFields names the functions in the fields of a table, and those in the tables of the fields.
func nameFields(names map[*lua.Function]string, prefix string, t *lua.Table) {
	for k, v, more, _ := t.Next(nil, lua.Nil); more; k, v, more, _ = t.Next(nil, k) {
		field, _ := k.AsString()
		switch fn, inner := v.AsFunction(), v.AsTable(); {
		case fn != nil:
			names[fn] = prefix + field
		case inner != nil && prefix == "" && field != "_G" && field != "server":
			nameFields(names, field+".", inner)
		}
	}
}
