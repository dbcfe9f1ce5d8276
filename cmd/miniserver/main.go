// Command miniserver serves the Redis protocol from memory.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/server"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	e := engine.New(engine.Options{Clock: func() int64 { return time.Now().UnixMicro() }, Seed: uint64(time.Now().UnixNano())})
	wire(e)
	opts := server.Options{Port: 6379, Bind: []string{"127.0.0.1"}}
	for i := 1; i+1 < len(os.Args); i += 2 {
		switch name, value := os.Args[i], os.Args[i+1]; name {
		case "--port":
			opts.Port, _ = strconv.Atoi(value)
			if opts.Port == 0 {
				opts.Port = -1
			}
		case "--unixsocket":
			opts.UnixSocket = value
		default:
			if p := e.Param(name[2:]); p != nil && !p.Immutable {
				p.Set(value)
			}
		}
	}
	s := server.New(e, opts)
	if err := s.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
