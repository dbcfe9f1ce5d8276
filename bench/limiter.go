package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// footprint is what a run of a limiter came to.
type footprint struct {
	Server     string  `json:"server"`
	Limiter    string  `json:"limiter"`
	Precision  string  `json:"precision"`
	Traffic    string  `json:"traffic"`
	Calls      int     `json:"calls"`
	RPS        float64 `json:"rps"`
	P50        float64 `json:"p50_ms"`
	P99        float64 `json:"p99_ms"`
	CPU        float64 `json:"cpu_us_per_request"`
	Passed     int     `json:"passed"`
	Due        int     `json:"should_pass"` // 0 if it depends on chance
	Keys       int64   `json:"keys"`
	EmptyUsed  int64   `json:"empty_used_memory_bytes"`
	UsedMemory int64   `json:"used_memory_bytes"`
	Empty      int64   `json:"empty_rss_bytes"` // before the first call
	RSS        int64   `json:"rss_bytes"`
	Peak       int64   `json:"peak_rss_bytes"`
	PerKey     float64 `json:"rss_bytes_per_key"`
}

// UsedPerKey returns what each key added to used_memory.
func (f footprint) UsedPerKey() float64 {
	return float64(f.UsedMemory-f.EmptyUsed) / float64(max(f.Keys, 1))
}

// limiterOptions are the flags of the subcommand limiter.
type limiterOptions struct {
	*options
	clients, keys int
	traffics      []string
}

// runLimiter is the subcommand limiter: the article's two scripts, at several precisions, and what else
// limits requests, each on a fresh server.
func runLimiter(args []string) error {
	o := &limiterOptions{options: newOptions("limiter")}
	o.flags.IntVar(&o.requests, "n", 200_000, "requests of each run; the article has 1000000")
	o.flags.IntVar(&o.clients, "c", 50, "connections; the article has 500")
	o.flags.IntVar(&o.keys, "keys", 0, "keys; half the requests for the article's traffic, a hundredth for busy, a thousandth for hot, if 0")
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
	return fmt.Sprintf("%s %s, %s, %s", r.server, r.load.limiter.name, r.load.limiter.precision.name, r.load.traffic.name)
}

// runs returns what is to be run: every limiter under every traffic, the other precisions under busy
// traffic only.
func (o *limiterOptions) runs(servers [][2]string) (list []limiterRun) {
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
				r := limiterRun{s[0], s[1], load{l, t, o.requests, o.clients, o.keysOf(t)}}
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
	var all []footprint
	refused := map[string]error{}
	bar := newSteps(len(runs))
	for _, r := range runs {
		bar.begin(r.String())
		f, err := o.runOne(r)
		if err != nil {
			refused[r.server+" "+r.load.limiter.name] = err
			continue
		}
		all = append(all, f)
	}
	bar.End()
	if o.json {
		return printJSON(os.Stdout, all)
	}
	return printLimiters(all, refused)
}

// runOne runs a limiter on a fresh server.
func (o *limiterOptions) runOne(r limiterRun) (f footprint, err error) {
	s, err := startServer(r.server, r.path, o.arguments(r.server))
	if err != nil {
		return f, err
	}
	defer s.stop()
	before := footprint{}
	if err := before.weigh(s); err != nil {
		return f, err
	}
	spent, err := cpuOf(s.process.PID)
	if err != nil {
		return f, err
	}
	out, err := r.load.run(s)
	if err != nil {
		return f, err
	}
	after, err := cpuOf(s.process.PID)
	if err != nil {
		return f, err
	}
	one := sample{requests: r.load.requests, spent: cpu{after.user - spent.user, after.sys - spent.sys}}
	f = footprint{
		Server: r.server, Limiter: r.load.limiter.name, Precision: r.load.limiter.precision.name, Traffic: r.load.traffic.name,
		Calls: r.load.requests, RPS: float64(r.load.requests) / out.took.Seconds(), P50: out.percentile(0.5), P99: out.percentile(0.99),
		CPU: summarize([]sample{one}).cpu(), Passed: out.passed, Due: r.load.due(), Empty: before.RSS, EmptyUsed: before.UsedMemory,
	}
	return f, f.weigh(s)
}

