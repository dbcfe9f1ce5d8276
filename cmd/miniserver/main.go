// Command miniserver serves the Redis protocol from memory.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if err != nil {
		if !errors.Is(err, errReply) && !errors.Is(err, errPrinted) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}
