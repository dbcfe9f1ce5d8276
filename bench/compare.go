package main

import (
	"cmp"
	"fmt"
	"slices"
)

// runCompare is the subcommand compare.
func runCompare(args []string) error {
	o := newOptions("compare").withServers("redis-server").withLoad(200_000, 3)
	if err := o.parse(args); err != nil {
		return err
	}
	servers, stop, err := o.startAll()
	if err != nil {
		return err
	}
	defer stop()
	if err := o.print(o.measure(append(plainWorkloads(), dataWorkloads()...), servers)); err != nil {
		return err
	}
	return o.print(o.weigh(servers))
}

// workloadColumns show a workload on one server. Figures are medians of the rounds; the least and
// the most stand behind them. Ratios are ours over that server, medians as well, see ratios: of
// throughput, where more is better, and of CPU per request, where less is. Busy is how many
// processors the server and the load generator kept busy: where the latter has no more than it has
// processes, the throughput is its own.
var workloadColumns = []column{
	{"workload", "%s", "name"},
	{"server", "%s", "server"},
	{"k/s", "%.1f (%.1f..%.1f)", "kps min_kps max_kps"},
	{"ours/it", "%.2f", "kps_ratio"},
	{"user us/req", "%.2f (%.2f..%.2f)", "user_us min_user_us max_user_us"},
	{"ours/it", "%.2f", "user_ratio"},
	{"user+sys us", "%.2f (%.2f..%.2f)", "cpu_us min_cpu_us max_cpu_us"},
	{"ours/it", "%.2f", "cpu_ratio"},
	{"busy: server/client", "%.2f/%.2f", "server_cores client_cores"},
	{"p50/p99 ms", "%.2f/%.2f (%.2f..%.2f)", "p50_ms p99_ms min_p99_ms max_p99_ms"},
	{"RSS MB", "%.1f", "rss_mb"},
}

// measure runs the chosen workloads on all servers, round by round.
func (o *options) measure(all []workload, servers []*server) *table {
	list := o.chosen(all)
	bar := newSteps(len(list))
	defer bar.End()
	t := &table{columns: workloadColumns}
	for _, w := range list {
		bar.begin(w.name)
		figures, refused := o.measureOne(w, servers)
		t.rows = append(t.rows, workloadRows(w.name, figures, servers)...)
		t.notes = append(t.notes, refused...)
	}
	losingFirst(t.rows, "kps_ratio", true)
	return t
}

// losingFirst orders the rows of workloads by their worst ratio of ours to a rival: the least one
// if more is better. Workloads without a rival come last, and the rows of one stay together.
func losingFirst(rows []row, ratio string, more bool) {
	loss := map[any]float64{}
	for _, r := range rows {
		loss[r["name"]] = max(loss[r["name"]], figure{more: more}.loss(r.number(ratio)))
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(loss[b["name"]], loss[a["name"]]) })
}

// workloadRows returns a row for each server that has figures.
func workloadRows(name string, figures map[string]row, servers []*server) (rows []row) {
	for _, s := range servers {
		if figures[s.name] != nil {
			rows = append(rows, row{"name": name, "server": s.name}.add("", figures[s.name]))
		}
	}
	return rows
}

// beside adds to the rows of other servers the ratio of our measurements to theirs. The name of a
// ratio is that of the measurement, with "ratio" in place of the unit.
func beside(rows []row, names ...string) []row {
	at := slices.IndexFunc(rows, func(r row) bool { return r["server"] == "ours" })
	if at < 0 {
		return rows
	}
	for i, r := range rows {
		for _, name := range names {
			if theirs := r.number(name); i != at && theirs != 0 {
				r[ratioName(name)] = rows[at].number(name) / theirs
			}
		}
	}
	return rows
}

// measureOne runs a workload on all servers in turns. It returns the figures of each server, see
// compareSamples, and which of them refuse the workload, and why.
//
// Each round begins with another server, and the others rest meanwhile, empty or between two
// slices. So the place in a round cancels out over twice as many rounds as there are servers.
func (o *options) measureOne(w workload, servers []*server) (figures map[string]row, refused []string) {
	samples := map[string][]sample{}
	for round := range o.rounds {
		for _, some := range o.groups(turn(servers, round)) {
			got, errs := w.run(o.generator, o.requests, some...)
			for i, s := range some {
				if errs[i] == nil {
					errs[i] = s.rest()
				}
				if errs[i] != nil {
					servers = slices.DeleteFunc(slices.Clone(servers), func(other *server) bool { return other == s })
					refused = append(refused, fmt.Sprintf("%s was not run on %s: %v", w.name, s.name, errs[i]))
					continue
				}
				samples[s.name] = append(samples[s.name], got[i])
			}
		}
	}
	return compareSamples(samples), refused
}

// compareSamples returns the figures of each server, by its name, and with those of the others the
// ratios of ours to them.
func compareSamples(samples map[string][]sample) map[string]row {
	figures := map[string]row{}
	for name, list := range samples {
		figures[name] = summarize(list)
		if name != "ours" {
			figures[name].add("", ratios(samples["ours"], list))
		}
	}
	return figures
}

// groups returns which servers run at the same time: all, in slices, or each alone.
func (o *options) groups(servers []*server) [][]*server {
	if o.generator.slice > 0 {
		return [][]*server{servers}
	}
	return slices.Collect(slices.Chunk(servers, 1))
}

// rest empties a server that was measured, and waits until it has nothing left to do.
func (s *server) rest() error {
	if _, err := s.do("FLUSHALL"); err != nil {
		return err
	}
	return s.settle()
}
