package testkit

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// The canonical text of data. Equal data have equal text, whatever their encoding and however they
// came about: keys are ordered by their bytes, and so are the elements of sets and hashes. Times
// are relative to the clock, so that a text does not depend on when a test ran.
//
//	database 0
//	"board" zset, ttl 60000
//	  "ann" 1
//	"greeting" string "hello"
//	"jobs" stream, last 2-0, added 2, deleted up to 0-0
//	  1-0 "task" "mail"
//	  group "workers" at 1-0, read 1
//	    consumer "ann"
//	      1-0 delivered 1, idle 250

func dumpLines() []command.Line {
	return []command.Line{{Name: "mini.dump", Arity: -1, Flags: flags,
		Run: engine.On((*Kit).cmdDump), Reply: "array", Since: since, Syntax: "[pattern]",
		Summary:    "Returns the data as canonical text, line by line.",
		Complexity: "O(N*log(N)), N being the number of elements"}}
}

// MINI.DUMP [pattern]
//
// Replies: the lines of all databases, of the keys that match. Without a pattern the libraries of
// functions follow.
func (k *Kit) cmdDump(c *engine.Call) {
	pattern, whole := "*", !c.More()
	if !whole {
		pattern = string(c.Arg())
	}
	if c.End(); !c.OK() {
		return
	}
	d := &dumping{walk: k.walkOver(c, c.World.Keyspace, pattern), now: c.Now(), last: -1}
	if !c.OK() {
		return
	}
	if whole {
		d.libraries = libraryLines(k.engine.Libraries().Sources(c.World))
	}
	k.inTurns(c, d.piece, d.walk)
}

// dumping is a MINI.DUMP that has not replied.
type dumping struct {
	walk      *walk
	now       int64
	libraries []string
	last      int // database whose name was sent
	at, sent  int // where the array begins, and the lines in it
	begun     bool
}

// piece is a piece of the reply.
func (d *dumping) piece(out *resp.Writer) (more bool) {
	if !d.begun {
		d.at, d.begun = out.Defer(), true
	}
	if d.walk.next(func(db *keyspace.DB, name string) { d.key(out, db, name) }) {
		return true
	}
	d.send(out, d.libraries...)
	out.SetArray(d.at, d.sent)
	return false
}

func (d *dumping) key(out *resp.Writer, db *keyspace.DB, name string) {
	lines := linesOf(db, name, d.now)
	if len(lines) > 0 && db.ID() != d.last {
		d.send(out, fmt.Sprintf("database %d", db.ID()))
		d.last = db.ID()
	}
	d.send(out, lines...)
}

func (d *dumping) send(out *resp.Writer, lines ...string) {
	for _, line := range lines {
		out.Status(line) // quotes leave no line break
	}
	d.sent += len(lines)
}

// section is the lines of a key.
type section struct {
	db    int
	key   string
	lines []string
}

// linesOf returns the lines of a key; none if it is due.
func linesOf(db *keyspace.DB, name string, now int64) []string {
	deadline, _ := db.Deadline([]byte(name))
	v, exists := db.Peek([]byte(name))
	if !exists {
		return nil
	}
	d := dump{now: now}
	d.value(name, deadline, v)
	return d.lines
}

// dump collects lines of canonical text.
type dump struct {
	now   int64 // milliseconds
	lines []string
}

func (d *dump) line(indent int, format string, args ...any) {
	d.lines = append(d.lines, strings.Repeat("  ", indent)+fmt.Sprintf(format, args...))
}

// ttl returns what is said of a deadline; "" for none.
func (d *dump) ttl(deadline int64) string {
	if deadline == 0 {
		return ""
	}
	return fmt.Sprintf(", ttl %d", deadline-d.now)
}

