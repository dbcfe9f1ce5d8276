package main

import (
	"github.com/miniserver-go/miniserver/bench/charts"
	"github.com/miniserver-go/miniserver/bench/laboratory"
)

// charts draws the results: what is not there for want of cases is left out.
func (m *memoryRun) charts() (list []charts.Chart) {
	add := func(c charts.Chart) {
		if len(c.Lines)+len(c.Groups) > 0 {
			list = append(list, c)
		}
	}
	add(m.jump())
	for _, kind := range laboratory.Types {
		add(m.growth(kind))
	}
	for _, kind := range []string{"zset", "hash"} {
		add(m.perElement(kind))
	}
	add(m.shapes())
	for _, op := range operations {
		add(m.times("zset", op))
	}
	return list
}

// formName names a form of a type for people.
func formName(kind, form string) string {
	switch {
	case form == laboratory.Table && kind == "zset":
		return "skiplist"
	case form == laboratory.Table:
		return "hashtable"
	case form == laboratory.BTree:
		return "google/btree and a map"
	case form == laboratory.GoMap:
		return "a Go map"
	case form == laboratory.Default && kind == "strings":
		return "keys of miniserver"
	case form == laboratory.Default && kind == "list":
		return "quicklist, nodes of 8 kB"
	case form == laboratory.Ziplist && kind == "list":
		return "quicklist, nodes of 64 kB"
	case form == laboratory.Default:
		return "miniserver, by default"
	}
	return form
}

var threshold = map[string]charts.Mark{"zset": {At: 128, Text: "zset-max-ziplist-entries 128"},
	"hash": {At: 512, Text: "hash-max-ziplist-entries 512"}, "set": {At: 512, Text: "set-max-intset-entries 512"}}

func marks(kind string) []charts.Mark {
	if m, ok := threshold[kind]; ok {
		return []charts.Mark{m}
	}
	return nil
}

// line gathers a figure of the results of a type in a form over the number of elements, of time
// stamps, up to a number of them. Results for which the figure is 0 are left out.
func (m *memoryRun) line(kind, form string, most int, figure func(laboratory.Result) float64) (l charts.Line) {
	for _, r := range m.Results {
		if y := figure(r); r.Type == kind && r.Form == form && r.Shape == "times" && r.N <= most && y > 0 {
			l.X, l.Y = append(l.X, float64(r.N)), append(l.Y, y)
		}
	}
	l.Name = formName(kind, form)
	return l
}

// lines gathers a figure in all forms that have two points or more.
func (m *memoryRun) lines(kind string, forms []string, most int,
	figure func(laboratory.Result) float64) (list []charts.Line) {
	for _, form := range forms {
		if l := m.line(kind, form, most, figure); len(l.X) > 1 {
			list = append(list, l)
		}
	}
	return list
}

// withRedis adds Redis' line.
func (m *memoryRun) withRedis(lines []charts.Line, kind string, most int,
	figure func(laboratory.Result) float64) []charts.Line {
	if l := m.line(kind, laboratory.Default, most, figure); len(l.X) > 1 {
		l.Name, l.Dashed = "redis-server "+m.Redis+", by default", true
		lines = append(lines, l)
	}
	return lines
}

func heapOf(r laboratory.Result) float64  { return r.Heap }
func redisOf(r laboratory.Result) float64 { return float64(r.Redis.Usage) }

var forced = []string{laboratory.Ziplist, laboratory.Intset, laboratory.Table, laboratory.BTree, laboratory.GoMap}

// jump is the step that a sorted set takes with its 129th member.
func (m *memoryRun) jump() charts.Chart {
	c := charts.Chart{Name: "jump",
		Title: "A sorted set of time stamps: the step at 129 members", X: charts.Axis{Label: "members"},
		Y: charts.Axis{Label: "memory of the key", Unit: charts.Bytes}, Marks: marks("zset")}
	c.Lines = m.lines("zset", []string{laboratory.Default, laboratory.Ziplist}, 256, heapOf)
	c.Lines = m.withRedis(c.Lines, "zset", 256, redisOf)
	if len(c.Lines) == 0 || len(c.Lines[0].X) < 3 {
		return charts.Chart{}
	}
	return c
}

