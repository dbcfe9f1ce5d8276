package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// footprint is what a server holds after the limiter's run.
type footprint struct {
	Server     string  `json:"server"`
	Script     string  `json:"script"`
	Calls      int     `json:"calls"`
	RPS        float64 `json:"rps"`
	CPU        float64 `json:"cpu_us_per_request"`
	Keys       int64   `json:"keys"`
	UsedMemory int64   `json:"used_memory_bytes"`
	RSS        int64   `json:"rss_bytes"`
	Peak       int64   `json:"peak_rss_bytes"`
	Empty      int64   `json:"empty_rss_bytes"` // before the first call
	PerKey     float64 `json:"rss_bytes_per_key"`
}

// runLimiter is the subcommand limiter: a million calls of each script on fresh servers.
func runLimiter(args []string) error {
	o, err := parseOptions("limiter", args, 1_000_000, 1)
	if err != nil {
		return err
	}
	list, clean, err := o.binaries()
	if err != nil {
		return err
	}
	defer clean()
	var all []footprint
	for _, kind := range []string{"hash", "zset"} {
		for _, b := range list {
			if !o.filter.MatchString(b[0] + " " + kind) {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s %s\n", b[0], kind)
			f, err := o.limiterOn(b[0], b[1], kind)
			if err != nil {
				return err
			}
			all = append(all, f)
		}
	}
	if o.json {
		return printJSON(os.Stdout, all)
	}
	return printFootprints(all)
}

// limiterOn runs one script on a fresh server.
func (o *options) limiterOn(name, path, kind string) (footprint, error) {
	s, err := startServer(name, path, o.arguments(name))
	if err != nil {
		return footprint{}, err
	}
	defer s.stop()
	empty, err := memoryOf(s.process.PID)
	if err != nil {
		return footprint{}, err
	}
	text := script("sliding-window-" + kind)
	one, err := evalsha(kind, text, 50, 1, 1).run(s, o.benchmark, o.requests)
	if err != nil {
		return footprint{}, err
	}
	f := footprint{
		Server: name, Script: kind, Calls: one.requests, RPS: one.rps, Empty: empty.now,
		CPU: summarize([]sample{one}).cpu(),
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

func printFootprints(all []footprint) error {
	t := table{{"server", "calls", "k/s", "CPU us/req", "keys", "used_memory MB", "RSS MB", "peak MB", "empty MB", "RSS/key"}}
	for _, f := range all {
		megabytes := func(n int64) string { return fmt.Sprintf("%.2f", float64(n)/1e6) }
		t = append(t, []string{f.Server + " " + f.Script, strconv.Itoa(f.Calls), fmt.Sprintf("%.1f", f.RPS/1000),
			fmt.Sprintf("%.2f", f.CPU), strconv.FormatInt(f.Keys, 10), megabytes(f.UsedMemory), megabytes(f.RSS),
			megabytes(f.Peak), megabytes(f.Empty), fmt.Sprintf("%.0f B", f.PerKey)})
	}
	return t.print(os.Stdout)
}
