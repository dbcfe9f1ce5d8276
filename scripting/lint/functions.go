package lint

import (
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// callback is a function that a library registers.
type callback struct {
	body     *syntax.Function
	readOnly bool // it has the flag no-writes
}

// register notes redis.register_function(name, f) or redis.register_function{function_name = ...,
// callback = f}.
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

// runCallback follows a function of a library as FCALL calls it: with the keys and the arguments.
// What it returns is the reply. Each callback has inputs of its own, named after its parameters, so
// that what one of them does not use is reported in the words of its source.
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
