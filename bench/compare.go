package main

import "fmt"

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

// workloadColumns show two servers. The ratios are ours over redis: of throughput, where more is better, and of CPU per
// request, where less is.
var workloadColumns = []column{
	{"workload", "%s", "name"},
	{"redis k/s", "%.1f", "redis_kps"},
	{"ours k/s", "%.1f", "ours_kps"},
	{"ratio", "%.2f", "kps_ratio"},
	{"redis us/req (user+sys)", "%.2f (%.2f+%.2f)", "redis_cpu_us redis_user_us redis_sys_us"},
	{"ours us/req (user+sys)", "%.2f (%.2f+%.2f)", "ours_cpu_us ours_user_us ours_sys_us"},
	{"ratio", "%.2f", "cpu_ratio"},
	{"p50/p99 ms redis", "%.2f/%.2f", "redis_p50_ms redis_p99_ms"},
	{"ours", "%.2f/%.2f", "ours_p50_ms ours_p99_ms"},
	{"RSS MB redis", "%.1f", "redis_rss_mb"},
	{"ours", "%.1f", "ours_rss_mb"},
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
		r := row{"name": w.name}.add("redis_", figures["redis"]).add("ours_", figures["ours"])
		t.rows = append(t.rows, r.ratio("kps_ratio", "ours_kps", "redis_kps").ratio("cpu_ratio", "ours_cpu_us", "redis_cpu_us"))
		t.notes = append(t.notes, refused...)
	}
	return t
}

// measureOne alternates between the servers. It returns the figures of each server, and which of them refuse the
// workload, and why.
func (o *options) measureOne(w workload, servers []*server) (figures map[string]row, refused []string) {
	samples := map[string][]sample{}
	refuses := map[string]bool{}
	for range o.rounds {
		for _, s := range servers {
			if refuses[s.name] {
				continue
			}
			one, err := w.run(s, o.benchmark, o.requests)
			if err != nil {
				refuses[s.name] = true
				refused = append(refused, fmt.Sprintf("%s was not run on %s: %v", w.name, s.name, err))
				continue
			}
			samples[s.name] = append(samples[s.name], one)
		}
	}
	figures = map[string]row{}
	for name := range samples {
		figures[name] = summarize(samples[name])
	}
	return figures, refused
}
