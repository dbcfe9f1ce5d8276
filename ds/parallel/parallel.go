// Package parallel divides work over the processors.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do for disjoint runs [from, to) of up to grain numbers, which cover 0..n-1, on up to
// GOMAXPROCS goroutines, and returns when all have returned. The caller's goroutine works too, so a
// single run starts no other. do must be safe for concurrent use.
func Each(n, grain int, do func(from, to int)) {
	var next atomic.Int64
	work := func() {
		for {
			to := int(next.Add(int64(grain)))
			if to-grain >= n {
				return
			}
			do(to-grain, min(to, n))
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+grain-1)/grain) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}
