// Package replication serves replicas: it sends them the data, and from then on what changes.
//
//	SYNC, PSYNC ─▶ snapshot ────────▶ replica
//	                                     ▲
//	change ─▶ stream ─┬▶ replicas ───────┘   held back while the snapshot is on its way
//	                  └▶ backlog             for a replica that was cut off for a moment
//
// The stream is the commands that reproduce each change, as the journal has them, in one sequence of bytes.
// Master and replicas count them: the offset. An id names the history that an offset belongs to.
//
// Invariants:
//  1. The stream runs from the first replica's snapshot until repl-backlog-ttl after the last replica has gone. At
//     all other times changes are not propagated here, and cost nothing.
//  2. A replica gets every byte of the stream from the moment of its snapshot on, in order. One that cannot is
//     disconnected.
//  3. Everything happens under the engine's lock, but for the transfer of a snapshot, which takes the lock for a
//     slice at a time.
//
// This server is always a master: it cannot follow another one, nor hand over to a replica.
package replication

import (
	"math"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// Options are what a master needs from outside. Each may be nil.
type Options struct {
	// Journal is asked by WAITAOF.
	Journal Journal
	// Log tells of events; the mark says how much they matter: # warning, * notice.
	Log func(mark byte, format string, args ...any)
	// Beside starts a goroutine on a processor of its own; go run() if nil.
	Beside func(run func())
}

// Journal knows which changes are on disk. It is called under the engine's lock.
type Journal interface {
	// Synced reports whether changes are written at all, and whether all of them are on disk.
	Synced() (enabled, synced bool)
	// Await calls done, under the lock, when what was changed so far is on disk.
	Await(done func())
}

// noJournal is that of a server without one.
type noJournal struct{}

func (noJournal) Synced() (enabled, synced bool) { return false, false }
func (noJournal) Await(func())                   {}

// Master is the side of replication that has the data.
type Master struct {
	engine *engine.Engine
	opts   Options

	stream   stream
	replicas []*replica // attached, in the order of their coming
	waits    []*wait    // clients that WAIT and WAITAOF blocked

	// Microseconds since the epoch: when cron ran, when a PING was fed, when the last replica went.
	cronAt, pingAt, leftAt int64

	syncs  syncs
	params params
}

// syncs counts synchronizations.
type syncs struct{ full, partial, partialFailed int64 }

type params struct {
	backlogSize                     int64 // bytes
	backlogTTL, pingPeriod, timeout int64 // seconds
}

// New returns the master of an engine, which Part adds to it.
func New(e *engine.Engine, o Options) *Master {
	if o.Journal == nil {
		o.Journal = noJournal{}
	}
	if o.Log == nil {
		o.Log = func(byte, string, ...any) {}
	}
	if o.Beside == nil {
		o.Beside = func(run func()) { go run() }
	}
	return &Master{
		engine: e,
		opts:   o,
		stream: stream{id: e.RunID(), command: resp.NewWriter(2)},
		params: params{backlogSize: 1 << 20, backlogTTL: 3600, pingPeriod: 10, timeout: 60},
	}
}

// partName is the master's name in the engine.
const partName = "replication"

// Part returns what the master adds to its engine.
func (m *Master) Part() engine.Part {
	return engine.Part{
		Name:     partName,
		Families: m.families(),
		Params:   m.parameters(),
		Sections: []engine.Section{
			{Name: "Stats", Fill: m.fillStats},
			{Name: "Replication", Fill: m.fillReplication},
		},
		Debug: []engine.DebugLine{
			{Name: "change-repl-id", About: "Change the id that INFO replication tells.", Run: m.debugChangeID},
		},
		Tick:      m.tick,
		Published: m.feedMessage,
	}
}

// minBacklog is the least bytes of a backlog, as in Redis.
const minBacklog = 16 << 10

// parameters are those of replication that have an effect.
func (m *Master) parameters() []engine.Param {
	p := &m.params
	size := engine.MemoryParam("repl-backlog-size", &p.backlogSize, 1)
	size.Apply = func() error {
		if m.stream.running {
			m.stream.backlog.resize(m.backlogBytes())
		}
		return nil
	}
	return []engine.Param{
		size,
		engine.IntParam("repl-backlog-ttl", &p.backlogTTL, 0, 1<<62),
		engine.IntParam("repl-ping-replica-period", &p.pingPeriod, 1, math.MaxInt32, "repl-ping-slave-period"),
		engine.IntParam("repl-timeout", &p.timeout, 1, math.MaxInt32),
	}
}

func (m *Master) backlogBytes() int { return int(max(m.params.backlogSize, minBacklog)) }

// tick begins the transfer of a snapshot if replicas wait for one, and runs cron once a second.
func (m *Master) tick() {
	if !m.stream.running && len(m.replicas) == 0 {
		return
	}
	if m.engine.Micros()-m.cronAt >= 1e6 {
		m.cronAt = m.engine.Micros()
		m.cron()
	}
	m.startTransfer()
}

// cron disconnects replicas that are silent for too long, keeps the others from doing the same, and ends the stream
// some time after the last replica has gone.
func (m *Master) cron() {
	now := m.engine.Micros()
	for _, r := range m.replicas {
		switch {
		case r.state == waitBgsaveStart:
			r.send([]byte("\n"))
		case r.state >= waitAck && (!r.sync || r.request.OnlySnapshot) && now-r.ackedAt > m.params.timeout*1e6:
			r.session.Disconnect()
		}
	}
	switch {
	case !m.stream.running:
	case len(m.replicas) == 0 && now-m.leftAt > m.params.backlogTTL*1e6:
		m.stopStream()
	case len(m.replicas) > 0 && now-m.pingAt >= m.params.pingPeriod*1e6:
		m.pingAt = now
		m.feedWords("ping")
	}
}
