package rdb

import (
	"fmt"
	"strings"
)

// ModuleType is a data type of a module.
type ModuleType struct {
	Name    string // of nine characters
	Version int    // of its encoding
}

// String returns the name and the version for a message.
func (t ModuleType) String() string {
	return fmt.Sprintf("%s (encoding version %d)", t.Name, t.Version)
}

// Skipped is what a Reader has skipped because it is of module types that the keyspace does not
// have: values with their keys, and auxiliary data, such as the definitions of indexes. It
// takes little memory, however much that is.
type Skipped struct {
	Values int64
	Types  []SkippedType // the first ones, in the order of the file

	all    int64    // values and auxiliary data
	lines  []string // about the first of them
	others bool     // there are types that are not in Types
}

// SkippedType counts what was skipped of a type.
type SkippedType struct {
	ModuleType
	Values, Aux int64
}

const (
	maxSkippedTypes = 16
	maxSkippedLines = 20
	maxSkippedKey   = 128 // bytes of a key in a line
)

// value counts a value that was skipped.
func (s *Skipped) value(db int, key []byte, t ModuleType) {
	s.Values++
	if of := s.count(t); of != nil {
		of.Values++
	}
	s.line("Skipped the key %s of database %d: a value of the unknown module type %s", shortened(key), db, t)
}

// aux counts auxiliary data of a type.
func (s *Skipped) aux(t ModuleType) {
	if of := s.count(t); of != nil {
		of.Aux++
	}
	s.line("Skipped auxiliary data of the unknown module type %s", t)
}

// count returns the counts of a type; nil if there are too many types.
func (s *Skipped) count(t ModuleType) *SkippedType {
	s.all++
	for i := range s.Types {
		if s.Types[i].ModuleType == t {
			return &s.Types[i]
		}
	}
	if s.others = len(s.Types) == maxSkippedTypes; s.others {
		return nil
	}
	s.Types = append(s.Types, SkippedType{ModuleType: t})
	return &s.Types[len(s.Types)-1]
}

func (s *Skipped) line(format string, args ...any) {
	if len(s.lines) < maxSkippedLines {
		s.lines = append(s.lines, fmt.Sprintf(format, args...))
	}
}

// shortened returns a key in quotes, of a long one the beginning.
func shortened(key []byte) string {
	if len(key) <= maxSkippedKey {
		return fmt.Sprintf("%q", key)
	}
	return fmt.Sprintf("%q...", key[:maxSkippedKey])
}

// Lines returns lines for a log: one each about the first things that were skipped, and one that
// counts all. Without any it is empty.
func (s *Skipped) Lines() []string {
	if s.all == 0 {
		return nil
	}
	lines := s.lines[:len(s.lines):len(s.lines)]
	if more := s.all - int64(len(lines)); more > 0 {
		lines = append(lines, fmt.Sprintf("... and %d more", more))
	}
	return append(lines, fmt.Sprintf("Skipped of unknown module types: %s", strings.Join(s.ByType(), "; ")))
}

// ByType returns what was skipped of each type, for a message.
func (s *Skipped) ByType() (list []string) {
	for _, t := range s.Types {
		what := fmt.Sprintf("%s of %s", plural(t.Values, "value"), t.ModuleType)
		switch {
		case t.Values == 0:
			what = fmt.Sprintf("auxiliary data of %s", t.ModuleType)
		case t.Aux > 0:
			what += ", and its auxiliary data"
		}
		list = append(list, what)
	}
	if s.others {
		list = append(list, "what is of other types")
	}
	return list
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
