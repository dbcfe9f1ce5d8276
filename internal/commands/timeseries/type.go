package timeseries

import (
	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Type is the time series.
var Type = engine.Type{Type: timeseries.Type, Explain: explain, Forms: forms, Dump: dump, Plain: &plain,
	Renaming: renaming}

// renaming takes the rules of a series along to another key.
func renaming(c *engine.Call, v keyspace.Value, from, to []byte) {
	s := v.(*timeseries.Series)
	tidy(c, from, s)
	for _, r := range s.Rules() {
		edited(c, []byte(r.Dest)).SetSource(string(to))
		c.DB.Commit([]byte(r.Dest))
	}
	if s.Source() != "" {
		source := []byte(s.Source())
		ruleTo(edited(c, source), from).Dest = string(to)
		c.DB.Commit(source)
	}
	s.SetName(string(to))
}
