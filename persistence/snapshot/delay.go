package snapshot

import (
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// LoadDelay returns the parameter key-load-delay for Delay.
func LoadDelay(e *engine.Engine) func() int { return func() int { return e.Config.LoadDelay } }

// nap is the longest time for which Delay does not look whether it should go on.
const nap = 10 * time.Millisecond

// Delay waits after n keys were saved in the background or loaded, so that a test meets a server
// that saves or loads. Clients are served meanwhile. micros returns the parameter,
// rdb-key-save-delay or key-load-delay: how many microseconds to wait for each key, or, if it is
// negative, for how many keys to wait one. It is called under the lock, again and again: a change
// has effect at once, and 0 ends the wait.
func Delay(e *engine.Engine, n int, micros func() int) {
	for left := float64(n); left > 0; {
		var each float64
		e.With(func() { each = float64(micros()) })
		if each < 0 {
			each = -1 / each
		}
		if each == 0 {
			return
		}
		time.Sleep(min(nap, time.Duration(left*each*float64(time.Microsecond))))
		left -= float64(nap/time.Microsecond) / each
	}
}
