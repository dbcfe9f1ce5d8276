package scripting

import (
	"errors"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/scripting/cache"
	"github.com/miniserver-go/miniserver/scripting/library"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/program"
	"github.com/miniserver-go/miniserver/scripting/reply"
)

// declares reports whether a script begins with a line that declares its flags. Before 7.0 none
// does.
func (in *interpreter) declares(source string) bool {
	return !in.bare && strings.HasPrefix(source, "#!")
}

// compile compiles the body of a script.
func (in *interpreter) compile(body []byte) (sc *cache.Script, err error) {
	in.ready()
	source := string(body)
	sc = &cache.Script{Program: program.Program{Name: program.Digest(body), Box: &in.scripts}}
	sc.Program.Chunk = &sc.Chunk
	sc.Chunk = program.Chunk{Kind: in.scripts.Kind(), Digest: sc.Name, Source: source}
	if in.declares(source) {
		if sc.Flags, source, err = program.Shebang(in.engine, source); err != nil {
			return nil, err
		}
	}
	sc.Code = source
	if sc.Proto, err = in.proto(source, in.scripts.Chunk); err != nil {
		return nil, command.Errorf(errCompile, err)
	}
	sc.Fn = in.load(&in.scripts, sc.Proto)
	return sc, nil
}

// loadLibrary compiles and runs a library whose name must not be in taken. While it runs it has few
// globals and no access to data:
//
//	redis.register_function('name', callback)
//	redis.register_function{function_name='name', callback=callback, flags={'no-writes'},
//	                        description='text'}
//
// Then the globals of functions take their place.
func (in *interpreter) loadLibrary(source []byte, taken *library.Registry) (*library.Library, error) {
	l, code, err := library.New(in.engine, source, taken)
	if err != nil {
		return nil, err
	}
	l.Kind = in.functions.Kind()
	if in.engine.Release.Has(textsEndAtZero) {
		code = reply.CText(code)
	}
	l.Code = code
	if l.Proto, err = in.proto(code, in.functions.Chunk); err != nil {
		return nil, command.Errorf(errCompileFunction, err)
	}
	return l, in.runLibrary(l)
}

// runLibrary runs a library that was compiled.
func (in *interpreter) runLibrary(l *library.Library) error {
	in.ready()
	if in.functions.Globals == nil {
		in.openFunctions()
	}
	fn := in.load(&in.functions, l.Proto)
	in.loading, in.current.started = l, in.engine.Machine()
	in.lua.SetMemoryLimit(int(in.memoryLimit))
	in.functions.Globals.Swap(in.sparse)
	if in.recorder != nil {
		in.recorder.Begin(&l.Chunk)
	}
	_, err := in.lua.Run(fn)
	if in.recorder != nil {
		in.recorder.End()
	}
	in.functions.Globals.Swap(in.sparse)
	in.loading = nil
	in.trim()
	var failed *lua.Error
	switch {
	case errors.As(err, &failed):
		return command.Errorf(errRegistering, in.errorText(failed))
	case len(l.Functions) == 0:
		return errNoFunctions
	}
	return l.Refused
}

// loadInto loads a library into a registry in which its names must not exist.
func (in *interpreter) loadInto(r *library.Registry, source []byte) error {
	l, err := in.loadLibrary(source, r)
	if err != nil {
		return err
	}
	return r.Join([]*library.Library{l}, false)
}
