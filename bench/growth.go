package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/bench/charts"
)

// growthRun is the flags of the subcommand growth.
type growthRun struct {
	*options
	most, clients, bytes int
	png                  string
}

// runGrowth is the subcommand growth: the CPU that an operation costs the server as what it works
// on grows. Where that is flat or logarithmic, no size is a trap.
func runGrowth(args []string) error {
	o := &growthRun{options: newOptions("growth").withServers("redis-server").withLoad(50_000, 3)}
	o.flags.IntVar(&o.most, "most", 1_000_000,
		"the most keys, members and elements; every power of ten from 1000 on is measured")
	o.flags.IntVar(&o.clients, "clients", 1000, "the most clients")
	o.flags.IntVar(&o.bytes, "bytes", 1_000_000, "the most bytes of a value")
	o.flags.StringVar(&o.png, "png", "", "write the charts to this directory")
	if err := o.parse(args); err != nil {
		return err
	}
	if o.most < 1000 || o.clients < 1 || o.bytes < 10 {
		return fmt.Errorf("bad flags: -most %d -clients %d -bytes %d", o.most, o.clients, o.bytes)
	}
	servers, stop, err := o.startAll()
	if err != nil {
		return err
	}
	defer stop()
	t := o.measure(servers)
	if err := o.print(t); err != nil || o.png == "" {
		return err
	}
	return drawAll(o.png, growthCharts(t)...)
}

// growth is an operation, and what grows under it.
type growth struct {
	name, of string
	sizes    []int
	at       func(size int) workload
}

// tens returns the powers of ten between two.
func tens(from, to int) (list []int) {
	for ; from <= to; from *= 10 {
		list = append(list, from)
	}
	return list
}

// growths are the charts.
func (o *growthRun) growths() []growth {
	many, values := tens(1000, o.most), tens(10, o.bytes)
	get, set := []string{"GET", "key:__rand_int__"}, []string{"SET", "key:__rand_int__", "xxx"}
	return []growth{
		{"GET", "keys", many, func(n int) workload { return pipelined(n, fillKeys(n), get...) }},
		{"SET", "keys", many, func(n int) workload { return pipelined(n, fillKeys(n), set...) }},
		{"HGET", "fields", many, func(n int) workload {
			return pipelined(n, fillGrowing(n, "HSET", "%[1]s 1"), "HGET", "large", "element:__rand_int__")
		}},
		{"SISMEMBER", "members", many, func(n int) workload {
			return pipelined(n, fillGrowing(n, "SADD", "%[1]s"), "SISMEMBER", "large", "element:__rand_int__")
		}},
		{"ZADD", "members", many, func(n int) workload {
			return pipelined(n, fillGrowing(n, "ZADD", "%[2]d %[1]s"), "ZADD", "large", "__rand_int__",
				"element:__rand_int__")
		}},
		{"ZRANK", "members", many, func(n int) workload {
			return pipelined(n, fillGrowing(n, "ZADD", "%[2]d %[1]s"), "ZRANK", "large", "element:__rand_int__")
		}},
		{"GET", "clients", tens(1, o.clients), func(n int) workload {
			return workload{clients: n, pipeline: 1, share: 1, keyspace: 1000, setup: fillKeys(1000), args: get}
		}},
		{"GET", "commands in a pipeline", tens(1, 1000), func(n int) workload {
			return workload{clients: 10, pipeline: n, share: min(1+float64(n), 10), keyspace: 1000,
				setup: fillKeys(1000), args: get}
		}},
		{"SET", "bytes of the value", values,
			func(n int) workload { w := sized(n, "SET", "value"); w.value = n; return w }},
		{"GET", "bytes of the value", values, func(n int) workload {
			w := sized(n, "GET", "value")
			w.setup = func(s *server) error { _, err := s.do("SET", "value", strings.Repeat("x", n)); return err }
			return w
		}},
		{"DUMP of a list", "elements", tens(10, o.most), func(n int) workload {
			w := sized(20*n, "DUMP", "large")
			w.setup = fillGrowing(n, "RPUSH", "%[1]s")
			return w
		}},
		{"COPY of a hash", "fields", tens(10, o.most), func(n int) workload {
			w := sized(400*n, "COPY", "large", "copy", "REPLACE")
			w.setup = fillGrowing(n, "HSET", "%[1]s 1")
			return w
		}},
	}
}

