// Package value has what all data types share: the methods that every value needs, and the facts
// that describe a type.
//
//	Value        what a key holds: the obligations of every value
//	Type         what is true of all values of a type; each has one, a variable of its package
//	Module       how values are saved that Redis knows as those of a module
//	Settler      a value that can be large: its blocks lie outside of Go's heap
//	Freezer      a value that a snapshot can read while commands change it
//	Index        what a database keeps to find keys by what is in their values
//
// A new type implements Value, and declares its Type with a Module. Then an engine.Part names it,
// see engine.Type. No other package knows it.
package value

// Value is what a key holds. Every method is O(1) but for Clone, Digest, and for Len where the data
// type says so.
type Value interface {
	Type() *Type
	Len() int         // elements; bytes for a string
	Bytes() int       // bytes held, beyond the fixed size of the value itself
	Encoding() string // as OBJECT ENCODING says it
	// Clone returns a copy on the heap that shares nothing with the value. O(bytes).
	Clone() Value
	// Packed returns the bytes that are all of the value: a text, an integer, a ziplist or an
	// intset. They belong to the value. ok is false if it consists of more, as large collections
	// do.
	Packed() (payload []byte, ok bool)
	// Allocations returns for how many allocations Redis takes the value, so that UNLINK frees it
	// in the background. It need not count further than most.
	Allocations(most int) int
	// Digest mixes in all that the value consists of, whatever its encoding.
	Digest(m *Mixer)
}

// Allocations is that of a hash or a set: one if v is packed, else one for each element.
func Allocations(v Value) int {
	if _, packed := v.Packed(); packed {
		return 1
	}
	return v.Len()
}

// Settler is a value with blocks that can lie in a Memory.
type Settler interface {
	Value
	// Settle moves the blocks to a memory that are not there, and with compact also those that are
	// retired there. done says that what changes the value later leaves its blocks there.
	Settle(mem Memory, compact bool) (done bool)
	// Drop frees up to about n blocks of a value that is not used any more, and reports whether
	// there are more.
	Drop(n int) (more bool)
	// BlockBytes returns what the blocks take.
	BlockBytes() int
}

// Freezer is a value that can be read as it is now while it changes. Hashes, sets and sorted sets
// have another way: see package frozen.
type Freezer interface {
	Value
	// Freeze returns a value with the elements of now, to be read until thaw is called; nil if it
	// cannot, or is too small for it to pay. A value is frozen once at a time.
	Freeze() (f Value, thaw func())
}

// Type is a data type. Two types are the same if their pointers are. The type of an absent key is
// nil.
type Type struct {
	Name   string       // that TYPE replies
	Number int          // of the type in Redis, for digests; those of modules have 5
	Size   int          // what the allocator gives for the struct of a value
	Keeps  bool         // a key stays when its value becomes empty
	New    func() Value // makes an empty value; nil for the types that the keyspace makes itself
	// Open lets a value that New made be the one that is packed so, which it aliases as long as it
	// is packed. It is nil for types without a packed form, and for those that the keyspace makes.
	Open   func(v Value, packed []byte)
	Module *Module // how values are saved; nil for types that have a form of their own in Redis' format
	// Index makes what a database keeps to find keys by what is in their values. It is nil for the
	// types of which nothing is kept. Values of a type that has one have no packed form.
	Index func() Index
}

// String returns the name that TYPE replies.
func (t *Type) String() string {
	if t == nil {
		return "none"
	}
	return t.Name
}

// Vanishes reports whether a key disappears when its value of this type becomes empty.
func (t *Type) Vanishes() bool { return !t.Keeps }

// Index is what a database keeps of the values of a type, to find keys by what is in them. It hears
// of each value that a key gets, of each change and of each value that goes; but when all keys of
// a database go at once, it goes with them.
type Index interface {
	// Enter tells that a key has got a value, or that its value has changed. It follows each change
	// of a value: it must be quick if nothing changed that counts. The key must not be kept. The
	// value may learn it here, if it wants to know under which key it is.
	Enter(key string, v Value)
	// Leave tells that a value is about to go from its key.
	Leave(v Value)
	// Bytes returns what the index takes. O(1).
	Bytes() int
}

// Module is how values of a type are saved which Redis knows as those of a module: a name, a
// version, and parts.
type Module struct {
	Name    string // of nine characters
	Version int    // that Save writes
	Save    func(v Value, to PartWriter)
	// Load reads a value that was written with a version. It returns nil after an error of the
	// reader. What it reads is not to be trusted.
	Load func(from PartReader, version int) Value
}

// PartWriter writes the parts of a value.
type PartWriter interface {
	Uint(n uint64)
	Double(f float64)
	Text(b []byte)
	// Pieces writes a text of size bytes. next appends some of them to dst, most at most, until all
	// are written.
	Pieces(size int, next func(dst []byte, most int) []byte)
	// Rest tells that so many bytes of the value were read though none are written yet. A snapshot
	// may pause there.
	Rest(bytes int)
	// Alone reports whether the value is written without the data that it lies among, for DUMP.
	Alone() bool
}

// PartReader reads the parts of a value. After an error it returns only zeros.
type PartReader interface {
	Uint() uint64
	Double() float64
	Text() []byte // belongs to the caller
	// Fail latches an error, unless there is one already.
	Fail(format string, args ...any)
	OK() bool // there was no error
}

// Clip returns the first index and the number of elements from start to stop, of size in all. Both
// are included, and negative ones count from the end, as in LRANGE.
func Clip(size, start, stop int) (first, n int) {
	if start < 0 {
		start = max(start+size, 0)
	}
	if stop < 0 {
		stop += size
	}
	start, stop = min(start, size), min(stop, size-1)
	return start, max(stop-start+1, 0)
}
