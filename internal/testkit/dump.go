package testkit

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
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
	d := &dumping{walk: k.walkOver(c, c.World.Keyspace, pattern), types: k.engine.Parts.Types, now: c.Now(), last: -1}
	if !c.OK() {
		return
	}
	if whole {
		d.libraries = libraryLines(k.engine.Parts.Libraries.Sources(c.World))
	}
	k.inTurns(c, d.piece, d.walk)
}

// dumping is a MINI.DUMP that has not replied.
type dumping struct {
	walk      *walk
	types     engine.Types
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
	lines := linesOf(d.types, db, name, d.now)
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
func linesOf(types engine.Types, db *keyspace.DB, name string, now int64) []string {
	deadline, _ := db.Deadline([]byte(name))
	v, exists := db.Peek([]byte(name))
	if !exists {
		return nil
	}
	about, lines := dumped(types.Of(v.Type()), v, now)
	for i, line := range lines {
		lines[i] = "  " + line
	}
	first := quoted([]byte(name)) + " " + about + elements.DumpedTTL(deadline, now)
	return append([]string{first}, lines...)
}

// dumped returns what follows the key of a value, and further lines.
func dumped(t *engine.Type, v keyspace.Value, now int64) (about string, lines []string) {
	if t.Dump != nil {
		return t.Dump(v, now)
	}
	var m value.Mixer
	v.Digest(&m)
	return fmt.Sprintf("%s, length %d, sha1 %s", v.Type(), v.Len(), m.Digest), nil
}

// libraryLines returns lines for the sources of libraries of functions.
func libraryLines(sources [][]byte) (lines []string) {
	for _, source := range slices.SortedFunc(slices.Values(sources), bytes.Compare) {
		lines = append(lines, "library "+quoted(source))
	}
	return lines
}
