//go:build linux

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// osProcess is the process of miniserver migrate.
type osProcess = os.Process

// hitch is what strikes a migration.
type hitch struct {
	name   string
	cuts   int  // 1: the links to the source are cut, 2: those to the target
	ends   bool // the migration may end by it
	again  bool // the migration is killed, and started again
	strike func(m *migration, process *osProcess)
}

// hitches are all kinds. Those that the migration survives are all that do not end it.
var hitches = []hitch{
	{name: "links to the source cut", cuts: 1, strike: nothing},
	{name: "links to the target cut", cuts: 2, strike: nothing},
	{name: "source stopped", strike: func(m *migration, _ *osProcess) { m.halt(m.source) }},
	{name: "target stopped", strike: func(m *migration, _ *osProcess) { m.halt(m.target) }},
	{name: "clients of the source killed", strike: again("CLIENT KILL TYPE normal", "CLIENT KILL TYPE replica")},
	{name: "clients of the target killed",
		strike: func(m *migration, _ *osProcess) { m.repeat(m.target, "CLIENT KILL TYPE normal") }},
	{name: "pause ended", strike: again("CLIENT UNPAUSE")},
	// Which the migration waits for.
	{name: "target killed", ends: true, strike: func(m *migration, process *osProcess) {
		m.kill()
		time.Sleep(time.Duration(m.r.IntN(2000)) * time.Millisecond)
		process.Signal(syscall.SIGTERM)
	}},
	{name: "target started again", ends: true,
		strike: func(m *migration, _ *osProcess) { m.kill(); m.target.restart(); m.gone = false }},
	{name: "target full", ends: true, strike: func(m *migration, _ *osProcess) {
		m.target.order("CONFIG SET maxmemory 1 maxmemory-policy noeviction")
	}},
	{name: "target evicts", ends: true, strike: func(m *migration, _ *osProcess) {
		m.target.order("CONFIG SET maxmemory 3mb maxmemory-policy allkeys-random")
	}},
	{name: "target's disk full", ends: true, strike: func(m *migration, _ *osProcess) { m.breakDisk() }},
	{name: "target a replica", ends: true,
		strike: func(m *migration, _ *osProcess) { m.target.order("REPLICAOF 127.0.0.1 1") }},
	{name: "target without replicas", ends: true,
		strike: func(m *migration, _ *osProcess) { m.target.order("CONFIG SET min-replicas-to-write 3") }},
	{name: "target forbids", ends: true,
		strike: func(m *migration, _ *osProcess) { m.target.order("ACL SETUSER default -@write") }},
	{name: "source forbids", ends: true,
		strike: func(m *migration, _ *osProcess) { m.source.order("ACL SETUSER default -dump -psync") }},
	{name: "migration killed", again: true, strike: func(_ *migration, process *osProcess) { process.Kill() }},
	{name: "migration interrupted", ends: true,
		strike: func(_ *migration, process *osProcess) { process.Signal(syscall.SIGTERM) }},
}

func nothing(*migration, *osProcess) {}

// again sends commands to the source, again and again for a moment.
func again(lines ...string) func(*migration, *osProcess) {
	return func(m *migration, _ *osProcess) { m.repeat(m.source, lines...) }
}

func (m *migration) repeat(t *target, lines ...string) {
	for range 30 {
		for _, line := range lines {
			t.order(line)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// halt stops a server for a moment, in which its clients hang.
func (m *migration) halt(t *target) {
	t.signal(syscall.SIGSTOP)
	time.Sleep(time.Duration(300+m.r.IntN(1000)) * time.Millisecond)
	t.signal(syscall.SIGCONT)
}

func (m *migration) kill() {
	m.gone = true
	m.target.signal(syscall.SIGKILL)
	<-m.target.process.Exited()
}

// breakDisk makes the target unable to save, so that it refuses writes.
func (m *migration) breakDisk() {
	m.target.order("CONFIG SET dbfilename broken.rdb")
	os.MkdirAll(filepath.Join(m.target.process.Dir, "broken.rdb", "x"), 0o755)
	m.target.order("CONFIG SET save 3600 1")
	m.target.order("BGSAVE")
}
