package replication

import (
	"cmp"
	"fmt"
	"net"
	"time"

	"github.com/miniserver-go/miniserver/internal/replication/psync"
)

// options returns how this server introduces itself.
func (l *link) options() (o psync.Options, timeout time.Duration) {
	m := l.master
	m.engine.With(func() {
		p := &m.params
		timeout = time.Duration(p.timeout) * time.Second
		o = psync.Options{User: p.masterUser, Password: p.masterAuth, IP: p.announceIP, Port: int(m.announcedPort()),
			Version: m.version(), Like: m.engine.Release.Name, Timeout: timeout, MaxArg: m.engine.Config.ProtoMaxBulk}
	})
	return o, timeout
}

// version returns the version that a replica tells: those of Valkey do.
func (m *Master) version() string {
	if m.engine.Release.Has(tellsVersion) {
		return m.engine.Release.Version
	}
	return ""
}

// shake introduces this server to the master.
func (l *link) shake(conn net.Conn, o psync.Options) (*psync.Link, error) {
	if err := l.enter(handshake); err != nil {
		return nil, err
	}
	p, err := psync.Handshake(conn, o)
	if err != nil {
		return nil, err
	}
	l.master.opts.Log('*', "Master replied to PING, replication can continue...")
	for _, refusal := range p.Unknown {
		l.logOnce("(Non critical) Master does not understand " + refusal)
	}
	return p, nil
}

// announcedPort returns the port on which replicas and clients reach this server.
func (m *Master) announcedPort() int64 {
	own := int64(0)
	name := "port"
	if m.params.tls {
		name = "tls-port"
	}
	if p := m.engine.Params.Named(name); p != nil {
		_, _ = fmt.Sscan(p.Get(), &own)
	}
	return cmp.Or(m.params.announcePort, own)
}
