package engine

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Type is a data type as a part adds it. A keyspace.Type says what is true of its values wherever they are; here is what the
// commands know of them. Every field but Type may be left out.
type Type struct {
	keyspace.Type
	// Rewrite tells the commands that build a value, for a journal that consists of commands. Without it that is RESTORE
	// with the payload of DUMP.
	Rewrite func(v keyspace.Value, to Rewriter)
	// RewriteElement is Rewrite for an element of a value that is frozen in package frozen.
	RewriteElement func(x frozen.Element, to Rewriter)
	// Explain returns what MEMORY EXPLAIN tells of a value beyond what it tells of every key.
	Explain func(v keyspace.Value) []Detail
}

// Rewriter takes the commands that build the value of a key.
type Rewriter interface {
	// Command takes a command: its name, and what follows the key.
	Command(name string, args ...[]byte)
	// Add takes what a command says of one element. Elements that follow one another with the same command share it.
	Add(name string, words ...[]byte)
}

// Detail is one line of what is told of a value.
type Detail struct {
	Name  string
	Value any // an int, float64, string or []byte
	Note  string
}

// Types are the data types that parts have added.
type Types []Type

// Of returns what is known of a type; the zero Type if no part has added it.
func (t Types) Of(of keyspace.Type) Type {
	for _, one := range t {
		if one.Type == of {
			return one
		}
	}
	return Type{}
}

// addTo lets the keys of a keyspace have values of these types.
func (t Types) addTo(ks *keyspace.Keyspace) {
	for _, one := range t {
		if !slices.Contains(ks.Types, one.Type) {
			ks.Types = append(ks.Types, one.Type)
		}
	}
}
