package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// Type is a data type as a part adds it. A keyspace.Type says what is true of its values wherever
// they are; here is what the commands know of them. Every field but Type may be left out.
type Type struct {
	keyspace.Type
	// Rewrite tells the commands that build a value, for a journal that consists of commands.
	// Without it that is RESTORE with the payload of DUMP.
	Rewrite func(v keyspace.Value, to Rewriter)
	// RewriteElement is Rewrite for an element of a value that is frozen in package frozen.
	RewriteElement func(x frozen.Element, to Rewriter)
	// Explain returns what MEMORY EXPLAIN tells of a value beyond what it tells of every key. Of
	// many entries it shows up to ends at each end.
	Explain func(v keyspace.Value, ends int) []Detail
	// Forms returns a value by the name of its form, and then what its data would be as values of
	// other types, for MEMORY WHATIF. Of many elements each of those may have the first MostBuilt.
	Forms func(w *World, v keyspace.Value) []Form
	// Dump returns the canonical text of a value, which equal data have whatever their encoding:
	// what follows the key on its line, and further lines. Times are relative to now. Without it
	// that is the length and the digest.
	Dump func(v keyspace.Value, now int64) (about string, lines []string)
	// Undigested returns what the digest of a value leaves out, as DEBUG DIGEST does, in lines of
	// any order.
	Undigested func(v keyspace.Value) []string
	// Keysizes is the name of the line in INFO keysizes; "" for none.
	Keysizes string
	// Unpacked is the encoding that small values had before Redis 7.2, which since then are packed;
	// "" if they always were.
	Unpacked string
	// Plain is how formats for people show the values. Without it that is the payload of DUMP.
	Plain *Plain
	// Renaming is called before a command gives the value of a key another key, for the values of
	// other keys that refer to it.
	Renaming func(c *Call, v keyspace.Value, from, to []byte)
	// Elements says how commands name the elements. It is there if they can have deadlines: then
	// each value is a keyspace.Collection.
	Elements *Elements
}

// MostBuilt is how many elements MEMORY WHATIF builds anew. It assumes that the others are like
// them.
const MostBuilt = 25_000

// Form is the data of a value in one form.
type Form struct {
	Name  string
	Value keyspace.Value
	First int // it has only so many of the elements; 0 if it has all
}

// Plain is values as texts.
type Plain struct {
	// Name is what formats for people call the type beside what TYPE calls it; "" for nothing else.
	Name string
	// JSON says that the single text of a value is JSON, and stands as such in a format of JSON.
	JSON bool
	// Columns is how many texts each row has, 1 or 2. It is 0 if a value is a single text, which is
	// one row.
	Columns int
	// Rows calls add for each row, in the order in which Build needs them.
	Rows func(v keyspace.Value, add func(row ...string))
	// Build makes a value of rows that somebody has written.
	Build func(w *World, rows [][]string) (keyspace.Value, error)
}

// Elements is what commands say of the elements of a type, which can have deadlines.
type Elements struct {
	Letter  string // with which the names of the commands begin that set and tell the deadlines
	Word    string // what stands before the elements
	Index   string // what stands before the indexes of elements that may be equal; "" where each has a name of its own
	Noun    string // Word in errors
	What    string // they are, in the documentation of the commands
	Removal string // the command that removes elements by name

	Removed                  event.Event // of that command
	Expire, Expired, Persist event.Event // an element got a deadline, expired, lost its deadline

	// Expect prepares a value for a deadline, where that changes its encoding.
	Expect func(c *Call, v keyspace.Collection)
	// InValkey says that Valkey has the commands, with a syntax of its own.
	InValkey bool
}

// NewElements returns the elements of a type whose commands begin with a letter. of makes events of
// its class.
func NewElements(letter, word, removal, what string, of func(name string) event.Event) *Elements {
	return &Elements{Letter: letter, Word: word, Noun: strings.ToLower(word), Removal: removal, What: what,
		Removed: of(strings.ToLower(removal)), Expire: of(letter + "expire"), Expired: of(letter + "expired"),
		Persist: of(letter + "persist")}
}

// ExpireCommand returns the command that sets the deadline of an element, which is named as by
// package rdb: by its text, or its index.
func (k *Elements) ExpireCommand(key, element []byte, deadline int64) (args [][]byte) {
	return [][]byte{k.PExpireAt(), key, resp.Decimal(deadline), []byte(cmp.Or(k.Index, k.Word)), []byte("1"), element}
}

// PExpireAt returns the name of the command that sets deadlines.
func (k *Elements) PExpireAt() []byte { return []byte(strings.ToUpper(k.Letter) + "PEXPIREAT") }

// Rewriter takes the commands that build the value of a key.
type Rewriter interface {
	// Command takes a command: its name, and what follows the key.
	Command(name string, args ...[]byte)
	// Add takes what a command says of one element. Elements that follow one another with the same
	// command share it.
	Add(name string, words ...[]byte)
	// Restore takes the value as it is, for RESTORE.
	Restore(v keyspace.Value)
	// Rest tells that so many bytes of the value were read though no command was told yet. A
	// rewrite may pause there.
	Rest(bytes int)
}

// Detail is what is told of a value under one name: an int, float64, string, []byte, []int,
// []Detail or Table. RESP2 clients get details as lines of text, like those of HELP, and RESP3
// clients as a map. Only the lines show the note. It is an alias, so that literals need no names of
// fields.
type Detail = struct {
	Name  string
	Value any
	Note  string
}

// Table is rows of details under named columns.
type Table struct {
	Columns []string
	Rows    [][]any
}

// Add adds a row.
func (t *Table) Add(cells ...any) { t.Rows = append(t.Rows, cells) }

// Without is the note of a table that shows only the ends of n entries.
func (t *Table) Without(n int) string {
	if left := n - len(t.Rows); left > 0 {
		return fmt.Sprintf("without %d in the middle", left)
	}
	return ""
}

// Types are the data types that parts have added.
type Types []Type

// Of returns what is known of a type; the zero Type if no part has added it.
func (t Types) Of(of keyspace.Type) *Type {
	return t.first(func(one *Type) bool { return one.Type == of })
}

// Named returns the type that TYPE calls so; the zero Type if no part has added it.
func (t Types) Named(name string) *Type {
	return t.first(func(one *Type) bool { return one.Name == name })
}

// Called returns the type that formats for people call so; the zero Type if no part has added it.
func (t Types) Called(name string) *Type {
	return t.first(func(one *Type) bool {
		return one.Name == name || one.Plain != nil && one.Plain.Name == name && name != ""
	})
}

// unknown is what is known of a type that no part has added.
var unknown Type

func (t Types) first(is func(one *Type) bool) *Type {
	for i := range t {
		if is(&t[i]) {
			return &t[i]
		}
	}
	return &unknown
}

// addTo lets the keys of a keyspace have values of these types.
func (t Types) addTo(ks *keyspace.Keyspace) {
	for _, one := range t {
		if !slices.Contains(ks.Types, one.Type) {
			ks.Types = append(ks.Types, one.Type)
		}
	}
}
