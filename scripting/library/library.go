// Package library has libraries of functions, for FUNCTION and FCALL: what is known of a library
// and its functions, and the registry that finds them by name.
//
// A library is a text that begins with its metadata, "#!lua name=mylib", and registers functions
// when it runs. The interpreter runs it, and completes its Library. A library is loaded whole or
// not at all: a Registry changes after all of it has been loaded.
package library

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/program"
)

// Library is a source and the functions that it registered.
type Library struct {
	program.Chunk
	Name      string
	Functions []*Function // in the order in which they were registered
	Refused   error       // why it cannot be loaded, found while its text runs
	number    int         // of libraries loaded before it
}

// Function is a function that FCALL calls.
type Function struct {
	program.Program
	Library     *Library
	Description *string // nil for none
}

// New returns a library with the name that its first line has, and the code after that. The code
// begins with the line's end, so that line numbers stay. A name that is taken is an error.
func New(e *engine.Engine, source []byte, taken *Registry) (l *Library, code string, err error) {
	l = &Library{Chunk: program.Chunk{Source: string(source)}}
	engineName, code, err := l.metadata(e)
	switch {
	case err != nil:
	case !ValidName(l.Name):
		err = ErrName
	case !strings.EqualFold(engineName, "lua"):
		err = command.Errorf(errEngine, engineName)
	case taken.Has(l.Name):
		err = command.Errorf(errLibraryExists, l.Name)
	}
	l.Chunk.Library = l.Name
	return l, code, err
}

// metadata reads a library's first line, and returns the name of the engine and the code after the
// line.
func (l *Library) metadata(e *engine.Engine) (engineName, code string, err error) {
	if !strings.HasPrefix(l.Source, "#!") {
		return "", "", errNoMetadata
	}
	end := strings.IndexAny(l.Source, "\n\x00")
	if end < 0 || l.Source[end] == 0 {
		return "", "", errMetadata
	}
	words, ok := e.Commands.Words([]byte(l.Source[:end]), nil)
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
			named, l.Name = true, text[5:]
		}
	}
	if !named {
		return "", "", errNotNamed
	}
	return string(words[0][2:]), l.Source[end:], nil
}

// ValidName reports whether a name is valid for libraries and functions.
func ValidName(name string) bool {
	for i := range len(name) {
		ch := name[i]
		letter := 'a' <= ch|0x20 && ch|0x20 <= 'z'
		if !letter && (ch < '0' || ch > '9') && ch != '_' {
			return false
		}
	}
	return name != ""
}

// Find returns the function of a name in any case, or nil.
func (l *Library) Find(name string) *Function {
	for _, f := range l.Functions {
		if strings.EqualFold(f.Name, name) {
			return f
		}
	}
	return nil
}

// Reply writes the library's entry of FUNCTION LIST.
func (l *Library) Reply(w *resp.Writer, code bool) {
	if code {
		w.Map(4)
	} else {
		w.Map(3)
	}
	w.BulkString("library_name")
	w.BulkString(l.Name)
	w.BulkString("engine")
	w.BulkString("LUA")
	w.BulkString("functions")
	w.Array(len(l.Functions))
	for _, f := range l.Functions {
		f.reply(w)
	}
	if code {
		w.BulkString("library_code")
		w.BulkString(l.Source)
	}
}

func (f *Function) reply(w *resp.Writer) {
	w.Map(3)
	w.BulkString("name")
	w.BulkString(f.Name)
	w.BulkString("description")
	if f.Description != nil {
		w.BulkString(*f.Description)
	} else {
		w.Null()
	}
	w.BulkString("flags")
	names := f.Flags.Names()
	w.Set(len(names))
	for _, name := range names {
		w.Status(name)
	}
}
