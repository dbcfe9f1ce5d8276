package miniserver

import (
	"bytes"
	"context"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// operator executes a command of the test kit for a method, without a connection. So it needs no
// password, and is no client that a test would see later.
type operator struct {
	engine  *engine.Engine
	session *engine.Session
	woken   chan struct{}
}

// Wake implements engine.Peer.
func (o *operator) Wake() {
	select {
	case o.woken <- struct{}{}:
	default:
	}
}

// operate executes a command in a world, and waits for its reply until the context ends.
func (w *World) operate(ctx context.Context, words ...string) (reply resp.Value, err error) {
	o := &operator{engine: w.server.engine, woken: make(chan struct{}, 1)}
	unlocked(func() {
		o.session = o.engine.NewOperator(o, w.world)
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
		case <-ctx.Done():
			return reply, ctx.Err()
		}
	}
	return resp.NewReader(bytes.NewReader(outcome.Out)).Read()
}
