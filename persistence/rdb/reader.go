package rdb

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Item is the kind of what a Reader has read.
type Item uint8

// The items, with the fields of Reader that are set. Everything else is skipped.
const (
	Key        Item = iota // Record
	Aux                    // Name and Text
	Sizes                  // DB, Keys and Volatile
	Library                // Text, the source of a library of functions
	Element                // Text, an element of the last key, and its Deadline; see SetDeadline
	Unknown                // DB and Name, of a key whose value is of an unknown module type, and was skipped
	ModuleAux              // nothing: auxiliary data of an unknown module type, which were skipped
	ModuleData             // Auxiliary
)

// Reader reads a snapshot item by item:
//
//	for r.Next() {
//		switch r.Item { ... }
//	}
//	err := r.Err()
//
// The fields are valid until the next call of Next. Values are views of Options.Keyspace.
type Reader struct {
	Item           Item
	Record         keyspace.Record
	Name, Text     []byte
	DB             int
	Keys, Volatile uint64
	Deadline       int64
	Auxiliary      Auxiliary
	Version        int     // of the format
	Skipped        Skipped // so far; valid always

	dec         decoder
	last        []byte // the key read last
	lost        bool   // its value was skipped
	began       bool
	ended       bool
	anyChecksum bool
	versions    Versions
	auxiliary   func(t ModuleType) bool
}

// Options are what a Reader needs.
type Options struct {
	Limits
	Keyspace   *keyspace.Keyspace // values are views of it
	Size       int64              // of the source; 0 if unknown
	Versions   Versions           // of the format to read
	NoChecksum bool               // accept any checksum
	// Refuse fields that are not in the order of their deadlines, as Redis with
	// sanitize-dump-payload.
	Sanitize  bool
	Sanitized *int64 // counts the intsets and listpacks that are read with Sanitize; nil for none
	// Refuse what is of module types that the keyspace does not have, instead of skipping it.
	RefuseUnknown bool
	// Auxiliary reports whether auxiliary data of a module type are read, and not skipped; nil for
	// none.
	Auxiliary func(t ModuleType) bool
	// Spawn starts a goroutine that reads ahead until Close; nil for no reading ahead.
	Spawn func(run func())
}

// NewReader returns a reader of the snapshot at the beginning of src. It may read more of src than
// the snapshot; see Rest.
func NewReader(src io.Reader, o Options) *Reader {
	size := o.Size
	if size == 0 {
		size = -1
	}
	r := &Reader{anyChecksum: o.NoChecksum, versions: o.Versions, auxiliary: o.Auxiliary,
		dec: decoder{Limits: o.Limits, ks: o.Keyspace, size: size, ownedFrom: wholeText,
			sanitize: o.Sanitize, sanitized: o.Sanitized, refuses: o.RefuseUnknown}}
	r.dec.src = newSource(src, size)
	if o.Spawn != nil {
		r.dec.src.ahead(o.Spawn)
	}
	return r
}

// Close ends reading ahead, if Options.Spawn started it. Nothing can be read after it.
func (r *Reader) Close() { r.dec.src.close() }

// Err returns the error that ended the reading, an *Error or one of the source; nil at the end of
// the snapshot.
func (r *Reader) Err() error { return r.dec.err }

// Offset returns the bytes read so far.
func (r *Reader) Offset() int64 { return r.dec.base + int64(r.dec.r) }

// Rest returns what follows the snapshot in the source. It is to be called when the snapshot is
// read completely, and read before Close.
func (r *Reader) Rest() io.Reader { return (*rest)(&r.dec) }

// rest is a decoder as an io.Reader of what is not decoded.
type rest decoder

func (r *rest) Read(p []byte) (int, error) {
	d := (*decoder)(r)
	for d.r == d.w {
		if err := d.nextBlock(); err != nil {
			return 0, err
		}
	}
	n := copy(p, d.buf[d.r:d.w])
	d.r += n
	return n, nil
}

// Next moves to the next item, and reports whether there is one.
func (r *Reader) Next() bool {
	if !r.began {
		r.began = true
		r.header()
	}
	if r.Item == Key || r.Item == Unknown {
		r.clear()
	}
	for r.dec.err == nil && !r.ended {
		if r.step() {
			return r.dec.err == nil
		}
	}
	return false
}

