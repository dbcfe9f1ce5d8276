package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/bench/charts"
)

// enduranceColumns show what a server did under a stream of writes. Probes are single commands sent
// meanwhile; RSS is that of samples. Fragmentation is RSS over the memory that the server says it
// uses, and in brackets the ratio that INFO shows. The allocator's, the worst of the second half
// too, is what its blocks take over what is allocated in them.
var enduranceColumns = []column{
	{"server", "%s", "name"},
	{"s", "%.0f", "s"},
	{"k writes/s", "%.1f", "writes_kps"},
	{"CPU us/write", "%.2f", "cpu_us_per_write"},
	{"evicted", "%d", "evicted"},
	{"keys", "%d", "keys"},
	{"used MB", "%.1f", "used_mb"},
	{"RSS peak MB", "%.1f", "rss_peak_mb"},
	{"RSS last MB", "%.1f", "rss_last_mb"},
	{"fragmentation", "%.2f (%.2f)", "fragmentation_ratio info_ratio"},
	{"worst of 2nd half", "%.2f (%.2f)", "worst_fragmentation_ratio worst_info_ratio"},
	{"allocator's", "%.2f", "worst_allocator_ratio"},
	{"probes", "%d", "probes"},
	{"p99 ms", "%.2f", "probe_p99_ms"},
	{"longest ms", "%.2f", "probe_longest_ms"},
	{"longest batch ms", "%.2f", "batch_longest_ms"},
}

// momentColumns show a server at one moment of the soak.
var momentColumns = []column{
	{"over time", "%s", "name"},
	{"s", "%.0f", "s"},
	{"used MB", "%.1f", "used_mb"},
	{"RSS MB", "%.1f", "rss_mb"},
	{"fragmentation", "%.3f", "fragmentation_ratio"},
	{"by INFO", "%.2f", "info_ratio"},
	{"allocator", "%.2f", "allocator_ratio"},
}

// soakRun is the flags of the subcommand soak.
type soakRun struct {
	*options
	length    time.Duration
	moments   int
	maxmemory string
	churn     bool
	keys      int
	small     bool
	rate      float64 // thousand writes a second; 0 for as many as the server takes
	png       string
}

// runSoak is the subcommand soak: it writes to one server after the other as fast as they take it,
// and watches memory and latency. New keys go to a server at the limit of its memory; with -churn
// there is no limit, but keys come and go, and values grow and shrink.
func runSoak(args []string) error {
	o := &soakRun{options: newOptions("soak").withServers("redis-server")}
	o.flags.DurationVar(&o.length, "time", 10*time.Minute, "how long each server is written to")
	o.flags.IntVar(&o.moments, "moments", 30, "how often a soak's memory is written down")
	o.flags.StringVar(&o.maxmemory, "maxmemory", "100mb", "the limit of memory, without -churn")
	o.flags.BoolVar(&o.churn, "churn", false, "let values grow and shrink, and keys come and go")
	o.flags.IntVar(&o.keys, "keys", 20_000, "how many keys of each of four types there are at most, with -churn")
	o.flags.BoolVar(&o.small, "small", false, "only values of up to a few hundred bytes, with -churn")
	o.flags.Float64Var(&o.rate, "rate", 0, "thousand writes a second at most; 0 for as many as the server takes")
	o.flags.StringVar(&o.png, "png", "", "write a chart of fragmentation over time to this directory")
	if err := o.parse(args); err != nil {
		return err
	}
	if o.length <= 0 || o.moments < 2 || o.keys < 1 || o.rate < 0 {
		return fmt.Errorf("bad flags: -time %v -moments %d -keys %d -rate %v", o.length, o.moments, o.keys, o.rate)
	}
	servers, clean, err := o.binaries()
	defer clean()
	if err != nil {
		return err
	}
	servers = slices.DeleteFunc(servers, func(b binary) bool { return !o.filter.MatchString(b.name) })
	end, moments, err := o.soakAll(servers)
	if err != nil {
		return err
	}
	return cmp.Or(o.print(end, moments), o.draw(moments))
}

// soakAll soaks the servers. It returns a table of what each came to, and one of its moments.
func (o *soakRun) soakAll(servers []binary) (end, moments *table, err error) {
	bar := newSteps(len(servers))
	defer bar.End()
	end, moments = &table{columns: enduranceColumns}, &table{columns: momentColumns}
	for _, b := range servers {
		bar.begin(fmt.Sprintf("%s for %s", b.name, o.length))
		r, over, err := o.soak(b)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", b.name, err)
		}
		end.rows = append(end.rows, r)
		moments.rows = append(moments.rows, over...)
	}
	return end, moments, nil
}

// Shape of the soak.
const (
	soakWriters   = 4
	soakPipeline  = 16
	soakLeast     = 50 // bytes of a value
	soakMost      = 1000
	probeInterval = time.Millisecond
	rssInterval   = 50 * time.Millisecond
)

// limits returns the arguments that the server starts with.
func (o *soakRun) limits(name string) string {
	if o.churn {
		return o.arguments(name)
	}
	return o.arguments(name) + " --maxmemory " + o.maxmemory + " --maxmemory-policy allkeys-lru"
}

