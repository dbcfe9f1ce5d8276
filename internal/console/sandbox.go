package console

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/scripting"
	"github.com/miniserver-go/miniserver/server"
)

// sandbox is a server of one page, for experiments: it has no data, files, ports or users, but the
// test kit, so a page can stop its clock and make worlds in it. It is an engine of its own, so
// whatever runs in it, no client of the real one waits for it.
type sandbox struct {
	console *Console
	made    *assembly.Assembly
	engine  *engine.Engine
	scripts *scripting.Scripts
	stop    context.CancelFunc
	ended   chan struct{}

	mu      sync.Mutex
	running int  // requests that run in it
	held    hold // its memory, as it was when no request ran in it
	granted int  // bytes by which it may grow while requests run
	closed  bool
}

// sandboxes is what all of them share.
type sandboxes struct {
	bounded
	account *engine.Account // their memory while no requests run in them

	mu      sync.Mutex
	granted int // by how much they may be larger now
}

const (
	maxSandboxes  = 32
	sandboxMemory = 128 << 20 // of the data of one
	sandboxBytes  = 768 << 10 // of an empty one
	sandboxValue  = "32mb"    // the largest string
	leastGrant    = 1 << 20
	grantShare    = 4 // the part of the room that one may take at a time
)

// sandboxRules are what may be done in a sandbox: everything that stays in it.
const sandboxRules = "+@all -config|set -config|rewrite -acl -debug -migrate -replicaof -slaveof -failover -psync " +
	"-sync -replconf -shutdown -save -bgsave -bgrewriteaof -module -cluster"

// likeServer are the parameters that a sandbox has as the server does: they decide how values are
// stored, and what scripts may do.
var likeServer = []string{"encodings", "hash-max-listpack-entries", "hash-max-listpack-value",
	"zset-max-listpack-entries", "zset-max-listpack-value", "set-max-intset-entries", "set-max-listpack-entries",
	"set-max-listpack-value", "list-max-listpack-size", "stream-node-max-bytes",
	"stream-node-max-entries", "hll-sparse-max-bytes", "busy-reply-threshold", "script-strict-keys"}

// errNoSandbox is why a user has none.
const errNoSandbox = "the sandbox is for users who may run scripts: EVAL"

// maySandbox reports whether a user may have a sandbox. It takes time and memory as scripts do.
func (c *Console) maySandbox(l *login) bool { return c.may(l, []string{"EVAL", "", "0"}) }

func (c *Console) newSandbox() (*sandbox, error) {
	if !c.sandboxes.take() {
		return nil, errors.New("too many sandboxes are open")
	}
	ready := make(chan struct{})
	how := &server.Options{InProcess: true, Ready: func() error {
		close(ready)
		return nil
	}}
	made := assembly.New(assembly.Options{Engine: engine.Options{Release: c.engine.Release, Seed: 1, Strict: true},
		Server: how, Disk: new(disk.Memory), TestKit: true})
	b := &sandbox{console: c, made: made, engine: made.Engine, scripts: made.Scripts,
		ended: make(chan struct{}), held: hold{of: c.sandboxes.account}}
	if err := b.configure(); err != nil {
		made.Close(err)
		c.sandboxes.giveBack()
		return nil, err
	}
	b.count()
	ctx, stop := context.WithCancel(context.Background())
	b.stop = stop
	go func() {
		_ = made.Run(ctx)
		close(b.ended)
	}()
	select {
	case <-ready:
	case <-b.ended:
	}
	return b, nil
}

// configure sets the parameters and the rules.
func (b *sandbox) configure() error {
	values := map[string]string{"save": "", "proto-max-bulk-len": sandboxValue}
	b.console.engine.With(func() {
		for _, name := range likeServer {
			if p := b.console.engine.Params.Named(name); p != nil {
				values[name] = p.Get()
			}
		}
	})
	if err := b.set(values); err != nil {
		return err
	}
	s := b.engine.NewOperator(nil, b.engine.Home())
	defer b.engine.Close(s)
	o := b.engine.Do(s,
		[][][]byte{bytesOf(append([]string{"ACL", "SETUSER", "default"}, strings.Fields(sandboxRules)...))})
	if string(o.Out) != "+OK\r\n" {
		return errors.New("sandbox: " + string(o.Out))
	}
	return nil
}

// set sets parameters.
func (b *sandbox) set(values map[string]string) (err error) {
	b.engine.With(func() {
		for name, value := range values {
			if p := b.engine.Params.Named(name); p != nil && err == nil {
				err = p.Set(value)
			}
		}
	})
	return err
}

// The server's engine sees nothing of what is in a sandbox. So its bytes are counted in an account
// whenever the last request in it ends; and before the first one begins it is granted by how much
// its data and its scripts may grow: a part of the room that the server has.

// enter is called before a request runs in the sandbox, leave after it.
func (b *sandbox) enter() (leave func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running++; b.running == 1 {
		b.grow()
	}
	return b.leave
}

func (b *sandbox) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running--; b.running == 0 {
		b.console.sandboxes.grant(-b.granted)
		b.count()
	}
}

// grow grants the sandbox memory.
func (b *sandbox) grow() {
	room, scripts := 0, 0
	b.console.engine.With(func() {
		room = b.console.engine.Home().Room()
		scripts, _ = strconv.Atoi(b.console.engine.Params.Named("script-memory-limit").Get())
	})
	most := max(leastGrant, (room-b.console.sandboxes.grant(0))/grantShare)
	data := max(0, min(sandboxMemory-b.held.bytes, most))
	scripts = min(scripts, sandboxMemory, most)
	b.granted = data + scripts
	b.console.sandboxes.grant(b.granted)
	_ = b.set(map[string]string{"maxmemory": strconv.Itoa(b.held.bytes - sandboxBytes + data),
		"script-memory-limit": strconv.Itoa(scripts)})
}

// count counts what the sandbox holds now.
func (b *sandbox) count() {
	if b.held.release(); b.closed {
		return
	}
	b.engine.With(func() { _ = b.held.take(sandboxBytes + b.engine.Home().MemoryUsage().Used) })
}

// grant changes by how much sandboxes may grow, and returns that.
func (s *sandboxes) grant(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.granted += n
	return s.granted
}

func (b *sandbox) dial() net.Conn { return b.made.Server.Dial() }

// close ends the sandbox, and a script that runs in it.
func (b *sandbox) close() {
	b.stop()
	<-b.ended
	b.mu.Lock()
	b.closed = true
	b.count()
	b.mu.Unlock()
	b.console.sandboxes.giveBack()
}
