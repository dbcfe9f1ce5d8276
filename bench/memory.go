package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/bench/charts"
	"github.com/miniserver-go/miniserver/bench/laboratory"
)

// memoryOptions are the flags of the subcommand memory.
type memoryOptions struct {
	cases                []laboratory.Case
	patience             time.Duration
	redis                string
	csv, json, html, png string
	from                 string // results to read in place of measuring
}

// runMemory is the subcommand memory: the laboratory of package laboratory, its results as a table,
// as files, and as a report with charts. With -rss it weighs servers instead.
func runMemory(args []string) error {
	if i := slices.Index(args, "-rss"); i >= 0 {
		return runResident(slices.Concat(args[:i], args[i+1:]))
	}
	o, err := parseMemory(args)
	if err != nil {
		return err
	}
	run, err := o.results()
	if err != nil {
		return err
	}
	if err := run.print(os.Stdout); err != nil {
		return err
	}
	return o.write(run)
}

// results measures, or reads what was measured before.
func (o *memoryOptions) results() (*memoryRun, error) {
	if o.from != "" {
		run := &memoryRun{}
		text, err := os.ReadFile(o.from)
		if err != nil {
			return nil, err
		}
		return run, json.Unmarshal(text, run)
	}
	if o.redis == "" {
		return o.measure(nil)
	}
	redis, err := laboratory.DialRedis(o.redis)
	if err != nil {
		return nil, err
	}
	run, err := o.measure(redis)
	return run, errors.Join(err, redis.Close())
}

func parseMemory(args []string) (*memoryOptions, error) {
	o := &memoryOptions{}
	f := flag.NewFlagSet("memory", flag.ExitOnError)
	f.Bool("rss", false,
		"weigh resident memory of servers instead, as the system counts it; memory -rss -h lists the flags of that")
	short := f.Bool("short", false, "a selection that takes less than a minute")
	anchors := f.Bool("anchors", false, "the article's table: zset and hash of time stamps, by default thresholds")
	types, shapes, forms := f.String("type", "", "types, separated by commas"),
		f.String("shape", "", "shapes, separated by commas"),
		f.String("form", "", "forms, separated by commas")
	counts := f.String("n", "", "numbers of elements, separated by commas")
	f.DurationVar(&o.patience, "time", 0, "how long each operation is timed; 2 ms, or 1 ms of a short selection, if 0")
	f.StringVar(&o.redis, "redis", "",
		"host:port of a running redis-server to ask for the same data; it gets one key, and thresholds for a while")
	f.StringVar(&o.csv, "csv", "", "write the results to this file")
	f.StringVar(&o.json, "json", "", "write the results to this file")
	f.StringVar(&o.from, "from", "", "read the results of this JSON file and measure nothing")
	f.StringVar(&o.html, "html", "", "write a report with charts to this file")
	f.StringVar(&o.png, "png", "", "write the charts to this directory")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	chosen := laboratory.Selection{Types: commas(*types), Shapes: commas(*shapes), Forms: commas(*forms),
		Counts: laboratory.Counts}
	if *anchors {
		chosen = laboratory.Selection{Types: []string{"zset", "hash"}, Shapes: []string{"times"},
			Forms: []string{laboratory.Default}, Counts: []int{1, 8, 64, 128, 129, 512, 513, 1024, 10_000}}
	}
	for i, word := range commas(*counts) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("bad -n %q", *counts)
		}
		chosen.Counts = append(chosen.Counts[:i:i], n)
	}
	if o.cases = chosen.Cases(); *short {
		o.cases = laboratory.Short()
	}
	if o.patience == 0 {
		o.patience = 2 * time.Millisecond
		if *short {
			o.patience /= 2
		}
	}
	return o, nil
}