// soak writes to a server for a while, and watches memory and latency. It returns what that came
// to, and the moments.
func (o *soakRun) soak(b binary) (row, []row, error) {
	s, err := startServer(b.name, b.path, o.limits(b.name))
	if err != nil {
		return nil, nil, err
	}
	defer s.stop()
	before, err := cpuOf(s.process.PID)
	if err != nil {
		return nil, nil, err
	}
	start := time.Now()
	traffic := s.startTraffic(o, start.Add(o.length))
	peak, moments, watched := o.watch(s, start)
	if err := errors.Join(watched, traffic.wait()); err != nil {
		return nil, nil, err
	}
	after, err := cpuOf(s.process.PID)
	if err != nil {
		return nil, nil, err
	}
	spent, writes := after.user+after.sys-before.user-before.sys, max(traffic.writes.Load(), 1)
	last := moments[len(moments)-1]
	r := row{
		"name": b.name, "arguments": o.limits(b.name), "rate_kps": o.rate, "s": o.length.Seconds(),
		"rss_peak_mb": megabytes(peak), "rss_last_mb": last["rss_mb"],
		"fragmentation_ratio": last["fragmentation_ratio"], "info_ratio": last["info_ratio"],
		"writes_kps": float64(writes) / o.length.Seconds() / 1000, "cpu_us_per_write": float64(spent.Microseconds()) /
			float64(writes), "batch_longest_ms": inMillis(time.Duration(traffic.batch.Load())),
	}
	// In the first half the server fills.
	for _, name := range []string{"fragmentation_ratio", "info_ratio", "allocator_ratio"} {
		r["worst_"+name] = slices.Max(sorted(moments[len(moments)/2:], func(m row) float64 { return m.number(name) }))
	}
	r["probes"], r["probe_p99_ms"], r["probe_longest_ms"] = tailOf(traffic.latencies)
	return r, moments, s.count(r)
}

// watch looks at the server's memory until the soak ends. It returns the most that was resident,
// and the moments.
func (o *soakRun) watch(s *server, start time.Time) (peak int64, moments []row, err error) {
	for more := true; more; time.Sleep(rssInterval) {
		passed := time.Since(start)
		held, err := memoryOf(s.process.PID)
		if err != nil {
			return peak, moments, err
		}
		peak, more = max(peak, held.now), passed < o.length
		if due := o.length * time.Duration(len(moments)+1) / time.Duration(o.moments); passed >= due || !more {
			m, err := s.moment(passed)
			if err != nil {
				return peak, moments, err
			}
			moments = append(moments, m)
		}
	}
	return peak, moments, nil
}

// moment returns what the server holds, by its own account and by the kernel's.
func (s *server) moment(passed time.Duration) (row, error) {
	r, err := s.footprint()
	if err != nil {
		return nil, err
	}
	info, err := s.do("INFO", "memory")
	byInfo, _ := strconv.ParseFloat(infoText(info.Text, "mem_fragmentation_ratio"), 64)
	allocator, _ := strconv.ParseFloat(infoText(info.Text, "allocator_frag_ratio"), 64)
	return row{"name": s.name, "s": passed.Seconds(), "used_mb": r["used_mb"], "rss_mb": r["rss_mb"],
		"info_ratio": byInfo, "allocator_ratio": allocator}.
		add("", row{"fragmentation_ratio": r.number("rss_mb") / max(r.number("used_mb"), 1e-3)}), err
}

// count adds what the server itself counts.
func (s *server) count(r row) error {
	info, err := s.do("INFO")
	if err != nil {
		return err
	}
	size, err := s.do("DBSIZE")
	r["keys"], r["used_mb"], r["evicted"] = size.Int, megabytes(infoField(info.Text, "used_memory")),
		infoField(info.Text, "evicted_keys")
	return err
}

// draw writes the chart of fragmentation over time, if it is wanted.
func (o *soakRun) draw(moments *table) error {
	if o.png == "" {
		return nil
	}
	c := charts.Chart{Name: "soak", Title: "Resident memory over memory in use", X: charts.Axis{Label: "seconds"},
		Y: charts.Axis{Label: "fragmentation"}}
	for _, r := range moments.rows {
		if len(c.Lines) == 0 || c.Lines[len(c.Lines)-1].Name != r["name"] {
			c.Lines = append(c.Lines, charts.Line{Name: r["name"].(string)})
		}
		line := &c.Lines[len(c.Lines)-1]
		line.X, line.Y = append(line.X, r.number("s")), append(line.Y, r.number("fragmentation_ratio"))
	}
	return drawAll(o.png, c)
}

// drawAll writes charts to a directory.
func drawAll(dir string, all ...charts.Chart) error {
	for _, c := range all {
		file, err := os.Create(filepath.Join(dir, c.Name+".png"))
		if err != nil {
			return err
		}
		if err := errors.Join(c.PNG(file, charts.Light), file.Close()); err != nil {
			return err
		}
	}
	return nil
}
