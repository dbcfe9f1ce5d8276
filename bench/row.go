package main

import (
	"slices"
	"strings"
	"time"
)

// row is one line of results: measurements and words by name. The name of a measurement ends in its
// unit, as cpu_us does. What was not measured is not there.
type row map[string]any

// number returns a measurement; 0 if it is not there.
func (r row) number(name string) float64 {
	x, _ := r[name].(float64)
	return x
}

// add adds the values of another row, which may be nil, under names that begin with prefix.
func (r row) add(prefix string, more row) row {
	for name, value := range more {
		r[prefix+name] = value
	}
	return r
}

// ratio adds the ratio of one measurement to another, if there are both.
func (r row) ratio(name, of, to string) row {
	if _, measured := r[of]; measured && r.number(to) != 0 {
		r[name] = r.number(of) / r.number(to)
	}
	return r
}

// ratioName returns the name of the ratio of a measurement: "cpu_ratio" for "cpu_us".
func ratioName(name string) string {
	if i := strings.LastIndexByte(name, '_'); i >= 0 {
		name = name[:i]
	}
	return name + "_ratio"
}

// summarize returns the median of each figure, the least and the most of some, and the most
// resident memory; nil without samples. CPU is per request.
func summarize(samples []sample) row {
	if len(samples) == 0 {
		return nil
	}
	var rss int64
	for _, s := range samples {
		rss = max(rss, s.rss)
	}
	r := row{
		"sys_us": median(samples, func(s sample) float64 { return s.perRequest(s.spent.sys) }),
		"p50_ms": median(samples, func(s sample) float64 { return s.p50 }),
		"p95_ms": median(samples, func(s sample) float64 { return s.p95 }),
		"rss_mb": megabytes(rss),

		"server_cores": median(samples, func(s sample) float64 { return s.cores(s.spent.user + s.spent.sys) }),
		"client_cores": median(samples, func(s sample) float64 { return s.cores(s.asking) }),
	}
	for name, figure := range comparedFigures {
		if name != "replica_us" || slices.ContainsFunc(samples, func(s sample) bool { return s.following > 0 }) {
			addSpread(r, name, samples, figure)
		}
	}
	addSpread(r, "p99_ms", samples, func(s sample) float64 { return s.p99 })
	return r
}

// comparedFigures are those of which there are ratios between servers.
var comparedFigures = map[string]func(sample) float64{
	"kps":        func(s sample) float64 { return s.rps / 1000 },
	"cpu_us":     func(s sample) float64 { return s.perRequest(s.spent.user + s.spent.sys) },
	"user_us":    func(s sample) float64 { return s.perRequest(s.spent.user) },
	"replica_us": func(s sample) float64 { return s.perRequest(s.following) },
}

// ratios returns the median of the rounds' ratios of our figures to another server's, with the
// least and the most. The machine may change its speed between rounds, but within one both have had
// the same, so these ratios are steadier than those of medians over the rounds.
func ratios(ours, theirs []sample) row {
	r := row{}
	for name, figure := range comparedFigures {
		var list []float64
		for round := range min(len(ours), len(theirs)) {
			if x := figure(theirs[round]); x != 0 {
				list = append(list, figure(ours[round])/x)
			}
		}
		if len(list) > 0 {
			addSpread(r, ratioName(name), list, func(x float64) float64 { return x })
		}
	}
	return r
}

// perRequest returns a time over the number of requests, in microseconds.
func (s sample) perRequest(d time.Duration) float64 {
	return float64(d) / float64(time.Microsecond) / float64(s.requests)
}

// cores returns how many processors a CPU time kept busy.
func (s sample) cores(d time.Duration) float64 { return d.Seconds() * s.rps / float64(s.requests) }

// addSpread adds the median of a figure under its name, and the least and the most behind "min_"
// and "max_".
func addSpread[T any](r row, name string, samples []T, figure func(T) float64) {
	values := sorted(samples, figure)
	r[name], r["min_"+name], r["max_"+name] = middle(values), values[0], values[len(values)-1]
}

// medians returns the median of each measurement of rows that have the same ones.
func medians(rows []row) row {
	all := row{}
	for name := range rows[0] {
		all[name] = median(rows, func(r row) float64 { return r.number(name) })
	}
	return all
}

// median returns the median of one figure; of two in the middle their mean.
func median[T any](samples []T, figure func(T) float64) float64 {
	return middle(sorted(samples, figure))
}

// sorted returns the values of a figure, ascending.
func sorted[T any](samples []T, figure func(T) float64) []float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = figure(s)
	}
	slices.Sort(values)
	return values
}

// middle returns the median of sorted values.
func middle(values []float64) float64 {
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }
