package engine

import "strings"

// replyKeyspecs writes keyspecs as COMMAND INFO shows them.
func (c *Call) replyKeyspecs(k Keys) {
	c.Reply.Set(len(k.specs))
	for i := range k.specs {
		c.replyKeyspec(&k.specs[i])
	}
}

func (c *Call) replyKeyspec(s *keyspec) {
	w := c.Reply
	n := 3
	if s.note != "" {
		n++
	}
	w.Map(n)
	if s.note != "" {
		w.BulkString("notes")
		w.BulkString(s.note)
	}
	w.BulkString("flags")
	c.replyWords(strings.Fields(s.access))
	switch s.kind {
	case fixed:
		last := s.last
		if last > 0 {
			last -= s.first
		}
		c.replySpecParts("begin_search", "index", specPart{"index", s.first})
		c.replySpecParts("find_keys", "range", specPart{"lastkey", last}, specPart{"keystep", s.step}, specPart{"limit", 0})
	case counted:
		c.replySpecParts("begin_search", "index", specPart{"index", s.first})
		c.replySpecParts("find_keys", "keynum", specPart{"keynumidx", 0}, specPart{"firstkey", 1}, specPart{"keystep", s.step})
	case afterWord:
		c.openSpecParts("begin_search", "keyword", 2)
		w.BulkString("keyword")
		w.BulkString(s.word)
		c.replySpecPart(specPart{"startfrom", s.first})
		c.replySpecParts("find_keys", "range", specPart{"lastkey", s.last}, specPart{"keystep", s.step}, specPart{"limit", s.limit})
	case unknown:
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
