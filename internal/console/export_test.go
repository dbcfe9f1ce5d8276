package console

import (
	"context"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// AppendReply is for the tests.
var AppendReply = appendReply

// Hurry gives browsers less time to send something. It must be called before Listen.
func (c *Console) Hurry(header, request time.Duration) {
	c.haste.header, c.haste.request = header, request
}

// Wait gives browsers much time to take an event. It must be called before Listen.
func (c *Console) Wait() { c.haste.event = time.Hour }

// RunCancelled runs a command in a session of its own whose request has already been cancelled, and
// returns the error.
func (c *Console) RunCancelled(words ...string) error {
	s := c.newSession(nil, engine.Endpoint{Addr: "127.0.0.1:1234"}, nil)
	defer s.close()
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, err := s.run(ctx, [][]string{words})
	return err
}

// Exposition returns the text of one sample of a metric.
func Exposition(name, help string, value float64, labels ...string) string {
	e := make(exposition)
	e.add(gauge, name, help, value, labels...)
	return string(e.text())
}
