// Package quick tells tests what go test -short leaves out.
//
//	                                       go test -short   go test -race -short
//	starts a browser or a real server,
//	waits for seconds                      Skip             runs
//	checks another process                 Outside          Outside
//	keeps one goroutine busy for seconds   OneGoroutine     OneGoroutine
//	does so, and the quick check needs it  runs             Unraced
//	repeats something random               Rounds: a tenth  Rounds: a tenth
//
// The first column is the quick check, which is to take less than a minute. In the second, the race
// detector gets what it may find something in: all that runs in several goroutines of this process.
package quick

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/invariants"
)

// Check reports whether this is the quick check.
func Check() bool { return testing.Short() && !raced }

// Skip leaves the test out of the quick check, because it does what why says: "starts a browser".
func Skip(t testing.TB, why string) {
	t.Helper()
	if Check() {
		t.Skip("left out with -short: " + why)
	}
}

// OneGoroutine leaves the test out with -short, because it does what why says, in one goroutine.
func OneGoroutine(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short: " + why)
	}
}

// Unraced leaves the test out when the race detector is on, because it does what why says, in one
// goroutine.
func Unraced(t testing.TB, why string) {
	t.Helper()
	if raced {
		t.Skip("left out with -race: " + why)
	}
}

// Outside leaves the test out with -short, and whenever the race detector is on, because all that
// it checks runs in other processes.
func Outside(t testing.TB) {
	t.Helper()
	if testing.Short() || raced {
		t.Skip("left out with -short and with -race: what it checks runs in another process")
	}
}

// Unchecked leaves the test out where the program checks itself, because it counts allocations, and
// the checks allocate.
func Unchecked(t testing.TB) {
	t.Helper()
	if invariants.Enabled {
		t.Skip("left out with -tags invariants: the checks allocate")
	}
}

// Rounds returns the number of rounds for a test that wants n: a tenth of them with -short.
func Rounds[N int | int64 | uint64](n N) N {
	if testing.Short() {
		return max(n/10, 1)
	}
	return n
}
