package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// printJSON prints rows for machines.
func printJSON(w io.Writer, rows any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}

// printRows prints rows for people. The two ratios are ours over redis: of throughput, where more
// is better, and of CPU per request, where less is.
func printRows(w io.Writer, rows []row) error {
	t := table{{"workload", "redis k/s", "ours k/s", "ratio",
		"redis us/req (user+sys)", "ours us/req (user+sys)", "ratio", "p50/p99 ms redis", "ours", "RSS MB redis", "ours"}}
	for _, r := range rows {
		redis, ours := r.Servers["redis"], r.Servers["ours"]
		t = append(t, []string{r.Name,
			show(redis, rate), show(ours, rate), ratio(redis, ours, func(f *figures) float64 { return f.RPS }),
			show(redis, times), show(ours, times), ratio(redis, ours, (*figures).cpu),
			show(redis, latency), show(ours, latency), show(redis, resident), show(ours, resident)})
	}
	if err := t.print(w); err != nil {
		return err
	}
	for _, r := range rows {
		for name, why := range r.Refused {
			if _, err := fmt.Fprintf(w, "%s was not run on %s: %s\n", r.Name, name, why); err != nil {
				return err
			}
		}
	}
	return nil
}

func show(f *figures, how func(*figures) string) string {
	if f == nil {
		return "-"
	}
	return how(f)
}

func rate(f *figures) string    { return fmt.Sprintf("%.1f", f.RPS/1000) }
func latency(f *figures) string { return fmt.Sprintf("%.2f/%.2f", f.P50, f.P99) }
func resident(f *figures) string {
	return fmt.Sprintf("%.1f", float64(f.RSS)/1e6)
}

func times(f *figures) string {
	return fmt.Sprintf("%.2f (%.2f+%.2f)", f.cpu(), f.UserTime, f.SysTime)
}

func ratio(redis, ours *figures, figure func(*figures) float64) string {
	if redis == nil || ours == nil || figure(redis) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", figure(ours)/figure(redis))
}

// table is rows of cells, the first one the heading.
type table [][]string

// print aligns the columns, with a rule below each heading.
func (t table) print(w io.Writer) error {
	rules := make([]string, len(t[0]))
	for i, heading := range t[0] {
		rules[i] = strings.Repeat("-", utf8.RuneCountInString(heading))
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, cells := range slices.Insert(slices.Clone(t), 1, rules) {
		fmt.Fprintln(out, strings.Join(cells, "\t"))
	}
	return out.Flush()
}
