package engine

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Client eviction: when clients hold maxmemory-clients or more, those that hold most are disconnected until the others
// hold less. Replicas, and clients with CLIENT NO-EVICT, are not evicted, but what such clients hold counts. The check
// precedes each command, before keys are evicted, and each tick; a connection that grows past the limit asks for a tick.

// maxMemoryClients is the parameter maxmemory-clients.
func (e *Engine) maxMemoryClients() Param {
	l := &e.eviction.clients
	return Param{Name: "maxmemory-clients",
		Get: func() string {
			if l.percent && l.amount > 0 {
				return strconv.FormatInt(l.amount, 10) + "%"
			}
			return strconv.FormatInt(l.amount, 10)
		},
		Set: func(value string) error {
			parsed, err := parseClientLimit(value)
			if err == nil {
				*l = parsed
				e.limitClients()
			}
			return err
		}}
}

func parseClientLimit(value string) (l clientLimit, err error) {
	digits, percent := strings.CutSuffix(value, "%")
	if !percent {
		n, ok := ParseMemory(value)
		if !ok {
			return l, errParamPercent
		}
		return clientLimit{amount: n}, nil
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	switch {
	case err != nil:
		return l, errParamPercent
	case n > 100:
		return l, errParamPercentRange
	}
	return clientLimit{int64(n), true}, nil
}

// limitClients sets the limit in bytes, after a change of maxmemory or maxmemory-clients.
func (e *Engine) limitClients() {
	l := e.eviction.clients
	limit := l.amount
	if l.percent {
		limit = int64(float64(e.Config.MaxMemory) * float64(l.amount) / 100)
	}
	e.Sessions.held.alarm = e.Parts.host.Due
	e.Sessions.held.limit.Store(min(limit, math.MaxInt64))
}

// evictClients disconnects clients while they hold too much.
func (e *Engine) evictClients() {
	h := &e.Sessions.held
	if h.limit.Load() == 0 || !h.exceeded(int64(e.Sessions.bytes())) {
		return
	}
	candidates := e.Sessions.inOrder()
	candidates = slices.DeleteFunc(candidates, func(s *Session) bool { return s.noEvict || s.Peer == nil || s.closing || s.attached() })
	slices.SortStableFunc(candidates, func(a, b *Session) int { return cmp.Compare(b.memory(), a.memory()) })
	for _, s := range candidates {
		if !h.exceeded(int64(e.Sessions.bytes())) {
			return
		}
		e.Sessions.evicted++
		s.Disconnect()
		s.release()
	}
}
