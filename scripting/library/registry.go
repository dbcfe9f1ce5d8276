package library

import (
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// Registry is the libraries and their functions, by name. The zero Registry is empty.
type Registry struct {
	libraries map[string]*Library
	functions map[string]*Function // by name, and by name in lower case
	loaded    int                  // libraries that were ever added
}

// Find returns the function of a name in any case, or nil.
func (r *Registry) Find(name []byte) *Function {
	if f, ok := r.functions[string(name)]; ok {
		return f
	}
	return r.functions[strings.ToLower(string(name))]
}

// InOrder returns the libraries in the order in which they were loaded. O(n log n).
func (r *Registry) InOrder() []*Library {
	return slices.SortedFunc(maps.Values(r.libraries), func(a, b *Library) int { return a.number - b.number })
}

// Join adds libraries with different names, or returns the error of the first library or function
// whose name exists already; then nothing has changed. With replace a library replaces the one of
// its name. O(functions of fresh).
func (r *Registry) Join(fresh []*Library, replace bool) error {
	for _, l := range fresh {
		if !replace && r.libraries[l.Name] != nil {
			return command.Errorf(errLibraryThere, l.Name)
		}
	}
	for _, l := range fresh {
		for _, f := range l.Functions {
			if old := r.Find([]byte(f.Name)); old != nil && !contains(fresh, old.Library.Name) {
				return command.Errorf(errFunctionThere, f.Name)
			}
		}
	}
	for _, l := range fresh {
		r.Remove(l.Name)
	}
	for _, l := range fresh {
		r.add(l)
	}
	return nil
}

// contains reports whether one of the libraries has this name.
func contains(libraries []*Library, name string) bool {
	return slices.ContainsFunc(libraries, func(l *Library) bool { return l.Name == name })
}

// add adds a library, none of whose names exists.
func (r *Registry) add(l *Library) {
	if r.libraries == nil {
		r.libraries, r.functions = make(map[string]*Library), make(map[string]*Function)
	}
	l.number = r.loaded
	r.loaded++
	r.libraries[l.Name] = l
	for _, f := range l.Functions {
		r.functions[f.Name], r.functions[strings.ToLower(f.Name)] = f, f
	}
}

// Remove removes a library if it exists, and reports whether it did.
func (r *Registry) Remove(name string) bool {
	l := r.libraries[name]
	if l == nil {
		return false
	}
	delete(r.libraries, name)
	for _, f := range l.Functions {
		delete(r.functions, f.Name)
		delete(r.functions, strings.ToLower(f.Name))
	}
	return true
}

// Count returns the number of functions.
func (r *Registry) Count() (n int) {
	for _, l := range r.libraries {
		n += len(l.Functions)
	}
	return n
}

// Bytes estimates the memory of the libraries: their sources, names and descriptions.
func (r *Registry) Bytes() (n int) {
	for _, l := range r.libraries {
		n += len(l.Name) + len(l.Source)
		for _, f := range l.Functions {
			n += len(f.Name)
			if f.Description != nil {
				n += len(*f.Description)
			}
		}
	}
	return n
}

// Len returns the number of libraries.
func (r *Registry) Len() int { return len(r.libraries) }

// Has reports whether there is a library of this name.
func (r *Registry) Has(name string) bool { return r.libraries[name] != nil }

// Adopt makes the libraries of fresh replace all libraries (Flush), or adds them.
func (r *Registry) Adopt(fresh *Registry, how engine.RestorePolicy) error {
	if how == engine.Flush {
		*r = *fresh
		return nil
	}
	return r.Join(fresh.InOrder(), how == engine.Replace)
}

// Sources returns the sources of the libraries, in the order in which they were loaded.
func (r *Registry) Sources() (sources [][]byte) {
	for _, l := range r.InOrder() {
		sources = append(sources, []byte(l.Source))
	}
	return sources
}
