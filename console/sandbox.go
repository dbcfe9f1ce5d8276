package console

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/scripting"
	"github.com/miniserver-go/miniserver/server"
)

// sandbox is a server of one page, for experiments: it has no data, files, ports or users, but the test kit, so a page can stop its
// clock and make worlds in it. It is an engine of its own, so whatever runs in it, no client of the real one waits for it.
type sandbox struct {
	console *Console
	server  *server.Server
	engine  *engine.Engine
	scripts *scripting.Scripts
	stop    context.CancelFunc
	ended   chan struct{}
}

const (
	maxSandboxes  = 32
	sandboxMemory = "128mb"
)

// sandboxRules are what may be done in a sandbox: everything that stays in it.
const sandboxRules = "+@all -config|set -config|rewrite -acl -debug -migrate -replicaof -slaveof -failover -psync -sync -replconf " +
	"-shutdown -save -bgsave -bgrewriteaof -module -cluster"

// likeServer are the parameters that a sandbox has as the server does: they decide how values are stored, and what scripts may do.
var likeServer = []string{"encodings", "hash-max-listpack-entries", "hash-max-listpack-value", "zset-max-listpack-entries", "zset-max-listpack-value",
	"set-max-intset-entries", "set-max-listpack-entries", "set-max-listpack-value", "list-max-listpack-size", "stream-node-max-bytes",
	"stream-node-max-entries", "hll-sparse-max-bytes", "busy-reply-threshold", "script-memory-limit", "script-strict-keys"}

// errNoSandbox is why a user has none.
const errNoSandbox = "the sandbox is for users who may run scripts: EVAL"

// maySandbox reports whether a user may have a sandbox. It takes time and memory as scripts do.
func (c *Console) maySandbox(l *login) bool { return c.may(l, []string{"EVAL", "", "0"}) }

func (c *Console) newSandbox() (*sandbox, error) {
	if !c.sandboxes.take() {
		return nil, errors.New("too many sandboxes are open")
	}
	e := engine.New(engine.Options{Release: c.engine.Release, Clock: server.Clock(), Seed: 1})
	parts := assembly.Join(e, assembly.Options{Disk: new(snapshot.MemDisk), TestKit: true})
	b := &sandbox{console: c, engine: e, scripts: parts.Scripts, ended: make(chan struct{})}
	b.server = server.New(e, server.Options{InProcess: true})
	if err := b.configure(); err != nil {
		c.sandboxes.giveBack()
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	b.stop = stop
	go func() {
		_ = b.server.Run(ctx)
		parts.Replication.Close()
		parts.Journal.Close()
		close(b.ended)
	}()
	return b, nil
}

// configure sets the parameters and the rules.
func (b *sandbox) configure() error {
	values := map[string]string{"maxmemory": sandboxMemory, "save": ""}
	b.console.engine.With(func() {
		for _, name := range likeServer {
			if p := b.console.engine.Param(name); p != nil {
				values[name] = p.Get()
			}
		}
	})
	for name, value := range values {
		if p := b.engine.Param(name); p != nil {
			if err := p.Set(value); err != nil {
				return err
			}
		}
	}
	s := b.engine.NewOperator(nil, b.engine.Home())
	defer b.engine.Close(s)
	o := b.engine.Do(s, [][][]byte{bytesOf(append([]string{"ACL", "SETUSER", "default"}, strings.Fields(sandboxRules)...))})
	if string(o.Out) != "+OK\r\n" {
		return errors.New("sandbox: " + string(o.Out))
	}
	return nil
}

func (b *sandbox) dial() net.Conn { return b.server.Dial() }

// close ends the sandbox, and a script that runs in it.
func (b *sandbox) close() {
	b.stop()
	<-b.ended
	b.console.sandboxes.giveBack()
}
