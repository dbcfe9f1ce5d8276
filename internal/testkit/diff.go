package testkit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

func diffLines() []command.Line {
	return []command.Line{{Name: "mini.diff", Arity: 3, Flags: flags,
		Run: engine.On((*Kit).cmdDiff), Reply: "array", Since: since, Syntax: "name name",
		Summary:    "Returns in which lines of their text two worlds differ, or snapshots.",
		Complexity: "O(N*log(N)), N being the number of elements"}}
}

// MINI.DIFF name name
//
// A name is a world's or, if there is no such world, a snapshot's. Replies: of each key that is not
// the same in both, the lines that only the first has, with a minus, those that only the second
// has, with a plus, and its first line in any case. So an empty reply says that the data are equal.
func (k *Kit) cmdDiff(c *engine.Call) {
	a := k.textOf(c)
	b := k.textOf(c)
	if c.Failed() {
		k.endWalks([]*walk{a.walk, b.walk})
	}
	if c.OK() {
		d := &diffing{a: a, b: b, last: -1}
		k.inTurns(c, d.piece, a.walk, b.walk)
	}
}

// diffing is a MINI.DIFF that has not replied.
type diffing struct {
	a, b     *text
	last     int // database whose name was sent
	at, sent int // where the array begins, and the lines in it
	begun    bool
}

// piece is a piece of the reply.
func (d *diffing) piece(out *resp.Writer) (more bool) {
	if !d.begun {
		d.at, d.begun = out.Defer(), true
	}
	for range inAPiece {
		if !d.a.ready() || !d.b.ready() {
			return true
		}
		if len(d.a.sections)+len(d.b.sections) == 0 {
			out.SetArray(d.at, d.sent)
			return false
		}
		d.compare(out)
	}
	return true
}

// compare sends in what the next key differs.
func (d *diffing) compare(out *resp.Writer) {
	var lines []string
	a, b, db := d.a.sections, d.b.sections, 0
	switch order := compareSections(a, b); {
	case order < 0:
		db, lines, a = a[0].db, marked('-', a[0].lines), a[1:]
	case order > 0:
		db, lines, b = b[0].db, marked('+', b[0].lines), b[1:]
	default:
		db, lines, a, b = a[0].db, differences(a[0].lines, b[0].lines), a[1:], b[1:]
	}
	d.a.sections, d.b.sections = a, b
	if len(lines) > 0 && db != d.last && db != ofLibraries {
		lines, d.last = append([]string{fmt.Sprintf("database %d", db)}, lines...), db
	}
	for _, line := range lines {
		out.Status(line)
	}
	d.sent += len(lines)
}

// ofLibraries stands for the database of a section that is a library of functions.
const ofLibraries = 1 << 30

// text is the text of a world or of a snapshot, as far as it has been made.
type text struct {
	walk     *walk
	types    engine.Types
	now      int64     // milliseconds
	sections []section // the next ones
	last     []section // those that follow the keys
}

// ready makes the next section unless there is one, and reports whether it is there or all have
// been taken. It does one piece of work at most.
func (t *text) ready() bool {
	if len(t.sections) > 0 {
		return true
	}
	more := t.walk.next(func(db *keyspace.DB, name string) {
		if lines := linesOf(t.types, db, name, t.now); len(lines) > 0 {
			t.sections = append(t.sections, section{db.ID(), name, lines})
		}
	})
	if !more {
		t.sections, t.last = t.last, nil
	}
	return !more || len(t.sections) > 0
}

// textOf reads the name of a world or of a snapshot, and returns its text.
func (k *Kit) textOf(c *engine.Call) *text {
	name := worldName(c)
	var sources [][]byte
	t := &text{walk: new(walk), types: k.engine.Parts.Types}
	if w := k.existing(name); w != nil {
		c.In(w, func() {
			t.walk = k.walkOver(c, w.Keyspace, "*")
			t.now, sources = w.Keyspace.Now, slices.Clone(k.engine.Parts.Libraries.Sources(w))
		})
	} else if s := k.savedAs(name, c.World); s != nil {
		t.walk = k.walkOver(c, s.data, "*")
		t.now, sources = s.at/1000, s.libraries
	} else {
		c.Refusef(errNoWorldNorSnapshot, name)
	}
	for _, line := range libraryLines(sources) {
		t.last = append(t.last, section{ofLibraries, line, []string{line}})
	}
	return t
}

// compareSections says which of two lists has the next key that the other lacks: the first (-1),
// the second (1), or neither (0).
func compareSections(a, b []section) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	}
	return cmp.Or(cmp.Compare(a[0].db, b[0].db), cmp.Compare(a[0].key, b[0].key))
}

// differences returns the lines of a key that differ, with a mark, and its first line. Lines that
// only have another order count as different.
func differences(a, b []string) (lines []string) {
	if slices.Equal(a, b) {
		return nil
	}
	onlyA, onlyB := without(a[1:], b[1:]), without(b[1:], a[1:])
	if len(onlyA)+len(onlyB) == 0 && a[0] == b[0] {
		onlyA, onlyB = a[1:], b[1:]
	}
	if a[0] == b[0] {
		lines = []string{" " + a[0]}
	} else {
		lines = []string{"-" + a[0], "+" + b[0]}
	}
	return slices.Concat(lines, marked('-', onlyA), marked('+', onlyB))
}

// without returns the lines of a that b does not have, or has less often.
func without(a, b []string) (lines []string) {
	count := make(map[string]int)
	for _, line := range b {
		count[line]++
	}
	for _, line := range a {
		if count[line]--; count[line] < 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

func marked(mark byte, lines []string) []string {
	list := make([]string, len(lines))
	for i, line := range lines {
		list[i] = string(mark) + line
	}
	return list
}
