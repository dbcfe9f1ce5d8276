package journal

import (
	"bufio"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// base is the format in which a rewrite writes the data: a snapshot, or commands.
type base interface {
	snapshot.Encoder
	// open begins the file, write appends a piece, and end appends what must come last.
	open(to rdb.Target)
	write(text []byte) error
	end() error
}

// snapshotBase writes a snapshot. aof-use-rdb-preamble selects it.
type snapshotBase struct {
	*rdb.Records
	out *rdb.Writer
}

func (b *snapshotBase) open(to rdb.Target)      { b.out = rdb.NewWriter(to, 0) }
func (b *snapshotBase) write(text []byte) error { return b.out.Write(text) }
func (b *snapshotBase) end() error              { return b.out.End(b.Version()) }

// commandBase writes the commands that build the data.
type commandBase struct {
	out   *bufio.Writer
	text  []byte
	db    int
	args  [][]byte
	dump  rdb.Encoder
	types engine.Types

	busy  bool         // encodes a large value, which pauses when another key comes
	aside *commandBase // the commands of those keys; they follow the large value
}

// newCommandBase returns a base that begins with a timestamp in seconds, unless that is 0, and with
// the libraries. Its payloads are in a format.
func newCommandBase(unix int64, libraries [][]byte, format rdb.Format, types engine.Types) base {
	b := &commandBase{db: -1, dump: rdb.Encoder{Format: format}, types: types}
	if unix != 0 {
		b.text = appendTimestamp(b.text, unix)
	}
	for _, source := range libraries {
		b.command("FUNCTION", []byte("LOAD"), source)
	}
	return b
}

func (b *commandBase) open(to rdb.Target) { b.out = bufio.NewWriterSize(to, 64<<10) }

// Len implements snapshot.Encoder.
func (b *commandBase) Len() int { return len(b.text) }

// Take implements snapshot.Encoder.
func (b *commandBase) Take(reuse []byte) []byte {
	text := b.text
	b.text = reuse[:0]
	return text
}

func (b *commandBase) write(text []byte) error {
	_, err := b.out.Write(text)
	return err
}

func (b *commandBase) end() error { return b.out.Flush() }

// perCommand is the most elements that a command adds, as in Redis.
const perCommand = 64

// Record implements snapshot.Encoder.
func (b *commandBase) Record(r *keyspace.Record, pace *keyspace.Pace) {
	if b.busy {
		if b.aside == nil {
			b.aside = &commandBase{db: -1, dump: rdb.Encoder{Format: b.dump.Format}, types: b.types}
		}
		b.aside.Record(r, pace)
		return
	}
	b.busy = true
	b.put(r, pace)
	b.busy = false
	if a := b.aside; a != nil && len(a.text) > 0 {
		b.text, b.db = append(b.text, a.text...), a.db
		a.text, a.db = a.text[:0], -1
	}
}

// put encodes a key as commands.
func (b *commandBase) put(r *keyspace.Record, pace *keyspace.Pace) {
	if r.DB != b.db {
		b.db = r.DB
		b.text = appendSelect(b.text, r.DB)
	}
	key := []byte(r.Key)
	if r.Elements != nil {
		b.elements(key, r, pace)
	} else {
		b.value(key, r.Value, pace)
	}
	if r.Deadline != 0 {
		b.command("PEXPIREAT", key, strconv.AppendInt(nil, r.Deadline, 10))
	}
}

// value appends the commands that build a value.
func (b *commandBase) value(key []byte, v keyspace.Value, pace *keyspace.Pace) {
	if to := (&rewriter{b, key, pace}); b.types.Of(v.Type()).Rewrite != nil {
		b.types.Of(v.Type()).Rewrite(v, to)
	} else {
		to.Restore(v)
	}
	b.flush()
	if v, ok := v.(keyspace.Collection); ok && v.Volatile() > 0 {
		rdb.EachElementDeadline(v, b.expire(b.types.Of(v.Type()), key, pace))
	}
}

// elements appends the commands that build a hash, set or sorted set that is frozen.
func (b *commandBase) elements(key []byte, r *keyspace.Record, pace *keyspace.Pace) {
	t, to := b.types.Of(r.Value.Type()), &rewriter{b, key, nil}
	r.Elements.Each(true, func(x frozen.Element) { t.RewriteElement(x, to) }, func(bytes int) { pace.Yield(bytes) })
	b.flush()
	r.Elements.Deadlines(b.expire(t, key, pace))
}

// expire returns a function that appends the command which sets the deadline of an element.
func (b *commandBase) expire(t *engine.Type, key []byte, pace *keyspace.Pace) func(element []byte, deadline int64) {
	return func(element []byte, deadline int64) {
		b.text = appendCommand(b.text, t.Elements.ExpireCommand(key, element, deadline))
		pace.Yield(len(key))
	}
}

func (b *commandBase) command(name string, args ...[]byte) {
	b.text = appendCommand(b.text, append([][]byte{[]byte(name)}, args...))
}

// rewriter is an engine.Rewriter for a key.
type rewriter struct {
	*commandBase
	key  []byte
	pace *keyspace.Pace
}

// Command implements engine.Rewriter. With a pace it copies long arguments in pieces and yields
// after each.
func (w *rewriter) Command(name string, args ...[]byte) {
	w.flush()
	w.text = appendLength(w.text, '*', 2+len(args))
	for _, arg := range append([][]byte{[]byte(name), w.key}, args...) {
		w.text = appendLength(w.text, '$', len(arg))
		for piece := range slices.Chunk(arg, 8<<10) {
			w.text = append(w.text, piece...)
			w.pace.Yield(len(piece))
		}
		w.text = append(w.text, "\r\n"...)
	}
}

// Rest implements engine.Rewriter.
func (w *rewriter) Rest(bytes int) { w.pace.Yield(bytes) }

// Restore implements engine.Rewriter.
func (w *rewriter) Restore(v keyspace.Value) {
	w.flush()
	w.command("RESTORE", w.key, []byte("0"), w.dump.PayloadAt(w.pace, nil, v))
}

// Add implements engine.Rewriter. It adds to the pending command, and ends the command when it is
// full.
func (w *rewriter) Add(name string, words ...[]byte) {
	if len(w.args) > 0 && string(w.args[0]) != name {
		w.flush()
	}
	if len(w.args) == 0 {
		w.args = append(w.args, []byte(name), w.key)
	}
	if w.args = append(w.args, words...); len(w.args) >= 2+perCommand*len(words) {
		w.flush()
	}
	size := 0
	for _, word := range words {
		size += len(word)
	}
	w.pace.Yield(size)
}

// flush appends the pending command, if there is one.
func (b *commandBase) flush() {
	if len(b.args) > 0 {
		b.text = appendCommand(b.text, b.args)
		b.args = b.args[:0]
	}
}
