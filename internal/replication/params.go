package replication

import (
	"github.com/miniserver-go/miniserver/internal/release"
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

// flushFirst is the value of repl-diskless-load that removes the old data before the new ones are
// loaded, to save memory.
const flushFirst = "flush-before-load"

var flushesFirst = release.From("valkey:8.1.0")
