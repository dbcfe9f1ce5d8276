package scripting

import (
	"cmp"
	"strings"

	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/scripting/library"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/program"
	"github.com/miniserver-go/miniserver/scripting/reply"
)

// registration is one call of redis.register_function.
type registration struct {
	*wording
	in *library.Library // that is loaded
	f  *library.Function
}

// textsEndAtZero is when a zero byte began to end the code of a library, and the description of a
// function.
var textsEndAtZero = release.From("valkey:8.1.0")

// redis.register_function(name, callback) or redis.register_function{function_name=, callback=,
// ...}
func (in *interpreter) luaRegister(_ *lua.State, c *lua.Call) {
	l := in.loading
	r := registration{&in.wording, l,
		&library.Function{Program: program.Program{Flags: program.Declared, Box: &in.functions}, Library: l}}
	switch {
	case l == nil:
		in.raise(errNotLoading)
	case c.NArgs() == 1:
		r.named(c.Arg(1).AsTable())
	case c.NArgs() == 2:
		r.plain(c)
	default:
		in.raise(errRegisterArgs)
	}
	if err := r.refusal(); err != nil && in.engine.Release.Has(checksNamesLast) {
		l.Refused = cmp.Or(l.Refused, err)
	} else if err != nil {
		in.raise(err)
	}
	r.f.Chunk = &l.Chunk
	l.Functions = append(l.Functions, r.f)
}

// checksNamesLast is when the names of functions began to be checked after the library has run.
var checksNamesLast = release.From("valkey:8.1.0")

// refusal returns why a function cannot have its name in the library that is loaded, nil if it can.
func (r registration) refusal() error {
	switch {
	case r.in.Find(r.f.Name) != nil:
		return errFunctionExists
	case library.ValidName(r.f.Name):
		return nil
	case r.engine.Release.Has(checksNamesLast):
		return errFunctionName
	}
	return library.ErrName
}

// plain reads a name and a callback.
func (r registration) plain(c *lua.Call) {
	r.f.Name = r.text(c.Arg(1), errRegisterName)
	if r.f.Fn = c.Arg(2).AsFunction(); r.f.Fn == nil {
		r.raise(errRegisterRun)
	}
}

// text returns a copy of v that outlives the run, or raises err if v is not a text.
func (r registration) text(v lua.Value, err error) string {
	text, ok := v.ToString()
	if !ok {
		r.raise(err)
	}
	return strings.Clone(text)
}

// named reads a table of named arguments.
func (r registration) named(args *lua.Table) {
	if args == nil {
		r.raise(errRegisterOne)
	}
	named := false
	for k, v, more, _ := args.Next(nil, lua.Nil); more; k, v, more, _ = args.Next(nil, k) {
		switch strings.ToLower(r.text(k, errNamedKey)) {
		case "function_name":
			named, r.f.Name = true, r.text(v, r.engine.Commands.Errorf(errNamedText, "function_name"))
		case "description":
			description := r.text(v, r.engine.Commands.Errorf(errNamedText, "description"))
			if r.engine.Release.Has(textsEndAtZero) {
				description = reply.CText(description)
			}
			r.f.Description = &description
		case "callback":
			if r.f.Fn = v.AsFunction(); r.f.Fn == nil {
				r.raise(errNamedRun)
			}
		case "flags":
			r.f.Flags |= r.flags(v.AsTable())
		default:
			r.raise(errNamedUnknown)
		}
	}
	switch {
	case !named:
		r.raise(errNamedNoName)
	case r.f.Fn == nil:
		r.raise(errNamedNoRun)
	}
}

// flags reads flags up to the first nil.
func (r registration) flags(t *lua.Table) (f program.Flags) {
	if t == nil {
		r.raise(errNamedFlags)
	}
	for i := 1; ; i++ {
		v := t.GetInt(i)
		if v.IsNil() {
			return f
		}
		name, _ := v.ToString()
		flag, ok := program.FlagOf(strings.ToLower(name))
		if !ok {
			r.raise(errUnknownFlag)
		}
		f |= flag
	}
}
