package engine

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/config"
)

// Client eviction: when clients hold maxmemory-clients or more, those that hold most are
// disconnected until the others hold less. Replicas do not count. Clients with CLIENT NO-EVICT do,
// but are not evicted. The check precedes each command, before keys are evicted, and each tick; a
// connection that grows past the limit asks for a tick.

// clientLimit is maxmemory-clients: bytes, or a percentage of maxmemory.
type clientLimit struct {
	amount  int64
	percent bool
}

// maxMemoryClients is the parameter maxmemory-clients.
func (e *Engine) maxMemoryClients() config.Param {
	l := &e.eviction.clients
	return config.Param{Name: "maxmemory-clients",
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
		n, ok := config.ParseMemory(value)
		switch {
		case !ok:
			return l, config.ErrPercent
		case n > math.MaxInt64:
			return l, config.ErrPercentRange // as in Redis, which takes a negative number for a percentage
		}
		return clientLimit{amount: int64(n)}, nil
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	switch {
	case err != nil:
		return l, config.ErrPercent
	case n > 100:
		return l, config.ErrPercentRange
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
	e.Sessions.held.limit.Store(min(limit, math.MaxInt64))
}

// evictClients disconnects clients while they hold too much.
func (w *World) evictClients() {
	e := w.engine
	h := &e.Sessions.held
	if !h.exceeded() {
		return
	}
	for _, c := range e.evictableClients() {
		if !h.exceeded() {
			return
		}
		e.Log('*', "Evicting client: %s", c.session.Info())
		e.Sessions.evicted++
		c.session.Disconnect()
		c.session.release()
	}
}

// evictable is a session that may be evicted, with what it held when the list of them was made:
// connections go on counting meanwhile.
type evictable struct {
	session *Session
	memory  int64
}

// evictableClients returns the sessions that may be evicted, those that hold most first, and of
// equal ones the oldest first. O(n log n).
func (e *Engine) evictableClients() []evictable {
	h := &e.Sessions.held
	list := make([]evictable, 0, h.evictable.sessions.Load())
	for _, s := range e.Sessions.ByID {
		if s.group == &h.evictable {
			list = append(list, evictable{s, s.memory()})
		}
	}
	slices.SortFunc(list, func(a, b evictable) int {
		return cmp.Or(cmp.Compare(b.memory, a.memory), cmp.Compare(a.session.ID, b.session.ID))
	})
	return list
}

// clientBuckets is how DEBUG CLIENT-EVICTION groups clients: below 32 kB, and then by powers of
// two, the last without a bound.
const clientBuckets, smallClient = 19, 15

// DEBUG CLIENT-EVICTION
func cmdDebugClientEviction(c *Call) {
	if c.Engine.eviction.clients.amount == 0 {
		c.Fail(ErrNoClientLimit)
		return
	}
	var held, count [clientBuckets]int64
	for _, client := range c.Engine.evictableClients() {
		i := min(bits.Len64(uint64(client.memory)>>smallClient), clientBuckets-1)
		held[i], count[i] = held[i]+client.memory, count[i]+1
	}
	var b strings.Builder
	for i := range clientBuckets {
		from, to := int64(1)<<(i-1+smallClient), fmt.Sprintf(" - %10d: ", int64(1)<<(i+smallClient)-1)
		switch i {
		case 0:
			from = 0
		case clientBuckets - 1:
			to = "+            : "
		}
		fmt.Fprintf(&b, "bucket %10d%stot-mem: %10d, clients: %d\n", from, to, held[i], count[i])
	}
	c.Reply.Verbatim("txt", []byte(b.String()))
}
