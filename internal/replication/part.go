package replication

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/commands/shutdown"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// New returns a master for an engine. Join its Part to the engine.
func New(e *engine.Engine, o Options) *Master {
	if o.Journal == nil {
		o.Journal = noJournal{}
	}
	if o.Log == nil {
		o.Log = func(byte, string, ...any) {}
	}
	if o.Spawn == nil {
		o.Spawn = func(run func()) { go run() }
	}
	return &Master{
		engine:     e,
		unreceived: e.ReplicaTally(),
		opts:       o,
		stream:     stream{id: e.RunID, command: resp.NewWriter(2)},
		params:     newParams(),
		warned:     map[string]bool{},

		retryAfter: time.Second, // as in Redis
	}
}

// Close ends the link to the master, if there is one. The server must have stopped.
func (m *Master) Close() {
	m.engine.With(func() {
		if m.link != nil {
			m.link.end()
			m.link = nil
		}
	})
}

// Part returns what the master adds to its engine.
func (m *Master) Part() engine.Part {
	return engine.Part{
		Name:     partName,
		State:    m,
		Families: families,
		Params:   m.parameters(),
		Sections: []engine.Section{
			{Name: "Memory", Fill: m.fillMemory},
			{Name: "Persistence", Fill: m.fillPersistence},
			{Name: "Stats", Fill: m.fillStats, Reset: m.resetStats},
			{Name: "Replication", Fill: m.fillReplication},
		},
		Caches: []engine.Cache{{Name: "replication.backlog", Bytes: m.backlogMemory}},
		Debug: []engine.DebugLine{
			{Name: "change-repl-id", About: "Change the replication id of INFO.", Run: m.debugChangeID, HomeOnly: true},
			{Name: "replicate", Least: 1, Most: math.MaxInt, Args: "<string>",
				About: "Send a command to the replicas only.", Run: m.debugReplicate, HomeOnly: true, Since: "7.0.0"},
		},
		Tick:       m.tick,
		Lags:       m.lags,
		Shutdown:   m.shutdown,
		Replicates: true,
	}
}

// tick denies or allows writes by the number of good replicas, starts the transfer of a snapshot if
// replicas wait for one, and runs cron once a second.
func (m *Master) tick() (next int64) {
	m.start()
	m.sampleRates()
	m.updateDenial()
	if m.checkFailover(); m.failover.state == waitForSync {
		next = m.engine.Home().TickIn(100) // clients wait for it
	}
	if !m.stream.running && len(m.replicas) == 0 {
		return next
	}
	home := m.engine.Home()
	if home.Micros()-m.cronAt >= 1e6 {
		m.cronAt = home.Micros()
		m.cron()
	}
	m.startTransfer()
	if next == 0 {
		next = home.TickIn(max(1, 1000-(home.Micros()-m.cronAt)/1000))
	}
	return next
}

// sampleRates notes how much replication has read and sent.
func (m *Master) sampleRates() {
	now := m.engine.Home().Micros() / 1000
	m.traffic.inRate.Sample(now, m.traffic.in)
	m.traffic.outRate.Sample(now, m.traffic.out)
}

// start starts the link to the master that was configured, once the data are loaded.
func (m *Master) start() {
	if m.started || m.engine.IsLoading() {
		return
	}
	if m.started = true; m.link != nil && m.opts.Dial != nil {
		m.opts.Spawn(m.link.run)
	}
}

// cron disconnects replicas that time out or do not read, and sends something to the others, whose
// own timeout runs too. It stops the stream repl-backlog-ttl after the last replica has
// disconnected.
func (m *Master) cron() {
	now := m.engine.Home().Micros()
	for _, r := range m.replicas {
		r.limit() // its limits may have changed, and time passes without writes
		switch {
		case r.state == waitBgsaveStart:
			r.send([]byte("\n"))
		case r.state >= waitAck && (!r.sync || r.request.OnlySnapshot) && now-r.ackedAt > m.params.timeout*1e6:
			r.session.Disconnect()
		}
	}
	switch {
	case !m.stream.running || m.link != nil:
	case len(m.replicas) == 0 && (now-m.leftAt)/1e6 > m.params.backlogTTL:
		m.stopStream()
	case len(m.replicas) > 0 && m.failover.state == noFailover && !shutdown.IsUnderway(m.engine) &&
		now-m.pingAt >= m.params.pingPeriod*1e6:
		m.pingAt = now
		m.feedWords("ping")
	}
}

// parameters returns the parameters of replication that have an effect.
func (m *Master) parameters() []config.Param {
	p := &m.params
	size := config.Memory("repl-backlog-size", &p.backlogSize, 1)
	size.Apply = func() error {
		p.backlogSize = max(p.backlogSize, minBacklog)
		if m.stream.running {
			m.stream.buffer.size = m.backlogBytes()
			m.trim()
		}
		return nil
	}
	return []config.Param{
		size,
		m.applied(config.Int("min-replicas-to-write", &p.minReplicas, 0, math.MaxInt32, "min-slaves-to-write")),
		m.applied(config.Int("min-replicas-max-lag", &p.maxLag, 0, math.MaxInt32, "min-slaves-max-lag")),
		config.Int("repl-backlog-ttl", &p.backlogTTL, 0, math.MaxInt64),
		config.Int("repl-ping-replica-period", &p.pingPeriod, 1, math.MaxInt32, "repl-ping-slave-period"),
		config.Int("repl-timeout", &p.timeout, 1, math.MaxInt32),
		secret(config.Text("masterauth", &p.masterAuth, "primaryauth")),
		secret(config.Text("masteruser", &p.masterUser, "primaryuser")),
		config.Text("replica-announce-ip", &p.announceIP, "slave-announce-ip"),
		config.Int("replica-announce-port", &p.announcePort, 0, 65535, "slave-announce-port"),
		config.Bool("replica-announced", &p.announced),
		config.Int("replica-priority", &p.priority, 0, math.MaxInt32, "slave-priority"),
		config.Bool("tls-replication", &p.tls),
		m.loadParam(),
		m.masterParam(),
	}
}

// loadParam says how a snapshot is loaded. All values but flushFirst are one: it is loaded from the
// connection, beside the data.
func (m *Master) loadParam() config.Param {
	words := []string{"disabled", "on-empty-db", "swapdb"}
	if m.engine.Release.Offers(flushesFirst) {
		words = append(words, flushFirst)
	}
	return config.Enum("repl-diskless-load", &m.params.load, words...)
}

func secret(p config.Param) config.Param {
	p.Secret = true
	return p
}

// masterParam is the master to follow, as host and port.
func (m *Master) masterParam() config.Param {
	p := config.Param{Name: "replicaof", Aliases: []string{"slaveof"}, Immutable: true, List: true, Optional: true}
	p.Get = func() string {
		if m.link == nil {
			return ""
		}
		return m.link.host + " " + strconv.FormatInt(m.link.port, 10)
	}
	p.Set = func(value string) error {
		words := strings.Fields(value)
		if m.link = nil; len(words) == 0 || strings.EqualFold(value, "no one") {
			m.setRole()
			return nil
		}
		if len(words) != 2 {
			return errMasterWords
		}
		port, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil || port < 0 || port > 65535 {
			return errMasterPort
		}
		m.link = m.newLink(words[0], port)
		m.setRole()
		return nil
	}
	return p
}

// applied returns a parameter of good replicas, changed so that it takes effect at once.
func (m *Master) applied(p config.Param) config.Param {
	p.Apply = func() error {
		m.updateDenial()
		return nil
	}
	return p
}
