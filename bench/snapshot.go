package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"
)

// dataset is what snapshot rows save and load.
type dataset struct {
	name string
	keys int
	size int // bytes of a value of random letters; 0 for what DEBUG POPULATE makes

	fields int  // of one hash, in place of keys
	writes bool // the commands sent while it is saved write to that hash
}

// snapshotSets are the datasets: small keys, a gigabyte in larger ones, and all in one value.
var snapshotSets = []dataset{
	{name: "1,000,000 small keys", keys: 1_000_000},
	{name: "1 GB in values of 4 KB", keys: 1 << 30 / 4096, size: 4096},
	{name: "one hash of 1,000,000 fields", fields: 1_000_000},
	{name: "one hash of 1,000,000 fields, written to", fields: 1_000_000, writes: true},
}

// datasets returns those that -only lets through.
func (o *options) datasets() (list []dataset) {
	for _, d := range snapshotSets {
		if o.filter.MatchString(d.name) {
			list = append(list, d)
		}
	}
	return list
}

// fill puts the dataset into an empty server.
func (d dataset) fill(s *server) error {
	if d.fields > 0 {
		return d.fillHash(s)
	}
	if d.size == 0 {
		_, err := s.do("DEBUG", "POPULATE", fmt.Sprint(d.keys))
		return err
	}
	rng := rand.New(rand.NewPCG(1, 1))
	value := make([]byte, d.size)
	var batch [][]string
	for i := range d.keys {
		for j := range value {
			value[j] = 'a' + byte(rng.Uint32()%26)
		}
		batch = append(batch, []string{"SET", fmt.Sprintf("key:%d", i), string(value)})
		if len(batch) == 256 || i == d.keys-1 {
			if _, err := s.pipe(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return nil
}

// fillHash makes the one hash.
func (d dataset) fillHash(s *server) error {
	const atOnce = 500
	for i := 0; i < d.fields; i += atOnce {
		words := []string{"HSET", "hash"}
		for n := i; n < i+atOnce; n++ {
			words = append(words, fmt.Sprint("field:", n), fmt.Sprint("value:", n))
		}
		if _, err := s.do(words...); err != nil {
			return err
		}
	}
	return nil
}

// asked returns the n-th command to send while the dataset is saved.
func (d dataset) asked(n int) []string {
	if d.writes {
		return []string{"HSET", "hash", fmt.Sprint("field:", n%1000), fmt.Sprint("value:", n)}
	}
	return []string{"GET", fmt.Sprint("key:", n%1000)}
}

// saving is what a server needs for a dataset, and the longest time that one command took while it was saved in
// the background. Times are in seconds.
type saving struct {
	Dataset    string  `json:"dataset"`
	Server     string  `json:"server"`
	Save       float64 `json:"save_s"`
	SaveCPU    float64 `json:"save_cpu_s"`
	Load       float64 `json:"load_s"`
	LoadCPU    float64 `json:"load_cpu_s"`
	Background float64 `json:"bgsave_s"`
	Pause      float64 `json:"longest_wait_ms"`
	Rest       float64 `json:"longest_wait_at_rest_ms"` // in as much time without saving: what is the machine's
	Held       float64 `json:"held_up_ms"`              // the longest time for which the server says saving held it up
	File       int64   `json:"file_bytes"`
}

// seconds times a command.
func (s *server) seconds(args ...string) (float64, error) {
	start := time.Now()
	_, err := s.do(args...)
	return time.Since(start).Seconds(), err
}

// measureSaving fills a server, and saves and loads the data a few times. The medians count.
func (o *options) measureSaving(s *server, path string, d dataset) (r saving, err error) {
	if err := d.fill(s); err != nil {
		return r, err
	}
	var rounds []saving
	for range o.rounds {
		one, err := o.saveAndLoad(s, path, d)
		if err != nil {
			return r, err
		}
		rounds = append(rounds, one)
	}
	r = saving{Dataset: d.name, Server: s.name}
	r.Save = median(rounds, func(r saving) float64 { return r.Save })
	r.SaveCPU = median(rounds, func(r saving) float64 { return r.SaveCPU })
	r.Load = median(rounds, func(r saving) float64 { return r.Load })
	r.LoadCPU = median(rounds, func(r saving) float64 { return r.LoadCPU })
	r.Background = median(rounds, func(r saving) float64 { return r.Background })
	r.Pause = median(rounds, func(r saving) float64 { return r.Pause })
	r.Rest = median(rounds, func(r saving) float64 { return r.Rest })
	r.Held = rounds[0].Held
	for _, one := range rounds {
		r.Held = min(r.Held, one.Held) // what the machine adds is not the server's
	}
	if info, err := os.Stat(s.process.Dir + "/dump.rdb"); err == nil {
		r.File = info.Size()
	}
	return r, nil
}

// saveAndLoad saves a server's data, in the foreground and in the background. Another process of the same
// binary then loads them at its start.
func (o *options) saveAndLoad(s *server, path string, d dataset) (r saving, err error) {
	before, err := cpuOf(s.process.PID)
	if err != nil {
		return r, err
	}
	if r.Save, err = s.seconds("SAVE"); err != nil {
		return r, err
	}
	after, err := cpuOf(s.process.PID)
	if err != nil {
		return r, err
	}
	r.SaveCPU = (after.user - before.user + after.sys - before.sys).Seconds()
	if err := s.background(&r, d); err != nil {
		return r, err
	}
	start := time.Now()
	loader, err := startServer(s.name, path, "--dir "+s.process.Dir+" "+o.arguments(s.name))
	if err != nil {
		return r, err
	}
	defer loader.stop()
	for {
		if _, err = loader.do("PING"); err == nil {
			break
		}
		if !strings.Contains(err.Error(), "LOADING") {
			return r, err
		}
		time.Sleep(2 * time.Millisecond)
	}
	r.Load = time.Since(start).Seconds()
	spent, err := cpuOf(loader.process.PID)
	r.LoadCPU = (spent.user + spent.sys).Seconds()
	return r, err
}

// background saves in the background and sends commands all the time meanwhile; then it sends commands for as
// long again, without saving.
func (s *server) background(r *saving, d dataset) error {
	for _, words := range [][]string{{"CONFIG", "SET", "latency-monitor-threshold", "1"}, {"LATENCY", "RESET"}, {"BGSAVE"}} {
		if _, err := s.do(words...); err != nil {
			return err
		}
	}
	start := time.Now()
	err := s.ask(d, &r.Pause, func() (bool, error) {
		v, err := s.do("INFO", "persistence")
		return strings.Contains(v.Text, "rdb_bgsave_in_progress:0"), err
	})
	if err != nil {
		return err
	}
	r.Background = time.Since(start).Seconds()
	if r.Held, err = s.held(); err != nil {
		return err
	}
	start = time.Now()
	return s.ask(d, &r.Rest, func() (bool, error) { return time.Since(start).Seconds() > r.Background, nil })
}

// ask sends one command after the other until over returns true, and notes the longest time that one took, in
// milliseconds.
func (s *server) ask(d dataset, longest *float64, over func() (bool, error)) error {
	for n := 1; ; n++ {
		took, err := s.seconds(d.asked(n)...)
		if err != nil {
			return err
		}
		*longest = max(*longest, took*1000)
		if n%100 == 0 {
			if end, err := over(); end || err != nil {
				return err
			}
		}
	}
}

// holds are the latency events that held looks at.
var holds = []string{"fork", "snapshot", "command", "fast-command"}

// held returns the longest time for which saving stopped the server, in whole milliseconds: redis-server while
// it forks, ours in a slice, or in a command that changes a large value.
func (s *server) held() (ms float64, err error) {
	v, err := s.do("LATENCY", "LATEST")
	for _, event := range v.Elems {
		if name := event.Elems[0].Text; slices.Contains(holds, name) {
			ms = max(ms, float64(event.Elems[3].Int))
		}
	}
	return ms, err
}

// runSnapshots measures saving and loading, one server after the other for each dataset.
func (o *options) runSnapshots() error {
	list, clean, err := o.binaries()
	if err != nil {
		return err
	}
	defer clean()
	var all []saving
	for _, d := range o.datasets() {
		for _, b := range list {
			s, err := startServer(b[0], b[1], "--enable-debug-command yes "+o.arguments(b[0]))
			if err != nil {
				return err
			}
			r, err := o.measureSaving(s, b[1], d)
			s.stop()
			if err != nil {
				return err
			}
			all = append(all, r)
		}
	}
	switch {
	case len(all) == 0:
		return nil
	case o.json:
		return printJSON(os.Stdout, all)
	}
	return printSavings(all)
}

// printSavings prints a line for each dataset and server, and how many times faster the server is than the
// reference, which comes first.
func printSavings(all []saving) error {
	t := table{{"data", "server", "SAVE s", "x", "CPU s", "x", "load s", "x", "CPU s", "x", "BGSAVE s", "held up ms", "longest wait ms", "at rest", "file MB"}}
	var first saving
	pair := func(first, s float64) []string {
		return []string{fmt.Sprintf("%.2f", s), fmt.Sprintf("%.2f", first/s)}
	}
	for _, r := range all {
		if r.Dataset != first.Dataset {
			first = r
		}
		line := []string{r.Dataset, r.Server}
		line = append(line, pair(first.Save, r.Save)...)
		line = append(line, pair(first.SaveCPU, r.SaveCPU)...)
		line = append(line, pair(first.Load, r.Load)...)
		line = append(line, pair(first.LoadCPU, r.LoadCPU)...)
		t = append(t, append(line, fmt.Sprintf("%.2f", r.Background), fmt.Sprintf("%.0f", r.Held), fmt.Sprintf("%.1f", r.Pause), fmt.Sprintf("%.1f", r.Rest),
			fmt.Sprintf("%.1f", float64(r.File)/(1<<20))))
	}
	return t.print(os.Stdout)
}
