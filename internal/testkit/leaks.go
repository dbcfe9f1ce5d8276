package testkit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// leaks is what MINI.LEAKS knows of a world beside what it finds.
type leaks struct {
	locks map[lock]int64  // strings that were set because there was none, with the client's ID
	marks map[string]mark // by their names
}

// mark is what was there at a moment. Its bytes are in use as those of copies are.
type mark struct {
	lines map[string]bool
	bytes int
}

// lock is a key that a client created with SET NX or SETNX.
type lock struct {
	db  int
	key string
}

func leaksOf(w *engine.World) *leaks { return engine.PerWorld[leaks](w) }

const (
	maxMarks = 64
	maxLocks = 1 << 16 // beyond it those that are gone are forgotten, and if that does not help all
)

func leaksLines() []command.Line {
	return []command.Line{{Name: "mini.leaks", Arity: -1, Flags: flags,
		Run: engine.On((*Kit).cmdLeaks), Reply: "MARK: status; array", Since: since, Syntax: "[MARK mark|SINCE mark]",
		Summary:    "Returns what a test may have left behind.",
		Complexity: "O(N*log(N)), N being the number of keys and clients"}}
}

// MINI.LEAKS [MARK mark | SINCE mark]
//
// Replies: a line for each key without a deadline, held lock, open transaction, blocked client and
// subscribed client. SINCE leaves out what was there when MARK gave the moment that name. MARK
// replies with OK.
func (k *Kit) cmdLeaks(c *engine.Call) {
	var mark, since string
	switch {
	case c.Word("MARK"):
		mark = readName(c)
	case c.Word("SINCE"):
		since = readName(c)
	}
	c.End()
	l := leaksOf(c.World)
	before, known := l.marks[since]
	_, again := l.marks[mark]
	switch {
	case c.Failed():
	case since != "" && !known:
		c.Refusef(errNoMark, since)
	case mark != "" && !again && len(l.marks) == maxMarks:
		c.Refuse(errManyMarks)
	}
	if !c.OK() {
		return
	}
	f := &findingLeaks{kit: k, world: c.World, mark: mark, before: before.lines, ofLocks: heldLocks(c.World),
		ofClients: clientLeaks(c)}
	f.locks = maps.Clone(l.locks)
	if f.walk = k.walkOver(c, c.World.Keyspace, "*"); c.OK() {
		k.inTurns(c, f.piece, f.walk)
	}
}

// findingLeaks is a MINI.LEAKS that has not replied.
type findingLeaks struct {
	kit       *Kit
	walk      *walk
	world     *engine.World
	locks     map[lock]int64 // when it began
	mark      string         // what it finds is remembered under this name; replied with, if that is ""
	before    map[string]bool
	ofLocks   []string // lines before those of the keys
	ofClients []string // lines after those of the keys
	marked    mark
	at, sent  int // where the array begins, and the lines in it
}

// piece looks at some keys.
func (f *findingLeaks) piece(out *resp.Writer) (more bool) {
	if f.marked.lines == nil {
		f.marked.lines, f.at = make(map[string]bool), out.Defer()
		f.add(out, f.ofLocks...)
	}
	if f.walk.next(func(db *keyspace.DB, name string) { f.key(out, db, name) }) {
		return true
	}
	f.add(out, f.ofClients...)
	if out.SetArray(f.at, f.sent); f.mark != "" {
		out.Truncate(f.at)
		if err := f.kit.mark(f.world, f.mark, f.marked); err != nil {
			out.Error(err)
			return false
		}
		out.Status("OK")
	}
	return false
}

// add adds lines that were not there before.
func (f *findingLeaks) add(out *resp.Writer, lines ...string) {
	for _, line := range lines {
		switch {
		case f.before[line]:
		case f.mark != "":
			f.marked.lines[line] = true
			f.marked.bytes += len(line) + lineBytes
			f.walk.held += len(line) + lineBytes
		default:
			out.Status(line)
			f.sent++
		}
	}
}

