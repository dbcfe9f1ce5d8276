package aggregate

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/expr"
)

// Result is a row that is kept. Its cells belong to it.
type Result struct {
	Cells   []Cell
	Score   float64
	SortKey expr.Value
	Sorted  bool // there is a sort key
	// Total is how many documents or groups were met between the row before and this one.
	Total int
}

// Results runs a pipeline to its end, closes it, and returns the rows. made, if there is one, is
// called with their number after each. err is why it ended early; the rows before it stand, unless
// there is no room for them.
func Results(p *Pipeline, made func(rows int)) (list []Result, rest int, err error) {
	defer p.Close()
	for {
		p.Total = 0
		r, ok, err := p.Next()
		if !ok {
			return list, p.Total, err
		}
		one := Result{Cells: r.Cells(nil), Score: r.Score(), Total: p.Total}
		one.SortKey, one.Sorted = r.SortKey()
		if !p.keep(one.size()) {
			return nil, 0, ErrRoom
		}
		list = append(list, one)
		if made != nil {
			made(len(list))
		}
	}
}

func (r *Result) size() int {
	size := 64
	for _, c := range r.Cells {
		size += 16 + len(c.Name) + c.Value.Size()
	}
	return size
}

// Cursor is rows that a client reads by and by. All of them were made when it was opened, so that
// they are of one moment.
type Cursor struct {
	ID      uint64
	Owner   any // the index, or nil
	Chunk   int // how many rows are read at once if a client does not say it
	MaxIdle int64
	First   int // the most rows that are read at first; 0 for no limit
	results []Result
	rest    int
	err     error
	bytes   int
	due     int64
}

// Read returns the next rows, at most n, and how many documents or groups were met for the first of
// them. more is false if there are no more, though a client that read exactly all of them has to
// ask again to know. err is why there are no more.
func (c *Cursor) Read(n int) (list []Result, total int, more bool, err error) {
	if c.First > 0 {
		n, c.First = min(n, c.First), 0
	}
	if n >= len(c.results)+1 {
		list, total = c.results, c.rest
		c.results = nil
		if len(list) > 0 {
			total = list[0].Total
		}
		return list, total, false, c.err
	}
	list, c.results = c.results[:n], c.results[n:]
	return list, list[0].Total, true, nil
}

// Cursors are the cursors of a world. The zero value has none.
type Cursors struct {
	byID  map[uint64]*Cursor
	bytes int
	next  int64 // when the first may be due; 0 if none is
}

// The bounds of cursors.
const (
	mostPerOwner = 128
	mostBytes    = 256 << 20
)

var (
	errTooMany  = command.Error("Too many cursors allocated for index")
	errTooLarge = command.Error("Too many rows are kept for cursors")
)

// Open opens a cursor on rows, as Results returns them. dice makes its ID.
func (cs *Cursors) Open(c *Cursor, list []Result, rest int, err error, dice func(n uint64) uint64) error {
	for i := range list {
		c.bytes += list[i].size()
	}
	switch {
	case cs.Count(c.Owner) >= mostPerOwner:
		return errTooMany
	case cs.bytes+c.bytes > mostBytes:
		return errTooLarge
	}
	c.results, c.rest, c.err = list, rest, err
	for c.ID == 0 || cs.byID[c.ID] != nil {
		c.ID = 1 + dice(1<<31-1)
	}
	if cs.byID == nil {
		cs.byID = make(map[uint64]*Cursor)
	}
	cs.byID[c.ID] = c
	cs.bytes += c.bytes
	return nil
}

// Pause says that nobody reads a cursor from now on, in milliseconds, for a while.
func (cs *Cursors) Pause(c *Cursor, now int64) {
	c.due = now + c.MaxIdle
	if cs.next == 0 || c.due < cs.next {
		cs.next = c.due
	}
}

// Bytes returns about how many bytes the cursors keep.
func (cs *Cursors) Bytes() int { return cs.bytes }

// Get returns a cursor, nil if there is none.
func (cs *Cursors) Get(id uint64) *Cursor { return cs.byID[id] }

// Find is Get after Expire.
func (cs *Cursors) Find(id uint64, now int64) *Cursor {
	cs.Expire(now)
	return cs.byID[id]
}

// Close closes a cursor.
func (cs *Cursors) Close(c *Cursor) {
	if cs.byID[c.ID] == c {
		delete(cs.byID, c.ID)
		cs.bytes -= c.bytes
	}
}

// Expire closes the cursors that were idle for too long, and returns when the next one will be; 0
// if there is none.
func (cs *Cursors) Expire(now int64) (next int64) {
	if cs.next == 0 || cs.next > now {
		return cs.next
	}
	cs.next = 0
	for _, c := range cs.byID {
		switch {
		case c.due <= now:
			cs.Close(c)
		case cs.next == 0 || c.due < cs.next:
			cs.next = c.due
		}
	}
	return cs.next
}

// Count returns how many cursors an owner has; all of them if it is nil.
func (cs *Cursors) Count(owner any) (n int) {
	for _, c := range cs.byID {
		if owner == nil || c.Owner == owner {
			n++
		}
	}
	return n
}
