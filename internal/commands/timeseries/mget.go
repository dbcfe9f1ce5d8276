package timeseries

import (
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// TS.MGET [LATEST] [WITHLABELS|SELECTED_LABELS label [label ...]] FILTER filter [filter ...]
func cmdMGet(c *engine.Call) {
	var s selection
	s.parse(c, wrongArity(c))
	latest := find(c, "LATEST", 1) > 0
	list := s.found(c)
	if !c.OK() {
		return
	}
	beginByKey(c, len(list))
	for _, f := range list {
		beginKey(c, f.Key, 2)
		s.replyLabels(c, f.Series.Labels())
		replyLatest(c, f.Series, latest)
	}
}

// TS.QUERYINDEX filter [filter ...]
//
// The keys are in order, which clients need not rely on.
func cmdQueryIndex(c *engine.Call) {
	var s selection
	s.parseFilters(c, 0, len(c.Args))
	if !c.OK() {
		return
	}
	list := indexOf(c).Find(s.filters)
	c.Reply.Set(len(list))
	for _, f := range list {
		c.Reply.BulkString(f.Key)
	}
}

// TS.QUERYLABELS <LABELS|VALUES label> [FILTER filter [filter ...]]
//
// It passes over series that the user may not read.
func cmdQueryLabels(c *engine.Call) {
	var of []byte
	values := c.Word("VALUES")
	switch {
	case values && !c.More():
		c.Refuse(wrongArity(c))
	case values:
		of = c.Arg()
	case !c.Word("LABELS"):
		c.Refuse(errSubtype)
	}
	names := make(map[string]bool)
	note := func(key string, s *timeseries.Series) {
		if c.DB.Exists([]byte(key)) && c.MayRead([]byte(key)) {
			noteLabels(names, s, of, values)
		}
	}
	if eachLabelled(c, note); !c.OK() {
		return
	}
	c.Reply.Set(len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		c.Reply.BulkString(name)
	}
}

// eachLabelled calls fn for the series that pass the filters which are next, and for all that have
// labels if there is no more.
func eachLabelled(c *engine.Call, fn func(key string, s *timeseries.Series)) {
	if !c.More() {
		indexOf(c).All(fn)
		return
	}
	if !c.Word("FILTER") || !c.More() {
		c.Refuse(wrongArity(c))
		return
	}
	var s selection
	if s.parseFilters(c, c.Pos()-1, len(c.Args)); c.Failed() {
		return
	}
	for _, f := range indexOf(c).Find(s.filters) {
		fn(f.Key, f.Series)
	}
}

// noteLabels notes the names of a series' labels, or the values of one.
func noteLabels(names map[string]bool, s *timeseries.Series, of []byte, values bool) {
	for _, l := range s.Labels() {
		switch {
		case !values:
			names[l.Name] = true
		case l.Name == string(of):
			names[l.Value] = true
		}
	}
}