// pipelined is a workload on any of n keys or members, whose requests cost as little as possible
// besides.
func pipelined(n int, setup func(*server) error, args ...string) workload {
	return workload{clients: 10, pipeline: 16, share: 4, keyspace: n, setup: setup, args: args}
}

// sized is a workload on one value of so many bytes: the more, the fewer requests, but enough for
// the clock of the CPU.
func sized(bytes int, args ...string) workload {
	return workload{clients: 4, pipeline: 1, share: min(1, 20_000/float64(bytes)), args: args}
}

// fillKeys returns a setup that stores n keys.
func fillKeys(n int) func(*server) error {
	return func(s *server) error {
		return s.eachKey(0, n, func(i int) []string { return []string{"SET", fmt.Sprintf("key:%012d", i), "xxx"} })
	}
}

// fillGrowing returns a setup that adds n elements to one key. Pattern makes the words of one from
// its name and its number.
func fillGrowing(n int, command, pattern string) func(*server) error {
	return func(s *server) error {
		return s.fill(n, []string{command, "large"}, func(i int) []string {
			words := strings.NewReplacer("%[1]s", fmt.Sprintf("element:%012d", i), "%[2]d", strconv.Itoa(i)).
				Replace(pattern)
			return strings.Fields(words)
		})
	}
}

// growthColumns show an operation at one size on one server.
var growthColumns = []column{
	{"operation", "%s", "name"},
	{"over", "%s", "of"},
	{"size", "%d", "size"},
	{"server", "%s", "server"},
	{"user us", "%.3f (%.3f..%.3f)", "user_us min_user_us max_user_us"},
	{"ours/it", "%.2f", "user_ratio"},
	{"user+sys us", "%.3f (%.3f..%.3f)", "cpu_us min_cpu_us max_cpu_us"},
	{"ours/it", "%.2f", "cpu_ratio"},
}

func (g growth) String() string { return g.name + " over " + g.of }

// measure measures the chosen operations at all sizes.
func (o *growthRun) measure(servers []*server) *table {
	var all []growth
	steps := 0
	for _, g := range o.growths() {
		if o.filter.MatchString(g.String()) {
			all, steps = append(all, g), steps+len(g.sizes)
		}
	}
	bar := newSteps(steps)
	defer bar.End()
	t := &table{columns: growthColumns}
	for _, g := range all {
		for _, size := range g.sizes {
			w := g.at(size)
			w.name = fmt.Sprintf("%s, %d", g, size)
			bar.begin(w.name)
			figures, refused := o.measureOne(w, servers)
			for _, r := range workloadRows(g.name, figures, servers) {
				t.rows = append(t.rows, r.add("", row{"of": g.of, "size": size}))
			}
			t.notes = append(t.notes, refused...)
		}
	}
	return t
}

// growthCharts draws a chart for each operation, with a line for each server.
func growthCharts(t *table) (list []charts.Chart) {
	at := map[string]int{} // the chart of an operation
	for _, r := range t.rows {
		title := fmt.Sprintf("%s over %s", r["name"], r["of"])
		if _, begun := at[title]; !begun {
			at[title] = len(list)
			list = append(list, charts.Chart{Name: "growth-" + strings.ReplaceAll(title, " ", "-"), Title: title,
				X: charts.Axis{Label: r["of"].(string), Log: true},
				Y: charts.Axis{Label: "CPU of the server, user", Unit: charts.Nanoseconds, Log: true}})
		}
		if us := r.number("user_us"); us > 0 { // 0 is too little for the clock
			addPoint(&list[at[title]], r["server"].(string), float64(r["size"].(int)), us*1000)
		}
	}
	for i := range list { // one point is no line
		list[i].Lines = slices.DeleteFunc(list[i].Lines, func(l charts.Line) bool { return len(l.X) < 2 })
	}
	return slices.DeleteFunc(list, func(c charts.Chart) bool { return len(c.Lines) == 0 })
}

// addPoint adds a point to the line of that name, which it returns.
func addPoint(c *charts.Chart, name string, x, y float64) *charts.Line {
	i := slices.IndexFunc(c.Lines, func(l charts.Line) bool { return l.Name == name })
	if i < 0 {
		i = len(c.Lines)
		c.Lines = append(c.Lines, charts.Line{Name: name})
	}
	line := &c.Lines[i]
	line.X, line.Y = append(line.X, x), append(line.Y, y)
	return line
}
