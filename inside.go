package miniserver

import (
	"bytes"
	"context"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/testkit"
	"github.com/miniserver-go/miniserver/resp"
)

// inside steers a world in this process.
type inside struct {
	engine *engine.Engine
	world  *engine.World
	clock  *testkit.Clock
	ended  <-chan struct{} // closed when the server has ended
}

// do runs fn between the commands of the world.
func (in *inside) do(fn func()) {
	unlocked(func() { in.engine.In(in.world, fn) })
}

func (in *inside) now() time.Time { return time.UnixMicro(in.clock.Now()) }

func (in *inside) advance(d time.Duration) {
	in.do(func() { in.clock.Advance(in.world, d) })
}

func (in *inside) moveTo(at time.Time) {
	in.do(func() { in.clock.MoveTo(in.world, at.UnixMicro()) })
}

func (in *inside) freeze(at time.Time) {
	in.do(func() {
		in.clock.Freeze()
		in.clock.MoveTo(in.world, at.UnixMicro())
	})
}

func (in *inside) resume() {
	in.do(func() { in.clock.Resume(in.world) })
}

func (in *inside) seed(seed uint64) {
	in.do(func() { in.world.Reseed(seed) })
}

// operator executes a command of the test kit for a method, without a connection. So it needs no
// password, and is no client that a test would see later.
type operator struct {
	engine  *engine.Engine
	session *engine.Session
	ended   <-chan struct{}
	woken   chan struct{}
}

// Wake implements engine.Peer.
func (o *operator) Wake() {
	select {
	case o.woken <- struct{}{}:
	default:
	}
}

// operate executes a command in the world, and waits for its reply until the context or the server
// ends.
func (in *inside) operate(ctx context.Context, words ...string) (reply resp.Value, err error) {
	select {
	case <-in.ended:
		return reply, errEnded
	default:
	}
	o := &operator{engine: in.engine, ended: in.ended, woken: make(chan struct{}, 1)}
	unlocked(func() {
		o.session = o.engine.NewOperator(o, in.world)
		defer o.engine.Close(o.session)
		reply, err = o.do(ctx, words)
	})
	if err == nil {
		err = reply.Err()
	}
	return reply, err
}

func (o *operator) do(ctx context.Context, words []string) (reply resp.Value, err error) {
	args := make([][]byte, len(words))
	for i, word := range words {
		args[i] = []byte(word)
	}
	outcome := o.engine.Do(o.session, [][][]byte{args})
	for len(outcome.Out) == 0 {
		select {
		case <-o.woken:
			outcome = o.engine.Collect(o.session)
		case <-o.ended:
			return reply, errEnded
		case <-ctx.Done():
			return reply, ctx.Err()
		}
	}
	return resp.NewReader(bytes.NewReader(outcome.Out)).Read()
}
