package scripting

import (
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/command"
)

// library is a source and the functions that it registered.
type library struct {
	chunk
	name      string
	functions []*function // in the order in which they were registered
	number    int         // of libraries loaded before it
	refused   error       // why it cannot be loaded, found while its text runs
}

// function is a function that FCALL calls.
type function struct {
	program
	library     *library
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

// registry is the libraries and their functions, by name. The zero registry is empty.
type registry struct {
	libraries map[string]*library
	functions map[string]*function // by name, and by name in lower case
	loaded    int                  // libraries that were ever added
}

// find returns the function of a name in any case, or nil.
func (r *registry) find(name []byte) *function {
	if f, ok := r.functions[string(name)]; ok {
		return f
	}
	return r.functions[strings.ToLower(string(name))]
}

// inOrder returns the libraries in the order in which they were loaded. O(n log n).
func (r *registry) inOrder() []*library {
	return slices.SortedFunc(maps.Values(r.libraries), func(a, b *library) int { return a.number - b.number })
}

// join adds libraries with different names, or returns the error of the first library or function whose name exists
// already; then nothing has changed. With replace a library replaces the one of its name. O(functions of fresh).
func (r *registry) join(fresh []*library, replace bool) error {
	for _, l := range fresh {
		if !replace && r.libraries[l.name] != nil {
			return command.Errorf(errLibraryThere, l.name)
		}
	}
	for _, l := range fresh {
		for _, f := range l.functions {
			if old := r.find([]byte(f.name)); old != nil && !contains(fresh, old.library.name) {
				return command.Errorf(errFunctionThere, f.name)
			}
		}
	}
	for _, l := range fresh {
		r.remove(l.name)
	}
	for _, l := range fresh {
		r.add(l)
	}
	return nil
}

// contains reports whether one of the libraries has this name.
func contains(libraries []*library, name string) bool {
	return slices.ContainsFunc(libraries, func(l *library) bool { return l.name == name })
}

// add adds a library, none of whose names exists.
func (r *registry) add(l *library) {
	if r.libraries == nil {
		r.libraries, r.functions = make(map[string]*library), make(map[string]*function)
	}
	l.number = r.loaded
	r.loaded++
	r.libraries[l.name] = l
	for _, f := range l.functions {
		r.functions[f.name], r.functions[strings.ToLower(f.name)] = f, f
	}
}

// remove removes a library if it exists, and reports whether it did.
func (r *registry) remove(name string) bool {
	l := r.libraries[name]
	if l == nil {
		return false
	}
	delete(r.libraries, name)
	for _, f := range l.functions {
		delete(r.functions, f.name)
		delete(r.functions, strings.ToLower(f.name))
	}
	return true
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

// Sources returns the sources of a world's libraries, in the order in which they were loaded.
func (s *Scripts) Sources(w *engine.World) (sources [][]byte) {
	for _, l := range s.of(w).registry.inOrder() {
		sources = append(sources, []byte(l.source))
	}
	return sources
}

// Restore loads libraries from such sources into a world, all of them or none.
func (s *Scripts) Restore(w *engine.World, sources [][]byte, how engine.RestorePolicy) error {
	s.turnTo(w)
	var fresh registry
	for _, source := range sources {
		if err := s.loadInto(&fresh, source); err != nil {
			return err
		}
	}
	return s.adopt(fresh, how)
}

// loadInto loads a library into a registry in which its names must not exist.
func (s *Scripts) loadInto(r *registry, source []byte) error {
	l, err := s.loadLibrary(source, r)
	if err != nil {
		return err
	}
	return r.join([]*library{l}, false)
}

// adopt makes the libraries of fresh replace all libraries (Flush), or adds them.
func (s *Scripts) adopt(fresh registry, how engine.RestorePolicy) error {
	if how == engine.Flush {
		s.own.registry = fresh
		return nil
	}
	return s.own.registry.join(fresh.inOrder(), how == engine.Replace)
}
