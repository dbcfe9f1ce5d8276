package search

import (
	"errors"
	"math"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/aggregate"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/resp"
)

// cursors is the cursors of a world, with what their rows are replied with.
type cursors struct {
	aggregate.Cursors
	shapes map[uint64]aggregation
	kept   int // bytes that the world counts
}

func cursorsOf(w *engine.World) *cursors { return engine.PerWorld[cursors](w) }

// cursorsDue closes the cursors of a world that were idle for too long.
func cursorsDue(w *engine.World) (next int64) {
	cs := cursorsOf(w)
	next = cs.Expire(w.Keyspace.Now)
	cs.settle(w)
	return next
}

// settle has the world count what the cursors keep, and forgets the shapes of those that are
// closed.
func (cs *cursors) settle(w *engine.World) {
	w.Keep(cs.Bytes() - cs.kept)
	cs.kept = cs.Bytes()
	for id := range cs.shapes {
		if cs.Get(id) == nil {
			delete(cs.shapes, id)
		}
	}
}

// chunkByDefault is how many rows a read returns without COUNT.
const chunkByDefault = 1000

// openCursor runs a pipeline, opens a cursor on its rows, and replies with the first. All rows are
// made now, and those of each reading have the time of a request.
func (a *aggregation) openCursor(p *aggregate.Pipeline, e *entry) {
	cs, set := cursorsOf(a.World), a.set
	first := p.First()
	c := &aggregate.Cursor{Owner: e, Chunk: int(a.chunk), MaxIdle: a.maxIdle, First: first}
	if c.Chunk == 0 {
		c.Chunk = chunkByDefault
	}
	if c.MaxIdle == 0 || c.MaxIdle > set.CursorIdle {
		c.MaxIdle = set.CursorIdle
	}
	list, rest, err := aggregate.Results(p, func(rows int) {
		a.span.isAbandoned()
		if rows%c.Chunk == 0 {
			a.span.begin()
		}
	})
	if errors.Is(err, aggregate.ErrLate) && set.fails() {
		a.Fail(query.ErrLate)
		return
	}
	cs.Expire(a.Now())
	if err := cs.Open(c, list, rest, err, a.Dice()); err != nil {
		a.Fail(command.Error(err.Error()))
		return
	}
	if cs.shapes == nil {
		cs.shapes = make(map[uint64]aggregation)
	}
	cs.shapes[c.ID] = aggregation{expanded: a.expanded, request: &request{withScores: a.withScores,
		withPayloads: a.withPayloads, withSortKeys: a.withSortKeys, noContent: a.noContent}}
	cs.read(a, c, c.Chunk)
	cs.settle(a.World)
}

// read replies with the next rows of a cursor, and with its ID, or 0 if there are no more.
func (cs *cursors) read(a *aggregation, c *aggregate.Cursor, n int) {
	list, total, more, err := c.Read(n)
	if !more {
		cs.Close(c)
		c.ID = 0
	}
	if err != nil && len(list) == 0 {
		a.Fail(command.Error(err.Error()))
		return
	}
	a.Reply.Array(2)
	r := a.begin(total)
	for i := range list {
		r.add(&list[i])
	}
	r.end(err)
	if more {
		cs.Pause(c, a.Now())
	}
	a.Reply.Int(int64(c.ID))
}

// FT.CURSOR READ|DEL|GC index cursor-id [COUNT read-size]
//
// Like RediSearch it looks only at the first letter of the subcommand, and not at the index.
func cmdCursor(c *engine.Call) {
	word := c.Arg()
	c.Arg()
	id, ok := resp.ParseInt(c.Arg())
	if !ok {
		c.Fail(errCursorID)
		return
	}
	cs := cursorsOf(c.World)
	before := cs.Count(nil)
	cursor := cs.Find(uint64(id), c.Now())
	defer cs.settle(c.World)
	switch append(word, 0)[0] | 0x20 {
	case 'r':
		cs.reply(c, cursor)
	case 'd':
		if cursor == nil {
			c.Fail(errNoCursorToDelete)
			return
		}
		cs.Close(cursor)
		c.Reply.Status("OK")
	case 'g':
		c.Reply.Int(collected(before, cs.Count(nil)))
	default:
		c.Fail(errCursorWord)
	}
}

// collected returns how many cursors were closed; -1 if it was too early for all of them.
func collected(before, left int) int64 {
	if before == left && left > 0 {
		return -1
	}
	return int64(before - left)
}

// reply replies with the next rows of a cursor.
func (cs *cursors) reply(c *engine.Call, cursor *aggregate.Cursor) {
	n := int64(0)
	if c.Left() > 1 {
		var ok bool
		c.Arg()
		if n, ok = resp.ParseInt(c.Arg()); !ok {
			c.Refuse(errCursorCount)
		}
	}
	if !c.Failed() && cursor == nil {
		c.Refuse(errNoCursor)
	}
	if !c.OK() {
		return
	}
	if !of(c.World).has(cursor.Owner.(*entry)) {
		cs.Close(cursor)
		c.Fail(errIndexGone)
		return
	}
	if n > 0 {
		cursor.Chunk = int(min(n, math.MaxInt32))
	}
	shape := cs.shapes[cursor.ID]
	shape.args = args{c}
	cs.read(&shape, cursor, cursor.Chunk)
}

// has reports whether an index is there.
func (cat *catalogue) has(e *entry) bool { return cat.indexes[e.Name] == e }
