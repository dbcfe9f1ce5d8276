package assembly_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// shelf is a value of a type that only this file knows: an order of texts, which can have
// deadlines.
type shelf struct {
	texts []string
	due   map[string]int64
}

var shelfType = &value.Type{Name: "shelf", Number: 5, Size: 24, New: func() value.Value { return new(shelf) },
	Module: &value.Module{Name: "toy-shelf", Version: 1, Save: saveShelf, Load: loadShelf}}

func (s *shelf) Type() *value.Type      { return shelfType }
func (s *shelf) Len() int               { return len(s.texts) }
func (s *shelf) Encoding() string       { return "plank" }
func (s *shelf) Clone() value.Value     { return &shelf{slices.Clone(s.texts), maps.Clone(s.due)} }
func (s *shelf) Packed() ([]byte, bool) { return nil, false }
func (s *shelf) Allocations(int) int    { return len(s.texts) }

func (s *shelf) Bytes() (n int) {
	for _, text := range s.texts {
		n += 16 + len(text)
	}
	return n + s.DeadlineBytes()
}

func (s *shelf) Digest(m *value.Mixer) {
	for _, text := range s.texts {
		m.Mix([]byte(text))
	}
	m.XorVolatile(s.Deadlines)
}

// Freeze implements value.Freezer: nothing changes a text.
func (s *shelf) Freeze() (value.Value, func()) {
	return &shelf{s.texts[:len(s.texts):len(s.texts)], maps.Clone(s.due)}, func() {}
}

// What follows makes it a keyspace.Collection.

func (s *shelf) Volatile() int      { return len(s.due) }
func (s *shelf) DeadlineBytes() int { return 24 * len(s.due) }

func (s *shelf) NextDeadline() (next int64) {
	for _, deadline := range s.due {
		if next == 0 || deadline < next {
			next = deadline
		}
	}
	return next
}

func (s *shelf) Deadline(element []byte) (deadline int64, ok bool) {
	return s.due[string(element)], slices.Contains(s.texts, string(element))
}

func (s *shelf) SetDeadline(element []byte, deadline int64, _ func(n uint64) uint64) bool {
	if !slices.Contains(s.texts, string(element)) {
		return false
	}
	delete(s.due, string(element))
	if s.due == nil {
		s.due = make(map[string]int64)
	}
	if deadline != 0 {
		s.due[string(element)] = deadline
	}
	return true
}

func (s *shelf) Discard(element []byte) bool {
	before := len(s.texts)
	delete(s.due, string(element))
	s.texts = slices.DeleteFunc(slices.Clone(s.texts), func(text string) bool { return text == string(element) })
	return len(s.texts) < before
}

func (s *shelf) Deadlines(fn func(element []byte, deadline int64) bool) {
	for _, text := range slices.Sorted(maps.Keys(s.due)) {
		if !fn([]byte(text), s.due[text]) {
			return
		}
	}
}

func (s *shelf) Expire(now int64, _ int, fn func(element []byte)) (removed int) {
	for text, deadline := range maps.Clone(s.due) {
		if deadline > now {
			continue
		}
		if fn != nil {
			fn([]byte(text))
		}
		s.Discard([]byte(text))
		removed++
	}
	return removed
}

var _ keyspace.Collection = (*shelf)(nil)

func saveShelf(v value.Value, to value.PartWriter) {
	s := v.(*shelf)
	to.Uint(uint64(len(s.texts)))
	for _, text := range s.texts {
		to.Text([]byte(text))
	}
}

func loadShelf(from value.PartReader, _ int) value.Value {
	s := new(shelf)
	for n := from.Uint(); n > 0 && from.OK(); n-- {
		s.texts = append(s.texts, string(from.Text()))
	}
	return s
}

// shelves is the part with the type and its commands.
var shelves = engine.Part{
	Types: []engine.Type{{Type: shelfType,
		Rewrite: func(v keyspace.Value, to engine.Rewriter) {
			for _, text := range v.(*shelf).texts {
				to.Add("SHELF.PUT", []byte(text))
			}
		},
		Explain: func(v keyspace.Value, _ int) []engine.Detail {
			return []engine.Detail{{"first", v.(*shelf).texts[0], "on the left"}}
		},
		Dump: func(v keyspace.Value, _ int64) (string, []string) { return "shelf", slices.Clone(v.(*shelf).texts) },
		Plain: &engine.Plain{Columns: 1,
			Rows: func(v keyspace.Value, add func(row ...string)) {
				for _, text := range v.(*shelf).texts {
					add(text)
				}
			},
			Build: func(_ *engine.World, rows [][]string) (keyspace.Value, error) {
				return &shelf{texts: slices.Concat(rows...)}, nil
			},
		},
		Elements: shelved}},
	Families: []command.Family{{Group: "module",
		Commands: append(elements.ExpiryLines(shelved, "1.0.0"), []command.Line{
			{Name: "shelf.take", Arity: -3, Flags: command.Write, Keys: command.Key(1, "RW delete"), Reply: "integer",
				Since: "1.0.0", Run: func(c *engine.Call) {
					elements.Remove(c, event.Generic("shelf.take"), (*shelf).Discard)
				}},
			{Name: "shelf.put", Arity: -3, Flags: command.Write, Keys: command.Key(1, "RW insert"), Reply: "integer",
				Since: "1.0.0", Run: func(c *engine.Call) {
					key := c.Arg()
					s, ok := engine.Upsert[*shelf](c, key, shelfType)
					if !ok {
						return
					}
					for c.More() {
						s.texts = append(s.texts, string(c.Arg()))
					}
					c.Changed(key, event.Generic("shelf.put"))
					c.Reply.Int(int64(s.Len()))
				}},
			{Name: "shelf.get", Arity: 2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"), Reply: "text?",
				Since: "1.0.0", Run: func(c *engine.Call) {
					if s, ok := engine.Read[*shelf](c, c.Arg()); ok {
						c.Reply.Bulk([]byte(strings.Join(s.texts, ",")))
						return
					}
					c.Reply.Null()
				}},
		}...)}},
}

// shelved is the texts of a shelf, as its commands name them.
var shelved = engine.NewElements("shelf.", "TEXTS", "SHELF.TAKE", "texts of a shelf", event.Generic)