// commas splits a list; nil if it is empty.
func commas(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// memoryRun is what a run of the laboratory came to.
type memoryRun struct {
	Redis   string              `json:"redis_version,omitempty"`
	Took    string              `json:"took"`
	Results []laboratory.Result `json:"results"`
}

// measure measures all cases.
func (o *memoryOptions) measure(redis *laboratory.Redis) (*memoryRun, error) {
	if len(o.cases) == 0 {
		return nil, fmt.Errorf("nothing is selected; types are %s, forms %s", strings.Join(laboratory.Types, " "),
			"default ziplist table intset btree gomap")
	}
	run, start := &memoryRun{}, time.Now()
	if redis != nil {
		run.Redis = redis.Version
	}
	bar := newSteps(len(o.cases))
	for _, c := range o.cases {
		bar.begin(c.String())
		r := laboratory.Measure(c, o.patience)
		if redis != nil {
			var err error
			if r.Redis, err = redis.Ask(c); err != nil {
				return nil, err
			}
		}
		run.Results = append(run.Results, r)
	}
	bar.End()
	run.Took = time.Since(start).Round(time.Second).String()
	return run, nil
}

// print prints a table for each type and shape.
func (m *memoryRun) print(w io.Writer) error {
	for _, t := range m.tables() {
		if err := t.print(w, false); err != nil {
			return err
		}
	}
	return m.printAgreement(w)
}

// tables returns a table for each type and shape.
func (m *memoryRun) tables() (list []*table) {
	var last laboratory.Result
	for _, r := range m.Results {
		if r.Type != last.Type || r.Shape != last.Shape {
			list = append(list,
				&table{columns: slices.Concat([]column{{r.Type + " of " + r.Shape, "%s", "form"}}, memoryColumns)})
		}
		t := list[len(list)-1]
		t.rows, last = append(t.rows, memoryRow(r)), r
	}
	return list
}

// memoryColumns follow the form. The CSV file has all values under their names.
var memoryColumns = []column{
	{"n", "%d", "n"},
	{"encoding", "%s", "encoding"},
	{"usage B", "%d", "usage_bytes"},
	{"ziplist B", "%d", "ziplist_bytes"},
	{"account B", "%.0f", "account_bytes"},
	{"heap B", "%.0f", "heap_bytes"},
	{"B/element", "%.1f", "bytes_per_element"},
	{"off", "%+.1f%%", "off_percent"},
	{"insert", "%v", "insert_ns"},
	{"lookup", "%v", "lookup_ns"},
	{"rank", "%v", "rank_ns"},
	{"10 of range", "%v", "range_ns"},
	{"delete", "%v", "delete_ns"},
	{"redis B", "%d", "redis_bytes"},
	{"redis is", "%s", "redis_encoding"},
	{"ours/redis", "%.2f", "ours_over_redis"},
}

func memoryRow(r laboratory.Result) row {
	all := row{
		"type": r.Type, "shape": r.Shape, "form": r.Form, "n": r.N, "encoding": r.Encoding, "usage_bytes": r.Usage,
		"ziplist_bytes": r.Payload, "account_bytes": r.Account,
		"heap_bytes": r.Heap, "insert_ns": nanoseconds(r.Insert), "lookup_ns": nanoseconds(r.Lookup),
		"rank_ns": nanoseconds(r.Rank), "range_ns": nanoseconds(r.Range), "delete_ns": nanoseconds(r.Delete),
		"redis_bytes": r.Redis.Usage, "redis_encoding": r.Redis.Encoding, "ours_over_redis": r.Ratio(),
	}
	for name, value := range all {
		if reflect.ValueOf(value).IsZero() { // not measured
			delete(all, name)
		}
	}
	all["bytes_per_element"], all["agrees"] = r.PerElement(), r.Agrees()
	if r.Account != 0 {
		all["off_percent"] = 100 * r.Off()
	}
	return all
}

// nanoseconds is a time that a table shows in the unit that suits it.
type nanoseconds float64

func (ns nanoseconds) String() string {
	switch {
	case ns < 1000:
		return fmt.Sprintf("%.0f ns", float64(ns))
	case ns < 1e6:
		return fmt.Sprintf("%.1f us", float64(ns/1e3))
	}
	return fmt.Sprintf("%.1f ms", float64(ns/1e6))
}

// printAgreement says if the accounts are those of the heap.
func (m *memoryRun) printAgreement(w io.Writer) (err error) {
	accounts, off, worst := 0, 0, laboratory.Result{}
	for _, r := range m.Results {
		if r.Account == 0 {
			continue
		}
		accounts++
		if max(r.Off(), -r.Off()) > max(worst.Off(), -worst.Off()) {
			worst = r
		}
		if !r.Agrees() {
			off++
			if _, err = fmt.Fprintf(w, "DISAGREES: %s: account %.0f, heap %.0f\n", r.Case, r.Account,
				r.Heap); err != nil {
				return err
			}
		}
	}
	_, err = fmt.Fprintf(w, "%d of %d accounts agree with the heap within %.0f%%; the worst is %+.1f%% off (%s). "+
		"%s in all.\n", accounts-off, accounts, 100*laboratory.Tolerance, 100*worst.Off(), worst.Case, m.Took)
	return err
}

// write writes the files that were asked for.
func (o *memoryOptions) write(run *memoryRun) error {
	for _, out := range []struct {
		path  string
		write func(w io.Writer) error
	}{{o.csv, run.writeCSV}, {o.json, func(w io.Writer) error { return printJSON(w, run) }}, {o.html, run.writePage}} {
		if out.path != "" {
			if err := toFile(out.path, out.write); err != nil {
				return err
			}
		}
	}
	if o.png == "" {
		return nil
	}
	for _, c := range run.charts() {
		err := toFile(filepath.Join(o.png, c.Name+".png"), func(w io.Writer) error { return c.PNG(w, charts.Light) })
		if err != nil {
			return err
		}
	}
	return nil
}

func toFile(path string, write func(w io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// writeCSV writes all values under their names, as plain numbers; nothing for what was not
// measured.
func (m *memoryRun) writeCSV(w io.Writer) error {
	names := []string{"type", "shape", "form"}
	for _, c := range memoryColumns {
		names = append(names, c.values)
	}
	names = append(names, "agrees")
	lines := [][]string{names}
	for _, result := range m.Results {
		r, cells := memoryRow(result), make([]string, len(names))
		for i, name := range names {
			switch v := r[name].(type) {
			case nil:
			case nanoseconds:
				cells[i] = fmt.Sprint(float64(v))
			default:
				cells[i] = fmt.Sprint(v)
			}
		}
		lines = append(lines, cells)
	}
	return csv.NewWriter(w).WriteAll(lines)
}
