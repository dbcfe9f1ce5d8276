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

// savingColumns show what a server needs for a dataset. x is how many times faster it is than the
// reference, which comes first. Waits are those of commands sent during BGSAVE, and at rest for as
// long without saving: what is the machine's. held up is how long saving held the server up at
// most, by its own account.
var savingColumns = []column{
	{"data", "%s", "name"},
	{"server", "%s", "server"},
	{"SAVE s", "%.2f", "save_s"},
	{"x", "%.2f", "save_x"},
	{"CPU s", "%.2f", "save_cpu_s"},
	{"x", "%.2f", "save_cpu_x"},
	{"load s", "%.2f", "load_s"},
	{"x", "%.2f", "load_x"},
	{"CPU s", "%.2f", "load_cpu_s"},
	{"x", "%.2f", "load_cpu_x"},
	{"BGSAVE s", "%.2f", "bgsave_s"},
	{"held up ms", "%.0f", "held_up_ms"},
	{"longest wait ms", "%.1f", "longest_wait_ms"},
	{"at rest", "%.1f", "longest_wait_at_rest_ms"},
	{"file MB", "%.1f", "file_mb"},
}

// seconds times a command.
func (s *server) seconds(args ...string) (float64, error) {
	start := time.Now()
	_, err := s.do(args...)
	return time.Since(start).Seconds(), err
}

// measureSaving fills a server, and saves and loads the data a few times. The medians count, and
// the least time for which saving held the server up: what the machine adds is not the server's.
func (o *options) measureSaving(s *server, path string, d dataset) (row, error) {
	if err := d.fill(s); err != nil {
		return nil, err
	}
	var rounds []row
	for range o.rounds {
		one, err := o.saveAndLoad(s, path, d)
		if err != nil {
			return nil, err
		}
		rounds = append(rounds, one)
	}
	r := medians(rounds)
	for _, one := range rounds {
		r["held_up_ms"] = min(r.number("held_up_ms"), one.number("held_up_ms"))
	}
	if info, err := os.Stat(s.process.Dir + "/dump.rdb"); err == nil {
		r["file_mb"] = float64(info.Size()) / (1 << 20)
	}
	r["name"], r["server"] = d.name, s.name
	return r, nil
}

// saveAndLoad saves a server's data, in the foreground and in the background. Another process of
// the same binary then loads them at its start.
func (o *options) saveAndLoad(s *server, path string, d dataset) (row, error) {
	before, err := cpuOf(s.process.PID)
	if err != nil {
		return nil, err
	}
	save, err := s.seconds("SAVE")
	if err != nil {
		return nil, err
	}
	after, err := cpuOf(s.process.PID)
	if err != nil {
		return nil, err
	}
	r := row{"save_s": save, "save_cpu_s": (after.user - before.user + after.sys - before.sys).Seconds()}
	if err := s.background(r, d); err != nil {
		return nil, err
	}
	return r, o.load(s, path, r)
}

// load times the start of a server on the data that another one has saved.
func (o *options) load(s *server, path string, r row) error {
	start := time.Now()
	loader, err := startServer(s.name, path, "--dir "+s.process.Dir+" "+o.arguments(s.name))
	if err != nil {
		return err
	}
	defer loader.stop()
	r["load_s"] = time.Since(start).Seconds()
	spent, err := cpuOf(loader.process.PID)
	r["load_cpu_s"] = (spent.user + spent.sys).Seconds()
	return err
}

// background saves in the background and sends commands all the time meanwhile; then it sends
// commands for as long again, without saving.
func (s *server) background(r row, d dataset) error {
	for _, words := range [][]string{{"CONFIG", "SET", "latency-monitor-threshold", "1"},
		{"LATENCY", "RESET"}, {"BGSAVE"}} {
		if _, err := s.do(words...); err != nil {
			return err
		}
	}
	start := time.Now()
	pause, err := s.ask(d, func() (bool, error) {
		v, err := s.do("INFO", "persistence")
		return strings.Contains(v.Text, "rdb_bgsave_in_progress:0"), err
	})
	if err != nil {
		return err
	}
	took := time.Since(start)
	held, err := s.held()
	if err != nil {
		return err
	}
	start = time.Now()
	rest, err := s.ask(d, func() (bool, error) { return time.Since(start) > took, nil })
	r.add("",
		row{"bgsave_s": took.Seconds(), "held_up_ms": held, "longest_wait_ms": pause, "longest_wait_at_rest_ms": rest})
	return err
}

// ask sends one command after the other until over returns true. It returns the longest time that
// one took, in milliseconds.
func (s *server) ask(d dataset, over func() (bool, error)) (longest float64, err error) {
	for n := 1; ; n++ {
		took, err := s.seconds(d.asked(n)...)
		if err != nil {
			return longest, err
		}
		longest = max(longest, took*1000)
		if n%100 == 0 {
			if end, err := over(); end || err != nil {
				return longest, err
			}
		}
	}
}

// holds are the latency events that held looks at.
var holds = []string{"fork", "snapshot", "command", "fast-command"}

// held returns the longest time for which saving stopped the server, in whole milliseconds:
// redis-server while it forks, ours in a slice, or in a command that changes a large string.
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
	t := &table{columns: savingColumns}
	for _, d := range o.datasets() {
		var first row
		for _, b := range list {
			s, err := startServer(b.name, b.path, "--enable-debug-command yes "+o.arguments(b.name))
			if err != nil {
				return err
			}
			r, err := o.measureSaving(s, b.path, d)
			s.stop()
			if err != nil {
				return err
			}
			if first == nil {
				first = r
			}
			t.rows = append(t.rows, r.faster(first))
		}
	}
	return o.print(t)
}

// faster adds how many times faster a server is than the reference.
func (r row) faster(reference row) row {
	for _, what := range []string{"save", "save_cpu", "load", "load_cpu"} {
		if took := r.number(what + "_s"); took != 0 {
			r[what+"_x"] = reference.number(what+"_s") / took
		}
	}
	return r
}
