package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// limiterColumns show what a run of a limiter came to. Empty is the server before the first call.
var limiterColumns = []column{
	{"times", "%s", "precision"},
	{"k/s", "%.1f", "kps"},
	{"p50/p99 ms", "%.2f/%.2f", "p50_ms p99_ms"},
	{"CPU us/req", "%.2f", "cpu_us"},
	{"passed", "%v", "passed"},
	{"keys", "%d", "keys"},
	{"used MB", "%.2f", "used_mb"},
	{"used/key", "%.0f B", "used_per_key_bytes"},
	{"RSS MB", "%.2f", "rss_mb"},
	{"peak MB", "%.2f", "peak_mb"},
	{"empty MB", "%.2f", "empty_rss_mb"},
	{"RSS/key", "%.0f B", "rss_per_key_bytes"},
}

// passed is how many requests passed, and how many should have; Due is 0 if that depends on chance.
type passed struct {
	Calls int `json:"calls"`
	Due   int `json:"due,omitempty"`
}

func (p passed) right() bool { return p.Due == 0 || p.Due == p.Calls }

func (p passed) String() string {
	if p.right() {
		return strconv.Itoa(p.Calls)
	}
	return fmt.Sprintf("%d (%.2fx)", p.Calls, float64(p.Calls)/float64(p.Due))
}

// limiterOptions are the flags of the subcommand limiter.
type limiterOptions struct {
	*options
	clients, keys int
	traffics      []string
}

// runLimiter is the subcommand limiter: the article's two scripts, at several precisions, and what
// else limits requests, each on a fresh server.
func runLimiter(args []string) error {
	o := &limiterOptions{options: newOptions("limiter").withServers("redis-server")}
	o.flags.IntVar(&o.requests, "n", 200_000, "requests of each run; the article has 1000000")
	o.flags.IntVar(&o.clients, "c", 50, "connections; the article has 500")
	o.flags.IntVar(&o.keys, "keys", 0,
		"keys; half the requests for the article's traffic, a hundredth for busy, a thousandth for hot, if 0")
	named := o.flags.String("traffic", "", "article, busy or hot, separated by commas; all if empty")
	if err := o.parse(args); err != nil {
		return err
	}
	o.traffics = commas(*named)
	if o.clients < 1 || o.keys < 0 {
		return fmt.Errorf("bad flags: -c %d -keys %d", o.clients, o.keys)
	}
	return o.runAll()
}

// limiterRun is one limiter under one traffic on one server.
type limiterRun struct {
	server, path string
	load         load
}

func (r limiterRun) String() string {
	return fmt.Sprintf("%s %s, %s, %s", r.server, r.load.limiter.name, r.load.limiter.precision.name,
		r.load.traffic.name)
}

// runs returns what is to be run: every limiter under every traffic, the other precisions under
// busy traffic only.
func (o *limiterOptions) runs(servers []binary) (list []limiterRun) {
	for _, t := range traffics {
		if len(o.traffics) > 0 && !slices.Contains(o.traffics, t.name) {
			continue
		}
		for _, l := range limiters() {
			sliding := strings.HasPrefix(l.script, "sliding-window")
			if sliding && l.precision.name != seconds.name && t.name != "busy" {
				continue
			}
			for _, s := range servers {
				r := limiterRun{s.name, s.path, load{l, t, o.requests, o.clients, o.keysOf(t)}}
				if o.filter.MatchString(r.String()) {
					list = append(list, r)
				}
			}
		}
	}
	return list
}

func (o *limiterOptions) keysOf(t traffic) int {
	if o.keys > 0 {
		return o.keys
	}
	return max(1, o.requests/t.requests)
}

func (o *limiterOptions) runAll() error {
	servers, clean, err := o.binaries()
	if err != nil {
		return err
	}
	defer clean()
	runs := o.runs(servers)
	var rows []row
	refused := map[string]error{}
	bar := newSteps(len(runs))
	for _, run := range runs {
		bar.begin(run.String())
		r, err := o.runOne(run)
		if err != nil {
			refused[run.server+" "+run.load.limiter.name] = err
			continue
		}
		rows = append(rows, r)
	}
	bar.End()
	return o.print(limiterTables(rows, refused)...)
}

