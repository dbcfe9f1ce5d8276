package scripting

import (
	"cmp"
	"errors"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// A library is a text that begins with its metadata, "#!lua name=mylib", and registers functions when it
// runs:
//
//	redis.register_function('name', callback)
//	redis.register_function{function_name='name', callback=callback, flags={'no-writes'}, description='text'}
//
// While it runs it has few globals and no access to data. Then the globals of functions take their place.

// loadLimit is the time in which a library must load, in microseconds.
const loadLimit = 500_000

// loadLibrary compiles and runs a library whose name must not be in taken.
func (s *Scripts) loadLibrary(source []byte, taken *registry) (*library, error) {
	l := &library{chunk: chunk{kind: s.functions.kind(), source: string(source)}}
	engineName, code, err := l.metadata(s.engine)
	switch {
	case err != nil:
		return nil, err
	case !validName(l.name):
		return nil, errName
	case !strings.EqualFold(engineName, "lua"):
		return nil, command.Errorf(errEngine, engineName)
	case taken.libraries[l.name] != nil:
		return nil, command.Errorf(errLibraryExists, l.name)
	}
	return l, s.runLibrary(l, code)
}

// metadata reads a library's first line and returns the code after it. The code begins with the line's end, so that
// line numbers stay.
func (l *library) metadata(e *engine.Engine) (engineName, code string, err error) {
	if !strings.HasPrefix(l.source, "#!") {
		return "", "", errNoMetadata
	}
	end := strings.IndexAny(l.source, "\n\x00")
	if end < 0 || l.source[end] == 0 {
		return "", "", errMetadata
	}
	words, ok := e.Words([]byte(l.source[:end]), nil)
	if !ok || len(words) == 0 {
		return "", "", errMetadata
	}
	named := false
	for _, w := range words[1:] {
		switch text := string(w); {
		case len(text) < 5 || !strings.EqualFold(text[:5], "name="):
			return "", "", command.Errorf(errMetadataValue, text)
		case named:
			return "", "", errNamedTwice
		default:
			named, l.name = true, text[5:]
		}
	}
	if !named {
		return "", "", errNotNamed
	}
	return string(words[0][2:]), l.source[end:], nil
}

// validName reports whether a name is valid for libraries and functions.
func validName(name string) bool {
	for i := range len(name) {
		ch := name[i]
		letter := 'a' <= ch|0x20 && ch|0x20 <= 'z'
		if !letter && (ch < '0' || ch > '9') && ch != '_' {
			return false
		}
	}
	return name != ""
}

// textsEndAtZero is when a zero byte began to end the code of a library, and the description of a function.
var textsEndAtZero = release.From("valkey:8.1.0")

// runLibrary compiles and runs a library.
func (s *Scripts) runLibrary(l *library, code string) error {
	if s.engine.Release.Has(textsEndAtZero) {
		code = cText(code)
	}
	var err error
	l.library, l.code = l.name, code
	if l.proto, err = s.proto(code, s.functions.chunk); err != nil {
		return command.Errorf(errCompileFunction, err)
	}
	if s.functions.globals == nil {
		s.openFunctions()
	}
	fn := s.load(&s.functions, l.proto)
	s.loading, s.started = l, s.engine.Watch()
	s.lua.SetMemoryLimit(int(s.memoryLimit))
	s.functions.globals.Swap(s.sparse)
	if s.own.recorder != nil {
		s.own.recorder.begin(&l.chunk)
	}
	_, err = s.lua.Run(fn)
	if s.own.recorder != nil {
		s.own.recorder.end()
	}
	s.functions.globals.Swap(s.sparse)
	s.loading = nil
	s.trim()
	var failed *lua.Error
	switch {
	case errors.As(err, &failed):
		return command.Errorf(errRegistering, s.errorText(failed))
	case len(l.functions) == 0:
		return errNoFunctions
	}
	return l.refused
}

// redis.register_function(name, callback) or redis.register_function{function_name=, callback=, ...}
func (s *Scripts) luaRegister(_ *lua.State, c *lua.Call) {
	f := &function{program: program{flags: declared, box: &s.functions}, library: s.loading}
	switch {
	case s.loading == nil:
		s.raise(errNotLoading)
	case c.NArgs() == 1:
		s.registerNamed(f, c.Arg(1).AsTable())
	case c.NArgs() == 2:
		s.registerPlain(f, c)
	default:
		s.raise(errRegisterArgs)
	}
	if err := s.refusal(f); err != nil && s.engine.Release.Has(checksNamesLast) {
		s.loading.refused = cmp.Or(s.loading.refused, err)
	} else if err != nil {
		s.raise(err)
	}
	f.chunk = &s.loading.chunk
	s.loading.functions = append(s.loading.functions, f)
}

// checksNamesLast is when the names of functions began to be checked after the library has run.
var checksNamesLast = release.From("valkey:8.1.0")

// refusal returns why a function cannot have its name in the library that is loaded, nil if it can.
func (s *Scripts) refusal(f *function) error {
	switch {
	case s.loading.find(f.name) != nil:
		return errFunctionExists
	case validName(f.name):
		return nil
	case s.engine.Release.Has(checksNamesLast):
		return errFunctionName
	}
	return errName
}

// registerPlain reads a name and a callback.
func (s *Scripts) registerPlain(f *function, c *lua.Call) {
	f.name = s.registeredText(c.Arg(1), errRegisterName)
	if f.fn = c.Arg(2).AsFunction(); f.fn == nil {
		s.raise(errRegisterRun)
	}
}

// registeredText returns a copy of v that outlives the run, or raises err if v is not a text.
func (s *Scripts) registeredText(v lua.Value, err error) string {
	text, ok := v.ToString()
	if !ok {
		s.raise(err)
	}
	return strings.Clone(text)
}

// registerNamed reads a table of named arguments.
func (s *Scripts) registerNamed(f *function, args *lua.Table) {
	if args == nil {
		s.raise(errRegisterOne)
	}
	named := false
	for k, v, more, _ := args.Next(nil, lua.Nil); more; k, v, more, _ = args.Next(nil, k) {
		switch strings.ToLower(s.registeredText(k, errNamedKey)) {
		case "function_name":
			named, f.name = true, s.registeredText(v, s.engine.Errorf(errNamedText, "function_name"))
		case "description":
			description := s.registeredText(v, s.engine.Errorf(errNamedText, "description"))
			if s.engine.Release.Has(textsEndAtZero) {
				description = cText(description)
			}
			f.description = &description
		case "callback":
			if f.fn = v.AsFunction(); f.fn == nil {
				s.raise(errNamedRun)
			}
		case "flags":
			f.flags |= s.registeredFlags(v.AsTable())
		default:
			s.raise(errNamedUnknown)
		}
	}
	switch {
	case !named:
		s.raise(errNamedNoName)
	case f.fn == nil:
		s.raise(errNamedNoRun)
	}
}

// registeredFlags reads flags up to the first nil.
func (s *Scripts) registeredFlags(t *lua.Table) (f flags) {
	if t == nil {
		s.raise(errNamedFlags)
	}
	for i := 1; ; i++ {
		v := t.GetInt(i)
		if v.IsNil() {
			return f
		}
		name, _ := v.ToString()
		flag, ok := flagOf(strings.ToLower(name))
		if !ok {
			s.raise(errUnknownFlag)
		}
		f |= flag
	}
}
