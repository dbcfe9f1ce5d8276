package testkit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/miniserver-go/miniserver/engine"
)

func (k *Kit) diffLines() []engine.Command {
	return []engine.Command{{Name: "mini.diff", Arity: 3, Flags: flags, Run: k.cmdDiff, Since: since, Syntax: "name name",
		Summary: "Returns in which lines of their text two worlds differ, or snapshots.", Complexity: "O(N*log(N)), N being the number of elements"}}
}

// MINI.DIFF name name
//
// A name is a world's or, if there is no such world, a snapshot's. Replies: of each key that is not the same in both, the lines that only the first
// has, with a minus, those that only the second has, with a plus, and its first line in any case. So an empty reply says that the data are equal.
func (k *Kit) cmdDiff(c *engine.Call) {
	a, b := k.textOf(c), k.textOf(c)
	if !c.OK() {
		return
	}
	at, sent, last := c.Reply.Defer(), 0, -1
	for len(a)+len(b) > 0 && !c.Reply.Full() {
		var lines []string
		db := 0
		switch order := compareSections(a, b); {
		case order < 0:
			db, lines, a = a[0].db, marked('-', a[0].lines), a[1:]
		case order > 0:
			db, lines, b = b[0].db, marked('+', b[0].lines), b[1:]
		default:
			db, lines, a, b = a[0].db, differences(a[0].lines, b[0].lines), a[1:], b[1:]
		}
		if len(lines) > 0 && db != last && db != ofLibraries {
			lines, last = append([]string{fmt.Sprintf("database %d", db)}, lines...), db
		}
		for _, line := range lines {
			c.Reply.Status(line)
		}
		sent += len(lines)
	}
	c.Reply.SetArray(at, sent)
}

// ofLibraries stands for the database of a section that is a library of functions.
const ofLibraries = 1 << 30

// textOf reads the name of a world or of a snapshot, and returns its sections.
func (k *Kit) textOf(c *engine.Call) (text []section) {
	name := worldName(c)
	add := func(s section) bool {
		text = append(text, s)
		return true
	}
	var sources [][]byte
	if w := k.existing(name); w != nil {
		c.In(w, func() {
			eachSection(w.Keyspace, "*", c.Engine.Keyspace.Now, add)
			sources = slices.Clone(k.engine.Libraries().Sources())
		})
	} else if s := k.saved[name]; s != nil {
		eachSection(s.data, "*", s.at/1000, add)
		sources = s.libraries
	} else {
		c.Refusef(errNoWorldNorSnapshot, name)
	}
	for _, line := range libraryLines(sources) {
		add(section{ofLibraries, line, []string{line}})
	}
	return text
}

// compareSections says which of two lists has the next key that the other lacks: the first (-1), the second (1), or neither (0).
func compareSections(a, b []section) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	}
	return cmp.Or(cmp.Compare(a[0].db, b[0].db), cmp.Compare(a[0].key, b[0].key))
}

// differences returns the lines of a key that differ, with a mark, and its first line. Lines that only have another order count as different.
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
