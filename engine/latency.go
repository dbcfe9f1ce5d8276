package engine

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
)

// latency is what LATENCY shows: for each event the latest samples of at least latency-monitor-threshold.
// Events are command and fast-command; expire-cycle, which removes what is due between commands, and expire-del, which removes one key;
// eviction-cycle and eviction-del; command-unblocking, which is the reply to a blocked client whose time is over; and those of AddLatency.
type latency struct {
	threshold int64 // milliseconds; 0 for off
	events    map[string]*latencySeries
}

// latencySeries is the samples of an event, the oldest first. As in Redis there is at most one for each
// second, the longest.
type latencySeries struct {
	samples []latencySample
	longest int64 // milliseconds, ever
	sum     int64 // milliseconds of all that were ever added
	count   int64 // of them
}

type latencySample struct{ unix, millis int64 }

const maxLatencySamples = 160 // samples of an event

// AddLatency adds a sample for something that held clients up, if it reaches latency-monitor-threshold. It
// is called under the lock.
func (w *World) AddLatency(event string, micros int64) {
	if l := &w.engine.latency; l.threshold > 0 && micros >= l.threshold*1000 {
		l.add(event, latencySample{w.time.micros / 1e6, micros / 1000})
	}
}

// expiring is the removal of a key that is due, between keyExpiring and keyExpired.
type expiring struct {
	start  int64 // as startLatency returned it
	lazily bool  // what Keyspace.Lazily was before
}

// startLatency returns when something begins that sampleLatency will measure, by the machine's clock; 0 if nothing is measured.
func (e *Engine) startLatency() int64 {
	if e.latency.threshold == 0 {
		return 0
	}
	return e.machine()
}

// sampleLatency adds a sample for what has begun at start.
func (w *World) sampleLatency(event string, start int64) {
	if start != 0 {
		w.AddLatency(event, w.engine.machine()-start)
	}
}

// addCommand adds a sample for a command.
func (l *latency) addCommand(cmd *command.Command, unix, millis int64) {
	event := "command"
	if cmd.Flags&command.Fast != 0 {
		event = "fast-command"
	}
	l.add(event, latencySample{unix, millis})
}

func (l *latency) add(event string, p latencySample) {
	if l.events == nil {
		l.events = make(map[string]*latencySeries)
	}
	s := l.events[event]
	if s == nil {
		s = new(latencySeries)
		l.events[event] = s
	}
	s.add(p)
}

func (s *latencySeries) add(p latencySample) {
	s.longest = max(s.longest, p.millis)
	s.sum += p.millis
	s.count++
	if n := len(s.samples); n > 0 && s.samples[n-1].unix == p.unix {
		s.samples[n-1].millis = max(s.samples[n-1].millis, p.millis)
		return
	}
	if len(s.samples) == maxLatencySamples {
		s.samples = slices.Delete(s.samples, 0, 1)
	}
	s.samples = append(s.samples, p)
}
