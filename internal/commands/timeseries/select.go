package timeseries

import (
	"bytes"
	"slices"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// selection says which series a command reads, and which labels of them it shows.
type selection struct {
	filters  []timeseries.Filter
	all      bool     // labels are shown
	selected [][]byte // or those of these names
	group    []byte   // the label by which series are grouped; nil for none
	reducer  timeseries.Aggregator
	exclude  bool // series without samples are not shown
}

// behindLabels are the words that end the names of SELECTED_LABELS.
var behindLabels = []string{"FILTER", "AGGREGATION", "COUNT", "FILTER_BY_TS", "FILTER_BY_VALUE", "GROUPBY", "REDUCE",
	"LIMIT"}

// parseLabels reads WITHLABELS and SELECTED_LABELS.
func (s *selection) parseLabels(c *engine.Call) {
	s.all = find(c, "WITHLABELS", 1) > 0
	at := find(c, "SELECTED_LABELS", 1)
	if at < 0 {
		return
	}
	if s.all {
		c.Refuse(errBothLabels)
	}
	for _, name := range c.Args[at+1:] {
		if slices.ContainsFunc(behindLabels, func(word string) bool { return command.IsWord(name, word) }) {
			break
		}
		s.selected = append(s.selected, name)
	}
	if s.selected == nil {
		c.Refuse(errNoLabels)
	}
}

// parseFilters reads the filters behind FILTER, one of which must say what a label is.
func (s *selection) parseFilters(c *engine.Call, filter, end int) {
	finds := false
	for i := filter + 1; i < end && !c.Failed(); i++ {
		finds = s.addFilter(c, c.Args[i]) || finds
	}
	if !finds {
		c.Refuse(errNoMatcher)
	}
}

// addFilter reads a filter, and reports whether it finds series.
func (s *selection) addFilter(c *engine.Call, text []byte) (finds bool) {
	f, ok := timeseries.ParseFilter(text)
	if !ok {
		c.Refuse(errFilter)
	}
	s.filters = append(s.filters, f)
	return f.Finds()
}

// parseGroup reads GROUPBY with what follows it.
func (s *selection) parseGroup(c *engine.Call, at int) {
	if at+4 != len(c.Args) || !command.IsWord(c.Args[at+2], "REDUCE") {
		c.Refuse(wrongArity(c))
		return
	}
	var ok bool
	if s.reducer, ok = parseReducer(c, c.Args[at+3]); !ok {
		c.Refuse(errReducer)
	}
	s.group = c.Args[at+1]
}

// parseReducer returns the aggregator of that name, if it can reduce.
func parseReducer(c *engine.Call, name []byte) (kind timeseries.Aggregator, ok bool) {
	kind, ok = parseAggregator(c, name)
	switch kind {
	case timeseries.First, timeseries.Last, timeseries.TWA:
		return 0, false
	}
	return kind, ok
}

// parse reads what selects the series of a command that does not group: missing is the error
// without FILTER.
func (s *selection) parse(c *engine.Call, missing error) {
	filter := find(c, "FILTER", 1)
	if filter < 0 {
		c.Refuse(missing)
		return
	}
	s.parseLabels(c)
	s.parseFilters(c, filter, len(c.Args))
}

// parseGrouped is parse for a command that may group.
func (s *selection) parseGrouped(c *engine.Call) {
	filter, group, exclude := find(c, "FILTER", 1), find(c, "GROUPBY", 1), find(c, "EXCLUDEEMPTY", 1)
	if filter < 0 {
		c.Refuse(errFilterMissing)
		return
	}
	s.parseLabels(c)
	end := len(c.Args)
	for _, at := range []int{group, exclude} {
		if at > filter {
			end = min(end, at)
		}
	}
	switch {
	case group > 0 && group < filter:
		c.Refuse(errGroupPlace)
	case filter+1 == end:
		c.Refuse(errFilterLabels)
	}
	s.parseFilters(c, filter, end)
	if s.exclude = exclude > 0; s.exclude && group > 0 {
		c.Refuse(errGroupExclude)
	}
	if group > 0 && !c.Failed() {
		s.parseGroup(c, group)
	}
}

// found returns the selected series in the order of their keys.
func (s *selection) found(c *engine.Call) []*timeseries.Found {
	if c.Failed() {
		return nil
	}
	list := slices.DeleteFunc(indexOf(c).Find(s.filters), func(f *timeseries.Found) bool {
		return !c.DB.Touch([]byte(f.Key))
	})
	for _, f := range list {
		if !c.MayRead([]byte(f.Key)) {
			c.Refuse(errDenied)
		}
	}
	return list
}

// indexOf returns the index of the call's database; nil if it never had a series.
func indexOf(c *engine.Call) *timeseries.Index {
	x, _ := c.DB.Index(timeseries.Type).(*timeseries.Index)
	return x
}

// replyLabels replies with those labels of a series that are shown.
func (s *selection) replyLabels(c *engine.Call, labels []timeseries.Label) {
	if s.all {
		beginPairs(c, len(labels))
		for _, l := range labels {
			replyPair(c, []byte(l.Name), []byte(l.Value))
		}
		return
	}
	beginPairs(c, len(s.selected))
	for _, name := range s.selected {
		at := slices.IndexFunc(labels, func(l timeseries.Label) bool { return bytes.EqualFold([]byte(l.Name), name) })
		if at < 0 {
			replyPair(c, name, nil)
		} else {
			replyPair(c, []byte(labels[at].Name), []byte(labels[at].Value))
		}
	}
}

// beginPairs begins a map, which RESP2 shows as an array of pairs.
func beginPairs(c *engine.Call, n int) {
	if c.Reply.Proto() < 3 {
		c.Reply.Array(n)
	} else {
		c.Reply.Map(n)
	}
}

// replyPair replies with an entry of such a map; a nil value is null.
func replyPair(c *engine.Call, name, value []byte) {
	if c.Reply.Proto() < 3 {
		c.Reply.Array(2)
	}
	c.Reply.Bulk(name)
	if value == nil {
		c.Reply.Null()
	} else {
		c.Reply.Bulk(value)
	}
}