// runOne runs a limiter on a fresh server.
func (o *limiterOptions) runOne(run limiterRun) (row, error) {
	s, err := startServer(run.server, run.path, o.arguments(run.server))
	if err != nil {
		return nil, err
	}
	defer s.stop()
	empty, err := s.footprint()
	if err != nil {
		return nil, err
	}
	before, err := cpuOf(s.process.PID)
	if err != nil {
		return nil, err
	}
	out, err := run.load.run(s)
	if err != nil {
		return nil, err
	}
	after, err := cpuOf(s.process.PID)
	if err != nil {
		return nil, err
	}
	l, spent := run.load, after.user-before.user+after.sys-before.sys
	r := row{
		"name": run.server + " " + l.limiter.name, "server": run.server,
		"limiter": l.limiter.name, "precision": l.limiter.precision.name,
		"traffic": l.traffic.name, "calls": l.requests, "kps": float64(l.requests) / out.took.Seconds() / 1000,
		"p50_ms": out.percentile(0.5), "p99_ms": out.percentile(0.99), "passed": passed{out.passed, l.due()},
		"cpu_us": float64(spent.Microseconds()) / float64(l.requests),
	}
	left, err := s.footprint()
	r.add("", left).add("empty_", empty)
	keys := float64(max(left["keys"].(int64), 1))
	r["used_per_key_bytes"] = 1e6 * (left.number("used_mb") - empty.number("used_mb")) / keys
	r["rss_per_key_bytes"] = 1e6 * left.number("rss_mb") / keys
	return r, err
}

// footprint returns what the server holds, by its own account and by the kernel's.
func (s *server) footprint() (row, error) {
	size, err := s.do("DBSIZE")
	if err != nil {
		return nil, err
	}
	info, err := s.do("INFO", "memory")
	if err != nil {
		return nil, err
	}
	held, err := memoryOf(s.process.PID)
	return row{"keys": size.Int, "used_mb": megabytes(infoField(info.Text, "used_memory")),
		"rss_mb": megabytes(held.now), "peak_mb": megabytes(held.peak)}, err
}

// infoField returns a number of INFO's reply, 0 if it is not there.
func infoField(text, name string) int64 {
	n, _ := strconv.ParseInt(infoText(text, name), 10, 64)
	return n
}

// infoText returns the text of a field of INFO's reply, "" if it is not there.
func infoText(text, name string) string {
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// limiterTables returns a table for each traffic, and one of the cheapest limiters with what was
// refused.
func limiterTables(rows []row, refused map[string]error) (list []*table) {
	best := cheapest(rows)
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		best.notes = append(best.notes, fmt.Sprintf("%s was not run: %v", name, refused[name]))
	}
	for _, t := range traffics {
		list = append(list,
			&table{columns: slices.Concat([]column{{t.name + ": " + t.about, "%s", "name"}}, limiterColumns),
				rows: where(rows, func(r row) bool { return r["traffic"] == t.name })})
	}
	return append(list, best)
}

// where returns the rows that match.
func where(rows []row, match func(r row) bool) []row {
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !match(r) })
}

// serversOf returns the servers of rows, in their order.
func serversOf(rows []row) (names []string) {
	for _, r := range rows {
		if name := r["server"].(string); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// least returns the row with the least of a measurement.
func least(rows []row, name string) row {
	return slices.MinFunc(rows, func(a, b row) int { return cmp.Compare(a.number(name), b.number(name)) })
}

// cheapest says which limiter takes the least memory and which the least CPU, on each server under
// each traffic, of all that let pass what is due and of those that also remember each request.
func cheapest(rows []row) *table {
	out := &table{columns: []column{{"cheapest", "%s", "name"}, {"memory", "%s", "memory_limiter"},
		{"B/key", "%.0f", "memory_used_per_key_bytes"},
		{"CPU", "%s", "cpu_limiter"}, {"us/req", "%.2f", "cpu_cpu_us"},
		{"of windows that slide", "%s by %s", "sliding_limiter sliding_precision"},
		{"B/key", "%.0f", "sliding_used_per_key_bytes"}}}
	for _, t := range traffics {
		for _, server := range serversOf(rows) {
			right := where(rows, func(r row) bool {
				return r["traffic"] == t.name && r["server"] == server && r["passed"].(passed).right()
			})
			if len(right) == 0 {
				continue
			}
			r := row{"name": t.name + ", " + server}.add("memory_", least(right, "used_per_key_bytes")).
				add("cpu_", least(right, "cpu_us"))
			sliding := where(right,
				func(r row) bool { l := r["limiter"].(string); return strings.HasPrefix(l, "hash") || l == "zset" })
			if len(sliding) > 0 {
				r.add("sliding_", least(sliding, "used_per_key_bytes"))
			}
			out.rows = append(out.rows, r)
		}
	}
	return out
}
