package timeseries

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// seriesAt returns the series at key for reading. Where there is none, it returns nil and latches
// an error.
func seriesAt(c *engine.Call, key []byte) *timeseries.Series {
	v, found := engine.Read[keyspace.Value](c, key)
	return required(c, v, found)
}

// edited is seriesAt for changing; Changed makes the change effective.
func edited(c *engine.Call, key []byte) *timeseries.Series {
	v, found := engine.Edit[keyspace.Value](c, key)
	return required(c, v, found)
}

// optional returns the series at key for changing, or nil; a value of another type latches an
// error.
func optional(c *engine.Call, key []byte, wrongType error) *timeseries.Series {
	v, found := engine.Edit[keyspace.Value](c, key)
	s, ok := v.(*timeseries.Series)
	if found && !ok {
		c.Refuse(wrongType)
	}
	return s
}

func required(c *engine.Call, v keyspace.Value, found bool) *timeseries.Series {
	s, ok := v.(*timeseries.Series)
	switch {
	case !found:
		c.Refuse(errKey)
	case !ok:
		c.Refuse(errWrongType)
	}
	return s
}

// peek returns the series at a key, which is no access to it; nil for none.
func peek(c *engine.Call, key string) *timeseries.Series {
	v, _ := c.DB.Peek([]byte(key))
	s, _ := v.(*timeseries.Series)
	return s
}

// changed reports the change of a series by the command.
func changed(c *engine.Call, key []byte, name string) { c.Changed(key, event.Module(name)) }

// inForce reports whether a rule of the series at key is in force.
func inForce(c *engine.Call, key []byte, r *timeseries.Rule) bool {
	dest := peek(c, r.Dest)
	return dest != nil && dest.Source() == string(key)
}

// rules returns the rules of the series at key that are in force.
func rules(c *engine.Call, key []byte, s *timeseries.Series) []*timeseries.Rule {
	lapsed := func(r *timeseries.Rule) bool { return !inForce(c, key, r) }
	if list := s.Rules(); slices.ContainsFunc(list, lapsed) {
		return slices.DeleteFunc(slices.Clone(list), lapsed)
	}
	return s.Rules()
}

// source returns the key whose rule fills the series at key; "" if none does.
func source(c *engine.Call, key []byte, s *timeseries.Series) string {
	if s.Source() == "" {
		return ""
	}
	from := peek(c, s.Source())
	if from == nil || ruleTo(from, key) == nil {
		return ""
	}
	return s.Source()
}

// ruleTo returns the rule of a series for a destination; nil if it has none.
func ruleTo(s *timeseries.Series, dest []byte) *timeseries.Rule {
	for _, r := range s.Rules() {
		if r.Dest == string(dest) {
			return r
		}
	}
	return nil
}

// tidy removes what is left of rules that are not in force any more, before a series is changed.
func tidy(c *engine.Call, key []byte, s *timeseries.Series) {
	if list := rules(c, key, s); len(list) < len(s.Rules()) {
		s.SetRules(list)
	}
	if s.Source() != "" && source(c, key, s) == "" {
		s.SetSource("")
	}
}
