package group

import (
	"strconv"

	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/resp"
)

// outgoing encodes the keys of some slots as the commands that build them: RESTORE for most, and
// for a large collection, which may change meanwhile and is frozen, commands of a few elements
// each. It is a snapshot.Encoder.
type outgoing struct {
	slots *slot.Set
	text  *resp.Writer
	dump  rdb.Encoder
	types engine.Types
	db    int
	keys  int64
	args  [][]byte // of a command that is not complete

	busy  bool      // with a large value, which pauses when another key comes
	aside *outgoing // the commands of those keys; they follow the large value
}

func newOutgoing(e *engine.Engine, slots *slot.Set) *outgoing {
	return &outgoing{slots: slots, text: resp.NewWriter(2), types: e.Parts.Types, db: -1,
		dump: rdb.Encoder{Compress: true, Alone: true, Format: payload.Format(e)}}
}

// Len implements snapshot.Encoder.
func (o *outgoing) Len() int { return o.text.Len() }

// Take implements snapshot.Encoder.
func (o *outgoing) Take(reuse []byte) []byte {
	text := append(reuse[:0], o.text.Bytes()...)
	o.text.Reset()
	return text
}

// Record implements snapshot.Encoder.
func (o *outgoing) Record(r *keyspace.Record, pace *keyspace.Pace) {
	if !o.slots.Has(slot.Of([]byte(r.Key))) {
		return
	}
	if o.busy {
		if o.aside == nil {
			o.aside = &outgoing{slots: o.slots, text: resp.NewWriter(2), types: o.types, db: -1,
				dump: rdb.Encoder{Compress: true, Alone: true, Format: o.dump.Format}}
		}
		o.aside.Record(r, pace)
		return
	}
	o.busy = true
	o.put(r, pace)
	o.busy = false
	o.keys++
	if a := o.aside; a != nil && a.text.Len() > 0 {
		o.text.Raw(a.text.Bytes())
		o.db, o.keys = a.db, o.keys+a.keys
		a.text.Reset()
		a.db, a.keys = -1, 0
	}
}

func (o *outgoing) put(r *keyspace.Record, pace *keyspace.Pace) {
	if r.DB != o.db {
		o.db = r.DB
		o.command("SELECT", strconv.AppendInt(nil, int64(r.DB), 10))
	}
	key, deadline := []byte(r.Key), strconv.AppendInt(nil, r.Deadline, 10)
	if r.Elements == nil {
		o.command("RESTORE", key, deadline, o.dump.PayloadAt(pace, nil, r.Value), []byte("REPLACE"), []byte("ABSTTL"))
		return
	}
	t, to := o.types.Of(r.Value.Type()), &elementWriter{o, key}
	r.Elements.Each(true, func(x frozen.Element) { t.RewriteElement(x, to) }, func(bytes int) { pace.Yield(bytes) })
	o.flush()
	r.Elements.Deadlines(func(element []byte, deadline int64) {
		o.write(t.Elements.ExpireCommand(key, element, deadline))
		pace.Yield(len(key))
	})
	if r.Deadline != 0 {
		o.command("PEXPIREAT", key, deadline)
	}
}

func (o *outgoing) command(name string, args ...[]byte) {
	o.write(append([][]byte{[]byte(name)}, args...))
}

func (o *outgoing) write(args [][]byte) {
	o.text.Array(len(args))
	for _, arg := range args {
		o.text.Bulk(arg)
	}
}

// flush ends the command that is not complete, if there is one.
func (o *outgoing) flush() {
	if len(o.args) > 0 {
		o.write(o.args)
		o.args = o.args[:0]
	}
}

// elementWriter is an engine.Rewriter for a key.
type elementWriter struct {
	*outgoing
	key []byte
}

// elementsAtOnce is the most elements that a command adds.
const elementsAtOnce = 64

// Command implements engine.Rewriter.
func (w *elementWriter) Command(name string, args ...[]byte) {
	w.flush()
	w.write(append([][]byte{[]byte(name), w.key}, args...))
}

// Add implements engine.Rewriter.
func (w *elementWriter) Add(name string, words ...[]byte) {
	if len(w.args) > 0 && string(w.args[0]) != name {
		w.flush()
	}
	if len(w.args) == 0 {
		w.args = append(w.args, []byte(name), w.key)
	}
	if w.args = append(w.args, words...); len(w.args) >= 2+elementsAtOnce*len(words) {
		w.flush()
	}
}

// Restore implements engine.Rewriter.
func (w *elementWriter) Restore(v keyspace.Value) {
	w.flush()
	w.command("RESTORE", w.key, []byte("0"), w.dump.Payload(nil, v))
}

// Rest implements engine.Rewriter.
func (w *elementWriter) Rest(int) {}