// weigh asks the server and the kernel what the run left.
func (f *footprint) weigh(s *server) error {
	size, err := s.do("DBSIZE")
	if err != nil {
		return err
	}
	info, err := s.do("INFO", "memory")
	if err != nil {
		return err
	}
	held, err := memoryOf(s.process.PID)
	f.Keys, f.UsedMemory = size.Int, infoField(info.Text, "used_memory")
	f.RSS, f.Peak = held.now, held.peak
	f.PerKey = float64(f.RSS) / float64(max(f.Keys, 1))
	return err
}

// infoField returns a number of INFO's reply, 0 if it is not there.
func infoField(text, name string) int64 {
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return n
		}
	}
	return 0
}

// printLimiters prints a table for each traffic, what was refused, and which limiter is the cheapest.
func printLimiters(all []footprint, refused map[string]error) error {
	for _, t := range traffics {
		out := table{{t.name + ": " + t.about, "times", "k/s", "p50/p99 ms", "CPU us/req", "passed", "keys", "used MB", "used/key", "RSS MB", "peak MB",
			"empty MB", "RSS/key"}}
		for _, f := range all {
			if f.Traffic == t.name {
				out = append(out, f.cells())
			}
		}
		if len(out) == 1 {
			continue
		}
		if err := out.print(os.Stdout); err != nil {
			return err
		}
		fmt.Println()
	}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		fmt.Printf("%s was not run: %v\n", name, refused[name])
	}
	return printCheapest(all)
}

func (f footprint) cells() []string {
	megabytes := func(n int64) string { return fmt.Sprintf("%.2f", float64(n)/1e6) }
	passed := strconv.Itoa(f.Passed)
	if f.Due > 0 && f.Due != f.Passed {
		passed += fmt.Sprintf(" (%.2fx)", float64(f.Passed)/float64(f.Due))
	}
	return []string{f.Server + " " + f.Limiter, f.Precision, fmt.Sprintf("%.1f", f.RPS/1000), fmt.Sprintf("%.2f/%.2f", f.P50, f.P99),
		fmt.Sprintf("%.2f", f.CPU), passed, strconv.FormatInt(f.Keys, 10), megabytes(f.UsedMemory), fmt.Sprintf("%.0f B", f.UsedPerKey()),
		megabytes(f.RSS), megabytes(f.Peak), megabytes(f.Empty), fmt.Sprintf("%.0f B", f.PerKey)}
}

// printCheapest says which limiter takes the least memory and which the least CPU, on each server
// under each traffic, of all that let pass what is due and of those that also remember each request.
func printCheapest(all []footprint) error {
	out := table{{"cheapest", "memory", "B/key", "CPU", "us/req", "of windows that slide", "B/key"}}
	for _, t := range traffics {
		for _, name := range []string{"redis", "ours"} {
			right := slices.DeleteFunc(slices.Clone(all), func(f footprint) bool {
				return f.Traffic != t.name || f.Server != name || f.Due > 0 && f.Passed != f.Due
			})
			if len(right) == 0 {
				continue
			}
			byMemory := func(a, b footprint) int { return cmp.Compare(a.UsedPerKey(), b.UsedPerKey()) }
			least := slices.MinFunc(right, byMemory)
			fast := slices.MinFunc(right, func(a, b footprint) int { return cmp.Compare(a.CPU, b.CPU) })
			row := []string{t.name + ", " + name, least.Limiter, fmt.Sprintf("%.0f", least.UsedPerKey()), fast.Limiter, fmt.Sprintf("%.2f", fast.CPU), "-", "-"}
			sliding := slices.DeleteFunc(right, func(f footprint) bool { return !strings.HasPrefix(f.Limiter, "hash") && f.Limiter != "zset" })
			if len(sliding) > 0 {
				best := slices.MinFunc(sliding, byMemory)
				row[5], row[6] = best.Limiter+" by "+best.Precision, fmt.Sprintf("%.0f", best.UsedPerKey())
			}
			out = append(out, row)
		}
	}
	if len(out) == 1 {
		return nil
	}
	return out.print(os.Stdout)
}
