package introspection

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// replyKeyspecs writes keyspecs as COMMAND INFO shows them.
func replyKeyspecs(c *engine.Call, k command.Keys) {
	c.Reply.Set(len(k.Specs))
	for i := range k.Specs {
		replyKeyspec(c, &k.Specs[i])
	}
}

func replyKeyspec(c *engine.Call, s *command.Keyspec) {
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
	replyWords(c, strings.Fields(s.Access))
	switch s.Kind {
	case command.SpecFixed:
		last := s.Last
		if last > 0 {
			last -= s.First
		}
		replySpecParts(c, "begin_search", "index", specPart{"index", s.First})
		replySpecParts(c, "find_keys", "range", specPart{"lastkey", last}, specPart{"keystep", s.Step},
			specPart{"limit", 0})
	case command.SpecCounted:
		replySpecParts(c, "begin_search", "index", specPart{"index", s.First})
		replySpecParts(c, "find_keys", "keynum", specPart{"keynumidx", 0}, specPart{"firstkey", 1},
			specPart{"keystep", s.Step})
	case command.SpecAfterWord:
		openSpecParts(c, "begin_search", "keyword", 2)
		w.BulkString("keyword")
		w.BulkString(s.Word)
		replySpecPart(c, specPart{"startfrom", s.First})
		replySpecParts(c, "find_keys", "range", specPart{"lastkey", s.Last}, specPart{"keystep", s.Step},
			specPart{"limit", s.Limit})
	case command.SpecUnknown:
		replySpecParts(c, "begin_search", "unknown")
		replySpecParts(c, "find_keys", "unknown")
	}
}

// specPart is a number in a keyspec, as COMMAND INFO shows it.
type specPart struct {
	name string
	n    int
}

func openSpecParts(c *engine.Call, name, kind string, n int) {
	w := c.Reply
	w.BulkString(name)
	w.Map(2)
	w.BulkString("type")
	w.BulkString(kind)
	w.BulkString("spec")
	w.Map(n)
}

func replySpecPart(c *engine.Call, p specPart) {
	c.Reply.BulkString(p.name)
	c.Reply.Int(int64(p.n))
}

func replySpecParts(c *engine.Call, name, kind string, parts ...specPart) {
	openSpecParts(c, name, kind, len(parts))
	for _, p := range parts {
		replySpecPart(c, p)
	}
}
