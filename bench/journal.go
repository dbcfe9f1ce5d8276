package main

import "slices"

// journalWorkloads write what an append-only file has to keep.
func journalWorkloads() []workload {
	set := []string{"SET", "key:__rand_int__", "value:0123456789"}
	return []workload{
		{name: "SET, 50 clients", clients: 50, pipeline: 1, share: 1, keyspace: plainKeys, args: set},
		{name: "SET, 1 client", clients: 1, pipeline: 1, share: 0.1, keyspace: plainKeys, args: set},
		{name: "SET, 50 clients, pipeline 16", clients: 50, pipeline: 16, share: 5, keyspace: plainKeys, args: set},
	}
}

// journalSetups are the servers that journal rows compare: ours and redis-server, that of -redis,
// by what they keep.
var journalSetups = []struct{ name, binary, args string }{
	{"redis without", "redis", "--appendonly no"},
	{"redis everysec", "redis", "--appendonly yes --appendfsync everysec"},
	{"redis always", "redis", "--appendonly yes --appendfsync always"},
	{"ours without", "ours", "--appendonly no"},
	{"ours everysec", "ours", "--appendonly yes --appendfsync everysec"},
	{"ours always", "ours", "--appendonly yes --appendfsync always"},
}

// pair is two of them to compare.
type pair struct{ of, against string }

var journalPairs = []pair{
	{"ours everysec", "ours without"},
	{"redis everysec", "redis without"},
	{"ours everysec", "redis everysec"},
	{"ours always", "redis always"},
}

// journalRow is a workload and the pairs that run it.
type journalRow struct {
	workload workload
	pairs    []pair
}

// name returns the first three columns of the table for a pair.
func (r journalRow) name(p pair) string {
	return r.workload.name + ", " + p.of + " against " + p.against
}

// journalRows returns the rows whose names -only lets through.
func (o *options) journalRows() (rows []journalRow) {
	for _, w := range journalWorkloads() {
		r := journalRow{workload: w}
		for _, p := range journalPairs {
			if o.filter.MatchString(w.name) || o.filter.MatchString(r.name(p)) {
				r.pairs = append(r.pairs, p)
			}
		}
		if len(r.pairs) > 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

// needs reports whether a row runs on a server.
func (r journalRow) needs(server string) bool {
	return slices.ContainsFunc(r.pairs, func(p pair) bool { return p.of == server || p.against == server })
}

// startJournals starts the servers that the rows need. The function stops them.
func (o *options) startJournals(rows []journalRow) (servers []*server, stop func(), err error) {
	list, clean, err := o.binaries()
	if err != nil {
		return nil, nil, err
	}
	stop = func() {
		for _, s := range servers {
			s.stop()
		}
		clean()
	}
	for _, setup := range journalSetups {
		for _, b := range list {
			if b.name != setup.binary ||
				!slices.ContainsFunc(rows, func(r journalRow) bool { return r.needs(setup.name) }) {
				continue
			}
			s, err := startServer(setup.name, b.path, setup.args+" "+o.arguments(b.name))
			if err != nil {
				stop()
				return nil, nil, err
			}
			servers = append(servers, s)
		}
	}
	return servers, stop, nil
}

// journalColumns show two servers of a pair. The ratios are those of the first to the second.
var journalColumns = []column{
	{"workload", "%s", "name"},
	{"of", "%s", "of"},
	{"against", "%s", "against"},
	{"k/s", "%.1f", "of_kps"},
	{"k/s", "%.1f", "against_kps"},
	{"ratio", "%.2f", "kps_ratio"},
	{"us/req (user+sys)", "%.2f (%.2f+%.2f)", "of_cpu_us of_user_us of_sys_us"},
	{"us/req (user+sys)", "%.2f (%.2f+%.2f)", "against_cpu_us against_user_us against_sys_us"},
	{"ratio", "%.2f", "cpu_ratio"},
	{"p50/p99 ms", "%.2f/%.2f", "of_p50_ms of_p99_ms"},
	{"p50/p99 ms", "%.2f/%.2f", "against_p50_ms against_p99_ms"},
}

// runJournal measures what the append-only file costs.
func (o *options) runJournal() error {
	rows := o.journalRows()
	if len(rows) == 0 {
		return nil
	}
	servers, stop, err := o.startJournals(rows)
	if err != nil {
		return err
	}
	defer stop()
	return o.print(o.measureJournal(rows, servers))
}

// measureJournal runs the rows on the servers that they need, alternating between them.
func (o *options) measureJournal(rows []journalRow, servers []*server) *table {
	bar := newSteps(len(rows))
	defer bar.End()
	t := &table{columns: journalColumns}
	for _, j := range rows {
		bar.begin(j.workload.name)
		needed := slices.DeleteFunc(slices.Clone(servers), func(s *server) bool { return !j.needs(s.name) })
		figures, refused := o.measureOne(j.workload, needed)
		for _, p := range j.pairs {
			r := row{"name": j.workload.name, "of": p.of, "against": p.against}.add("of_", figures[p.of]).
				add("against_", figures[p.against])
			t.rows = append(t.rows, r.ratio("kps_ratio", "of_kps", "against_kps").
				ratio("cpu_ratio", "of_cpu_us", "against_cpu_us"))
		}
		t.notes = append(t.notes, refused...)
	}
	return t
}
