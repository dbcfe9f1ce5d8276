// Package event is the keyspace events: what subscribers are told when a key changes.
//
// An event has a name and a class. The parameter notify-keyspace-events asks for classes by
// letters, and for the channels on which events come:
//
//	g generic   $ string   l list   s set   h hash   z sorted set   t stream   a array   d module
//	x expired   e evicted   m a key that is not there was read   n a key was added
//	o a value was replaced by another one   c and that was of another type
//	A all of these but m, n, o and c
//	K __keyspace@<db>__:<key>       E __keyevent@<db>__:<event>
//	S, T, I, V the channels of Redis 8.8 that tell which fields of a hash have changed
package event

import "strings"

// Event is a keyspace event. The zero Event is for changes of which Redis sends none.
type Event struct {
	class Classes // a single one
	Name  string  // as subscribers get it
}

// None reports whether there is no event.
func (e Event) None() bool { return e.class == 0 }

// OfHash reports whether it is an event of hashes, which may tell fields.
func (e Event) OfHash() bool { return e.class == hash }

// Generic is an event that keys of every type have.
func Generic(name string) Event { return Event{generic, name} }

// String is an event of strings.
func String(name string) Event { return Event{str, name} }

// List is an event of lists.
func List(name string) Event { return Event{list, name} }

// Set is an event of sets.
func Set(name string) Event { return Event{set, name} }

// Hash is an event of hashes.
func Hash(name string) Event { return Event{hash, name} }

// ZSet is an event of sorted sets.
func ZSet(name string) Event { return Event{zset, name} }

// Module is an event of what a module has in Redis.
func Module(name string) Event { return Event{module, name} }

// Stream is an event of streams.
func Stream(name string) Event { return Event{stream, name} }

// Array is an event of arrays.
func Array(name string) Event { return Event{array, name} }

// Events that have names of their own.
var (
	Del     = Generic("del")     // the key was removed
	Expire  = Generic("expire")  // the key got a deadline
	Persist = Generic("persist") // the key lost its deadline
	// The value of a key moved to another one: the first is of the old key, the second, which
	// follows it, of the new one.
	RenameFrom = Generic("rename_from")
	RenameTo   = Generic("rename_to")
	Expired    = Event{expired, "expired"}
	Evicted    = Event{evicted, "evicted"}
	New        = Event{added, "new"}

	Overwritten = Event{overwritten, "overwritten"}
	TypeChanged = Event{typeChanged, "type_changed"}

	KeyMiss = Event{miss, "keymiss"}
)

// Classes is the classes of events, and the channels, that a server tells of.
type Classes uint32

// A class is a bit, in the order in which CONFIG GET shows their letters.
const (
	generic Classes = 1 << iota
	str
	list
	set
	hash
	zset
	expired
	evicted
	stream
	module
	array
	added
	overwritten
	typeChanged
	Keyspace // channels of keys
	Keyevent // channels of events
	miss
	SubKeyspace      // channels of keys, with the fields that have changed
	SubKeyevent      // channels of events, with the key and the fields
	SubKeyspaceItem  // channels of fields
	SubKeyspaceEvent // channels of events of keys, with the fields

	letters     = "g$lshzxetdanocKEmSTIV"
	all         = generic | str | list | set | hash | zset | expired | evicted | stream | module | array
	replacement = overwritten | typeChanged
	fields      = SubKeyspace | SubKeyevent | SubKeyspaceItem | SubKeyspaceEvent
)

// Parse returns the classes of letters. ok is false if a letter is none.
func Parse(s string) (c Classes, ok bool) {
	for i := range len(s) {
		if s[i] == 'A' {
			c |= all
			continue
		}
		at := strings.IndexByte(letters, s[i])
		if at < 0 {
			return 0, false
		}
		c |= 1 << at
	}
	return c, true
}

// NameArrays reports whether events of arrays are among the classes, and not just because all are.
func (c Classes) NameArrays() bool { return c&array != 0 && c&all != all }

// TellReplaced reports whether what happens to a value that is replaced is among the classes.
func (c Classes) TellReplaced() bool { return c&replacement != 0 }

// WithoutArrays returns the classes as a server takes them that has no arrays: all the others are
// all classes.
func (c Classes) WithoutArrays() Classes {
	if c|array == c|all {
		return c | all
	}
	return c
}

// Want reports whether an event is of one of the classes.
func (c Classes) Want(e Event) bool { return c&e.class != 0 }

// On reports whether all of some channels are among the classes.
func (c Classes) On(channels Classes) bool { return c&channels == channels }

// NameFields reports whether a channel that tells fields is among the classes.
func (c Classes) NameFields() bool { return c&fields != 0 }

// TellFields reports whether events of hashes go to a channel that tells the fields.
func (c Classes) TellFields() bool { return c.NameFields() && c&hash != 0 }

// String returns the letters as CONFIG GET shows them.
func (c Classes) String() string {
	var b strings.Builder
	if c&all == all {
		b.WriteByte('A')
		c &^= all | added | replacement // Redis leaves them out beside A
	}
	for i := range len(letters) {
		if c&(1<<i) != 0 {
			b.WriteByte(letters[i])
		}
	}
	return b.String()
}