// key adds a key without a deadline that is no lock.
func (f *findingLeaks) key(out *resp.Writer, db *keyspace.DB, name string) {
	deadline, _ := db.Deadline([]byte(name))
	if _, held := f.locks[lock{db.ID(), name}]; deadline == 0 && !held {
		f.add(out, fmt.Sprintf("key %d %s %s", db.ID(), quoted([]byte(name)), db.Type([]byte(name))))
	}
}

// readName reads the name of a mark, which is not empty.
func readName(c *engine.Call) string {
	name := string(c.Arg())
	if name == "" {
		c.Refuse(engine.ErrSyntax)
	}
	return name
}

// lineBytes is what a line takes in a mark beside its text.
const lineBytes = 40

// mark remembers a mark under a name, in place of one of that name, if there is room.
func (k *Kit) mark(w *engine.World, name string, m mark) error {
	if err := w.CheckRoom(m.bytes); err != nil {
		return err
	}
	l := leaksOf(w)
	if l.marks == nil {
		l.marks = make(map[string]mark)
	}
	k.engine.Copies().Return(l.marks[name].bytes)
	k.engine.Copies().Take(m.bytes)
	l.marks[name] = m
	return nil
}

// forgetLeaks forgets what MINI.LEAKS knows of a world.
func (k *Kit) forgetLeaks(l *leaks) {
	for _, m := range l.marks {
		k.engine.Copies().Return(m.bytes)
	}
	*l = leaks{}
}

// clientLeaks returns a line for each leak of a client of the world, but for those of the client
// that asks.
func clientLeaks(c *engine.Call) (lines []string) {
	for _, s := range c.World.Clients() {
		if s != c.Session {
			lines = append(lines, begunBy(s)...)
		}
	}
	return lines
}

// heldLocks returns the locks that are there, and forgets the others.
func heldLocks(w *engine.World) (lines []string) {
	forgetLocks(w)
	for l, client := range leaksOf(w).locks {
		lines = append(lines, fmt.Sprintf("lock %d %s of client %d", l.db, quoted([]byte(l.key)), client))
	}
	slices.Sort(lines)
	return lines
}

// forgetLocks forgets the locks that were released.
func forgetLocks(w *engine.World) {
	maps.DeleteFunc(leaksOf(w).locks, func(l lock, _ int64) bool { return !w.Keyspace.DB(l.db).Exists([]byte(l.key)) })
}

// noteLock remembers that a call has set its first key because there was none.
func noteLock(c *engine.Call) {
	l := leaksOf(c.World)
	if l.locks == nil {
		l.locks = make(map[lock]int64)
	}
	if len(l.locks) >= maxLocks {
		if forgetLocks(c.World); len(l.locks) >= maxLocks {
			clear(l.locks)
		}
	}
	l.locks[lock{c.DB.ID(), string(c.Args[1])}] = c.Session.Client().ID
}

// begunBy returns what a client has begun and not ended.
func begunBy(s *engine.Session) (lines []string) {
	who := fmt.Sprintf("client %d", s.ID)
	if s.Name != "" {
		who += " " + quoted([]byte(s.Name))
	}
	if n, open := s.Queued(); open {
		lines = append(lines, fmt.Sprintf("transaction of %s with %d commands", who, n))
	} else if n := transactions.Watched(s); n > 0 {
		lines = append(lines, fmt.Sprintf("watch of %s on %d keys", who, n))
	}
	if w := s.Blocked(); w != nil && w.Command().Group() != group {
		keys := w.Keys()
		for i := range keys {
			keys[i] = quoted([]byte(keys[i]))
		}
		lines = append(lines,
			strings.TrimSpace(fmt.Sprintf("blocked %s in %s %s", who, w.Command().FullName(), strings.Join(keys, " "))))
	}
	if n := s.Subscriptions().All(); n > 0 {
		lines = append(lines, fmt.Sprintf("subscribed %s to %d channels", who, n))
	}
	return lines
}
