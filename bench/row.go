package main

import (
	"slices"
	"time"
)

// figures are what several samples of one workload on one server come to. Times per request
// are in microseconds, latencies in milliseconds, memory in bytes.
type figures struct {
	RPS      float64 `json:"rps"`
	UserTime float64 `json:"user_us_per_request"`
	SysTime  float64 `json:"sys_us_per_request"`
	P50      float64 `json:"p50_ms"`
	P95      float64 `json:"p95_ms"`
	P99      float64 `json:"p99_ms"`
	RSS      int64   `json:"rss_bytes"`
}

// cpu returns the server's CPU time per request.
func (f *figures) cpu() float64 { return f.UserTime + f.SysTime }

// row is a workload's figures on both servers. A server that refuses the workload has none,
// and Refused says why.
type row struct {
	Name    string              `json:"name"`
	Servers map[string]*figures `json:"servers"`
	Refused map[string]string   `json:"refused,omitempty"`
}

// summarize takes the median of throughput and latencies, and CPU over all samples.
func summarize(samples []sample) *figures {
	if len(samples) == 0 {
		return nil
	}
	var requests int
	var spent cpu
	f := &figures{}
	for _, s := range samples {
		requests += s.requests
		spent.user += s.spent.user
		spent.sys += s.spent.sys
		f.RSS = max(f.RSS, s.rss)
	}
	perRequest := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) / float64(requests) }
	f.UserTime, f.SysTime = perRequest(spent.user), perRequest(spent.sys)
	f.RPS = median(samples, func(s sample) float64 { return s.rps })
	f.P50 = median(samples, func(s sample) float64 { return s.p50 })
	f.P95 = median(samples, func(s sample) float64 { return s.p95 })
	f.P99 = median(samples, func(s sample) float64 { return s.p99 })
	return f
}

// median returns the median of one figure; of two in the middle their mean.
func median[T any](samples []T, figure func(T) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = figure(s)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}
