// Package latency is LATENCY and the percentiles of INFO latencystats: how long commands take, and
// what holds clients up.
//
//	engine ── Executed ──▶ a histogram for each command     LATENCY HISTOGRAM, INFO latencystats
//	       │           └─▶ events command, fast-command ┐
//	       └─ Sampled ───▶ the other events             ├─▶ LATENCY LATEST, HISTORY, GRAPH, DOCTOR
//	                                                    ┘   what takes latency-monitor-threshold
//
// The other events are those of [engine.World.AddLatency]: expire-cycle, which removes what is due
// between commands, and expire-del, which removes one key; eviction-cycle and eviction-del;
// command-unblocking, the reply to a blocked client whose time is over; active-defrag-cycle; and
// those of the journal. The figures are of all worlds.
package latency

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// name is that of the part.
const name = "latency"

// Monitor has the figures of an engine. Its methods are called under the engine's lock.
type Monitor struct {
	engine      *engine.Engine
	threshold   int64 // of events, in milliseconds; 0 for off
	events      map[string]*series
	tracks      bool        // latency-tracking: there are histograms
	histograms  []histogram // by the commands' ids
	percentiles []float64   // that INFO shows
}

// New returns the monitor of an engine. Join its Part to the engine.
func New(e *engine.Engine) *Monitor {
	return &Monitor{engine: e, events: make(map[string]*series), tracks: true, percentiles: []float64{50, 99, 99.9}}
}

// Part returns the part that the monitor adds to its engine.
func (m *Monitor) Part() engine.Part {
	rewire := func() { m.engine.Rewire(name, m.listen) }
	threshold := config.Int("latency-monitor-threshold", &m.threshold, 0, math.MaxInt64).Then(rewire)
	return engine.Part{Name: name, State: m, Families: []command.Family{family}, Executed: m.executed,
		Params: []config.Param{threshold, config.Bool("latency-tracking", &m.tracks),
			{Name: "latency-tracking-info-percentiles", List: true, Get: m.percentilesText, Set: m.setPercentiles}},
		Sections: []engine.Section{{Name: "Latencystats", Since: "7.0.0", Hidden: true, Fill: m.fill, Reset: m.reset}},
	}
}

// listen sets the hook for events as the threshold wants it.
func (m *Monitor) listen(p *engine.Part) {
	p.Sampled = nil
	if m.threshold > 0 {
		p.Sampled = m.sampled
	}
}

func (m *Monitor) executed(x engine.Executed) {
	if m.tracks {
		m.of(x.Cmd).add(x.Micros, x.Times)
	}
	if m.threshold == 0 {
		return
	}
	event := "command"
	if x.Cmd.Flags&command.Fast != 0 {
		event = "fast-command"
	}
	m.sampled(x.World, event, x.Micros)
}

// sampled adds a sample of an event, if it reaches the threshold.
func (m *Monitor) sampled(w *engine.World, event string, micros int64) {
	if micros < m.threshold*1000 {
		return
	}
	s := m.events[event]
	if s == nil {
		s = new(series)
		m.events[event] = s
	}
	s.add(sample{w.Micros() / 1e6, micros / 1000})
}

// of returns the histogram of a command.
func (m *Monitor) of(cmd *command.Command) *histogram {
	if cmd.ID >= len(m.histograms) {
		m.histograms = append(m.histograms, make([]histogram, cmd.ID+1-len(m.histograms))...)
	}
	return &m.histograms[cmd.ID]
}

// fill writes INFO latencystats.
func (m *Monitor) fill(_ *engine.World, b *bytes.Buffer) {
	m.engine.Commands.Each(func(cmd *command.Command) {
		h := m.of(cmd)
		if h.total == 0 {
			return
		}
		fmt.Fprintf(b, "latency_percentiles_usec_%s:", cmd.FullName())
		for i, p := range m.percentiles {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(b, "p%v=%d.000", p, h.percentile(p))
		}
		b.WriteString("\r\n")
	})
}

// reset is CONFIG RESETSTAT. The events stay: see LATENCY RESET.
func (m *Monitor) reset(*engine.World) { m.histograms = nil }

func (m *Monitor) percentilesText() string {
	var words []string
	for _, p := range m.percentiles {
		words = append(words, strconv.FormatFloat(p, 'f', -1, 64))
	}
	return strings.Join(words, " ")
}

func (m *Monitor) setPercentiles(v string) error {
	var list []float64
	for _, word := range strings.Fields(v) {
		p, err := strconv.ParseFloat(word, 64)
		switch {
		case err != nil:
			return command.Error("Invalid latency-tracking-info-percentiles parameters")
		case !(p >= 0 && p <= 100):
			return command.Error("latency-tracking-info-percentiles parameters should sit between [0.0,100.0]")
		}
		list = append(list, p)
	}
	m.percentiles = list
	return nil
}
