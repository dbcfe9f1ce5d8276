package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/bench/charts"
)

// coresRun is the flags of the subcommand cores.
type coresRun struct {
	*options
	loops []int // that are measured, ascending, from 1
	most  int   // loops up to which the model goes
	png   string
}

// runCores is the subcommand cores: what more event loops are worth. Each server runs with each
// number of them, by its setting io-threads. For ours a model says what to expect of more
// processors than this machine has.
func runCores(args []string) error {
	o := &coresRun{options: newOptions("cores")}
	o.generator.processes = 2
	o.withServers("").withLoad(100_000, 3)
	o.flags.IntVar(&o.most, "most", 16, "event loops up to which the model goes")
	o.flags.StringVar(&o.png, "png", "", "write the charts to this directory")
	loops := o.flags.String("loops", "1,2,4",
		"numbers of event loops to measure, separated by commas; 1 is always measured")
	err := o.parse(args)
	if err == nil {
		o.loops, err = parseNumbers("-loops", "1,"+*loops, 1, 128)
	}
	if err == nil && o.most < 1 {
		err = fmt.Errorf("bad -most %d", o.most)
	}
	if err != nil {
		return err
	}
	crews, stop, err := o.startCrews()
	if err != nil {
		return err
	}
	defer stop()
	measured := o.measure(crews)
	models, err := o.models(measured.rows)
	if err != nil {
		return err
	}
	if err := o.print(measured, o.expected(models)); err != nil || o.png == "" {
		return err
	}
	return drawAll(o.png, o.charts(measured.rows, models)...)
}

// crew is a server with so many event loops.
type crew struct {
	*server
	of    string // the name of the server; that of the embedded one tells the loops, too
	loops int
}

// startCrews starts each server with each number of event loops; the function stops them.
func (o *coresRun) startCrews() (crews []crew, stop func(), err error) {
	list, clean, err := o.binaries()
	if err != nil {
		return nil, nil, err
	}
	stop = func() {
		for _, c := range crews {
			c.stop()
		}
		clean()
	}
	for _, b := range list {
		for _, n := range o.loops {
			s, err := startServer(fmt.Sprintf("%s with io-threads %d", b.name, n), b.path,
				fmt.Sprintf("%s --io-threads %d", o.arguments(b.name), n))
			if err != nil {
				stop()
				return nil, nil, err
			}
			crews = append(crews, crew{s, b.name, n})
		}
	}
	return crews, stop, nil
}

// coresWorkloads are the rows: those of compare with 50 clients. The limiter over a hash would show
// what that over a zset does.
func coresWorkloads() []workload {
	return slices.DeleteFunc(plainWorkloads(),
		func(w workload) bool { return w.clients != 50 || strings.Contains(w.name, "hash") })
}

// coresColumns show a workload on a server with so many event loops. The gain is over the same
// server with one.
var coresColumns = []column{
	{"workload", "%s", "name"},
	{"server", "%s", "server"},
	{"loops", "%d", "loops"},
	{"k/s", "%.1f (%.1f..%.1f)", "kps min_kps max_kps"},
	{"gain", "%.2f", "gain"},
	{"user+sys us", "%.2f (%.2f..%.2f)", "cpu_us min_cpu_us max_cpu_us"},
	{"busy: server/client", "%.2f/%.2f", "server_cores client_cores"},
	{"p50/p99 ms", "%.2f/%.2f (%.2f..%.2f)", "p50_ms p99_ms min_p99_ms max_p99_ms"},
}

// measure runs the chosen workloads on all servers, in turns.
func (o *coresRun) measure(crews []crew) *table {
	var servers []*server
	for _, c := range crews {
		servers = append(servers, c.server)
	}
	list := o.chosen(coresWorkloads())
	bar := newSteps(len(list))
	defer bar.End()
	t := &table{columns: coresColumns}
	for _, w := range list {
		bar.begin(w.name)
		figures, refused := o.measureOne(w, servers)
		t.rows = append(t.rows, coresRows(w.name, figures, crews)...)
		t.notes = append(t.notes, refused...)
	}
	return t
}

// coresRows returns a row for each server that has figures. The first of a server is that with one
// loop.
func coresRows(name string, figures map[string]row, crews []crew) (rows []row) {
	for _, c := range crews {
		f := figures[c.name]
		if f == nil {
			continue
		}
		r := row{"name": name, "server": c.of, "loops": c.loops}.add("", f)
		one := r
		if i := slices.IndexFunc(rows, func(r row) bool { return r["server"] == c.of }); i >= 0 {
			one = rows[i]
		}
		if one["loops"] == 1 {
			r["gain"] = r.number("kps") / one.number("kps")
		}
		rows = append(rows, r)
	}
	return rows
}

// charts draws a chart for each workload with a model, beside what was measured.
func (o *coresRun) charts(measured []row, models []model) (list []charts.Chart) {
	for _, m := range models {
		c := charts.Chart{Name: "cores-" + strings.NewReplacer(",", "", " ", "-").Replace(m.name), Title: m.name,
			X: charts.Axis{Label: "event loops"}, Y: charts.Axis{Label: "requests a second"}}
		for _, r := range measured {
			if r["name"] == m.name {
				addPoint(&c, r["server"].(string)+", measured on this machine", float64(r["loops"].(int)),
					r.number("kps")*1000)
			}
		}
		for n := range o.most {
			addPoint(&c, "ours by Amdahl's law", float64(n+1), m.amdahl(n+1)*1000).Dashed = true
			addPoint(&c, "ours at most", float64(n+1), m.ceiling(n+1)*1000).Dashed = true
		}
		list = append(list, c)
	}
	return list
}
