package snapshot

import (
	"time"

	"github.com/miniserver-go/miniserver/engine"
)

// LoadDelay returns the parameter key-load-delay for Delay.
func LoadDelay(e *engine.Engine) func() int { return func() int { return e.Config.LoadDelay } }

// nap is the longest time for which Delay does not look whether it should go on.
const nap = 10 * time.Millisecond

// Delay waits after n keys were saved in the background or loaded, as the parameters
// rdb-key-save-delay and key-load-delay ask for, so that a test meets a server that saves or loads.
// micros returns the parameter: microseconds for each key; a negative one is a microsecond for each
// -micros keys. Redis 6.0 has them. A change has effect at once, and 0 ends the wait. micros is
// called under the lock. Clients are served meanwhile.
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
