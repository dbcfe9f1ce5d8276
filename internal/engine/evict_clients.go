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
		e.Log('*', "Evicting client: %s", c.Info())
		e.Sessions.evicted++
		c.Disconnect()
		c.release()
	}
}

// evictableClients returns the sessions that may be evicted, those that hold most first, and of
// equal ones the oldest first. O(n log n).
func (e *Engine) evictableClients() []*Session {
	h := &e.Sessions.held
	list := make([]*Session, 0, h.evictable.sessions.Load())
	held := make(map[*Session]int64) // connections go on counting meanwhile
	for _, s := range e.Sessions.ByID {
		if s.group == &h.evictable {
			list = append(list, s)
			held[s] = s.memory()
		}
	}
	slices.SortFunc(list, func(a, b *Session) int {
		return cmp.Or(cmp.Compare(held[b], held[a]), cmp.Compare(a.ID, b.ID))
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
		memory := client.memory()
		i := min(bits.Len64(uint64(memory)>>smallClient), clientBuckets-1)
		held[i], count[i] = held[i]+memory, count[i]+1
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
