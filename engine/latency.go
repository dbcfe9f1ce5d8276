package engine

import "slices"

// latency is what LATENCY keeps: for each event the latest spikes, of at least latency-monitor-threshold.
// Events are command, fast-command, and what else holds clients up, see Spike.
type latency struct {
	threshold int64 // milliseconds; 0 for off
	events    map[string]*latencyEvents
}

// latencyEvents is the samples of an event, at most one a second, the oldest first.
type latencyEvents struct {
	samples []spike
	longest int64 // milliseconds, ever
}

type spike struct{ unix, millis int64 }

const maxSpikes = 160 // samples of an event

// command notes a command that took long.
func (l *latency) command(cmd *Command, unix, millis int64) {
	event := "command"
	if cmd.Flags&Fast != 0 {
		event = "fast-command"
	}
	l.add(event, spike{unix, millis})
}

// Spike notes how long something held clients up, for LATENCY, if that is long enough to be worth it. It is
// called under the lock.
func (e *Engine) Spike(event string, micros int64) {
	if l := &e.latency; l.threshold > 0 && micros >= l.threshold*1000 {
		l.add(event, spike{e.time.micros / 1e6, micros / 1000})
	}
}

func (l *latency) add(event string, p spike) {
	if l.events == nil {
		l.events = make(map[string]*latencyEvents)
	}
	s := l.events[event]
	if s == nil {
		s = new(latencyEvents)
		l.events[event] = s
	}
	s.add(p)
}

func (s *latencyEvents) add(p spike) {
	s.longest = max(s.longest, p.millis)
	if n := len(s.samples); n > 0 && s.samples[n-1].unix == p.unix {
		s.samples[n-1].millis = max(s.samples[n-1].millis, p.millis)
		return
	}
	if len(s.samples) == maxSpikes {
		s.samples = slices.Delete(s.samples, 0, 1)
	}
	s.samples = append(s.samples, p)
}