// value adds a key with its value.
func (d *dump) value(key string, deadline int64, v keyspace.Value) {
	name, ttl := quoted([]byte(key)), d.ttl(deadline)
	switch v := v.(type) {
	case *str.Value:
		d.line(0, "%s string %s%s", name, quoted(v.Text(nil)), ttl)
	case *bloom.Filter:
		d.line(0, "%s bloom, items %d, capacity %d, sha1 %x%s", name, v.Len(), v.Capacity(), filterSum(v), ttl)
	case *stream.Stream:
		d.line(0, "%s stream, last %v, added %d, deleted up to %v%s", name, v.Last(), v.Added(), v.MaxDeleted(), ttl)
		d.stream(v)
	case keyspace.Collection:
		d.line(0, "%s %s%s", name, v.Type(), ttl)
		d.collection(v)
	default:
		var m value.Mixer
		v.Digest(&m)
		d.line(0, "%s %s, length %d, sha1 %s%s", name, v.Type(), v.Len(), m.Digest, ttl)
	}
}

// collection adds the elements of a list, set, hash or sorted set.
func (d *dump) collection(v keyspace.Collection) {
	first := len(d.lines)
	switch v := v.(type) {
	case *list.List:
		at := 0
		v.Range(0, v.Len(), func(e ziplist.Entry) {
			d.line(1, "%s%s", quoted(e.Append(nil)), d.ttl(v.DeadlineAt(at)))
			at++
		})
		return
	case *zset.Set:
		v.Each(func(member []byte, score float64) bool {
			d.element(v, member, " "+string(resp.FormatDouble(nil, score)))
			return true
		})
		return
	case *set.Set:
		v.Each(func(member ziplist.Entry) bool {
			d.element(v, member.Append(nil), "")
			return true
		})
	case *hash.Hash:
		v.Each(func(field, value ziplist.Entry) bool {
			d.element(v, field.Append(nil), " "+quoted(value.Append(nil)))
			return true
		})
	}
	slices.Sort(d.lines[first:])
}

// element adds an element with what belongs to it.
func (d *dump) element(of keyspace.Collection, name []byte, rest string) {
	var deadline int64
	if of.Volatile() > 0 {
		deadline, _ = of.Deadline(name)
	}
	d.line(1, "%s%s%s", quoted(name), rest, d.ttl(deadline))
}

// stream adds entries and groups.
func (d *dump) stream(s *stream.Stream) {
	for w := s.Walk(stream.ID{}, stream.MaxID); w.Next(); {
		var text strings.Builder
		for range w.Len {
			field, value := w.Pair()
			fmt.Fprintf(&text, " %s %s", quoted(field.Text(nil)), quoted(value.Text(nil)))
		}
		d.line(1, "%v%s", w.ID, text.String())
	}
	groups := slices.Clone(s.Groups())
	slices.SortFunc(groups, func(a, b *stream.Group) int { return strings.Compare(a.Name(), b.Name()) })
	for _, g := range groups {
		d.group(g)
	}
}

// group adds a group of a stream, with the entries that its consumers have not acknowledged.
func (d *dump) group(g *stream.Group) {
	read := fmt.Sprint(g.Read)
	if g.Read < 0 {
		read = "unknown"
	}
	d.line(1, "group %s at %v, read %s", quoted([]byte(g.Name())), g.Last, read)
	consumers := slices.Clone(g.Consumers())
	slices.SortFunc(consumers, func(a, b *stream.Consumer) int { return strings.Compare(a.Name(), b.Name()) })
	for _, c := range consumers {
		d.line(2, "consumer %s", quoted([]byte(c.Name())))
		c.Each(stream.ID{}, func(p *stream.Pending) bool {
			d.line(3, "%v delivered %d, idle %d", p.ID, p.Count, d.now-p.Delivered)
			return true
		})
	}
	g.EachReturned(func(p *stream.Pending) { d.line(2, "returned %v delivered %d", p.ID, p.Count) })
}

// filterSum returns a digest of a Bloom filter, whose items cannot be listed.
func filterSum(f *bloom.Filter) []byte {
	h := sha1.New()
	_, _ = h.Write(f.AppendHeader(nil))
	for iter := int64(1); iter != 0; {
		var chunk []byte
		chunk, iter = f.AppendChunk(nil, iter, 1<<20)
		_, _ = h.Write(chunk)
	}
	return h.Sum(nil)[:8]
}

// libraryLines returns lines for the sources of libraries of functions.
func libraryLines(sources [][]byte) (lines []string) {
	for _, source := range slices.SortedFunc(slices.Values(sources), bytes.Compare) {
		lines = append(lines, "library "+quoted(source))
	}
	return lines
}
