// Command miniserver serves the Redis protocol from memory.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/server"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	e := engine.New(engine.Options{Clock: func() int64 { return time.Now().UnixMicro() }, Seed: 1})
	wire(e)
	s := server.New(e, server.Options{Port: 6399, Bind: []string{"127.0.0.1"}})
	if err := s.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