// growth is the memory of a collection over the number of its elements.
func (m *memoryRun) growth(kind string) charts.Chart {
	forms := forced
	if kind == "list" || kind == "strings" {
		forms = append([]string{laboratory.Default}, forced...)
	}
	title := map[string]string{"zset": "Sorted sets", "hash": "Hashes", "set": "Sets", "list": "Lists",
		"strings": "Strings as keys"}[kind]
	c := charts.Chart{Name: kind, Title: title + " of time stamps: memory by the number of elements",
		X: charts.Axis{Label: "elements", Log: true},
		Y: charts.Axis{Label: "memory", Unit: charts.Bytes, Log: true}, Marks: marks(kind)}
	c.Lines = m.withRedis(m.lines(kind, forms, 1<<30, heapOf), kind, 1<<30, redisOf)
	return c
}

// perElement is growth by element.
func (m *memoryRun) perElement(kind string) charts.Chart {
	c := charts.Chart{Name: kind + "-element", Title: map[string]string{"zset": "Sorted sets", "hash": "Hashes"}[kind] +
		" of time stamps: memory of each element",
		X: charts.Axis{Label: "elements", Log: true}, Y: charts.Axis{Label: "memory of an element", Unit: charts.Bytes},
		Marks: marks(kind)}
	from := func(figure func(laboratory.Result) float64) func(r laboratory.Result) float64 {
		return func(r laboratory.Result) float64 {
			if r.N < 8 {
				return 0
			}
			return figure(r) / float64(r.N)
		}
	}
	c.Lines = m.withRedis(m.lines(kind, forced, 1<<30, from(heapOf)), kind, 1<<30, from(redisOf))
	return c
}

// shapes compares what members of different shapes cost.
func (m *memoryRun) shapes() charts.Chart {
	const n = 128
	c := charts.Chart{Name: "shapes", Title: "Sorted sets of 128 members: memory of a member, by what it is",
		Y:    charts.Axis{Label: "memory of a member", Unit: charts.Bytes},
		Bars: []string{"ziplist", "skiplist", "google/btree and a map"}}
	for _, s := range laboratory.Shapes {
		g := charts.Group{Name: s.Name, Values: make([]float64, len(c.Bars))}
		for _, r := range m.Results {
			if r.Type == "zset" && r.Shape == s.Name && r.N == n {
				for i, form := range []string{laboratory.Ziplist, laboratory.Table, laboratory.BTree} {
					if r.Form == form {
						g.Values[i] = r.PerElement()
					}
				}
			}
		}
		if g.Values[0]*g.Values[1]*g.Values[2] > 0 {
			c.Groups = append(c.Groups, g)
		}
	}
	if len(c.Groups) < 2 {
		return charts.Chart{}
	}
	return c
}

// operation is one kind of work that is timed.
type operation struct {
	name, title string
	figure      func(laboratory.Result) float64
}

var operations = []operation{
	{"insert", "time of an insertion, in ascending order", func(r laboratory.Result) float64 { return r.Insert }},
	{"lookup", "time to look a member up", func(r laboratory.Result) float64 { return r.Lookup }},
	{"rank", "time to find a member's rank", func(r laboratory.Result) float64 { return r.Rank }},
	{"range", "time to read ten neighbours by rank", func(r laboratory.Result) float64 { return r.Range }},
	{"delete", "time of a removal, in random order", func(r laboratory.Result) float64 { return r.Delete }},
}

// times is the time of an operation over the number of elements.
func (m *memoryRun) times(kind string, op operation) charts.Chart {
	return charts.Chart{Name: "time-" + op.name, Title: "Sorted sets of time stamps: " + op.title,
		X: charts.Axis{Label: "members", Log: true},
		Y: charts.Axis{Label: "time", Unit: charts.Nanoseconds, Log: true}, Marks: marks(kind),
		Lines: m.lines(kind, forced, 1<<30, op.figure)}
}
