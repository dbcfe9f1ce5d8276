package group

import (
	"encoding/binary"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// effects are the changes since the last entry, as commands of the protocol.
type effects struct {
	text  *resp.Writer
	db    int // selected at the end; -1 if none is
	whole int // bytes of units that are complete: see engine.Propagate
	open  bool
	begin int // the database that was selected where the open unit begins
}

func (f *effects) init() { *f = effects{text: resp.NewWriter(2), db: engine.AnyDB} }

func (f *effects) add(db int, args [][]byte) {
	if len(args) == 1 && !f.open && string(args[0]) == "MULTI" {
		f.open, f.begin = true, f.db
	}
	if db != f.db && db != engine.AnyDB {
		f.db = db
		f.write([]byte("SELECT"), strconv.AppendInt(nil, int64(db), 10))
	}
	f.write(args...)
	if f.open && len(args) == 1 && string(args[0]) == "EXEC" {
		f.open = false
	}
	if !f.open {
		f.whole = f.text.Len()
	}
}

func (f *effects) write(args ...[]byte) {
	f.text.Array(len(args))
	for _, arg := range args {
		f.text.Bulk(arg)
	}
}

// ready reports whether there are effects for an entry.
func (f *effects) ready() bool { return f.whole > 0 }

// some reports whether there are any effects, those of an open unit included.
func (f *effects) some() bool { return f.text.Len() > 0 }

// take returns the effects of complete units, and keeps the rest.
func (f *effects) take(entry []byte) []byte {
	text := f.text.Bytes()
	entry = append(entry, text[:f.whole]...)
	rest := append([]byte(nil), text[f.whole:]...)
	f.text.Reset()
	if f.whole, f.db = 0, engine.AnyDB; len(rest) == 0 {
		return entry
	}
	if f.begin != engine.AnyDB { // the next entry must not depend on this one
		f.write([]byte("SELECT"), strconv.AppendInt(nil, int64(f.begin), 10))
	}
	f.text.Raw(rest)
	return entry
}

// An entry is the leader's time in microseconds, and effects.
const entryHead = 8

// entryTime returns the time of an entry; false if it is too short to be one.
func entryTime(data []byte) (micros int64, ok bool) {
	if len(data) < entryHead {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint64(data)), true
}
