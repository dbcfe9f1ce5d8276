package engine

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
)

// replyKeyspecs writes keyspecs as COMMAND INFO shows them.
func (c *Call) replyKeyspecs(k command.Keys) {
	c.Reply.Set(len(k.Specs))
	for i := range k.Specs {
		c.replyKeyspec(&k.Specs[i])
	}
}

func (c *Call) replyKeyspec(s *command.Keyspec) {
	w := c.Reply
	n := 3
	if s.Note != "" {
		n++
	}
	w.Map(n)
	if s.Note != "" {
		w.BulkString("notes")
		w.BulkString(s.Note)
	}
	w.BulkString("flags")
	c.replyWords(strings.Fields(s.Access))
	switch s.Kind {
	case command.SpecFixed:
		last := s.Last
		if last > 0 {
			last -= s.First
		}
		c.replySpecParts("begin_search", "index", specPart{"index", s.First})
		c.replySpecParts("find_keys", "range", specPart{"lastkey", last}, specPart{"keystep", s.Step}, specPart{"limit", 0})
	case command.SpecCounted:
		c.replySpecParts("begin_search", "index", specPart{"index", s.First})
		c.replySpecParts("find_keys", "keynum", specPart{"keynumidx", 0}, specPart{"firstkey", 1}, specPart{"keystep", s.Step})
	case command.SpecAfterWord:
		c.openSpecParts("begin_search", "keyword", 2)
		w.BulkString("keyword")
		w.BulkString(s.Word)
		c.replySpecPart(specPart{"startfrom", s.First})
		c.replySpecParts("find_keys", "range", specPart{"lastkey", s.Last}, specPart{"keystep", s.Step}, specPart{"limit", s.Limit})
	case command.SpecUnknown:
		c.replySpecParts("begin_search", "unknown")
		c.replySpecParts("find_keys", "unknown")
	}
}

// specPart is a number in a keyspec, as COMMAND INFO shows it.
type specPart struct {
	name string
	n    int
}

func (c *Call) openSpecParts(name, kind string, n int) {
	w := c.Reply
	w.BulkString(name)
	w.Map(2)
	w.BulkString("type")
	w.BulkString(kind)
	w.BulkString("spec")
	w.Map(n)
}

func (c *Call) replySpecPart(p specPart) {
	c.Reply.BulkString(p.name)
	c.Reply.Int(int64(p.n))
}

func (c *Call) replySpecParts(name, kind string, parts ...specPart) {
	c.openSpecParts(name, kind, len(parts))
	for _, p := range parts {
		c.replySpecPart(p)
	}
}
