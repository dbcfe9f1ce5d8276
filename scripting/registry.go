package scripting

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
)

// library is a source and the functions that it registered.
type library struct {
	name      string
	source    string
	functions []*function // in the order in which they were registered
}

// function is a function that FCALL calls.
type function struct {
	program
	description *string // nil for none
}

// find returns the function of a name in any case, or nil.
func (l *library) find(name string) *function {
	for _, f := range l.functions {
		if strings.EqualFold(f.name, name) {
			return f
		}
	}
	return nil
}

// registry is the libraries, and their functions by name. Changes make a new one, see with and without.
type registry struct {
	libraries []*library           // in the order in which they were loaded
	functions map[string]*function // by name, and by name in lower case
}

// find returns the function of a name in any case, or nil.
func (r *registry) find(name []byte) *function {
	if f, ok := r.functions[string(name)]; ok {
		return f
	}
	return r.functions[strings.ToLower(string(name))]
}

// library returns the library with this name, or nil.
func (r *registry) library(name string) *library {
	i := slices.IndexFunc(r.libraries, func(l *library) bool { return l.name == name })
	if i < 0 {
		return nil
	}
	return r.libraries[i]
}

// with returns a copy with more libraries, or the error of the first library or function whose name exists already.
// With replace a library replaces the one of its name. O(functions).
func (r *registry) with(libraries []*library, replace bool) (registry, error) {
	out := registry{functions: make(map[string]*function)}
	for _, l := range r.libraries {
		if !slices.ContainsFunc(libraries, func(new *library) bool { return new.name == l.name }) {
			out.add(l)
		} else if !replace {
			return *r, engine.Errorf(errLibraryThere, l.name)
		}
	}
	for _, l := range libraries {
		for _, f := range l.functions {
			if out.find([]byte(f.name)) != nil {
				return *r, engine.Errorf(errFunctionThere, f.name)
			}
		}
		out.add(l)
	}
	return out, nil
}

// without returns a copy without a library.
func (r *registry) without(name string) registry {
	var out registry
	out.functions = make(map[string]*function)
	for _, l := range r.libraries {
		if l.name != name {
			out.add(l)
		}
	}
	return out
}

func (r *registry) add(l *library) {
	r.libraries = append(r.libraries, l)
	for _, f := range l.functions {
		r.functions[f.name], r.functions[strings.ToLower(f.name)] = f, f
	}
}

// count returns the number of functions.
func (r *registry) count() (n int) {
	for _, l := range r.libraries {
		n += len(l.functions)
	}
	return n
}

// bytes estimates the memory of the libraries: their sources, names and descriptions.
func (r *registry) bytes() (n int) {
	for _, l := range r.libraries {
		n += len(l.name) + len(l.source)
		for _, f := range l.functions {
			n += len(f.name)
			if f.description != nil {
				n += len(*f.description)
			}
		}
	}
	return n
}

// Sources returns the sources of the libraries, in the order in which they were loaded.
func (s *Scripts) Sources() (sources [][]byte) {
	for _, l := range s.registry.libraries {
		sources = append(sources, []byte(l.source))
	}
	return sources
}

// Restore loads libraries from such sources, all of them or none.
func (s *Scripts) Restore(sources [][]byte, how engine.RestorePolicy) error {
	var fresh registry
	for _, source := range sources {
		if err := s.loadInto(&fresh, source, false); err != nil {
			return err
		}
	}
	return s.adopt(fresh, how)
}

// adopt makes the libraries of fresh replace all libraries (Flush), or adds them.
func (s *Scripts) adopt(fresh registry, how engine.RestorePolicy) (err error) {
	if how == engine.Flush {
		s.registry = fresh
		return nil
	}
	s.registry, err = s.registry.with(fresh.libraries, how == engine.Replace)
	return err
}