func (r *Reader) header() {
	d := &r.dec
	b := d.fixed(9)
	digits, isRedis := bytes.CutPrefix(b, []byte(magic))
	least, most := 1, r.versions.last()
	if rest, ok := bytes.CutPrefix(b, []byte(valkeyMagic)); ok {
		digits, d.valkey, least, most = rest, true, oldestValkey, newestValkey
		if r.versions.later {
			most = 999
		}
	}
	if d.err == nil && !isRedis && !d.valkey {
		d.r -= len(b)
		d.fail("this is not a snapshot: it does not begin with %s", magic)
	}
	version, err := strconv.Atoi(string(digits))
	if d.err == nil && (err != nil || version < least || version > most) {
		d.fail("format version %q is not supported; %d to %d are", digits, least, most)
	}
	r.Version = version
}

// clear resets the record for the next key.
func (r *Reader) clear() {
	r.Record = keyspace.Record{DB: r.DB, Idle: -1, Freq: -1}
}

// step reads the next record or opcode, and reports whether it is an item.
func (r *Reader) step() bool {
	d := &r.dec
	switch op := d.byte(); op {
	case opDeadlineMs:
		r.Record.Deadline = r.deadline(d.millis())
	case opDeadlineSecs:
		r.Record.Deadline = r.deadline(int64(int32(binary.LittleEndian.Uint32(d.fixed(4)))) * 1000)
	case opIdle:
		r.Record.Idle = int64(min(d.length(), math.MaxInt32))
	case opFreq:
		r.Record.Freq = int(d.byte())
	case opSelect:
		r.selectDB(d.length())
	case opResize:
		r.Item, r.Keys, r.Volatile = Sizes, d.length(), d.length()
		return true
	case opAux:
		r.aux()
		return true
	case opFunction:
		r.Item, r.Text = Library, d.text()
		return true
	case opFunctionOld:
		d.fail("functions as release candidates of Redis 7.0 wrote them")
	case opModuleAux:
		return r.moduleAux()
	case opSlotInfo:
		d.length()
		d.length()
		d.length()
	case opEnd:
		r.end()
	default:
		return r.key(op)
	}
	return false
}

// deadline returns a deadline that was read. It replaces 0, which would mean none, by 1.
func (r *Reader) deadline(ms int64) int64 {
	if ms == 0 {
		return 1
	}
	return ms
}

func (r *Reader) selectDB(n uint64) {
	if n >= uint64(r.dec.ks.Len()) {
		r.dec.fail("database %d, of %d", n, r.dec.ks.Len())
		return
	}
	r.DB = int(n)
	r.Record.DB = r.DB
}

// moduleAux reads auxiliary data of a module type, or skips them. It reports false if they are of a
// type of keys: no type of this server has such data.
func (r *Reader) moduleAux() bool {
	d := &r.dec
	d.foreign = d.moduleType()
	if r.auxiliary != nil && r.auxiliary(d.foreign) {
		d.part(partUint)
		r.Item, r.Auxiliary = ModuleData, Auxiliary{ModuleType: d.foreign, When: d.length(), Parts: d.parts()}
		return true
	}
	if _, known := d.ks.ModuleNamed(d.foreign.Name); known {
		d.skipParts()
		return false
	}
	d.skipUnknown("auxiliary data of the unknown module type %s")
	if d.err == nil {
		r.Item = ModuleAux
		r.Skipped.aux(d.foreign)
	}
	return true
}

// key reads a key with its value. It skips empty collections, which old versions of Redis wrote,
// and reports false for them. Redis skips them, too.
func (r *Reader) key(t byte) bool {
	d := &r.dec
	d.ks.Begin()
	r.last = append(r.last[:0], d.text()...)
	if d.err != nil {
		return false
	}
	v := d.value(t)
	if d.err != nil {
		return false
	}
	if r.lost = v == nil; r.lost {
		r.Item, r.Name = Unknown, append(r.Name[:0], r.last...)
		r.Skipped.value(r.DB, r.last, d.foreign)
		return true
	}
	r.Item, r.Record.Key, r.Record.Value = Key, dict.Key(r.last), v
	if v.Len() == 0 && v.Type().Vanishes() {
		r.clear()
		return false
	}
	return true
}

// end reads and verifies the checksum.
func (r *Reader) end() {
	d := &r.dec
	r.ended = true
	if r.Version < 5 || d.err != nil {
		return
	}
	want := d.sum()
	got := binary.LittleEndian.Uint64(d.fixed(8))
	if d.err == nil && got != 0 && got != want && !r.anyChecksum {
		d.fail("the checksum is %016x, that of the bytes read %016x", got, want)
	}
}
