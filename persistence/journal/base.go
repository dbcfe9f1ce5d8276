package journal

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/resp"
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
	out  *bufio.Writer
	text []byte
	db   int
	args [][]byte
	dump rdb.Encoder

	busy  bool         // encodes a large value, which pauses when another key comes
	aside *commandBase // the commands of those keys; they follow the large value
}

// newCommandBase returns a base that begins with a timestamp in seconds, unless that is 0, and with the libraries. Its payloads are in a format.
func newCommandBase(unix int64, libraries [][]byte, format rdb.Format) base {
	b := &commandBase{db: -1, dump: rdb.Encoder{Format: format}}
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
			b.aside = &commandBase{db: -1, dump: rdb.Encoder{Format: b.dump.Format}}
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
	switch v := v.(type) {
	case *str.Value:
		b.set(key, v.Text(nil), pace)
	case *list.List:
		v.Range(0, v.Len(), func(e ziplist.Entry) { b.add(pace, "RPUSH", key, e.Append(nil)) })
	case *set.Set:
		v.Each(func(member ziplist.Entry) bool {
			b.add(pace, "SADD", key, member.Append(nil))
			return true
		})
	case *zset.Set:
		v.Each(func(member []byte, score float64) bool {
			b.add(pace, "ZADD", key, resp.FormatShortest(nil, score), append([]byte(nil), member...))
			return true
		})
	case *hash.Hash:
		v.Each(func(field, value ziplist.Entry) bool {
			b.add(pace, "HMSET", key, field.Append(nil), value.Append(nil))
			return true
		})
	case *bloom.Filter:
		b.filter(key, v, pace)
	case *stream.Stream: // a payload also holds its groups and their pending entries
		b.command("RESTORE", key, []byte("0"), b.dump.PayloadAt(pace, nil, v))
	default:
		panic(fmt.Sprintf("journal: no commands build a %T", v))
	}
	b.flush()
	if v, ok := v.(keyspace.Collection); ok && v.Volatile() > 0 {
		rdb.EachElementDeadline(v, b.expire(v.Type(), key, pace))
	}
}

// elements appends the commands that build a hash, set or sorted set that is frozen.
func (b *commandBase) elements(key []byte, r *keyspace.Record, pace *keyspace.Pace) {
	t := r.Value.Type()
	r.Elements.Each(true, func(x frozen.Element) {
		name := append([]byte(nil), x.Name...)
		switch t {
		case keyspace.Hash:
			b.add(nil, "HMSET", key, name, append([]byte(nil), x.Value...))
		case keyspace.Set:
			b.add(nil, "SADD", key, name)
		case keyspace.ZSet:
			b.add(nil, "ZADD", key, resp.FormatShortest(nil, x.Score), name)
		}
	}, func(bytes int) { pace.Yield(bytes) })
	b.flush()
	r.Elements.Deadlines(b.expire(t, key, pace))
}

// expire returns a function that appends the command which sets the deadline of an element.
func (b *commandBase) expire(t keyspace.Type, key []byte, pace *keyspace.Pace) func(element []byte, deadline int64) {
	return func(element []byte, deadline int64) {
		b.text = appendCommand(b.text, snapshot.ExpireCommand(t, key, element, deadline))
		pace.Yield(len(key))
	}
}

func (b *commandBase) command(name string, args ...[]byte) {
	b.text = appendCommand(b.text, append([][]byte{[]byte(name)}, args...))
}

// set appends a SET command. With a pace it copies the text in pieces and yields after each.
func (b *commandBase) set(key, text []byte, pace *keyspace.Pace) {
	if pace == nil {
		b.command("SET", key, text)
		return
	}
	b.text = append(b.text, "*3\r\n$3\r\nSET\r\n"...)
	b.text = append(append(appendLength(b.text, '$', len(key)), key...), "\r\n"...)
	b.text = appendLength(b.text, '$', len(text))
	for piece := range slices.Chunk(text, 8<<10) {
		b.text = append(b.text, piece...)
		pace.Yield(len(piece))
	}
	b.text = append(b.text, "\r\n"...)
}

// add adds elements to the pending command, and ends the command when it is full.
func (b *commandBase) add(pace *keyspace.Pace, name string, key []byte, words ...[]byte) {
	if len(b.args) == 0 {
		b.args = append(b.args, []byte(name), key)
	}
	if b.args = append(b.args, words...); len(b.args) >= 2+perCommand*len(words) {
		b.flush()
	}
	size := 0
	for _, w := range words {
		size += len(w)
	}
	pace.Yield(size)
}

// flush appends the pending command, if there is one.
func (b *commandBase) flush() {
	if len(b.args) > 0 {
		b.text = appendCommand(b.text, b.args)
		b.args = b.args[:0]
	}
}

// filter appends the commands that load a Bloom filter chunk by chunk.
func (b *commandBase) filter(key []byte, f *bloom.Filter, pace *keyspace.Pace) {
	const load = "BF.LOADCHUNK"
	b.command(load, key, []byte("1"), f.AppendHeader(nil))
	for iter := int64(1); ; {
		chunk, next := f.AppendChunk(nil, iter, 64<<10)
		if next == 0 {
			return
		}
		b.command(load, key, strconv.AppendInt(nil, next, 10), chunk)
		iter = next
		pace.Yield(len(chunk))
	}
}
