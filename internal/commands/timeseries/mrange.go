package timeseries

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/ds/timeseries"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// TS.MRANGE fromTimestamp toTimestamp [options] FILTER filter [filter ...] [GROUPBY label REDUCE
// reducer]
func cmdMRange(c *engine.Call) { replyMRange(c, false) }

// TS.MREVRANGE fromTimestamp toTimestamp [options] FILTER filter [filter ...] [GROUPBY label REDUCE
// reducer]
func cmdMRevRange(c *engine.Call) { replyMRange(c, true) }

func replyMRange(c *engine.Call, backwards bool) {
	var s selection
	o := parseRange(c, 1, 1)
	o.Backwards = backwards
	if !c.Failed() {
		s.parseGrouped(c)
	}
	if s.group != nil && len(o.firstKinds()) > 1 {
		c.Refuse(errGroupSeveral)
	}
	list := s.found(c)
	if !c.OK() {
		return
	}
	o.settled(c, func() {
		if s.group == nil {
			s.replyEach(c, o, list)
		} else {
			s.replyGroups(c, o, list)
		}
	})
}

// replyEach replies with the ranges of series one by one.
func (s *selection) replyEach(c *engine.Call, o *rangeOptions, list []*timeseries.Found) {
	if s.exclude {
		list = slices.DeleteFunc(list, func(f *timeseries.Found) bool {
			return len(o.columns(c, f.Series, o.firstKinds()[:1])[0].Next()) == 0
		})
	}
	beginByKey(c, len(list))
	for _, f := range list {
		if c.Reply.Full() {
			return
		}
		beginKey(c, f.Key, 3)
		if s.replyLabels(c, f.Series.Labels()); c.Reply.Proto() >= 3 {
			replyNames(c, "aggregators", o.names())
		}
		o.reply(c, f.Series)
	}
}

// names returns the names of the aggregators of the first series.
func (o *rangeOptions) names() (list []string) {
	if len(o.kinds) > 0 {
		for _, kind := range o.kinds[0] {
			list = append(list, strings.ToLower(kind.String()))
		}
	}
	return list
}

// beginByKey begins a reply with a part for each of n keys: a map, and an array with RESP2.
func beginByKey(c *engine.Call, n int) { beginPairs(c, n) }

// beginKey begins the part of a key, which has n elements with RESP3.
func beginKey(c *engine.Call, key string, n int) {
	if c.Reply.Proto() < 3 {
		c.Reply.Array(3)
		c.Reply.BulkString(key)
		return
	}
	c.Reply.BulkString(key)
	c.Reply.Array(n)
}

// replyNames replies with a map of one entry, which has names.
func replyNames(c *engine.Call, of string, names []string) {
	c.Reply.Map(1)
	c.Reply.BulkString(of)
	c.ReplyStrings(names)
}

// group is the series that have one value of a label.
type group struct {
	value string
	list  []*timeseries.Found
}

// groups returns the groups of series that have the label, in the order of its values.
func (s *selection) groups(list []*timeseries.Found) (groups []*group) {
	of := make(map[string]*group)
	for _, f := range list {
		value, ok := f.Series.Value(s.group)
		if !ok {
			continue
		}
		g := of[value]
		if g == nil {
			g = &group{value: value}
			of[value] = g
			groups = append(groups, g)
		}
		g.list = append(g.list, f)
	}
	slices.SortFunc(groups, func(a, b *group) int { return strings.Compare(a.value, b.value) })
	return groups
}

// replyGroups replies with a range for each group of series.
func (s *selection) replyGroups(c *engine.Call, o *rangeOptions, list []*timeseries.Found) {
	groups := s.groups(list)
	beginByKey(c, len(groups))
	for _, g := range groups {
		if c.Reply.Full() {
			return
		}
		beginKey(c, string(s.group)+"="+g.value, 4)
		s.replyGroup(c, g)
		replySamples(c.Reply, o.reduce(c, g, s.reducer))
	}
}

// replyGroup replies with what is said of a group. The reducer and the series are labels, too,
// which clients with RESP3 need not be shown.
func (s *selection) replyGroup(c *engine.Call, g *group) {
	reducer := strings.ToLower(s.reducer.String())
	labels := []timeseries.Label{{Name: string(s.group), Value: g.value}, {Name: "__reducer__", Value: reducer},
		{Name: "__source__", Value: strings.Join(g.keys(), ",")}}
	if c.Reply.Proto() < 3 {
		s.replyLabels(c, labels)
		return
	}
	if s.all {
		labels = labels[:1]
	}
	s.replyLabels(c, labels)
	replyNames(c, "reducers", []string{reducer})
	replyNames(c, "sources", g.keys())
}

// keys returns the keys of a group.
func (g *group) keys() (list []string) {
	for _, f := range g.list {
		list = append(list, f.Key)
	}
	return list
}

// reduce returns the range of a group: what the reducer makes of the ranges of its series, which go
// forwards whatever the command.
func (o *rangeOptions) reduce(c *engine.Call, g *group, reducer timeseries.Aggregator) timeseries.Source {
	forward := *o
	forward.Backwards, forward.Limit = false, 0
	forward.Batch = max(8, 512/len(g.list))
	var sources []timeseries.Source
	for _, f := range g.list {
		sources = append(sources, forward.columns(c, f.Series, o.firstKinds())...)
	}
	from := timeseries.Reduce(sources, reducer)
	if o.Backwards {
		from = timeseries.Reversed(from)
	}
	return timeseries.Limited(from, o.Limit)
}
