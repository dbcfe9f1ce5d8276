package consensus

import (
	"fmt"
	"testing"
)

// BenchmarkAppend has three members on one disk, with so many entries of so many bytes under way.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{100, 64 << 10} {
		for _, underway := range []int{1, 16, 256} {
			b.Run(fmt.Sprintf("%d-bytes/%d-underway", size, underway), func(b *testing.B) {
				leader := newGroup(b, 3, func(o *Options) { o.Machine = discard{&list{}} }).leader()
				data, seat := make([]byte, size), leader.held().ID
				room := make(chan struct{}, underway)
				b.ResetTimer()
				for range b.N {
					room <- struct{}{}
					leader.Append(seat, data, func(error) { <-room })
				}
				for range underway {
					room <- struct{}{}
				}
				l := leader.Status().Latency
				b.ReportMetric(float64(l.P50.Microseconds()), "p50-µs")
				b.ReportMetric(float64(l.P99.Microseconds()), "p99-µs")
			})
		}
	}
}

// BenchmarkVerify asks one question after the other.
func BenchmarkVerify(b *testing.B) {
	leader := newGroup(b, 3, nil).leader()
	done := make(chan error, 1)
	for b.Loop() {
		leader.Verify(func(err error) { done <- err })
		<-done
	}
}

// discard is a Machine without a state.
type discard struct{ *list }

func (discard) Apply([]Entry) {}
