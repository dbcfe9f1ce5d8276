package replication

import (
	"math"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/release"
)

type params struct {
	backlogSize                     int64 // bytes
	backlogTTL, pingPeriod, timeout int64 // seconds
	minReplicas, maxLag             int64 // that writes need; the seconds after which one that is silent does not count

	// As a replica.
	masterAuth, masterUser string
	tls                    bool   // to the master
	announceIP             string // empty for that of the connection
	announcePort, priority int64  // port 0 for that on which the server listens
	announced              bool   // Sentinels may use this server
	load                   string // repl-diskless-load
}

func newParams() params {
	return params{backlogSize: 1 << 20, backlogTTL: 3600, pingPeriod: 10, timeout: 60, maxLag: 10,
		priority: 100, announced: true, load: "disabled"}
}

// minBacklog is the least size of the backlog in bytes, as in Redis.
const minBacklog = 16 << 10

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

// loadParam says how a snapshot is loaded. All values but flushFirst are one: it is loaded from the connection, beside the data.
func (m *Master) loadParam() config.Param {
	words := []string{"disabled", "on-empty-db", "swapdb"}
	if m.engine.Release.Offers(flushesFirst) {
		words = append(words, flushFirst)
	}
	return config.Enum("repl-diskless-load", &m.params.load, words...)
}

// flushFirst is the value of repl-diskless-load that removes the old data before the new ones are loaded, to save memory.
const flushFirst = "flush-before-load"

var flushesFirst = release.From("valkey:8.1.0")

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

// backlogBytes returns the size of the backlog.
func (m *Master) backlogBytes() int { return int(max(m.params.backlogSize, minBacklog)) }
