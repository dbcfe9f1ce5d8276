package latency

import "slices"

// errNoSamples has Redis' text.
const errNoSamples = "ERR No samples available for event '%s'"

// series is the samples of an event, the oldest first. As in Redis there is at most one for each
// second, the longest.
type series struct {
	samples []sample
	longest int64 // milliseconds, ever
	sum     int64 // milliseconds of all that were ever added
	count   int64 // of them
}

type sample struct{ unix, millis int64 }

const maxSamples = 160 // of an event

func (s *series) add(p sample) {
	s.longest = max(s.longest, p.millis)
	s.sum += p.millis
	s.count++
	if n := len(s.samples); n > 0 && s.samples[n-1].unix == p.unix {
		s.samples[n-1].millis = max(s.samples[n-1].millis, p.millis)
		return
	}
	if len(s.samples) == maxSamples {
		s.samples = slices.Delete(s.samples, 0, 1)
	}
	s.samples = append(s.samples, p)
}
